#!/usr/bin/env python3
"""Westwood's steady states with mpmath alone, from the equations they solve and not from their solutions.

westwood.py > westwood.csv

mean-field forms: the root of (1-p)/W = p (W - w0) with w0 given, rho W or rho (1-p) W, found by bisection.
random forms: rounds from w0 to the loss as an integral of the survival exp(-p (w^2 - w0^2)/2), w0 given or rho W.
periodic forms: the estimate follows its linear equation(s) over one epoch and must come back; unknowns by Newton's method.
"""
import mpmath
from mpmath import mp, mpf, sqrt, exp, quad, findroot

mp.dps = 40
SHOWN = 17


def mean_field(p, w0_of):
    f = lambda w: (1 - p) / w - p * (w - w0_of(w))
    low, high = mpf("1e-6"), mpf("1e30")
    for _ in range(400):
        middle = sqrt(low * high)
        if f(middle) > 0:
            low = middle
        else:
            high = middle
    return low


def mean_rounds(p, w0):
    """E[w - w0] = integral of the survival over w."""
    scale = 1 / (p * w0 + sqrt(p))
    s = lambda v: exp(-p * (v * w0 + v * v / 2))
    return quad(s, [k * scale for k in (0, 1, 3, 10, 30, 100, 300)])


def renewal(p, w0):
    return 1 / p / mean_rounds(p, w0)


def self_consistent(p, rho):
    f = lambda w: renewal(p, rho * w) - w
    return findroot(f, (sqrt(1 / p), sqrt(1 / (p * (1 - rho)))), solver="anderson", tol=1e-50, verify=False)


def periodic(p, rtt, base, tau, twice):
    slope = 1 / rtt ** 2  # of the rate, packets/s^2

    def end(b, first, n):
        """Estimate(s) after a ramp of n rounds from w0 = base b."""
        r0, t = base * b / rtt, n * rtt
        r1, e = r0 + slope * t, exp(-t / tau)
        f = r1 - tau * slope + (first - r0 + tau * slope) * e
        if not twice:
            return None, f
        g = r1 - 2 * tau * slope + (b - r0 + 2 * tau * slope + (first - r0 + tau * slope) * t / tau) * e
        return f, g

    guess = sqrt(1 / (2 * p * (1 - base / rtt)))
    if twice:
        def f(b, first, n):
            one, two = end(b, first, n)
            return [(one - first) / first, (two - b) / b, p * n * (base * b + n / 2) - 1]
        b, _, n = findroot(f, (guess / rtt, guess / rtt, 2 * (1 - base / rtt) * guess), tol=1e-60)
    else:
        def f(b, n):
            return [(end(b, b, n)[1] - b) / b, p * n * (base * b + n / 2) - 1]
        b, n = findroot(f, (guess / rtt, 2 * (1 - base / rtt) * guess), tol=1e-60)
    return 1 / (p * n), base * b + n


def show(x):
    return mpmath.nstr(x, SHOWN)


print("# mpmath, 40 digits (made-by/westwood.py): Westwood's mean window and window before a loss, from the equations that the forms solve.")
print("law,form,loss,rtt_s,base_rtt_s,window_pkt,peak_pkt")
for loss in ("1e-2", "1e-3", "3.3e-5", "1e-6"):
    p = mpf(loss)
    for rtt_s, base_s in (("0.2", "0.15"), ("0.1", "0.04"), ("0.02", "0.019")):
        rtt, base = mpf(rtt_s), mpf(base_s)
        rho = base / rtt
        place = f"{loss},{rtt_s},{base_s}"
        print(f"westwood,conservation,{place},{show(mean_field(p, lambda w: rho * w))},")
        print(f"westwood,delivered,{place},{show(mean_field(p, lambda w: rho * (1 - p) * w))},")
        print(f"westwood,self-consistent,{place},{show(self_consistent(p, rho))},")
        for tau in ("0.5", "20", "0.01"):
            law = "westwood" if tau == "0.5" else f"westwood:tau={tau}s"
            w, peak = periodic(p, rtt, base, mpf(tau), False)
            print(f"{law},periodic,{place},{show(w)},{show(peak)}")
        tau = max(rtt, mpf("0.05")) / -mpmath.log(mpf(7) / 8)
        w, peak = periodic(p, rtt, base, tau, True)
        print(f"westwood@westwood-plus,periodic,{place},{show(w)},{show(peak)}")
        for bandwidth in ("100", "4000"):
            w0 = mpf(bandwidth) * base
            law = f"westwood:bandwidth={bandwidth}"
            print(f"{law},given-bandwidth,{place},{show(mean_field(p, lambda w: w0))},")
            print(f"{law},renewal,{place},{show(renewal(p, w0))},")
            peak = sqrt(w0 ** 2 + 2 / p)
            print(f"{law},periodic,{place},{show(1 / p / (peak - w0))},{show(peak)}")
    print(f"westwood,delivered,{loss},0.1,0.1,{show(mean_field(p, lambda w: (1 - p) * w))},")
