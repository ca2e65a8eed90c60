#!/usr/bin/env python3
"""Reference values of CUBIC, H-TCP, Compound, Illinois, PFTK and TFRC, by mpmath alone.

Prints closed-forms-modern.csv to standard output. Inputs are the nearest doubles,
taken exactly; windows are packets per round trip, means per round, (1/p)/N.
"""
import os

import mpmath
from mpmath import mp, mpf, sqrt

from closed_forms import LOSSES, aimd, double, number, quoted, reno

mp.dps = 60
RTTS = ["0.01", "0.1", "0.2"]


def rising_root(f, low, high):
    """The zero of a rising f between positive bounds, by bisection in the logarithm."""
    low, high = mp.log(low), mp.log(high)
    for _ in range(int(3.4 * mp.dps)):
        middle = (low + high) / 2
        low, high = (middle, high) if f(mp.exp(middle)) < 0 else (low, middle)
    return mp.exp((low + high) / 2)


# --- CUBIC, beta the fraction kept -------------------------------------------------

class Cubic:
    def __init__(self, c="0.4", beta="0.7"):
        self.c, self.beta = double(c), double(beta)
        self.alpha = 3 * (1 - self.beta) / (1 + self.beta)

    def cubic_only(self, p, rtt):
        c, beta = self.c, self.beta
        mean = (c * (3 + beta) / (4 * (1 - beta)) * (rtt / p) ** 3) ** (mpf(1) / 4)
        peak = 4 * mean / (3 + beta)
        return mean, peak, "cubic"

    def periodic(self, p, rtt):
        mean, peak = aimd(self.alpha, 1 - self.beta, p)
        return max(self.cubic_only(p, rtt), (mean, peak, "reno-friendly"))

    def mean_field(self, p, rtt):
        return ((self.c / (1 - self.beta) * (rtt / p) ** 3) ** (mpf(1) / 4),)

    def epoch(self, k, rtt):
        """(packets, seconds, regime) of an epoch with the larger of W_cubic and W_est.

        W_cubic - W_est = C t (t^2 - 3Kt + 3K^2 - q): none, one or two changes of sign.
        """
        c, beta, alpha = self.c, self.beta, self.alpha
        peak = c * k ** 3 / (1 - beta)
        cubic = lambda t: peak * t + c * ((t - k) ** 4 - k ** 4) / 4
        line = lambda t: beta * peak * t + alpha * t * t / (2 * rtt)
        q = alpha / (c * rtt)
        if k * k >= q:
            return cubic(k) / rtt, k, "cubic"
        end = k ** 3 / q
        if 3 * k * k <= q:
            return line(end) / rtt, end, "reno-friendly"
        change = (3 * k - sqrt(4 * q - 3 * k * k)) / 2
        return (cubic(change) + line(end) - line(change)) / rtt, end, "both"

    def inside_epoch(self, p, rtt):
        k = rising_root(lambda k: self.epoch(k, rtt)[0] - 1 / p, mpf(10) ** -6, mpf(10) ** 6)
        packets, seconds, regime = self.epoch(k, rtt)
        return packets * rtt / seconds, self.c * k ** 3 / (1 - self.beta), regime

    def forms(self):
        return [("periodic", self.periodic), ("mean-field", self.mean_field),
                ("inside-epoch", self.inside_epoch)]


# --- H-TCP, beta the fraction kept, alpha = 2(1-beta) alpha_raw -------------------------

class Htcp:
    def __init__(self, beta="0.5", scaled=False):
        self.beta, self.scaled = double(beta), scaled

    @staticmethod
    def growth(t):
        """(A, B): integral of alpha_raw to t, and the integral of that."""
        s = max(t - 1, mpf(0))
        return t + 5 * s ** 2 + s ** 3 / 12, t * t / 2 + 5 * s ** 3 / 3 + s ** 4 / 48

    def periodic(self, p, rtt):
        unit = double("0.1") if self.scaled else rtt

        def packets(t):
            a, b = self.growth(t)
            return 2 / (rtt * unit) * (self.beta * a * t + (1 - self.beta) * b)

        t = rising_root(lambda t: packets(t) - 1 / p, mpf(10) ** -6, mpf(10) ** 6)
        return rtt / (p * t), 2 * self.growth(t)[0] / unit, ""

    def forms(self):
        return [("periodic", self.periodic)]


# --- Compound: growth alpha W^k, half removed ---------------------------------------------

def compound(k, p):
    a, b, k = mpf(1) / 8, mpf(1) / 2, double(k)
    kept = 1 - b
    peak = ((2 - k) * a / (p * (1 - kept ** (2 - k)))) ** (1 / (2 - k))
    rounds = peak ** (1 - k) * (1 - kept ** (1 - k)) / (a * (1 - k))
    return max((1 / p / rounds, peak, "compound"), reno(p))


def compound_mean_field(k, p):
    return ((1 / (4 * p)) ** (1 / (2 - double(k))),)


# --- Illinois at a frozen queueing delay ------------------------------------------------------

def illinois(fraction, p):
    d, d1, d2, d3 = map(double, (fraction, "0.01", "0.1", "0.8"))
    least, most, b_least, b_most = double("0.3"), mpf(10), mpf(1) / 8, mpf(1) / 2
    k1 = (1 - d1) * least * most / (most - least)
    k2 = (1 - d1) * least / (most - least) - d1
    k3 = (b_least * d3 - b_most * d2) / (d3 - d2)
    k4 = (b_most - b_least) / (d3 - d2)
    alpha = most if d <= d1 else k1 / (k2 + d)
    b = b_least if d <= d2 else b_most if d >= d3 else k3 + k4 * d
    return aimd(alpha, b, p)


# --- PFTK and TFRC ---------------------------------------------------------------------------------

def pftk(p, rtt, rto, every=1, limit=None):
    """(send rate, throughput) of the full model, packets per second."""
    u = mpf(2 + every) / (3 * every)
    w = u + sqrt(8 * (1 - p) / (3 * every * p) + u * u)
    backoff = 1 + p + 2 * p ** 2 + 4 * p ** 3 + 8 * p ** 4 + 16 * p ** 5 + 32 * p ** 6
    if limit is None or w < limit:
        time = rtt * (mpf(every) / 2 * w + 1)
    else:
        w = mpf(limit)
        time = rtt * (mpf(every) / 8 * w + (1 - p) / (p * w) + 2)
    s = 1 - p
    q = mpf(1) if w <= 3 else min(mpf(1), (1 - s ** 3) * (1 + s ** 3 * (1 - s ** (w - 3)))
                                  / (1 - s ** w))
    time += q * rto * backoff / s
    return (s / p + w + q / s) / time, (s / p + w / 2 + q) / time


def pftk_approximate(p, rtt, rto, every=1, limit=None):
    rate = 1 / (rtt * sqrt(2 * every * p / 3) + rto * min(
        mpf(1), 3 * sqrt(3 * every * p / 8)) * p * (1 + 32 * p * p))
    return rate if limit is None else min(rate, limit / rtt)


def tfrc(p, every=1, rto_rtts=4):
    """Packets per round trip; no minimum."""
    return 1 / (sqrt(2 * every * p / 3)
                + rto_rtts * 3 * sqrt(3 * every * p / 8) * p * (1 + 32 * p * p))


def tfrc_rfc4828(p):
    return 1 / (double("0.816") * sqrt(p) + double("7.34") * sqrt(p) * p * (1 + 32 * p * p))


# --- the table ----------------------------------------------------------------------------------------

def laws():
    """(spec, forms, RTTs); a form maps (p, rtt) to (mean, [peak, [regime]])."""
    yield "cubic", Cubic().forms(), RTTS
    yield "cubic:c=0.04", Cubic(c="0.04").forms(), RTTS
    yield "cubic:c=4", Cubic(c="4").forms(), RTTS
    yield "cubic:beta=0.8", Cubic(beta="0.8").forms(), RTTS
    yield "htcp", Htcp().forms(), RTTS
    yield "htcp:beta=0.8", Htcp(beta="0.8").forms(), RTTS
    yield "htcp:rtt_scaling=1", Htcp(scaled=True).forms(), RTTS
    yield "htcp:beta=0.8,rtt_scaling=1", Htcp(beta="0.8", scaled=True).forms(), RTTS
    for k, spec in ("0.75", "compound"), ("0.8", "compound:k=0.8"):
        yield spec, [("periodic", lambda p, rtt, k=k: compound(k, p)),
                     ("mean-field", lambda p, rtt, k=k: compound_mean_field(k, p))], [""]
    for f in "0", "0.01", "0.05", "0.1", "0.2", "0.5", "0.8", "1":
        yield f"illinois:delay={f}", [
            ("periodic", lambda p, rtt, f=f: illinois(f, p))], [""]
    for rto_spec, rto in [("rto_rtts=4", lambda rtt: 4 * rtt), ("rto_s=1", lambda rtt: mpf(1))]:
        for every in 1, 2:
            for limit in None, 32:
                spec = f"pftk:ack_every={every},{rto_spec}" + (
                    f",max_window={limit}" if limit else "")
                more = dict(every=every, limit=limit)
                yield spec, [
                    ("full", lambda p, rtt, rto=rto, m=more: (
                        rtt * pftk(p, rtt, rto(rtt), **m)[0],)),
                    ("throughput", lambda p, rtt, rto=rto, m=more: (
                        rtt * pftk(p, rtt, rto(rtt), **m)[1],)),
                    ("approximate", lambda p, rtt, rto=rto, m=more: (
                        rtt * pftk_approximate(p, rtt, rto(rtt), **m),))], RTTS
    yield "tfrc", [("equation", lambda p, rtt: (tfrc(p),)),
                   ("rfc4828", lambda p, rtt: (tfrc_rfc4828(p),))], [""]
    yield "tfrc:ack_every=2", [("equation", lambda p, rtt: (tfrc(p, 2),))], [""]


def main():
    print(f"# mpmath {mpmath.__version__}, {mp.dps} digits, 20 shown, by {os.path.basename(__file__)}: "
          "closed forms of the later laws, packets per round trip at a loss rate and a round trip.")
    print("# Inputs are the nearest doubles, taken exactly.")
    print("# cubic, htcp: beta is the fraction kept. cubic periodic: the larger of the two means;")
    print("# mean-field: cubic alone; inside-epoch: the larger window inside the epoch.")
    print("# htcp: growth 2(1-beta) alpha_raw. illinois: delay as a fraction of the largest.")
    print("# pftk: rates times rtt_s; throughput is what the receiver gets.")
    print("law,form,loss,rtt_s,window_pkt,peak_pkt,regime")
    for spec, forms, rtts in laws():
        for form, solve in forms:
            for rtt in rtts:
                for loss in LOSSES:
                    found = solve(double(loss), rtt and double(rtt))
                    mean, peak, regime = (list(found) + ["", ""])[:3]
                    print(",".join([quoted(spec), form, loss, rtt, number(mean),
                                    peak if peak == "" else number(peak), regime]))


if __name__ == "__main__":
    main()
