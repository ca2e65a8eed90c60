"""XCP at the ends of its parameters: the numbers of `edges` in verify/loop_runs.rs, from the characteristic equation alone with 40 digits.

python3 xcp_edges.py
"""

from mpmath import cos, exp, findroot, mp, mpc, mpf, nstr, sin, sqrt

mp.dps = 40

# XCP (round trip 1 s), s^2 + (alpha s + beta) e^-s = 0: at the boundary alpha = u sin u and beta = u^2 cos u; and the root farthest
# to the right, the best of Newton's method from a grid of starts.
for al in ("0.001", "0.01", "1.55", "1.57"):
    a = mpf(al)
    u = findroot(lambda u: u * sin(u) - a, sqrt(a) if a < 1 else mpf("1.56"))
    print(f"xcp: alpha = {al}: largest beta", nstr(u * u * cos(u), 16))
for al, be in (("1.6", "1e-6"), ("1.57", "5e-4"), ("0.001", "5e-4"), ("1.6", "10"), ("5", "40"), ("0.4", "1000")):
    a, b = mpf(al), mpf(be)
    f = lambda s: s * s + (a * s + b) * exp(-s)
    best = None
    for x in (-1, 0, 1, 2, 4):
        for y in (0.001, 0.3, 1, 2, 3, 5):
            try:
                s = findroot(f, mpc(x, y))
            except ValueError:
                continue
            if best is None or s.real > best.real:
                best = s
    print(f"xcp: alpha = {al}, beta = {be}: dominant root", nstr(best.real, 16), nstr(abs(best.imag), 16))
