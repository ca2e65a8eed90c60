//! The slides' steady states, rebuilt from their assumptions, and the exact ones under the losses they stand for.

use super::law::{Estimate, kernel_tau};
use crate::error::{Error, Result};
use crate::model::{FormInfo, Formula, LossModel, Path, Response, ResponseFunction};
use crate::numeric::error_function::inverse_mills;
use crate::numeric::periodic_ramp::{remembered, remembered_twice};
use crate::numeric::root;

pub(super) const FORMS: &[FormInfo] = &[
    FormInfo {
        name: "conservation",
        loss_model: LossModel::MeanField,
        meaning: "the slides' result: estimate = rate (small p), sqrt((1-p)/p) sqrt(R/Tq); none without a queueing delay",
    },
    FormInfo {
        name: "delivered",
        loss_model: LossModel::MeanField,
        meaning: "estimate = delivered rate, (1-p) r: finite without a queueing delay",
    },
    FormInfo {
        name: "self-consistent",
        loss_model: LossModel::Random,
        meaning: "exact under independent losses, estimate = mean rate (a slow filter), small p",
    },
    FormInfo {
        name: "periodic",
        loss_model: LossModel::Periodic,
        meaning: "one loss every 1/p packets; the filter's ripple included, or the estimate given",
    },
    FormInfo {
        name: "given-bandwidth",
        loss_model: LossModel::MeanField,
        meaning: "the estimate given (parameter bandwidth): positive root of the slides' equation",
    },
    FormInfo {
        name: "renewal",
        loss_model: LossModel::Random,
        meaning: "the estimate given: exact under independent losses, small p",
    },
];

const REGIME: &str = "congestion avoidance";
/// By the convention of this program round trip and base round trip are scaled together.
const COMMON: &str = "RTT exponent of the window with the base RTT in proportion; at a common queueing delay Tq the rate goes as RTT^-1/2";

/// Round trip and its ratio ρ to the base round trip.
fn path_of(path: &Path) -> Result<(f64, f64)> {
    let rtt = path.rtt_seconds()?;
    Ok((rtt, path.base_rtt.map_or(1.0, |base| base.value() / rtt)))
}

fn no_queue(form: &str, instead: &str) -> Error {
    Error::NoAnswer(format!(
        "Tq = RTT - base RTT is 0: the form `{form}` diverges as 1/sqrt(Tq), because without a queue the estimate is the rate and a loss takes nothing; {instead}"
    ))
}

const FINITE: &str = "--form delivered is finite there, or give the queueing delay with --base-rtt";

/// The forms with an estimate of its own.
pub(super) fn estimated(estimate: Estimate) -> Vec<Box<dyn ResponseFunction>> {
    vec![
        Formula::new("conservation", LossModel::MeanField, |p, path| {
            let (_, rho) = path_of(path)?;
            if rho >= 1.0 {
                return Err(no_queue("conservation", FINITE));
            }
            let window = ((1.0 - p) / p / (1.0 - rho)).sqrt();
            Ok(
                Response::closed(window, 0.5 / (1.0 - p), 0.0, REGIME, "grieco2002 slide 20")
                    .with_note(COMMON),
            )
        })
        .with_inverse(|w, path| {
            let (_, rho) = path_of(path)?;
            if rho >= 1.0 {
                return Err(no_queue("conservation", FINITE));
            }
            Ok(1.0 / (1.0 + w * w * (1.0 - rho)))
        })
        .boxed(),
        Formula::new("delivered", LossModel::MeanField, |p, path| {
            let (_, rho) = path_of(path)?;
            // 1 − (1−p)ρ without cancellation at ρ = 1.
            let rest = (1.0 - rho) + p * rho;
            let slope = 0.5 * (1.0 / (1.0 - p) + p * rho / rest);
            let window = ((1.0 - p) / p / rest).sqrt();
            Ok(Response::closed(
                window,
                slope,
                0.0,
                REGIME,
                "derived from grieco2002 slide 17: estimate = (1-p) rate",
            )
            .with_note(COMMON))
        })
        .boxed(),
        Formula::new("self-consistent", LossModel::Random, |p, path| {
            let (_, rho) = path_of(path)?;
            if rho >= 1.0 {
                return Err(no_queue("self-consistent", FINITE));
            }
            let window = constant(rho)? / p.sqrt();
            Ok(Response::closed(
                window,
                0.5,
                0.0,
                REGIME,
                "derived: renewal at independent losses, estimate = mean rate",
            )
            .with_note(COMMON))
        })
        .boxed(),
        Formula::new("periodic", LossModel::Periodic, move |p, path| {
            filtered(p, path, estimate)
        })
        .boxed(),
    ]
}

/// `y` of the exact window `y/√p` under independent losses when the estimate is the mean rate: the fixed point of
/// `y = h(ρy)`, h the inverse Mills ratio. It lies 2 to 20 % below the mean-field value `1/√(1−ρ)`.
fn constant(rho: f64) -> Result<f64> {
    let excess = |y: f64| Ok(y - inverse_mills(rho * y));
    let most = (1.0 - rho).sqrt().recip();
    root::brent(&excess, 0.5, most * (1.0 + 1e-9), 0.0)
}

/// One loss every 1/p packets. The estimate at a loss is the rate then less a share g of what the epoch added to it, g what
/// the filter remembers of a periodic ramp; window, ramp N and packets then follow from
/// `w0 = ρ (w0 + (1−g) N)` and `1/p = N w0 + N²/2`.
fn filtered(p: f64, path: &Path, estimate: Estimate) -> Result<Response> {
    let (rtt, rho) = path_of(path)?;
    if rho >= 1.0 {
        return Err(no_queue("periodic", FINITE));
    }
    let lift = rho / (1.0 - rho);
    // Share of the ramp, its derivative to ln u, and whether u moves with the round trip at a given N.
    let (tau, moves) = match estimate {
        Estimate::Kernel => (
            kernel_tau(rtt),
            kernel_tau(rtt * (1.0 + 1e-9)) <= kernel_tau(rtt),
        ),
        Estimate::Filter(tau) => (tau, true),
        Estimate::Given(_) => (f64::INFINITY, false),
    };
    let share = |u: f64| match estimate {
        Estimate::Kernel => remembered_twice(u),
        _ => remembered(u),
    };
    let factor = |n: f64| lift * (1.0 - share(n * rtt / tau).0) + 0.5;
    let excess = |ln_n: f64| {
        let n = ln_n.exp();
        Ok(2.0 * ln_n + factor(n).ln() + p.ln())
    };
    // The factor lies between those of g = 1/2 and g = 0.
    let bound = |g: f64| -0.5 * (p.ln() + (lift * (1.0 - g) + 0.5).ln());
    let ln_n = root::brent(&excess, bound(0.0) - 1e-9, bound(0.5) + 1e-9, 0.0)?;
    let n = ln_n.exp();
    let k = factor(n);
    let kappa = -lift * share(n * rtt / tau).1 / k;
    let exponent = if moves { kappa / (2.0 + kappa) } else { 0.0 };
    Ok(Response::closed(
        n * k,
        (1.0 + kappa) / (2.0 + kappa),
        exponent,
        REGIME,
        "derived: periodic losses, the filter on a periodic ramp",
    )
    .with_peak(n * (k + 0.5))
    .with_note(COMMON))
}

/// The forms with a given estimate of `bandwidth` packets per second.
pub(super) fn given(bandwidth: f64) -> Vec<Box<dyn ResponseFunction>> {
    let floor = move |path: &Path| -> Result<f64> {
        let (rtt, rho) = path_of(path)?;
        Ok(bandwidth * rtt * rho)
    };
    vec![
        Formula::new("given-bandwidth", LossModel::MeanField, move |p, path| {
            let w0 = floor(path)?;
            let s = w0.hypot(2.0 * ((1.0 - p) / p).sqrt());
            let window = 0.5 * (w0 + s);
            Ok(Response::closed(
                window,
                1.0 / (p * s * window),
                w0 / s,
                REGIME,
                "grieco2002 slide 18, derived from slide 17",
            ))
        })
        .with_inverse(move |w, path| {
            let w0 = floor(path)?;
            if w <= w0 {
                return Err(Error::NoAnswer(format!(
                    "a loss leaves B RTTmin = {} packets, so the mean window is larger at any loss rate",
                    crate::units::significant(w0, 6)
                )));
            }
            Ok(1.0 / (1.0 + w * (w - w0)))
        })
        .boxed(),
        Formula::new("renewal", LossModel::Random, move |p, path| {
            let w0 = floor(path)?;
            // Packets from w0 to a loss at w are (w² − w0²)/2, exponential with mean 1/p; rounds are w − w0.
            let z = w0 * p.sqrt();
            let h = inverse_mills(z);
            let slope = if z < 1e3 {
                0.5 * (1.0 + z * z - z * h)
            } else {
                // 1 + z² − z h = 2/z² − 10/z⁴ + ..., by the asymptotic series of the tail.
                (1.0 - 5.0 / (z * z)) / (z * z)
            };
            Ok(Response::closed(
                h / p.sqrt(),
                slope,
                1.0 - 2.0 * slope,
                REGIME,
                "derived: exact renewal value at independent losses",
            ))
        })
        .boxed(),
        Formula::new("periodic", LossModel::Periodic, move |p, path| {
            let w0 = floor(path)?;
            let peak = w0.hypot((2.0 / p).sqrt());
            let window = 0.5 * (peak + w0);
            Ok(Response::closed(
                window,
                1.0 / (p * 2.0 * peak * window),
                w0 / peak,
                REGIME,
                "derived: periodic losses, from B RTTmin upwards",
            )
            .with_peak(peak))
        })
        .boxed(),
    ]
}
