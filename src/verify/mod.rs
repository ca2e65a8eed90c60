//! Every check as data: what, expected with its source, got, tolerance and its reason. `cwnd verify` and the tests walk
//! this one list.

mod bandwidth_filter;
mod bic2004;
mod closed;
mod data;
mod delay;
mod easy_red;
mod explicit;
mod fairness;
mod fast_map;
mod fluid;
mod later;
mod loop_runs;
mod loops;
mod measured;
mod published;
mod runs;
mod sawtooth;
mod shares;
mod slow_links;
mod standards;
mod tcp_red;
mod unfairness;
mod westwood;
mod westwood_jain;

use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::WindowLaw;
use serde::Serialize;

/// How far a number may lie from the expected one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// As a share of the expected value.
    Relative(f64),
    /// In the unit of the value.
    Absolute(f64),
}

/// One comparison.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// Name of its group.
    pub group: &'static str,
    /// What is compared, with the law and the place.
    pub what: String,
    /// The expected value.
    pub expected: f64,
    /// Where it comes from.
    pub source: String,
    /// What this program finds, `None` if it finds nothing.
    pub got: Option<f64>,
    /// Why it finds nothing.
    pub failure: Option<String>,
    /// |got − expected|, relative if the tolerance is.
    pub difference: Option<f64>,
    /// What `difference` may be.
    pub tolerance: f64,
    /// Whether both are relative.
    pub relative: bool,
    /// Why the tolerance is what it is.
    pub reason: &'static str,
    /// Whether it holds.
    pub passed: bool,
}

impl Check {
    /// Compares what was found with what is expected.
    #[must_use]
    pub fn new(
        group: &'static str,
        what: String,
        expected: f64,
        source: impl Into<String>,
        got: Result<f64>,
        tolerance: Tolerance,
        reason: &'static str,
    ) -> Self {
        let (got, failure) = match got {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error.to_string())),
        };
        let (limit, relative) = match tolerance {
            Tolerance::Relative(limit) => (limit, true),
            Tolerance::Absolute(limit) => (limit, false),
        };
        let scale = if relative { expected.abs() } else { 1.0 };
        let difference = got.map(|value| (value - expected).abs() / scale);
        let passed = difference.is_some_and(|d| d <= limit);
        Self {
            group,
            what,
            expected,
            source: source.into(),
            got,
            failure,
            difference,
            tolerance: limit,
            relative,
            reason,
            passed,
        }
    }
}

/// The law that `spec` names.
fn law(spec: &str) -> Result<Box<dyn WindowLaw>> {
    Selected::parse(spec)?.law()
}

/// A set of checks that belong together.
pub struct Group {
    /// The word on the command line.
    pub name: &'static str,
    /// What it shows.
    pub meaning: &'static str,
    /// Whether it takes so long that it runs only when named, or with all.
    pub slow: bool,
    /// Makes its checks.
    pub run: fn() -> Result<Vec<Check>>,
}

/// Every group, in the order in which `verify` runs them.
pub const GROUPS: &[Group] = &[
    Group {
        name: "lambert",
        meaning: "Lambert's W against 60 digits, also where its argument overflows",
        slow: false,
        run: closed::lambert,
    },
    Group {
        name: "closed-forms",
        meaning: "every closed form against 60 digits",
        slow: false,
        run: closed::closed_forms,
    },
    Group {
        name: "constants",
        meaning: "constants of the square-root family under three loss models",
        slow: false,
        run: closed::constants,
    },
    Group {
        name: "rfc3649",
        meaning: "HighSpeed's increase and decrease against the tables of RFC 3649",
        slow: false,
        run: published::rfc3649,
    },
    Group {
        name: "bic-table",
        meaning: "BIC by the paper, by its pseudo-code, in whole rounds and in the limit",
        slow: false,
        run: published::bic_table,
    },
    Group {
        name: "bic-claims",
        meaning: "what the BIC paper's text claims",
        slow: false,
        run: published::bic_claims,
    },
    Group {
        name: "epoch",
        meaning: "the epoch road equals the closed form where the whole sawtooth stays in one regime",
        slow: false,
        run: sawtooth::one_regime,
    },
    Group {
        name: "sawtooth",
        meaning: "the epoch road against independently solved sawteeth, across regimes",
        slow: false,
        run: sawtooth::reference,
    },
    Group {
        name: "roads-differ",
        meaning: "roads that differ, by how much and why",
        slow: false,
        run: sawtooth::differ,
    },
    Group {
        name: "inverse",
        meaning: "the loss rate for a window inverts the window for a loss rate",
        slow: false,
        run: closed::inverse,
    },
    Group {
        name: "ack",
        meaning: "runs one acknowledgement at a time, random and periodic losses",
        slow: false,
        run: runs::ack,
    },
    Group {
        name: "modern-forms",
        meaning: "the closed forms of CUBIC, H-TCP, Compound, Illinois, PFTK and TFRC against 60 digits",
        slow: false,
        run: later::closed_forms,
    },
    Group {
        name: "rfc9438",
        meaning: "CUBIC, HighSpeed and Reno against tables 1 and 3 of RFC 9438",
        slow: false,
        run: standards::rfc9438,
    },
    Group {
        name: "tfrc",
        meaning: "TFRC against RFC 4828, RFC 3714 and a kernel's table",
        slow: false,
        run: standards::tfrc,
    },
    Group {
        name: "pftk",
        meaning: "PFTK, full and approximate, with and without a receive window",
        slow: false,
        run: standards::pftk,
    },
    Group {
        name: "epoch-modern",
        meaning: "the epoch road equals the closed form for the later laws, and numbers worked apart",
        slow: false,
        run: later::epochs,
    },
    Group {
        name: "ns2",
        meaning: "the kernel presets, acknowledgement by acknowledgement, beside a packet simulator",
        slow: false,
        run: measured::ns2,
    },
    Group {
        name: "kernel",
        meaning: "Reno and CUBIC beside a running Linux 6.18",
        slow: false,
        run: measured::kernel,
    },
    Group {
        name: "ack-modern",
        meaning: "CUBIC one acknowledgement at a time: the RFC's rule under periodic losses, the constant under random ones",
        slow: false,
        run: runs::ack_modern,
    },
    Group {
        name: "slow-links",
        meaning: "CR, IBK and CANIT: exponents, shares, and losses in a buffer of a few packets",
        slow: false,
        run: slow_links::slow_links,
    },
    Group {
        name: "tcp-red",
        meaning: "TCP with RED as a bare delay system, and through the rooms of the integrator",
        slow: false,
        run: tcp_red::tcp_red,
    },
    Group {
        name: "fluid",
        meaning: "the fluid road equals the epoch road; mean-field equilibria; random losses",
        slow: false,
        run: fluid::road,
    },
    Group {
        name: "rtt-exponents",
        meaning: "exponents of the rate ratio, synchronised and independent; BIC's by window",
        slow: false,
        run: unfairness::exponent_table,
    },
    Group {
        name: "synchronised-ratios",
        meaning: "rate ratios of two flows that lose together, without a queue",
        slow: false,
        run: unfairness::synchronised,
    },
    Group {
        name: "queue-equilibria",
        meaning: "the same over a drop-tail buffer, any laws, against another integrator",
        slow: false,
        run: unfairness::with_queue,
    },
    Group {
        name: "sawtooth-use",
        meaning: "utilisation and mean queue over a buffer: closed form, law and run; the buffer for a utilisation",
        slow: false,
        run: shares::over_a_buffer,
    },
    Group {
        name: "cubic-beside-reno",
        meaning: "CUBIC's share beside Reno, closed form and law",
        slow: false,
        run: shares::cubic_beside_reno,
    },
    Group {
        name: "convergence",
        meaning: "AIMD flows as positive matrices; CUBIC's slow way to fairness",
        slow: false,
        run: fairness::convergence,
    },
    Group {
        name: "fair-allocations",
        meaning: "alpha-fair and max-min allocations against closed forms",
        slow: false,
        run: fairness::fair_allocations,
    },
    Group {
        name: "two-flows",
        meaning: "two flows that lose together at a bufferless link: rate ratios",
        slow: false,
        run: fluid::two_flows,
    },
    Group {
        name: "loops",
        meaning: "margins, roots, bounds and equilibria of control loops against 40 digits; FAST's discrete map run beside its eigenvalues",
        slow: false,
        run: loops::numbers,
    },
    Group {
        name: "loop-roads",
        meaning: "control loops: the dominant root by Lambert's W, by collocation and by a run; the verdict by Nyquist's criterion; laws at flow level",
        slow: false,
        run: loops::roads,
    },
    Group {
        name: "loop-boundaries",
        meaning: "where control loops become unstable, found by bisecting the integrator",
        slow: false,
        run: loop_runs::boundaries,
    },
    Group {
        name: "bic2004",
        meaning: "what the BIC paper says about its simulations, three seeds; packets lost in an overflow; shares in ns-2",
        slow: false,
        run: bic2004::quick,
    },
    Group {
        name: "bic2004-slow",
        meaning: "the BIC paper's simulations, every claim over ten seeds",
        slow: true,
        run: bic2004::slow,
    },
    Group {
        name: "westwood-forms",
        meaning: "Westwood's closed forms against 40 digits, from the equations they solve",
        slow: false,
        run: westwood::closed_forms,
    },
    Group {
        name: "westwood",
        meaning: "Westwood: numbers worked apart, every road, beside Kelly's Reno, one flow over a buffer",
        slow: false,
        run: westwood::numbers,
    },
    Group {
        name: "bandwidth-filter",
        meaning: "Westwood's bandwidth filter: gain, step response, frequency response, silence",
        slow: false,
        run: bandwidth_filter::filter,
    },
    Group {
        name: "easy-red",
        meaning: "Easy RED: drop curves, its three regimes by formula and through the integrator, limit cycle",
        slow: false,
        run: easy_red::easy_red,
    },
    Group {
        name: "xcp-equilibrium",
        meaning: "XCP's equilibrium on networks: constrained max-min",
        slow: false,
        run: explicit::equilibrium,
    },
    Group {
        name: "xcp",
        meaning: "XCP in the integrator: utilisation, drops, shares, prices, beside a packet simulator",
        slow: false,
        run: explicit::runs,
    },
    Group {
        name: "fast",
        meaning: "FAST and Vegas settle at alpha over the delay; the 29 runs of the FAST slides",
        slow: false,
        run: delay::fast,
    },
    Group {
        name: "aqm",
        meaning: "PI, PIE and PI2 hold their queue or delay",
        slow: false,
        run: delay::aqm,
    },
    Group {
        name: "westwood-ns2",
        meaning: "Jain's index of ten Westwood, mixed and Reno connections beside ns-2, nothing fitted",
        slow: false,
        run: westwood_jain::ns2,
    },
    Group {
        name: "westwood-orders",
        meaning: "Jain's index of 40 connections beside ns-2; the Westwood slides' orders of laws and of queues",
        slow: true,
        run: westwood_jain::orders,
    },
    Group {
        name: "fluid-slow",
        meaning: "random losses with a reaction delay and a refractory time, per lost packet and per event",
        slow: true,
        run: fluid::delayed,
    },
];

/// The groups with these names; for an empty list all that are not slow, or all if `slow`.
///
/// # Errors
/// [`Error::Unknown`] with the list.
pub fn select(names: &[String], slow: bool) -> Result<Vec<&'static Group>> {
    if names.is_empty() {
        return Ok(GROUPS.iter().filter(|group| slow || !group.slow).collect());
    }
    names
        .iter()
        .map(|name| {
            GROUPS
                .iter()
                .find(|group| group.name == name)
                .ok_or_else(|| Error::unknown("check", name, GROUPS.iter().map(|group| group.name)))
        })
        .collect()
}
