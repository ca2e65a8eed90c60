#!/usr/bin/env python3
"""Exact periodic sawteeth of the laws themselves, computed with mpmath alone.

epochs.py highspeed > highspeed-epoch.csv
epochs.py scalable  > scalable-epoch.csv
epochs.py bic       > bic-epoch.csv

Between losses the window follows dW/dn = growth per round trip n from (1-b)Wm to
Wm; an epoch sends exactly 1/p packets. All solutions Wm of that are listed.
"""
import os
import sys

import mpmath
from mpmath import mp, mpf, log, exp, quad

mp.dps = 40
SHOWN = 15
LOSSES = [10.0 ** (-k / 2) if k % 2 else float(f"1e-{k // 2}") for k in range(2, 19)]


def double(x):
    return mpf(float(x))


# Pieces of a sawtooth from u to v: (packets, rounds).

def constant(g, u, v):
    return ((v * v - u * u) / (2 * g), (v - u) / g) if v > u else (mpf(0), mpf(0))


def proportional(a, u, v):
    return ((v - u) / a, log(v / u) / a) if v > u else (mpf(0), mpf(0))


def half_the_gap(peak, u, v):
    """Growth (peak - w)/2."""
    if v <= u:
        return mpf(0), mpf(0)
    rounds = 2 * log((peak - u) / (peak - v))
    return peak * rounds - 2 * (v - u), rounds


def total(*pieces):
    return sum(p[0] for p in pieces), sum(p[1] for p in pieces)


# --- the laws: epoch(peak) -> (packets, rounds) -----------------------------------------

def scalable(peak, low=mpf(16)):
    if peak < low:
        return constant(1, peak / 2, peak)
    start = (1 - double("0.125")) * peak
    return total(constant(1, start, low),
                 proportional(double("0.01"), max(start, low), peak))


def bic(peak, low=mpf(14)):
    if peak < low:
        return constant(1, peak / 2, peak)
    s_max, s_min = mpf(32), double("0.01")
    start = (1 - double("0.125")) * peak
    first = max(start, low)
    fast = max(first, peak - 2 * s_max)      # the gap is 2 Smax here
    slow = max(first, peak - 2 * s_min)      # the gap is 2 Smin here
    return total(constant(1, start, low), constant(s_max, first, fast),
                 half_the_gap(peak, fast, slow), constant(s_min, slow, peak))


class HighSpeed:
    """a(w), b(w) of RFC 3649's appendix program, a >= 1; Reno up to 38.

    Above 83000: 'both' holds a and b, 'b' holds b at 0.1 (and its use in a),
    'decrease' holds b in the decrease only, 'none' nothing.
    """

    def __init__(self, clamp):
        self.clamp, self._kink = clamp, None

    @staticmethod
    def line(w):
        return (double("0.1") - mpf(1) / 2) * log(w / 38) / log(mpf(83000) / 38) + mpf(1) / 2

    def b(self, w):
        if w <= 38:
            return mpf(1) / 2
        return self.line(w if self.clamp == "none" else min(w, mpf(83000)))

    def a(self, w):
        if w <= 38:
            return mpf(1)
        if self.clamp == "both":
            w = min(w, mpf(83000))
        b = self.b(w) if self.clamp == "b" else self.line(w)
        return max(mpf(1), w ** double("0.8") * 2 * b / ((2 - b) * double("12.8")))

    def kink(self):
        """Where a(w) leaves 1."""
        if self._kink is None:
            self._kink = mp.findroot(lambda w: w ** double("0.8") * 2 * self.line(w) /
                                     ((2 - self.line(w)) * double("12.8")) - 1, mpf("40.7"))
        return self._kink

    def epoch(self, peak):
        start = (1 - self.b(peak)) * peak
        kink, top = self.kink(), mpf(83000)
        low = constant(1, start, min(peak, max(start, kink)))
        u, flat = max(start, kink), (mpf(0), mpf(0))
        v = max(u, min(peak, top)) if self.clamp == "both" else max(u, peak)
        if self.clamp == "both":
            flat = constant(self.a(top), max(u, top), peak)
        packets = rounds = mpf(0)
        if v > u:
            knots = [log(u)] + ([log(top)] if u < top < v else []) + [log(v)]
            packets = quad(lambda x: exp(2 * x) / self.a(exp(x)), knots)
            rounds = quad(lambda x: exp(x) / self.a(exp(x)), knots)
        return total(low, flat, (packets, rounds))


# --- solving ----------------------------------------------------------------------------

def crossing(f, a, b):
    """The zero of a rising f in [a, b]: bisection, then secant steps kept inside."""
    if f(a) >= 0:
        return a
    for _ in range(24):
        middle = (a + b) / 2
        a, b = (middle, b) if f(middle) < 0 else (a, middle)
    x0, x1, f0 = a, b, f(a)
    for _ in range(60):
        f1 = f(x1)
        if abs(f1) < mpf(10) ** -33 or f1 == f0:
            break
        x0, x1, f0 = x1, min(b, max(a, x1 - f1 * (x1 - x0) / (f1 - f0))), f1
    return x1


def solutions(epoch, p, branches):
    """Every peak whose epoch sends 1/p packets; branches are closed-open intervals,
    in which the packets of an epoch grow with its peak."""
    for low, high in branches:
        if not epoch(low)[0] <= 1 / p:
            continue
        top = high - high * mpf(10) ** -(mp.dps - 3)
        if epoch(top)[0] < 1 / p:
            continue
        peak = low * exp(crossing(lambda x: log(epoch(low * exp(x))[0] * p),
                                  mpf(0), log(top / low)))
        packets, rounds = epoch(peak)
        assert abs(packets * p - 1) < mpf(10) ** -25, (p, peak, packets * p - 1)
        yield peak, rounds


def assert_rising(epoch, low, high, steps=4000):
    values = [epoch(low * (high / low) ** (mpf(k) / steps))[0] for k in range(steps)]
    assert all(x < y for x, y in zip(values, values[1:]))


def number(x):
    return mp.nstr(x, SHOWN, strip_zeros=False)


def main():
    law = sys.argv[1]
    name, huge = os.path.basename(__file__), mpf(10) ** 12
    made = (f"# Made by {name}: mpmath {mpmath.__version__}, {mp.dps} digits, {SHOWN} shown. "
            "Exactly 1/p packets per epoch; window = (1/p)/rounds.")
    if law == "highspeed":
        print("# HighSpeed TCP, periodic loss, continuous a(w), b(w) of RFC 3649's appendix "
              "program (12.8), a >= 1.")
        print("# clamp: both = a and b held above 83000; b = b held, also inside a; "
              "decrease = b held in the decrease only; none = nothing held.")
        print(made)
        print("loss,clamp,window_pkt,peak_pkt,rounds")
        rows = [(clamp, HighSpeed(clamp).epoch, [(mpf(1), mpf(10) ** (9 if clamp in ("both", "b") else 5))])
                for clamp in ("both", "b", "decrease", "none")]
    else:
        epoch, low = (scalable, mpf(16)) if law == "scalable" else (bic, mpf(14))
        print({"scalable": "# Scalable TCP, periodic loss: growth 0.01 W a round from 16 on, "
               "1 below; at a loss 0.125 removed if W >= 16, else 0.5.",
               "bic": "# BIC re-evaluated on every ACK, periodic loss: growth "
               "clamp((Wm-W)/2, 0.01, 32) a round from 14 on, 1 below; at a loss 0.125 "
               "removed if W >= 14, else 0.5."}[law])
        print("# Several rows of one loss rate are several self-consistent sawteeth.")
        print(made)
        print("loss,window_pkt,peak_pkt,rounds")
        assert_rising(epoch, low, low * 100)
        rows = [("", epoch, [(mpf("0.01"), low), (low, huge)])]
    for clamp, epoch, branches in rows:
        for loss in LOSSES:
            if clamp in ("decrease", "none") and loss < 5e-8:
                continue    # an unclamped b makes a(w) fall: peaks to 1e5 only
            p = mpf(loss)
            for peak, rounds in solutions(epoch, p, branches):
                print(",".join([repr(loss)] + ([clamp] if clamp else []) +
                               [number(x) for x in (1 / p / rounds, peak, rounds)]))


if __name__ == "__main__":
    main()
