#!/usr/bin/env python3
"""Reference values of the Lambert function, computed with mpmath alone.

lambert.py x  > lambert.csv      W0(x) at exact doubles x
lambert.py ln > lambert-ln.csv   the w > 0 with w + ln w = ln x, at exact doubles ln x
"""
import os
import sys

import mpmath
from mpmath import mp, mpf, log, lambertw, exp

mp.dps = 60
SHOWN = 25

ARGUMENTS = [f"{m}e{e}" for e in range(-9, 14) for m in (1, 2, 5)] + ["1e14"]
LOGARITHMS = ["-700", "-100", "-50", "-20", "-10", "-5", "-2", "-1", "-0.5", "0", "0.5", "1", "1.5",
              "2", "3", "5", "7", "10", "20", "32", "50", "100", "300", "700", "709",
              "710", "1000", "3e3", "1e4", "3e4", "1e5", "3e5", "1e6"]


def omega(ln_x):
    """W0(e^ln_x); mpmath's exponents are unbounded, so no overflow."""
    w = lambertw(exp(ln_x)).real
    assert abs(w + log(w) - ln_x) <= mpf(10) ** -48 * max(1, abs(ln_x))
    return w


def table(kind):
    if kind == "x":
        return "x,w0", ARGUMENTS, lambda x: lambertw(x).real
    return "ln_x,w", LOGARITHMS, omega


def main():
    header, inputs, function = table(sys.argv[1])
    print("# Lambert W, principal branch: " +
          ("W0(x)." if sys.argv[1] == "x" else "w + ln w = ln_x, so w = W0(exp(ln_x))."))
    print(f"# Made by {os.path.basename(__file__)}: mpmath {mpmath.__version__}, "
          f"{mp.dps} digits, {SHOWN} shown; inputs are the nearest doubles, taken exactly.")
    print(header)
    for text in inputs:
        print(text, mp.nstr(function(mpf(float(text))), SHOWN, strip_zeros=False), sep=",")


if __name__ == "__main__":
    main()
