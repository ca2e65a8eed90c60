//! Lambert's W, also where its argument would overflow.

/// The principal branch W₀(x) for x ≥ −1/e; clamped to −1 within a few units in the last place of −1/e.
#[must_use]
pub fn w0(x: f64) -> f64 {
    let edge = -(-1.0f64).exp();
    if (x - edge).abs() <= 4.0 * f64::EPSILON * edge.abs() {
        -1.0
    } else {
        lambert_w::lambert_w0(x)
    }
}

/// ω(x) = W₀(eˣ), the Wright omega function on the real line: the solution of ω + ln ω = x, for any finite x.
///
/// Where eˣ would overflow or lose digits to a large x, two Fritsch–Shafer–Crowley steps (Fritsch, Shafer and Crowley,
/// Algorithm 443, Communications of the ACM 16, 1973) from x − ln x + ln x / x reach the last digits.
///
/// ```
/// use cwnd::numeric::lambert::omega;
/// assert!((omega(1.0) - 1.0).abs() < 1e-15); // 1 + ln 1 = 1
/// assert!((omega(1e6) + omega(1e6).ln() - 1e6).abs() < 1e-9);
/// ```
#[must_use]
pub fn omega(x: f64) -> f64 {
    if x < 2.0 {
        return w0(x.exp());
    }
    let ln_x = x.ln();
    let mut w = x - ln_x + ln_x / x;
    if x > 1e17 {
        return w; // the next term is below the last digit
    }
    for _ in 0..3 {
        let r = x - w - w.ln();
        let u = 1.0 + w;
        let v = 2.0 * u * (u + 2.0 * r / 3.0);
        w *= 1.0 + (r / u) * (v - r) / (v - 2.0 * r);
    }
    w
}
