//! Moments of a discounted sum of exponentials, U = Σ qʲ·Eⱼ (j ≥ 0, Eⱼ independent with mean 1).

use super::quadrature::GaussLegendre;

/// Terms of the product that are multiplied out; the rest, if it matters, is summed by Euler–Maclaurin.
const DIRECT: u32 = 2_000;

/// `E[U^s] / Γ(1+s) = Π_{n≥1} (1 − q^(n+s))/(1 − qⁿ)` for 0 < q < 1 and −1 < s ≤ 1, to full precision for any q, also
/// close to 1.
///
/// ```
/// use cwnd::numeric::decay::moment_product;
/// // s = 1 telescopes: E[U] = 1/(1 − q).
/// assert!((moment_product(0.25, 1.0) - 1.0 / 0.75).abs() < 1e-14);
/// assert!((moment_product(0.999_999, 1.0) * 1e-6 - 1.0).abs() < 1e-9);
/// ```
#[must_use]
pub fn moment_product(q: f64, s: f64) -> f64 {
    let h = -q.ln();
    // ln((1 − q^(n+s))/(1 − qⁿ)) without the difference of two logarithms.
    let lift = -(-h * s).exp_m1();
    let term = |n: f64| {
        let power = (-h * n).exp();
        (power * lift / -(-h * n).exp_m1()).ln_1p()
    };
    let mut sum = 0.0f64;
    let mut lost = 0.0;
    for n in 1..DIRECT {
        let n = f64::from(n);
        if h * n > 45.0 {
            return sum.exp();
        }
        let y = term(n) - lost;
        let total = sum + y;
        lost = (total - sum) - y;
        sum = total;
    }
    // Σ_{n≥N} f(n) = ∫_N^∞ f + f(N)/2 − f'(N)/12 + f'''(N)/720 …; the last is below 1e-15 at N = 2000.
    let start = f64::from(DIRECT);
    let rate = |x: f64| h / (h * x).exp_m1();
    let rule = GaussLegendre::new(20);
    let mut tail = 0.5 * term(start) - (rate(start + s) - rate(start)) / 12.0;
    let (mut a, end) = (start, 45.0 / h);
    while a < end {
        let b = (2.0 * a).min(end);
        tail += rule.integrate(a, b, term);
        a = b;
    }
    (sum + tail).exp()
}
