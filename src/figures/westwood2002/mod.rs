//! The slides of Grieco and Mascolo, PfHSN 2002: TCP Westwood and Easy RED.

mod curves;
mod fairness;
mod scene;
mod traces;

pub(super) use curves::{drop_curves, regimes, round_trips};
pub(super) use fairness::{aqm_reno, aqm_westwood, buffer, bytes, drop_tail, friendliness};
pub(super) use traces::{filter, sawtooth, wireless};
