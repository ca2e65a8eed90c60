//! Closed forms that every law of additive increase and halving shares: a packets a round trip, where a may depend on the
//! round trip, and half the window at a loss.

use super::{FormInfo, Formula, LossModel, Path, PowerLaw, Response, ResponseFunction};
use crate::error::Result;
use crate::numeric::decay::moment_product;
use std::f64::consts::PI;

/// The forms that [`additive_forms`] builds, as data.
pub const ADDITIVE_FORMS: &[FormInfo] = &[
    FormInfo {
        name: "periodic",
        loss_model: LossModel::Periodic,
        meaning: "one loss every 1/p packets: standard TCP's window times the square root of the increase",
    },
    FormInfo {
        name: "random",
        loss_model: LossModel::Random,
        meaning: "independent losses, time average, small p",
    },
    FormInfo {
        name: "mean-field",
        loss_model: LossModel::MeanField,
        meaning: "equilibrium of the mean-field equation",
    },
];

/// Fraction of the window that a loss removes.
const HALF: f64 = 0.5;

/// Closed forms of a law that adds `increase(path)` packets a round trip and halves at a loss; `exponent` is
/// ∂ ln window/∂ ln RTT. Windows: `sqrt(1.5 a/p)` for periodic losses, `1.30983 sqrt(a/p)` for independent ones (small p),
/// `sqrt(2 a/p)` for the mean-field equation.
#[must_use]
pub fn additive_forms(
    increase: impl Fn(&Path) -> Result<f64> + Copy + Send + Sync + 'static,
    exponent: f64,
    regime: &'static str,
    source: &'static str,
) -> Vec<Box<dyn ResponseFunction>> {
    let random = 2f64.sqrt() / (PI.sqrt() * moment_product((1.0 - HALF).powi(2), -0.5));
    let power = move |path: &Path| -> Result<PowerLaw> {
        Ok(PowerLaw {
            a: increase(path)?,
            k: 0.0,
            b: HALF,
        })
    };
    let answer = move |window: f64| Response::closed(window, 0.5, exponent, regime, source);
    vec![
        Formula::new("periodic", LossModel::Periodic, move |p, path| {
            let power = power(path)?;
            Ok(answer(power.window(p)).with_peak(power.peak(p)))
        })
        .with_inverse(move |w, path| Ok(power(path)?.loss_for(w)))
        .boxed(),
        Formula::new("random", LossModel::Random, move |p, path| {
            Ok(answer(random * (increase(path)? / p).sqrt()))
        })
        .with_inverse(move |w, path| Ok(increase(path)? * (random / w).powi(2)))
        .boxed(),
        Formula::new("mean-field", LossModel::MeanField, move |p, path| {
            Ok(answer(power(path)?.mean_field(p)))
        })
        .with_inverse(move |w, path| Ok(increase(path)? / (HALF * w * w)))
        .boxed(),
    ]
}
