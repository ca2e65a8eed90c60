//! CUBIC's closed forms.

use super::{Constants, Rules, UNSETTLED};
use crate::error::{Error, Result};
use crate::model::{FormInfo, Formula, LossModel, PowerLaw, Response, ResponseFunction};
use crate::numeric::decay::moment_product;
use crate::numeric::root;
use std::f64::consts::PI;

/// What forms there are.
pub(super) const FORMS: &[FormInfo] = &[
    FormInfo {
        name: "periodic",
        loss_model: LossModel::Periodic,
        meaning: "the larger of the cubic and the Reno-friendly mean",
    },
    FormInfo {
        name: "inside-epoch",
        loss_model: LossModel::Periodic,
        meaning: "the larger of W_cubic and W_est at every moment of the epoch, exactly",
    },
    FormInfo {
        name: "random",
        loss_model: LossModel::Random,
        meaning: "independent losses, time average, small p; only for beta 0.7 and 0.8",
    },
    FormInfo {
        name: "mean-field",
        loss_model: LossModel::MeanField,
        meaning: "fixed point of the mean-field equations, cubic region alone; never joined",
    },
];

/// Within this of the crossing, relative, an answer carries a note.
const AT_CROSSING: f64 = 1e-9;

/// The larger of the cubic and the Reno-friendly answer.
fn larger(cubic: Response, friendly: Response) -> Response {
    let ahead = (cubic.window.value() / friendly.window.value()).ln();
    let joined = if ahead >= 0.0 { cubic } else { friendly };
    if ahead.abs() < AT_CROSSING {
        joined.with_note(
            "the cubic and the Reno-friendly mean meet here: slope towards smaller loss rates",
        )
    } else {
        joined
    }
}

impl Constants {
    /// Reno-friendly AIMD with CUBIC's decrease.
    fn friendly(&self) -> PowerLaw {
        PowerLaw {
            a: self.alpha(),
            k: 0.0,
            b: 1.0 - self.beta,
        }
    }

    fn periodic(&self, p: f64, rtt: f64) -> Response {
        let mean = (3.0 + self.beta) / 4.0;
        let cubic = (self.c * mean / (1.0 - self.beta)).powf(0.25) * (rtt / p).powf(0.75);
        let cubic = Response::closed(cubic, 0.75, 0.75, "cubic", "rfc9438 section 5")
            .with_peak(cubic / mean);
        let reno = self.friendly();
        let window = if self.rules == Rules::Tables {
            1.2 / p.sqrt()
        } else {
            reno.window(p)
        };
        let peak = 2.0 * window / (1.0 + self.beta);
        larger(
            cubic,
            Response::closed(window, 0.5, 0.0, "Reno-friendly", "rfc9438 section 5")
                .with_peak(peak),
        )
    }

    fn inside_epoch(&self, p: f64, rtt: f64) -> Result<Response> {
        let alpha = self.alpha();
        // In units of time √q and windows C·q^(3/2), q = α/(C·RTT).
        let wanted = self.c * rtt.powi(3) / (alpha * alpha * p);
        let epoch = scaled_epoch(self.beta, wanted)?;
        // N = n·√(α/C)·RTT^(−3/2) rounds: R = (1/p)/N.
        let rounds = epoch.rounds * (alpha / self.c).sqrt() * rtt.powf(-1.5);
        let q = alpha / (self.c * rtt);
        let peak = self.c * (epoch.k * q.sqrt()).powi(3) / (1.0 - self.beta);
        let slope = 1.0 - epoch.rounds_slope;
        Ok(Response::closed(
            1.0 / (p * rounds),
            slope,
            3.0 * slope - 1.5,
            epoch.regime,
            "derived from rfc9438 section 4",
        )
        .with_peak(peak))
    }

    /// The constant of the random response at C = 0.4, where a simulation has given one.
    fn random_constant(&self) -> Option<f64> {
        match (self.beta, self.fast) {
            (0.7, false) => Some(1.3004),
            (0.7, true) => Some(1.1839),
            (0.8, false) => Some(1.4927),
            (0.8, true) => Some(1.3682),
            _ => None,
        }
    }
}

/// One epoch in scaled units: K, rounds, d ln N/d ln Y.
struct Scaled {
    k: f64,
    rounds: f64,
    rounds_slope: f64,
    regime: &'static str,
}

/// The epoch that sends `wanted` scaled packets. Y grows with κ: κ⁴ above 1, κ⁶ below 1/√3, between them the cubic up to
/// the crossing u and the line from there to κ³.
fn scaled_epoch(beta: f64, wanted: f64) -> Result<Scaled> {
    let removed = 1.0 - beta;
    let cubic = 1.0 / removed - 0.25;
    let line = beta / removed + 0.5;
    if wanted >= cubic {
        let k = (wanted / cubic).powf(0.25);
        return Ok(Scaled {
            k,
            rounds: k,
            rounds_slope: 0.25,
            regime: "cubic",
        });
    }
    if wanted <= line / 27.0 {
        let k = (wanted / line).powf(1.0 / 6.0);
        return Ok(Scaled {
            k,
            rounds: k.powi(3),
            rounds_slope: 0.5,
            regime: "Reno-friendly",
        });
    }
    let crossing = |k: f64| (6.0 * k * k - 2.0) / (3.0 * k + (4.0 - 3.0 * k * k).sqrt());
    let packets = |k: f64| {
        let (u, end, peak) = (crossing(k), k.powi(3), k.powi(3) / removed);
        peak * u + ((u - k).powi(4) - k.powi(4)) / 4.0 + (end - u) * (beta * peak + 0.5 * (end + u))
    };
    let excess = |k: f64| Ok(packets(k) / wanted - 1.0);
    let k = root::brent(&excess, (1.0f64 / 3.0).sqrt() - 1e-9, 1.0 + 1e-9, 0.0)?;
    // The window is continuous at u, so u need not be varied.
    let (u, end) = (crossing(k), k.powi(3));
    let rise = 3.0 * k * k / removed;
    let growth = rise * u - (u - k).powi(3) - end + beta * rise * (end - u) + rise * end;
    Ok(Scaled {
        k,
        rounds: end,
        rounds_slope: 3.0 * wanted / (k * growth),
        regime: "cubic, then Reno-friendly",
    })
}

/// The forms under these constants, the default first.
pub(super) fn forms(k: Constants) -> Vec<Box<dyn ResponseFunction>> {
    // The kernel's fast convergence does not act on its band of windows that repeat themselves: its forms are the fluid's.
    let kernel = k.rules == Rules::Linux;
    let settled = move || {
        if k.fast && !kernel {
            Err(Error::NoAnswer(UNSETTLED.into()))
        } else {
            Ok(())
        }
    };
    let mut forms = vec![
        Formula::new("periodic", LossModel::Periodic, move |p, path| {
            settled()?;
            let rtt = path.rtt_seconds()?;
            let answer = k.periodic(p, rtt);
            if kernel && answer.note.is_none() {
                return Ok(answer.with_note(
                    "the fluid with the kernel's constants; its whole packets give up to 18 % more: see the road `ack`",
                ));
            }
            let near = p > 0.3 * rtt.powi(3) && p < 30.0 * rtt.powi(3);
            if near && answer.note.is_none() && k.rules != Rules::Tables {
                let excess = k.inside_epoch(p, rtt)?.window.value() / answer.window.value() - 1.0;
                if excess > 5e-4 {
                    return Ok(answer.with_note(format!(
                        "near the Reno-friendly region the larger window inside the epoch (form inside-epoch) gives {:.1} % more",
                        100.0 * excess
                    )));
                }
            }
            Ok(answer)
        })
        .boxed(),
        Formula::new("inside-epoch", LossModel::Periodic, move |p, path| {
            settled()?;
            k.inside_epoch(p, path.rtt_seconds()?)
        })
        .boxed(),
    ];
    if let Some(constant) = k.random_constant() {
        let scaled = constant * (k.c / 0.4).powf(0.25);
        let friendly =
            (2.0 * k.alpha()).sqrt() / (PI.sqrt() * moment_product(k.beta * k.beta, -0.5));
        forms.push(
            Formula::new("random", LossModel::Random, move |p, path| {
                let rtt = path.rtt_seconds()?;
                let answer = larger(
                    Response::closed(
                        scaled * (rtt / p).powf(0.75),
                        0.75,
                        0.75,
                        "cubic",
                        "derived: Monte Carlo over the chain of windows at losses",
                    ),
                    Response::closed(
                        friendly / p.sqrt(),
                        0.5,
                        0.0,
                        "Reno-friendly",
                        "derived: product over discounted exponential gaps",
                    ),
                );
                Ok(if answer.regime == "cubic" && answer.note.is_none() {
                    answer.with_note("the constant is a Monte Carlo estimate, +- 0.0003")
                } else {
                    answer
                })
            })
            .boxed(),
        );
    }
    let constant = (k.c / (1.0 - k.beta)).powf(0.25);
    forms.push(
        Formula::new("mean-field", LossModel::MeanField, move |p, path| {
            let rtt = path.rtt_seconds()?;
            Ok(Response::closed(
                constant * (rtt / p).powf(0.75),
                0.75,
                0.75,
                "cubic",
                "derived: fixed point of the mean-field equations",
            ))
        })
        .boxed(),
    );
    forms
}
