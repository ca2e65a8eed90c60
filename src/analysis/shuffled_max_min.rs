//! The equilibrium of XCP on a network: max-min fairness under the constraint that shuffling lays on a link that is not full (Low, Andrew
//! and Wydrowski 2005).
//!
//! A router tells a flow to stand still where its rate is the link's share
//!
//! ```math
//! X = \frac{y}{N}\,\frac{\gamma y}{(\gamma+\alpha)\,y - \alpha c}\quad(h = \max(0, \gamma y - |\varphi|)),
//! \qquad X = \frac{\alpha c - (\alpha-\gamma)\,y}{\gamma N}\quad(h = \gamma y),
//! ```
//!
//! y being the link's load, c its capacity and N the flows that cross it, also those that other links hold back. The least
//! share on the path counts. A share falls as its link fills, so links can be settled in the order of their shares as in progressive filling: a
//! flow that is held at a smaller share only raises the shares of the other links. Each share is the root of a quadratic.

use crate::error::{Error, Result};

/// The constants of the routers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shuffle {
    /// Share of the spare capacity given out in an interval.
    pub alpha: f64,
    /// Share of the traffic shuffled in an interval.
    pub gamma: f64,
    /// Whether γ y is shuffled whatever the spare capacity (appendices A and B of the paper) or less of it (equation 2).
    pub full: bool,
}

/// A flow, or several alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Links that it crosses.
    pub path: Vec<usize>,
    /// How many there are, or the sum of their weights.
    pub weight: f64,
    /// What they send together at most, packets per second; infinity for no limit.
    pub most: f64,
}

/// Who gets what.
#[derive(Debug, Clone, PartialEq)]
pub struct Division {
    /// Rate of each member, all its flows together, in the unit of the capacities.
    pub rates: Vec<f64>,
    /// Load over capacity of each link.
    pub utilisation: Vec<f64>,
}

impl Shuffle {
    /// What a link that holds a flow back is used at least: α/(α + γ); nothing is promised when γ y is shuffled in full.
    ///
    /// ```
    /// use cwnd::analysis::shuffled_max_min::Shuffle;
    /// let paper = Shuffle { alpha: 0.4, gamma: 0.1, full: false };
    /// assert!((paper.least_utilisation() - 0.8).abs() < 1e-15);
    /// ```
    #[must_use]
    pub fn least_utilisation(&self) -> f64 {
        if self.full {
            0.0
        } else {
            self.alpha / (self.alpha + self.gamma)
        }
    }

    /// The share per unit of weight at a link of capacity `c` with flows of weight `all`, of which those of weight `open` follow it and
    /// the others send `held` together.
    fn share(&self, c: f64, held: f64, open: f64, all: f64) -> f64 {
        let (alpha, gamma) = (self.alpha, self.gamma);
        if self.full {
            return (alpha * c - (alpha - gamma) * held) / (gamma * all + (alpha - gamma) * open);
        }
        // gamma (F + U T)^2 = N T ((gamma + alpha)(F + U T) - alpha c), F = held, U = open, N = all.
        let a = open * (all * (gamma + alpha) - gamma * open);
        let b = all * ((gamma + alpha) * held - alpha * c) - 2.0 * gamma * held * open;
        let root = (b * b + 4.0 * a * gamma * held * held).sqrt();
        if b <= 0.0 {
            (root - b) / (2.0 * a)
        } else {
            2.0 * gamma * held * held / (b + root)
        }
    }

    /// Rates and utilisations on links of these capacities (any unit of rate).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a constant, capacity, weight or limit that is not positive, [`Error::Arguments`] for a path
    /// that names no link or one that does not exist.
    ///
    /// ```
    /// use cwnd::analysis::shuffled_max_min::{Member, Shuffle};
    /// let paper = Shuffle { alpha: 0.4, gamma: 0.1, full: false };
    /// let member = |path: &[usize]| Member { path: path.to_vec(), weight: 1.0, most: f64::INFINITY };
    /// // Max-min would give the last flow 1.5.
    /// let division = paper.divide(&[1.0, 2.0], &[member(&[0, 1]), member(&[0]), member(&[1])])?;
    /// assert!((division.rates[2] - 1.353851).abs() < 1e-6);
    /// # Ok::<(), cwnd::error::Error>(())
    /// ```
    pub fn divide(&self, capacities: &[f64], members: &[Member]) -> Result<Division> {
        self.check(capacities, members)?;
        let mut rates: Vec<Option<f64>> = vec![None; members.len()];
        while rates.iter().any(Option::is_none) {
            let mut least: Option<(f64, usize)> = None;
            for (l, &capacity) in capacities.iter().enumerate() {
                let (mut held, mut open, mut all) = (0.0, 0.0, 0.0);
                for (member, rate) in members.iter().zip(&rates) {
                    if member.path.contains(&l) {
                        all += member.weight;
                        match rate {
                            Some(rate) => held += rate,
                            None => open += member.weight,
                        }
                    }
                }
                if open > 0.0 {
                    let share = self.share(capacity, held, open, all);
                    if least.is_none_or(|(other, _)| share < other) {
                        least = Some((share, l));
                    }
                }
            }
            let Some((share, link)) = least else { break };
            // Flows that cannot send that much are held first: they raise the shares of the others.
            let limited = (members.iter().zip(&rates).enumerate())
                .filter(|(_, (m, rate))| rate.is_none() && m.most <= share * m.weight)
                .min_by(|a, b| (a.1.0.most / a.1.0.weight).total_cmp(&(b.1.0.most / b.1.0.weight)))
                .map(|(number, _)| number);
            if let Some(number) = limited {
                rates[number] = Some(members[number].most);
                continue;
            }
            for (member, rate) in members.iter().zip(&mut rates) {
                if rate.is_none() && member.path.contains(&link) {
                    *rate = Some(share * member.weight);
                }
            }
        }
        let rates: Vec<f64> = rates.into_iter().map(Option::unwrap_or_default).collect();
        let utilisation = capacities.iter().enumerate().map(|(l, capacity)| {
            let crossing = members.iter().zip(&rates);
            crossing
                .filter(|(member, _)| member.path.contains(&l))
                .map(|(_, rate)| rate)
                .sum::<f64>()
                / capacity
        });
        Ok(Division {
            utilisation: utilisation.collect(),
            rates,
        })
    }

    fn check(&self, capacities: &[f64], members: &[Member]) -> Result<()> {
        let positive = |what: &str, value: f64, finite: bool| {
            if value > 0.0 && (value.is_finite() || !finite) {
                Ok(())
            } else {
                Err(Error::out_of_range(what, value, "more than 0"))
            }
        };
        positive("alpha", self.alpha, true)?;
        positive("gamma", self.gamma, true)?;
        if self.full && self.gamma > self.alpha {
            return Err(Error::out_of_range(
                "gamma",
                self.gamma,
                format!("at most alpha, {}", self.alpha),
            ));
        }
        for capacity in capacities {
            positive("a capacity", *capacity, true)?;
        }
        for member in members {
            positive("a weight", member.weight, true)?;
            positive("what a flow sends at most", member.most, false)?;
            if member.path.is_empty() || member.path.iter().any(|l| *l >= capacities.len()) {
                return Err(Error::Arguments(format!(
                    "a flow's path must name links 0 to {}, at least one",
                    capacities.len().saturating_sub(1)
                )));
            }
        }
        Ok(())
    }
}
