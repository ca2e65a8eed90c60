#!/usr/bin/env python3
"""Reference values of the loss-based closed forms, computed with mpmath alone.

Prints closed-forms.csv to standard output:  closed_forms.py > closed-forms.csv

Every loss rate and parameter is the double nearest to the decimal shown, taken
exactly from there on. Windows are packets per round trip, means per round.
"""
import os

import mpmath
from mpmath import mp, mpf, sqrt, log, lambertw, exp

mp.dps = 60
SHOWN = 20

LOSSES = ["1e-12", "1e-11", "1e-10", "1e-9", "3e-9", "1e-8", "1e-7", "3e-7", "1e-6",
          "1e-5", "3e-5", "1e-4", "1.3e-4", "1.4e-4", "3e-4", "1e-3", "3e-3", "5e-3",
          "1e-2", "2e-2", "5e-2", "0.1", "0.2", "0.3"]


def double(text):
    """The double nearest to a decimal, exactly."""
    return mpf(float(text))


def log2(x):
    return log(x) / log(mpf(2))


def larger(*solutions):
    """Of (mean, peak, regime) triples, the one with the largest mean."""
    return max(solutions, key=lambda s: s[0])


def reno_mean(p):
    return sqrt(mpf(3) / (2 * p))


def reno(p):
    return reno_mean(p), sqrt(8 / (3 * p)), "reno"


# --- AIMD(a, b), b the fraction removed -----------------------------------------

def aimd(a, b, p):
    """Periodic loss: (mean, peak)."""
    peak = sqrt(2 * a / (p * b * (2 - b)))
    return (2 - b) / 2 * peak, peak


def inverse_root_moment(b):
    """E[U^(-1/2)] of U = sum q^j E_j, E_j independent Exp(1), q = (1-b)^2."""
    q = (1 - b) ** 2
    product, n = mp.gamma(mpf(1) / 2), 1
    while q ** n > mpf(10) ** (-mp.dps - 5):
        product *= (1 - q ** (n - mpf(1) / 2)) / (1 - q ** n)
        n += 1
    return product


def aimd_forms(a, b):
    constant = sqrt(2 * a) / inverse_root_moment(b)
    return [("periodic", lambda p: aimd(a, b, p)),
            ("random", lambda p: (constant / sqrt(p),)),
            ("mean-field", lambda p: (sqrt(a / (b * p)),))]


# --- HighSpeed TCP ------------------------------------------------------------------

def highspeed_forms(low_w, low_p, c, d):
    s = log(mpf(83000) / low_w) / log(double("1e-7") / low_p)
    return [("line", lambda p: (max(low_w * (p / low_p) ** s, reno_mean(p)),)),
            ("printed", lambda p: (max(c / p ** d, reno_mean(p)),))]


# --- Scalable TCP -------------------------------------------------------------------

def scalable_forms(a, b):
    return [("mean", lambda p: (max(-a / (p * log(1 - b)), reno_mean(p)),)),
            ("peak", lambda p: (max(a / (b * p), reno_mean(p)),))]


# --- BIC ----------------------------------------------------------------------------

class Bic:
    def __init__(self, s_max="32", s_min="0.01", b="0.125"):
        self.s_max, self.s_min, self.b = double(s_max), double(s_min), double(b)

    def lambert(self, y):
        """W with W log2(bW/Smin) + 2(1-b)W = y."""
        k = self.b / self.s_min * mpf(2) ** (2 * (1 - self.b))
        u = y * log(mpf(2))
        return u / lambertw(k * u).real

    def large(self, p):
        """Equations 4 and 5: (mean, peak)."""
        s, m, b = self.s_max, self.s_min, self.b
        a_ = b * (2 - b) / (2 * s)
        b_ = log2(s / m) + (2 - b) / 2
        root = sqrt(b_ ** 2 + 4 * a_ * (s - m + 1 / p))
        mean = (2 - b) / p / (root + (1 - b) * b_ + b * (2 - b) / 2)
        peak = (root - b_) / (2 * a_)
        assert abs(mean * (b * peak / s + log2(s / m) + 1) * p - 1) < mpf(10) ** -40
        return mean, peak

    def printed(self, p):
        mean, peak = self.large(p)
        if peak * self.b > 2 * self.s_max:
            return mean, peak
        peak = self.lambert(1 / p)
        assert peak * self.b <= 2 * self.s_max
        if peak * self.b < self.s_min:
            return None
        return 1 / p / (log2(peak * self.b / self.s_min) + 2), peak

    def small(self, p):
        """Equation 7; outside the binary search's range above Smin it means nothing."""
        peak = self.lambert(1 / p - self.s_min)
        return None if peak * self.b < self.s_min else (peak, peak)

    def per_round_alone(self, p):
        m, b = self.s_min, self.b
        mean, peak = self.large(p)
        if peak * b > 2 * self.s_max:
            return mean, peak, "additive increase"
        peak = self.lambert(1 / p - m)
        assert peak * b <= 2 * self.s_max
        if peak * b >= m:
            own = 1 / p / (log2(peak * b / m) + 2), peak, "binary search"
        else:  # the first, partial round: (b/Smin)(1-b)W^2 + W = 1/p
            q = b * (1 - b) / m
            peak = 2 / p / (1 + sqrt(1 + 4 * q / p))
            assert peak * b < m
            own = 1 / p / (1 + b * peak / m), peak, "minimum increment"
        return own

    def per_ack_alone(self, p):
        s, m, b = self.s_max, self.s_min, self.b
        candidates = []
        mean, peak = aimd(m, b, p)
        if b * peak <= 2 * m:
            candidates.append((mean, peak, "minimum increment"))
        y = 1 / p - 2 * m
        if y > 0:
            peak = y / (2 * lambertw(b / (4 * m) * exp(1 - b) * y).real)
            if 2 * m < b * peak <= 2 * s:
                n = 2 * log(b * peak / (2 * m)) + 2
                candidates.append((1 / p / n, peak, "binary search"))
        a_, b_, c_ = b * (2 - b) / (2 * s), 2 * log(s / m), 2 * (s - m)
        root = sqrt(b_ ** 2 + 4 * a_ * (c_ + 1 / p))
        peak = (root - b_) / (2 * a_)
        if b * peak > 2 * s:
            candidates.append((1 / p / (b * peak / s + b_), peak, "additive increase"))
        assert len(candidates) == 1, "the three regimes exclude one another"
        return candidates[0]

    def forms(self):
        """Joined with Reno at the crossing; the limits never are."""
        return [("per-round", lambda p: larger(self.per_round_alone(p), reno(p))),
                ("large-window",
                 lambda p: (sqrt(self.s_max / 2 * (2 - self.b) / self.b / p),)),
                ("small-window", self.small),
                ("per-ack", lambda p: larger(self.per_ack_alone(p), reno(p)))]

    def forms_alone(self):
        """Without standard TCP below low_window."""
        return [("printed", self.printed), ("per-round", self.per_round_alone),
                ("per-ack", self.per_ack_alone)]


# --- the table ------------------------------------------------------------------------

def laws():
    half = mpf(1) / 2
    yield "reno", aimd_forms(mpf(1), half) + [
        ("discrete", lambda p: (mpf(3) / 4 * (sqrt(1 + 8 / (3 * p)) - 1),))]
    for a, b in [("32", "0.125"), ("32", "0.25"), ("0.2", "0.125"), ("1", "0.5"),
                 ("0.5294117647058824", "0.3"), ("1", "0.01"), ("1", "0.9")]:
        yield f"aimd:a={a},b={b}", aimd_forms(double(a), double(b))
    yield "highspeed", highspeed_forms(
        mpf(38), double("1e-3"), double("0.12"), double("0.835"))
    yield "highspeed@draft2002", highspeed_forms(
        mpf(31), double("1.44") / 31 ** 2, double("0.15"), double("0.82"))
    yield "scalable", scalable_forms(double("0.01"), double("0.125"))
    for key, value in [("", ""), ("smax", "8"), ("smax", "16"), ("smax", "64"), ("smin", "1"),
                       ("smin", "0.1"), ("smin", "0.001"), ("beta", "0.25")]:
        names = {"smax": "s_max", "smin": "s_min", "beta": "b"}
        law = Bic(**{names[key]: value}) if key else Bic()
        yield f"bic:{key}={value}" if key else "bic", law.forms()
        yield f"bic:{key}={value},low_window=0" if key else "bic:low_window=0", law.forms_alone()
    yield "mathis:c=1", [("square-root", lambda p: (1 / sqrt(p),))]
    c = double(sqrt(mpf(3) / 2))
    yield "mathis:ack_every=2", [("square-root", lambda p: (c / sqrt(2 * p),))]
    yield "kelly", [("equilibrium", lambda p: (sqrt(2 * (1 - p) / p),))]


def number(x):
    return mp.nstr(x, SHOWN, strip_zeros=False)


def quoted(spec):
    return f'"{spec}"' if "," in spec else spec


def main():
    print("# Closed forms of the loss-based laws: packets per round trip at a loss rate.")
    print(f"# Made by {os.path.basename(__file__)}: mpmath {mpmath.__version__}, "
          f"{mp.dps} digits, {SHOWN} shown; inputs are the nearest doubles, taken exactly.")
    print("# bic: beta is the fraction removed, default smax=32, smin=0.01, beta=0.125;")
    print("# rows of printed and small-window where beta*peak < smin are left out.")
    print("law,form,loss,rtt_s,window_pkt,peak_pkt,regime")
    for spec, forms in laws():
        for form, solve in forms:
            for loss in LOSSES:
                found = solve(double(loss))
                if found is None:
                    continue
                mean, peak, regime = (list(found) + ["", ""])[:3]
                print(",".join([quoted(spec), form, loss, "", number(mean),
                                peak if peak == "" else number(peak), regime]))


if __name__ == "__main__":
    main()
