//! What a first-order filter remembers of a periodic ramp (a sawtooth): the mean age of what comes out, modulo the period, as a
//! share of the period. For a ramp that rises by N in a period T, filtered with time constant τ, the output at the end of the
//! ramp lies g(T/τ)·N below the ramp's end: g = 1/2 for a slow filter (the output is the mean), 0 for a fast one.

/// Below this the series is used; its terms shrink by (u/2π)².
const NEAR: f64 = 1.0;

/// g and its first two derivatives.
fn share(u: f64) -> (f64, f64, f64) {
    if u < NEAR {
        // B₂ₖ/(2k)!: 1/u − 1/(e^u − 1) = 1/2 − Σ B₂ₖ u^(2k−1)/(2k)!.
        const TERMS: [f64; 10] = [
            1.0 / 12.0,
            -1.0 / 720.0,
            1.0 / 30_240.0,
            -1.0 / 1_209_600.0,
            1.0 / 47_900_160.0,
            -691.0 / 1_307_674_368_000.0,
            1.0 / 74_724_249_600.0,
            -3617.0 / 10_670_622_842_880_000.0,
            43_867.0 / 5_109_094_217_170_944_000.0,
            -174_611.0 / 802_857_662_698_291_200_000.0,
        ];
        let (mut g, mut first, mut second) = (0.5, 0.0, 0.0);
        for (k, b) in TERMS.iter().enumerate() {
            let n = (2 * k + 1) as i32;
            let m = f64::from(n);
            g -= b * u.powi(n);
            first -= b * m * u.powi(n - 1);
            if n > 1 {
                second -= b * m * (m - 1.0) * u.powi(n - 2);
            }
        }
        return (g, first, second);
    }
    let s = (0.5 * u).sinh();
    let square = 0.25 / (s * s);
    let turn = if u > 700.0 {
        0.0
    } else {
        square / (0.5 * u).tanh()
    };
    (
        1.0 / u - 1.0 / u.exp_m1(),
        -1.0 / (u * u) + square,
        2.0 / (u * u * u) - turn,
    )
}

/// g(u) of one filter, and dg/d ln u.
///
/// ```
/// use cwnd::numeric::periodic_ramp::remembered;
/// let (g, _) = remembered(2.0);
/// assert!((g - (0.5 - 1.0 / (2f64.exp() - 1.0))).abs() < 1e-15);
/// assert!((remembered(1e-9).0 - 0.5).abs() < 1e-9);
/// ```
#[must_use]
pub fn remembered(u: f64) -> (f64, f64) {
    let (g, first, _) = share(u);
    (g, u * first)
}

/// The same of two equal filters in a row: `g − u g′`, because the density of two delays is the first one's less its derivative
/// to the rate.
#[must_use]
pub fn remembered_twice(u: f64) -> (f64, f64) {
    let (g, first, second) = share(u);
    (g - u * first, -u * u * second)
}
