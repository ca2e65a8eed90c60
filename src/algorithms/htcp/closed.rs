//! H-TCP's exact periodic response, parametric in the time T between losses.

use super::{Constants, alpha_raw};
use crate::error::Result;
use crate::model::{FormInfo, Formula, LossModel, Response, ResponseFunction};
use crate::numeric::root;
use crate::units::Seconds;

/// What forms there are.
pub(super) const FORMS: &[FormInfo] = &[FormInfo {
    name: "periodic",
    loss_model: LossModel::Periodic,
    meaning: "exact, parametric in the time between losses",
}];

/// A(T) and B(T): the integral of `alpha_raw` up to T and the integral of A.
fn integrals(t: f64) -> (f64, f64) {
    let late = (t - 1.0).max(0.0);
    (
        t + late * late * (5.0 + late / 12.0),
        0.5 * t * t + late.powi(3) * (5.0 / 3.0 + late / 48.0),
    )
}

/// The T at which β·A·T + (1−β)·B is `wanted`.
fn time_between_losses(beta: f64, wanted: f64) -> Result<f64> {
    // Up to one second it is (1+β)·T²/2.
    let early = (2.0 * wanted / (1.0 + beta)).sqrt();
    if early <= 1.0 {
        return Ok(early);
    }
    let excess = |t: f64| {
        let (a, b) = integrals(t);
        Ok((beta * a * t + (1.0 - beta) * b) / wanted - 1.0)
    };
    // The increase never falls below that of the first second.
    root::brent(&excess, 1.0 - 1e-12, early * (1.0 + 1e-12), 0.0)
}

/// The forms under these constants.
pub(super) fn forms(k: Constants) -> Vec<Box<dyn ResponseFunction>> {
    vec![
        Formula::new("periodic", LossModel::Periodic, move |p, path| {
            let rtt = path.rtt_seconds()?;
            let base_rtt = path.base_rtt.map_or(rtt, Seconds::value);
            let beta = k.kept(rtt, base_rtt);
            let scale = k.scale(rtt);
            let unit = rtt / scale;
            let wanted = rtt * unit / (2.0 * p);
            let t = time_between_losses(beta, wanted)?;
            let (a, _) = integrals(t);
            // d ln T/d ln wanted.
            let h = if t <= 1.0 {
                0.5
            } else {
                wanted / (t * (a + beta * t * alpha_raw(t)))
            };
            // Where the scale follows RTT the unit stands still.
            let unit_follows = if k.scaled && scale > 0.1 && scale < 2.0 {
                0.0
            } else {
                1.0
            };
            let regime = if t <= 1.0 {
                "first second, standard TCP"
            } else {
                "high speed"
            };
            Ok(Response::closed(
                rtt / (p * t),
                1.0 - h,
                1.0 - h * (1.0 + unit_follows),
                regime,
                "derived from leith2004",
            )
            .with_peak(2.0 * a / unit))
        })
        .boxed(),
    ]
}
