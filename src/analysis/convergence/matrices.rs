//! AIMD flows as positive matrices (Shorten, Wirth and Leith, IEEE/ACM Transactions on Networking 2006): the windows at one
//! loss are a matrix times those at the loss before. Perron's vector is the share of each flow, the second eigenvalue the
//! speed at which the start is forgotten.
//!
//! Limits: a constant round trip, no slow start, no timeouts, additive increase and multiplicative decrease only.

use crate::error::{Error, Result};
use crate::numeric::symmetric;

/// One flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aimd {
    /// α, packets per second that the window grows by: a/RTT.
    pub growth: f64,
    /// β, the fraction of the window that a loss **leaves**.
    pub kept: f64,
}

/// What the matrix says.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Eigenvalues, the largest first; the first is 1.
    pub eigenvalues: Vec<f64>,
    /// Perron's vector, its sum 1: share of each flow in the sum of windows at a loss.
    pub perron: Vec<f64>,
}

impl Spectrum {
    /// The second eigenvalue: the factor by which a deviation shrinks from loss to loss in the end. `None` for one flow.
    #[must_use]
    pub fn second(&self) -> Option<f64> {
        self.eigenvalues.get(1).copied()
    }

    /// Losses until a deviation is down to `rest` of what it was, `ln rest/ln λ2`. `None` for one flow.
    #[must_use]
    pub fn losses_to(&self, rest: f64) -> Option<f64> {
        self.second().map(|second| rest.ln() / second.ln())
    }
}

fn check(flows: &[Aimd]) -> Result<f64> {
    for flow in flows {
        if !(flow.growth > 0.0 && flow.growth.is_finite() && flow.kept > 0.0 && flow.kept < 1.0) {
            return Err(Error::out_of_range(
                "an AIMD flow",
                format!(
                    "growth {} packets/s, fraction kept {}",
                    flow.growth, flow.kept
                ),
                "a growth above 0 and a fraction between 0 and 1",
            ));
        }
    }
    if flows.is_empty() || flows.len() > 1000 {
        return Err(Error::out_of_range(
            "the number of flows in a matrix",
            flows.len(),
            "1 to 1000",
        ));
    }
    Ok(flows.iter().map(|flow| flow.growth).sum())
}

/// `A = diag(β) + α(1−β)ᵀ/Σα`, row by row: its columns sum to 1.
///
/// # Errors
/// [`Error::OutOfRange`] for a growth or a fraction that cannot be, or no flow.
///
/// ```
/// use cwnd::analysis::convergence::{Aimd, matrix};
/// let flows = [Aimd { growth: 10.0, kept: 0.5 }, Aimd { growth: 20.0, kept: 0.5 }];
/// let a = matrix(&flows)?;
/// assert!((a[0][0] - 2.0 / 3.0).abs() < 1e-15 && (a[1][0] - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn matrix(flows: &[Aimd]) -> Result<Vec<Vec<f64>>> {
    let sum = check(flows)?;
    Ok(flows
        .iter()
        .enumerate()
        .map(|(i, row)| {
            flows
                .iter()
                .enumerate()
                .map(|(j, column)| {
                    let diagonal = if i == j { row.kept } else { 0.0 };
                    diagonal + row.growth * (1.0 - column.kept) / sum
                })
                .collect()
        })
        .collect())
}

/// Eigenvalues and Perron's vector of the matrix, from the symmetric matrix `diag(β) + uuᵀ/Σα`, `u = √(α(1−β))`, to which it
/// is similar.
///
/// # Errors
/// Those of [`matrix`].
///
/// ```
/// use cwnd::analysis::convergence::{Aimd, spectrum};
/// let flows = [Aimd { growth: 10.0, kept: 0.5 }, Aimd { growth: 10.0, kept: 0.7 }];
/// let found = spectrum(&flows)?;
/// assert!((found.second().unwrap() - 0.6).abs() < 1e-14);
/// assert!((found.perron[0] - 0.375).abs() < 1e-14);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn spectrum(flows: &[Aimd]) -> Result<Spectrum> {
    let sum = check(flows)?;
    let u: Vec<f64> = flows
        .iter()
        .map(|flow| (flow.growth * (1.0 - flow.kept)).sqrt())
        .collect();
    let pairs = symmetric::eigen(flows.len(), |i, j| {
        let diagonal = if i == j { flows[i].kept } else { 0.0 };
        diagonal + u[i] * u[j] / sum
    });
    let perron = pairs.first().map_or(Vec::new(), |(_, vector)| {
        // Back from the symmetric matrix: the inverse of D = diag √((1−β)/α).
        flows
            .iter()
            .zip(vector)
            .map(|(flow, v)| v * (flow.growth / (1.0 - flow.kept)).sqrt())
            .collect()
    });
    let total: f64 = perron.iter().sum();
    Ok(Spectrum {
        eigenvalues: pairs.iter().map(|(value, _)| *value).collect(),
        perron: perron.into_iter().map(|w| w / total).collect(),
    })
}

/// Shares when not every loss hits all flows.
#[derive(Debug, Clone, PartialEq)]
pub struct Unsynchronised {
    /// Probability that a loss hits the flow.
    pub hit: Vec<f64>,
    /// Mean share of each flow in the sum of windows at a loss.
    pub mean: Vec<f64>,
    /// Eigenvalues of the mean matrix, the largest first.
    pub eigenvalues: Vec<f64>,
    /// Second moments of the shares, `E[wᵢwⱼ]`, row by row.
    pub moments: Vec<Vec<f64>>,
    /// Standard deviation of each share.
    pub deviation: Vec<f64>,
    /// Factor by which a deviation of the second moments shrinks from loss to loss in the end; `None` for one flow.
    pub second_of_moments: Option<f64>,
}

/// Which flows a loss hits.
#[derive(Debug, Clone, PartialEq)]
pub enum Hits {
    /// Each flow for itself with its probability, given that at least one is hit.
    Independent(Vec<f64>),
    /// Exactly one flow, with these probabilities, which sum to 1.
    One(Vec<f64>),
}

/// Means and variances of the shares under losses that hit some of the flows, the same chances at each.
///
/// # Errors
/// Those of [`matrix`]; [`Error::OutOfRange`] for probabilities that are not one for each flow, above 0 and at most 1 (and in
/// sum 1 for [`Hits::One`]).
///
/// ```
/// use cwnd::analysis::convergence::{Aimd, Hits, unsynchronised};
/// let flows = [Aimd { growth: 10.0, kept: 0.5 }, Aimd { growth: 20.0, kept: 0.5 }];
/// let found = unsynchronised(&flows, &Hits::Independent(vec![0.6, 0.6]))?;
/// assert!((found.moments[0][0] - 0.12354).abs() < 5e-6);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn unsynchronised(flows: &[Aimd], hits: &Hits) -> Result<Unsynchronised> {
    let sum = check(flows)?;
    let n = flows.len();
    let (Hits::Independent(given) | Hits::One(given)) = hits;
    let total: f64 = given.iter().sum();
    let sound = given.len() == n
        && given.iter().all(|q| *q > 0.0 && *q <= 1.0)
        && (matches!(hits, Hits::Independent(_)) || (total - 1.0).abs() < 1e-9);
    if !sound {
        return Err(Error::out_of_range(
            "the probabilities of a hit",
            format!("{given:?}"),
            "one for each flow, more than 0 and at most 1, in sum 1 if one flow is hit",
        ));
    }
    let both = |i: usize, j: usize| -> f64 {
        match hits {
            Hits::One(q) => {
                if i == j {
                    q[i]
                } else {
                    0.0
                }
            }
            Hits::Independent(q) => {
                let some = 1.0 - q.iter().map(|q| 1.0 - q).product::<f64>();
                (if i == j { q[i] } else { q[i] * q[j] }) / some
            }
        }
    };
    let hit: Vec<f64> = (0..n).map(|i| both(i, i)).collect();
    let mean_flows: Vec<Aimd> = flows
        .iter()
        .zip(&hit)
        .map(|(flow, hit)| Aimd {
            kept: 1.0 - hit * (1.0 - flow.kept),
            ..*flow
        })
        .collect();
    let mean = spectrum(&mean_flows)?;
    // A = I + Σ bᵢ gᵢ eᵢᵀ, bᵢ = 1−βᵢ where the flow is hit and else 0, gᵢ = α/Σα − eᵢ. So
    // E[A X Aᵀ] = X + Σ E[bᵢ](gᵢ xᵢᵀ + xᵢ gᵢᵀ) + Σ E[bᵢbⱼ] Xᵢⱼ gᵢ gⱼᵀ.
    let share: Vec<f64> = flows.iter().map(|flow| flow.growth / sum).collect();
    let removed: Vec<f64> = flows.iter().map(|flow| 1.0 - flow.kept).collect();
    let g = |i: usize, k: usize| share[k] - if i == k { 1.0 } else { 0.0 };
    let step = |x: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let mut weighted = vec![vec![0.0; n]; n];
        for (i, row) in weighted.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value = both(i, j) * removed[i] * removed[j] * x[i][j];
            }
        }
        let mut half = vec![vec![0.0; n]; n];
        for (i, row) in weighted.iter().enumerate() {
            for (k, out) in half[i].iter_mut().enumerate() {
                *out = row.iter().enumerate().map(|(j, v)| v * g(j, k)).sum();
            }
        }
        let mut y = x.to_vec();
        for (k, row) in y.iter_mut().enumerate() {
            for (l, out) in row.iter_mut().enumerate() {
                for i in 0..n {
                    let b = hit[i] * removed[i];
                    *out += b * (g(i, k) * x[i][l] + x[k][i] * g(i, l)) + g(i, k) * half[i][l];
                }
            }
        }
        y
    };
    let start: Vec<Vec<f64>> = mean
        .perron
        .iter()
        .map(|a| mean.perron.iter().map(|b| a * b).collect())
        .collect();
    let moments = settle(&step, start)?;
    let deviation = (0..n)
        .map(|i| (moments[i][i] - mean.perron[i].powi(2)).max(0.0).sqrt())
        .collect();
    Ok(Unsynchronised {
        hit: hit.clone(),
        mean: mean.perron,
        eigenvalues: mean.eigenvalues,
        second_of_moments: (n > 1).then(|| contraction(&step, n)),
        moments,
        deviation,
    })
}

/// What one loss makes of the second moments.
type Step<'a> = dyn Fn(&[Vec<f64>]) -> Vec<Vec<f64>> + 'a;

/// Steps of the power iteration.
const MOST_STEPS: usize = 200_000;

/// The fixed point of a map of moments, its sum 1.
fn settle(step: &Step<'_>, start: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>> {
    let mut x = start;
    for _ in 0..MOST_STEPS {
        let mut y = step(&x);
        let total: f64 = y.iter().flatten().sum();
        y.iter_mut().flatten().for_each(|v| *v /= total);
        let change = y
            .iter()
            .flatten()
            .zip(x.iter().flatten())
            .fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
        x = y;
        if change < 1e-16 {
            return Ok(x);
        }
    }
    Err(Error::Numeric {
        method: "power iteration",
        detail: format!("{MOST_STEPS} steps were not enough for the second moments"),
    })
}

/// The largest eigenvalue of a map of moments on symmetric matrices whose sum is 0, which it keeps.
fn contraction(step: &Step<'_>, n: usize) -> f64 {
    let centre = |x: &mut Vec<Vec<f64>>| {
        let mean = x.iter().flatten().sum::<f64>() / (n * n) as f64;
        x.iter_mut().flatten().for_each(|v| *v -= mean);
    };
    let mut x: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| {
                    if i == j {
                        1.0 + i as f64
                    } else {
                        0.1 * (i + j) as f64
                    }
                })
                .collect()
        })
        .collect();
    centre(&mut x);
    let size = |x: &[Vec<f64>]| x.iter().flatten().map(|v| v * v).sum::<f64>().sqrt();
    let mut value = 0.0;
    for _ in 0..5000 {
        let length = size(&x);
        x.iter_mut().flatten().for_each(|v| *v /= length);
        let mut y = step(&x);
        centre(&mut y);
        let next = size(&y);
        let done = (next - value).abs() < 1e-14;
        value = next;
        x = y;
        if done {
            break;
        }
    }
    value
}
