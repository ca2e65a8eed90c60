//! What theory says about two flows at the bottleneck: the exponent, and the equilibrium of losses that hit both.

use super::{Pair, Protocol};
use crate::algorithms::Selected;
use crate::analysis::rtt_unfairness::{Exponent, equilibria, exponents};
use crate::analysis::{Member, SharedLink};
use crate::error::{Error, Result};
use crate::model::Path;
use crate::units::{Packets, Seconds};

/// Predictions for a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Predicted {
    /// Exponent of the RTT ratio under synchronised losses, at the window of a fair share.
    pub exponent: f64,
    /// Ratio of the rates in the equilibrium of synchronised losses; what is wrong where there is none.
    pub equilibrium: std::result::Result<f64, String>,
}

/// Predictions for the part of the link that the web load leaves, its buffer as long in time as that of the whole; BIC without fast
/// convergence.
///
/// # Errors
/// If the protocol has no closed form.
pub fn predicted(pair: &Pair) -> Result<Predicted> {
    let setup = &pair.setup;
    let capacity = setup.capacity() * (1.0 - setup.web);
    let law = steady(pair.protocol)?.law()?;
    let members = pair.rtts.map(|base_rtt| Member {
        law: law.as_ref(),
        base_rtt,
        count: 1.0,
    });
    let link = SharedLink {
        capacity,
        buffer: capacity * setup.buffer_s,
    };
    let found = equilibria(&members, link).and_then(|all| match all.first() {
        Some(first) => first.ratio(),
        None => Err(Error::NoAnswer("no equilibrium".into())),
    });
    Ok(Predicted {
        exponent: exponent(pair.protocol, 0.5 * capacity * pair.rtts[0])?,
        equilibrium: found.map_err(|error| error.to_string()),
    })
}

/// The law without fast convergence, with which no epoch is like the one before it.
fn steady(protocol: Protocol) -> Result<Selected> {
    const KEY: &str = "fast_convergence";
    let mut selected = Selected::parse(protocol.spec)?;
    let mut parameters = selected.algorithm.parameters().iter();
    if parameters.any(|parameter| parameter.key == KEY) {
        selected.setting.set(KEY, "0")?;
    }
    Ok(selected)
}

/// The exponent 1/(1 − d) at this window, packets.
fn exponent(protocol: Protocol, window: f64) -> Result<f64> {
    let selected = steady(protocol)?;
    let path = Path::with_rtt(Seconds::new(0.1));
    let forms = selected.algorithm.closed(&selected.setting);
    let form = forms
        .first()
        .ok_or_else(|| Error::NoAnswer(format!("`{}` has no closed form", protocol.spec)))?;
    let p = form.loss_for(Packets::new(window), &path)?;
    let (synchronised, _) = exponents(&form.respond(p, &path)?)?;
    Ok(match synchronised {
        Exponent::Finite(x) => x,
        Exponent::Infinite => f64::INFINITY,
    })
}
