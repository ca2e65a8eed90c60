//! Allocations of link capacities to flows. Alpha-fair: maximise Σ w x^(1−α)/(1−α) (w ln x at α = 1) with no link
//! overfull (Mo and Walrand 2000); max-min by progressive filling (Bertsekas and Gallager 1992).

use crate::error::{Error, Result};
use crate::numeric::symmetric;

/// A flow that asks for a share of the links on its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Places of its links in the list of capacities.
    pub path: Vec<usize>,
    /// w, its weight.
    pub weight: f64,
}

/// An allocation.
#[derive(Debug, Clone, PartialEq)]
pub struct Allocation {
    /// Rate of each flow, in the unit of the capacities.
    pub rates: Vec<f64>,
    /// Price of each link: how much the sum of utilities would rise with a little more capacity. For max-min 1 on links
    /// that hold somebody back and 0 on others.
    pub prices: Vec<f64>,
    /// By how much the optimality conditions fail, relative: 0 is exact. For max-min, the same of its own condition: every
    /// flow has a full link on which nobody has more for his weight.
    pub residual: f64,
}

fn check(capacities: &[f64], flows: &[Claim]) -> Result<()> {
    let positive = |x: f64| x > 0.0 && x.is_finite();
    if let Some(bad) = capacities.iter().find(|c| !positive(**c)) {
        return Err(Error::out_of_range("a capacity", bad, "more than 0"));
    }
    if flows.is_empty() {
        return Err(Error::Arguments(
            "there is no flow to share the links: give at least one".into(),
        ));
    }
    for flow in flows {
        if !positive(flow.weight) {
            return Err(Error::out_of_range(
                "a flow's weight",
                flow.weight,
                "more than 0",
            ));
        }
        if flow.path.is_empty() {
            return Err(Error::Arguments(
                "a flow crosses no link, so nothing limits its rate".into(),
            ));
        }
        if let Some(bad) = flow.path.iter().find(|l| **l >= capacities.len()) {
            return Err(Error::Arguments(format!(
                "link number {bad} does not exist: there are {}",
                capacities.len()
            )));
        }
    }
    Ok(())
}

fn loads(capacities: &[f64], flows: &[Claim], rates: &[f64]) -> Vec<f64> {
    let mut loads = vec![0.0; capacities.len()];
    for (flow, rate) in flows.iter().zip(rates) {
        for &l in &flow.path {
            loads[l] += rate;
        }
    }
    loads
}

/// The weighted max-min allocation, by progressive filling: all rates rise as w·t until a link is full, its flows stay where
/// they are, the others rise on. Exact.
///
/// # Errors
/// [`Error::OutOfRange`] or [`Error::Arguments`] for capacities or weights that are not positive, a flow without links, no flow.
///
/// ```
/// use cwnd::analysis::fairness::{Claim, max_min};
/// let flow = |path: &[usize]| Claim { path: path.to_vec(), weight: 1.0 };
/// let found = max_min(&[1.0, 2.0], &[flow(&[0, 1]), flow(&[0]), flow(&[1])])?;
/// assert_eq!(found.rates, [0.5, 0.5, 1.5]);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn max_min(capacities: &[f64], flows: &[Claim]) -> Result<Allocation> {
    check(capacities, flows)?;
    let mut rates = vec![0.0; flows.len()];
    let mut fixed = vec![false; flows.len()];
    let mut prices = vec![0.0; capacities.len()];
    while fixed.iter().any(|done| !done) {
        // The level at which each link with a rising flow is full.
        let mut full: Vec<(usize, f64)> = Vec::new();
        for (l, capacity) in capacities.iter().enumerate() {
            let (mut taken, mut weight) = (0.0, 0.0);
            for (i, flow) in flows.iter().enumerate() {
                if flow.path.contains(&l) {
                    if fixed[i] {
                        taken += rates[i];
                    } else {
                        weight += flow.weight;
                    }
                }
            }
            if weight > 0.0 {
                full.push((l, (capacity - taken).max(0.0) / weight));
            }
        }
        let level = full.iter().map(|(_, t)| *t).fold(f64::INFINITY, f64::min);
        for (l, t) in full {
            if t <= level * (1.0 + 1e-12) {
                prices[l] = 1.0;
                for (i, flow) in flows.iter().enumerate() {
                    if !fixed[i] && flow.path.contains(&l) {
                        fixed[i] = true;
                        rates[i] = flow.weight * level;
                    }
                }
            }
        }
    }
    let loads = loads(capacities, flows, &rates);
    let residual = flows
        .iter()
        .zip(&rates)
        .map(|(flow, rate)| {
            let own = rate / flow.weight;
            flow.path
                .iter()
                .map(|&l| {
                    let most = flows
                        .iter()
                        .zip(&rates)
                        .filter(|(other, _)| other.path.contains(&l))
                        .map(|(other, rate)| rate / other.weight)
                        .fold(0.0, f64::max);
                    (1.0 - loads[l] / capacities[l]).abs().max(1.0 - own / most)
                })
                .fold(f64::INFINITY, f64::min)
        })
        .fold(0.0, f64::max);
    Ok(Allocation {
        rates,
        prices,
        residual,
    })
}

/// Range of α.
const ALPHAS: (f64, f64) = (0.05, 50.0);
/// Newton steps in all.
const MOST_STEPS: usize = 10_000;
/// Barrier below which numbers end.
const LAST_BARRIER: f64 = 1e-290;
/// Residual that is good enough to stop at.
const ENOUGH: f64 = 1e-11;
/// Residual beyond which there is no answer.
const GOOD: f64 = 1e-7;

/// The alpha-fair allocation: α = 1 is proportional fairness, 2 the least total delay (Reno's, with weights 1.5/RTT²), and
/// max-min the limit of large α, for which [`max_min`] is exact. Solved for the links' prices p: a flow takes
/// x = (w/Σp)^(1/α); Newton's method on the dual with a logarithmic barrier that is taken away.
///
/// # Errors
/// Those of [`max_min`]; [`Error::OutOfRange`] for α outside 0.05 to 50 (at 0 the optimum is not unique);
/// [`Error::Numeric`] if the optimality conditions are not met to 1e-7.
///
/// ```
/// use cwnd::analysis::fairness::{Claim, alpha_fair};
/// let flow = |path: &[usize]| Claim { path: path.to_vec(), weight: 1.0 };
/// // Two links, one long flow: 1/(1 + L^(1/α)).
/// let found = alpha_fair(&[1.0, 1.0], &[flow(&[0, 1]), flow(&[0]), flow(&[1])], 2.0)?;
/// assert!((found.rates[0] - (2f64.sqrt() - 1.0)).abs() < 1e-9);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn alpha_fair(capacities: &[f64], flows: &[Claim], alpha: f64) -> Result<Allocation> {
    check(capacities, flows)?;
    if !(ALPHAS.0..=ALPHAS.1).contains(&alpha) {
        return Err(Error::out_of_range(
            "alpha",
            alpha,
            format!("{} to {}, or inf for max-min", ALPHAS.0, ALPHAS.1),
        ));
    }
    // Links that nobody crosses have no price. In units of the fair level rates, prices and weights are near 1.
    let used: Vec<usize> = (0..capacities.len())
        .filter(|l| flows.iter().any(|f| f.path.contains(l)))
        .collect();
    let level = max_min(capacities, flows)?;
    let unit = level.rates.iter().sum::<f64>() / flows.len() as f64;
    let weight = flows.iter().map(|f| f.weight).sum::<f64>() / flows.len() as f64;
    let c: Vec<f64> = used.iter().map(|&l| capacities[l] / unit).collect();
    let paths: Vec<Vec<usize>> = flows
        .iter()
        .map(|f| {
            let mut path: Vec<usize> = f
                .path
                .iter()
                .filter_map(|l| used.iter().position(|u| u == l))
                .collect();
            path.sort_unstable();
            path.dedup();
            path
        })
        .collect();
    let w: Vec<f64> = flows.iter().map(|f| f.weight / weight).collect();
    let demand = |p: &[f64]| -> Vec<(f64, f64)> {
        paths
            .iter()
            .zip(&w)
            .map(|(path, w)| {
                let q: f64 = path.iter().map(|&l| p[l]).sum();
                ((w / q).powf(1.0 / alpha), q)
            })
            .collect()
    };
    let n = used.len();
    // Prices at which the max-min rates would be asked for.
    let mut p: Vec<f64> = vec![0.0; n];
    for ((path, rate), w) in paths.iter().zip(&level.rates).zip(&w) {
        let q = w * (rate / unit).powf(-alpha);
        for &l in path {
            p[l] = p[l].max(q / path.len() as f64);
        }
    }
    // What each link would earn then: the scale of its price times its spare capacity.
    let scale: Vec<f64> = p.iter().zip(&c).map(|(p, c)| p * c).collect();
    // The dual with a barrier, Σ max(U − q x) + Σ p c − Σ μ ln p: convex in the prices.
    let cost = |p: &[f64], slack: &[f64]| -> f64 {
        let utility: f64 = demand(p)
            .iter()
            .zip(&w)
            .map(|((x, q), w)| {
                if alpha == 1.0 {
                    -w * q.ln()
                } else {
                    alpha / (1.0 - alpha) * q * x
                }
            })
            .sum();
        let links = (0..n).map(|l| p[l] * c[l] - slack[l] * p[l].ln());
        utility + links.sum::<f64>()
    };
    let whole = |p: &[f64]| -> (Vec<f64>, Vec<f64>) {
        let rates = demand(p).iter().map(|(x, _)| x * unit).collect();
        let mut prices = vec![0.0; capacities.len()];
        for (&l, p) in used.iter().zip(p) {
            prices[l] = p * weight * unit.powf(-alpha);
        }
        (rates, prices)
    };
    let mut barrier = 0.1;
    for _ in 0..MOST_STEPS {
        let asked = demand(&p);
        let mut load = vec![0.0; n];
        let mut hessian = vec![vec![0.0; n]; n];
        for (path, (x, q)) in paths.iter().zip(&asked) {
            for &k in path {
                load[k] += x;
                for &l in path {
                    hessian[k][l] += x / (alpha * q) * p[k] * p[l];
                }
            }
        }
        let slack: Vec<f64> = scale.iter().map(|s| barrier * s).collect();
        let gradient: Vec<f64> = (0..n).map(|l| p[l] * (c[l] - load[l]) - slack[l]).collect();
        // In shares of the prices, which may lie many decades apart: every row and column scaled to a diagonal of 1.
        let size: Vec<f64> = (0..n).map(|l| (hessian[l][l] + slack[l]).sqrt()).collect();
        let scaled: Vec<f64> = gradient.iter().zip(&size).map(|(g, d)| g / d).collect();
        let step: Vec<f64> = symmetric::solve(
            n,
            |k, l| (hessian[k][l] + if k == l { slack[k] } else { 0.0 }) / (size[k] * size[l]),
            &scaled,
        )?
        .iter()
        .zip(&size)
        .map(|(s, d)| s / d)
        .collect();
        let longest = step.iter().fold(0.0f64, |most, s| most.max(s.abs()));
        let fall: f64 = step.iter().zip(&gradient).map(|(s, g)| s * g).sum();
        let deepest = step.iter().copied().fold(0.0, f64::max);
        let highest = step.iter().fold(0.0, |most, s| f64::max(most, -s));
        let mut share = (0.95 / deepest).min(2.0 / highest).min(1.0);
        let before = cost(&p, &slack);
        let moved = |share: f64| -> Vec<f64> {
            p.iter()
                .zip(&step)
                .map(|(p, s)| p * (1.0 - share * s))
                .collect()
        };
        // Near the minimum rounding hides the fall: there full steps are right.
        let blur = 1e-13 * before.abs();
        while share > 1e-9 && cost(&moved(share), &slack) > before - 0.1 * share * fall + blur {
            share *= 0.5;
        }
        p = moved(share);
        if longest < 1e-2 {
            let (rates, prices) = whole(&p);
            if barrier < LAST_BARRIER
                || kkt_residual(capacities, flows, alpha, &rates, &prices) < ENOUGH
            {
                break;
            }
            barrier *= 0.2;
        }
    }
    let (rates, prices) = whole(&p);
    let residual = kkt_residual(capacities, flows, alpha, &rates, &prices);
    if residual <= GOOD {
        Ok(Allocation {
            rates,
            prices,
            residual,
        })
    } else {
        Err(Error::Numeric {
            method: "the alpha-fair allocation",
            detail: format!("the optimality conditions fail by {residual:e}"),
        })
    }
}

/// By how much rates and prices fail the conditions of Karush, Kuhn and Tucker for the alpha-fair optimum, the largest of:
/// marginal utility w x^−α against the price of the path (relative); load above capacity (relative); and for each link
/// the smaller of its spare share of capacity and its share in the price of a path. Infinite if a number is missing.
#[must_use]
pub fn kkt_residual(
    capacities: &[f64],
    flows: &[Claim],
    alpha: f64,
    rates: &[f64],
    prices: &[f64],
) -> f64 {
    let loads = loads(capacities, flows, rates);
    let mut in_path = vec![0.0f64; capacities.len()];
    let mut worst = 0.0f64;
    for (flow, rate) in flows.iter().zip(rates) {
        let q: f64 = flow.path.iter().map(|&l| prices[l]).sum();
        let off = (flow.weight * rate.powf(-alpha) / q - 1.0).abs();
        if off.is_nan() {
            return f64::INFINITY;
        }
        worst = worst.max(off);
        for &l in &flow.path {
            in_path[l] = in_path[l].max(prices[l] / q);
        }
    }
    for ((capacity, load), share) in capacities.iter().zip(&loads).zip(&in_path) {
        let over = load / capacity - 1.0;
        worst = worst.max(over).max(share.min(-over));
    }
    worst
}
