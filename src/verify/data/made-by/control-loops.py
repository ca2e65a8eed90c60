"""Margins, roots and bounds of control loops, from their formulas alone: mpmath at 40 digits, no code of cwnd.

python3 control-loops.py > ../control-loops.csv
"""

from mpmath import mp, mpf, mpc, sqrt, pi, atan, sin, cos, exp, acos, findroot, arg, log, log10, matrix, eig, degrees

mp.dps = 40
rows = []


def row(what, spec, form, road, key, value):
    rows.append((what, spec, form, road, key, mp.nstr(value, 13)))


def num(x):
    return mp.nstr(mpf(x), 17)


# XCP: closed forms of its own, with u = w d.
def xcp_margins(a, b):
    u = sqrt((a**2 + sqrt(a**4 + 4 * b**2)) / 2)
    pm = atan(a * u / b) - u
    upi = findroot(lambda x: atan(a * x / b) - x, (mpf("0.3"), mpf("1.5")), solver="anderson")
    return u, pm, upi, upi**2 / sqrt(a**2 * upi**2 + b**2)


a, b = mpf("0.4"), mpf("0.226")
u, pm, upi, gm = xcp_margins(a, b)
xcp = "xcp:rtt=1s"
row("X3 crossover", xcp, "linear", "margin", "crossover_rad_s", u)
row("X4 phase margin", xcp, "linear", "margin", "phase_margin_deg", degrees(pm))
row("X5 phase crossover", xcp, "linear", "margin", "phase_crossover_rad_s", upi)
row("X5 gain margin", xcp, "linear", "margin", "gain_margin", gm)
row("X6 delay margin", xcp, "linear", "margin", "delay_margin_rtts", pm / u)
s = findroot(lambda s: s**2 + (a * s + b) * exp(-s), mpc("-0.085", "0.56"))
row("X7 dominant root", xcp, "linear", "root", "dominant_root.re", s.real)
row("X7 dominant root", xcp, "linear", "root", "dominant_root.im", s.imag)
s = findroot(lambda s: s**2 + (a * s + b) * exp(-s), mpf("-1.916"))
row("X7 next root", xcp, "linear", "root", "second_root.re", s.real)
row("X1 theorem 1", xcp, "linear", "margin", "bound.paper.limit", pi / (4 * sqrt(2)))
for text in "0.1 0.2 0.3 0.4 0.5".split():
    x = mpf(text)
    y = sqrt(2) * x**2
    _, pm, _, gm = xcp_margins(x, y)
    spec = f"xcp:alpha={text},beta={num(y)},rtt=1s"
    row("on the theorem's curve", spec, "linear", "margin", "phase_margin_deg", degrees(pm))
    row("on the theorem's curve", spec, "linear", "margin", "gain_margin", gm)
for y in "0.1 0.3 0.35".split():
    _, pm, _, gm = xcp_margins(a, mpf(y))
    spec = f"xcp:beta={y},rtt=1s"
    row("off the curve", spec, "linear", "margin", "phase_margin_deg", degrees(pm))
    row("off the curve", spec, "linear", "margin", "gain_margin", gm)
for text in "0.1 0.2 0.3 0.4 0.5 0.6 0.8 1.0 1.2 1.4 1.5".split():
    x = mpf(text)
    u = findroot(lambda u: u * sin(u) - x, (mpf("0.05"), pi / 2), solver="anderson")
    row("exact beta", f"xcp:alpha={text},rtt=1s", "linear", "margin", "bound.exact.limit", u**2 * cos(u))
# X9: the largest exact beta, d(u^2 cos u)/du = 0.
u = findroot(lambda u: 2 * cos(u) - u * sin(u), mpf("1.08"))
row("X9 maximum", f"xcp:alpha={num(u*sin(u))},rtt=1s", "linear", "margin", "bound.exact.limit", u**2 * cos(u))

# FAST, one flow: theta = q/T = alpha/(C d + alpha); with C d = 1000 packets alpha = 1000 theta/(1 - theta).
for text in "0.05 0.1 0.2 0.3".split():
    t = mpf(text)
    alpha = 1000 * t / (1 - t)
    spec = f"fast:alpha={num(alpha)}"
    u = acos(-t / (1 - t))
    row(f"gamma_crit at theta {text}", spec, "static", "margin", "bound.exact.limit", u / ((1 - t) * sin(u)))
    if t <= mpf("0.2"):
        g = findroot(
            lambda g, u: [
                ((1 + 1j * u) * (1j * u / g + t) + (1 - t) * exp(-1j * u)).real,
                ((1 + 1j * u) * (1j * u / g + t) + (1 - t) * exp(-1j * u)).imag,
            ],
            {"0.05": (1.29, 0.9), "0.1": (1.5, 0.98), "0.2": (2.25, 1.2)}[text],
        )
        row(f"gamma_crit at theta {text}", spec, "integrator", "margin", "bound.exact.limit", g[0])
t = mpf("1e-9") / (1000 + mpf("1e-9"))
row("gamma_crit at theta -> 0", "fast:alpha=1e-9", "static", "margin", "bound.exact.limit", pi / 2 * (1 + 0 * t))
u = findroot(lambda u: cos(u) - u * sin(u), mpf("0.86"))
row("gamma_crit at theta -> 0", "fast:alpha=1e-9", "integrator", "margin", "bound.exact.limit", u / sin(u))
# F3: three flows, the Jacobian as it stands, not made symmetric.
C, d, al, g = mpf(10000), [mpf("0.05"), mpf("0.1"), mpf("0.2")], [100, 100, 200], mpf("0.5")
q = sum(al) / C
T = [x + q for x in d]
w = [al[i] / q * T[i] for i in range(3)]
S = sum(w[k] / T[k] ** 2 for k in range(3))
J = matrix(3, 3)
for i in range(3):
    for j in range(3):
        J[i, j] = (1 - g + g * d[i] / T[i] if i == j else 0) - g * (w[i] * d[i] / T[i] / T[i]) * (1 / T[j]) / S
values = sorted(x.real for x in eig(J, left=False, right=False))
for i, x in enumerate(values):
    row("F3 eigenvalue", "fast", "discrete", "root", f"eigenvalue.{i + 1}", x)
row("F2 queueing delay", "fast", "discrete", "root", "equilibrium.queueing_delay_s", q)

# TCP with RED and PI.
C, N, R = mpf(3750), mpf(60), mpf("0.246")
W = R * C / N


def hollot(s):
    return C**2 / (2 * N) * exp(-s * R) / ((s + 2 * N / (R**2 * C)) * (s + 1 / R))


def low(s):
    p = 2 / (2 + W**2)
    return N / (R**2 * p) * exp(-s * R) / ((s + p * W / R) * (s + 1 / R))


def mgt(s):
    e = exp(-s * R)
    A = matrix([[s + N / (R**2 * C) * (1 + e), (1 - e) / (R**2 * C)], [-N / R, s + 1 / R]])
    # Cramer: dW' row driven by -R C^2/(2 N^2) e^(-sR) dp; -dq/dp.
    det = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
    return R * C**2 / (2 * N**2) * e * (N / R) / det


def critical(L, guess):
    """The first frequency at which L is negative real, searched from a twentieth of the guess upwards, and 1/|L| there."""
    w, step = guess / 20, mpf("1.01")
    while not (L(1j * w).imag < 0 <= L(1j * w * step).imag and L(1j * w).real < 0):
        w *= step
    w = findroot(lambda w: L(1j * w).imag, (w, w * step), solver="ridder")
    return w, 1 / abs(L(1j * w))


K = -C * log(1 - mpf("1.3333324444448395e-6"))
for name, P in (("hollot", hollot), ("mgt", mgt), ("low", low)):
    w, k = critical(P, mpf("3.87"))
    row("R4 critical slope", "red@instantaneous", name, "margin", "bound.exact.limit", k)
    w, k = critical(lambda s: P(s) * K / (s + K), mpf("1.01"))
    row("R3 critical slope", "red", name, "margin", "bound.exact.limit", k)
row("R1 window", "red", "hollot", "margin", "equilibrium.window_pkt", W)
row("R1 loss", "red", "hollot", "margin", "equilibrium.loss", 2 / W**2)
wg = min(2 * N / (R**2 * C), 1 / R) / 10
row("R2 proposition 1", "red", "hollot", "margin", "bound.paper.limit", sqrt(wg**2 / K**2 + 1) * (2 * N) ** 2 / (R * C) ** 3)
L = lambda s: mpf("1.86e-4") * hollot(s) * K / (s + K)
w = findroot(lambda w: log(abs(L(1j * w))), mpf("0.05"))
row("R3 crossover", "red", "hollot", "margin", "crossover_rad_s", w)
row("R3 phase margin", "red", "hollot", "margin", "phase_margin_deg", 180 + degrees(arg(L(1j * w))))
row("R3 gain margin", "red", "hollot", "margin", "gain_margin", critical(L, mpf("1.005"))[1])
for kk, guess in (("0.05", 1.1), ("0.5", 1.7), ("5", 2.9), ("50", 3.7)):
    weight = 1 - exp(-mpf(kk) / C)
    w, k = critical(lambda s: mgt(s) * mpf(kk) / (s + mpf(kk)), mpf(guess))
    row(f"K sweep, K = {kk}", f"red:weight={num(weight)}", "mgt", "margin", "bound.exact.limit", k)
k, z, fs = mpf("9.64e-6"), mpf("0.53"), 160
L = lambda s: k * (s / z + 1) / s * hollot(s)
w = findroot(lambda w: log(abs(L(1j * w))), mpf("0.52"))
row("R5 crossover", "pi", "hollot", "margin", "crossover_rad_s", w)
row("R5 phase margin", "pi", "hollot", "margin", "phase_margin_deg", 180 + degrees(arg(L(1j * w))))
row("R5 gain margin", "pi", "hollot", "margin", "gain_margin", critical(L, mpf("3.7"))[1])
row("R5 a", "pi", "hollot", "margin", "equilibrium.discrete_a", k / z + k / (2 * fs))
row("R5 b", "pi", "hollot", "margin", "equilibrium.discrete_b", k / z - k / (2 * fs))

# PIE and PI2.
al, be, Tu = mpf(41) / 256, mpf(819) / 256, mpf("0.016")
for rtt, guess in (("0.1", 8), ("0.05", 24)):
    r = mpf(rtt)
    for p in "0.01 0.05 0.1 0.2 0.5".split():
        pp = mpf(p)
        L = lambda s: (be + al / (s * Tu)) * sqrt(2) / r * exp(-s * r) / ((s + sqrt(2) * pp / r) * (s + 1 / r))
        row(f"PI2 at p' {p}", f"pi2:rtt={rtt}s,p={p}", "reno", "margin", "gain_margin", critical(L, mpf(guess))[1])
for rtt, guess in (("0.02", 60), ("0.05", 22), ("0.1", 7)):
    r = mpf(rtt)
    for W0 in (10, 50, 500):
        pp = mpf(num(sqrt(2) / W0))
        ten, be2 = mpf("0.16") / mpf("0.016"), mpf("3.2")
        L = lambda s: (be2 + ten / s) * sqrt(2) / r * exp(-s * r) / ((s + (1 + exp(-s * r)) * pp / (sqrt(2) * r)) * (s + 1 / r))
        spec = f"pi2@round:rtt={rtt}s,p={num(pp)}"
        w = findroot(lambda w: log(abs(L(1j * w))), (mpf("0.3"), mpf(30)), solver="ridder")
        row(f"PI2 at W {W0}", spec, "reno-mgt", "margin", "phase_margin_deg", 180 + degrees(arg(L(1j * w))))
        row(f"PI2 at W {W0}", spec, "reno-mgt", "margin", "gain_margin", critical(L, mpf(guess))[1])
for rtt, p, scale, guess in (("0.1", "0.003", 8, 9), ("0.1", "0.01", 2, 7), ("0.05", "0.01", 2, 24), ("0.05", "0.2", 1, 22)):
    r, pp = mpf(rtt), mpf(p)
    L = lambda s: (mpf("1.25") + mpf("0.125") / (s * mpf("0.015"))) / scale / (r * sqrt(2 * pp)) * exp(-s * r) / ((s + sqrt(2 * pp) / r) * (s + 1 / r))
    row(f"PIE at p {p}", f"pie:rtt={rtt}s,loss={p}", "low", "margin", "gain_margin", critical(L, mpf(guess))[1])

# A small buffer: the exact root on the axis, not the closed form.
for B in (10, 20, 40):
    sol = findroot(
        lambda W, w: [2 / W + B / W * cos(w), w - B / W * sin(w)],
        (0.62 * B, 1.7),
    )
    row(f"B1 at B {B}", f"small-buffer:buffer={B}", "linear", "margin", "bound.exact.limit", sol[0])
# Scalar: the rightmost root, and the delay at which it reaches the axis.
for A, B, tau, guess in (("0", "1", "1", mpc(-0.3, 1.3)), ("1", "2", "0.5", mpc(-1, 2.5)), ("-0.5", "0.8", "1", mpc(-0.1, 0.6)), ("5", "4.9", "1", mpc(-0.5, 2.7))):
    s = findroot(lambda s: s + mpf(A) + mpf(B) * exp(-s * mpf(tau)), guess)
    spec = f"scalar:a={A},b={B},tau={tau}s"
    row("rightmost root", spec, "linear", "root", "dominant_root.re", s.real)
    row("rightmost root", spec, "linear", "root", "dominant_root.im", abs(s.imag))
    if mpf(B) > abs(mpf(A)):
        w = sqrt(mpf(B) ** 2 - mpf(A) ** 2)
        d = findroot(lambda d: mpf(A) + mpf(B) * cos(w * d), acos(-mpf(A) / mpf(B)) / w * mpf("1.01"))
        row("critical delay", spec, "linear", "margin", "bound.exact.limit", d)

print("# margins, roots and bounds of control loops, computed from their formulas with 40 digits by made-by/control-loops.py")
print("what,spec,form,road,key,expected")
for r in rows:
    print(",".join('"%s"' % x if "," in x else x for x in r))
