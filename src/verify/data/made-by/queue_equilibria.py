"""Flows that lose all together over a drop-tail buffer: the synchronised map iterated to its fixed point with scipy's
integrator. The delay is 0 while sum W/R <= C and else solves sum W/(R + tau) = C; all lose when tau = B/C.
Needs numpy and scipy. Prints the rows of ../queue-equilibria.csv."""
import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

LOW, HIGH, PLOW, PHIGH, BHIGH = 38.0, 83000.0, 1e-3, 1e-7, 0.1


def hs_b(w):
    if w <= LOW:
        return 0.5
    return (BHIGH - 0.5) * math.log(w / LOW) / math.log(HIGH / LOW) + 0.5


def hs_a(w):
    if w <= LOW:
        return 1.0
    b = hs_b(w)
    return max(1.0, w * w / (12.8 * w**1.2) * 2 * b / (2 - b))


LAWS = {
    "reno": (lambda w: 1.0, lambda w: 0.5),
    "aimd": (lambda w: 32.0, lambda w: 0.125),
    "highspeed": (hs_a, hs_b),
}


def delay(w, r, c):
    if (w / r).sum() <= c:
        return 0.0
    return brentq(lambda t: (w / (r + t)).sum() - c, 0.0, w.sum() / c, xtol=1e-15, rtol=1e-14)


def solve(names, rtts, c, buffer):
    r = np.array(rtts)
    n = len(r)
    grow = [LAWS[x][0] for x in names]
    cut = [LAWS[x][1] for x in names]
    full = buffer / c

    def rate(_t, y):
        w = y[:n]
        rtt = r + delay(w, r, c)
        return np.concatenate([[g(x) / t for g, x, t in zip(grow, w, rtt)], w / rtt])

    def event(_t, y):
        return (y[:n] / (r + full)).sum() / c - 1.0

    event.terminal, event.direction = True, 1
    w = np.full(n, c / (1 / (r + full)).sum())
    for _ in range(400):
        y0 = np.concatenate([[x * (1 - b(x)) for b, x in zip(cut, w)], np.zeros(n)])
        s = solve_ivp(rate, (0, 1e6), y0, events=event, method="DOP853", rtol=1e-11, atol=1e-9, first_step=1e-3)
        new, time = s.y[:n, -1], s.t[-1]
        done = np.abs(new / w - 1).max() < 1e-10
        w = new
        if done:
            break
    packets = s.y[n:, -1]
    return time, packets / time, w, packets.sum() / (c * time)


if __name__ == "__main__":
    print("# made-by/queue_equilibria.py: the synchronised map iterated with scipy's DOP853, tolerance 1e-11")
    print("laws,rtts_s,capacity_pps,buffer_pkt,seconds,rate1_pps,rate2_pps,utilisation")
    for names, rtts, c, buffer in [
        (("reno", "reno"), (0.04, 0.12), 20000.0, 400.0),
        (("reno", "reno"), (0.04, 0.24), 20000.0, 1600.0),
        (("aimd", "aimd"), (0.04, 0.12), 20000.0, 400.0),
        (("highspeed", "highspeed"), (0.04, 0.06), 20000.0, 800.0),
        (("reno", "aimd"), (0.02, 0.1), 20000.0, 300.0),
        (("reno", "highspeed"), (0.1, 0.1), 20000.0, 1000.0),
    ]:
        t, x, w, u = solve(names, rtts, c, buffer)
        print(f"{' '.join(names)},{' '.join(map(str, rtts))},{c},{buffer},{t:.8g},{x[0]:.8g},{x[1]:.8g},{u:.9g}", flush=True)
