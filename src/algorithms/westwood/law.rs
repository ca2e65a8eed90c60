//! The two verbs, and the estimate that the second one uses.

use crate::model::{Cause, Feedback, WindowLaw};
use crate::numeric::low_pass::LowPass;

/// Where the bandwidth comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Estimate {
    /// Packets per second, given.
    Given(f64),
    /// A sample at each acknowledgement, through a first-order filter with this time constant.
    Filter(f64),
    /// A sample each round trip (at least [`LEAST_SAMPLE`]), through two filters that keep seven eighths.
    Kernel,
}

/// Shortest time between two samples of the kernel, seconds (`TCP_WESTWOOD_RTT_MIN`).
const LEAST_SAMPLE: f64 = 0.05;
/// Share that each of the kernel's filters keeps of itself.
const KEPT: f64 = 0.875;

/// Time constant of the continuous filter that keeps [`KEPT`] of itself over a sampling time of the kernel.
pub(super) fn kernel_tau(rtt: f64) -> f64 {
    rtt.max(LEAST_SAMPLE) / -KEPT.ln()
}

/// TCP Westwood.
pub(super) struct Law {
    pub estimate: Estimate,
    pub least_window: f64,
}

const BANDWIDTH: usize = 1;
/// The sample before (slides), or the output of the first of the two filters (kernel).
const BEFORE: usize = 2;
/// Packets and seconds since the kernel's last sample.
const ACKED: usize = 3;
const ELAPSED: usize = 4;

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        match self.estimate {
            Estimate::Given(_) => &["window", "bandwidth"],
            Estimate::Filter(_) => &["window", "bandwidth", "sample"],
            Estimate::Kernel => &["window", "bandwidth", "first_filter", "acked", "elapsed"],
        }
    }

    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx.fill(0.0);
        self.measure(x, seen, dx);
        dx[0] = 1.0 / seen.rtt;
    }

    fn measure(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        match self.estimate {
            Estimate::Given(_) => {}
            Estimate::Filter(tau) => dx[BANDWIDTH] = (seen.delivery_rate - x[BANDWIDTH]) / tau,
            Estimate::Kernel => {
                let tau = kernel_tau(seen.rtt);
                dx[BEFORE] = (seen.delivery_rate - x[BEFORE]) / tau;
                dx[BANDWIDTH] = (x[BEFORE] - x[BANDWIDTH]) / tau;
            }
        }
    }

    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            (x[BANDWIDTH] * seen.base_rtt).max(self.least_window)
        };
    }

    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = window;
        if let Estimate::Given(bandwidth) = self.estimate {
            x[BANDWIDTH] = bandwidth;
        }
    }

    fn steady(&self, window: f64, seen: &Feedback, x: &mut [f64]) {
        let (bandwidth, before) = (x[BANDWIDTH], x.get(BEFORE).copied());
        self.settle(window, x);
        if matches!(self.estimate, Estimate::Given(_)) {
            return;
        }
        // What has been measured already stays; else the first sample is taken for the estimate, as the kernel does.
        let first = if seen.delivery_rate > 0.0 {
            seen.delivery_rate
        } else {
            window / seen.rtt
        };
        let measured = bandwidth > 0.0;
        x[BANDWIDTH] = if measured { bandwidth } else { first };
        if let (Some(place), Some(before)) = (x.get_mut(BEFORE), before) {
            *place = if measured { before } else { first };
        }
    }

    fn carried(&self) -> &'static [usize] {
        match self.estimate {
            Estimate::Given(_) => &[],
            Estimate::Filter(_) => &[BANDWIDTH],
            Estimate::Kernel => &[BANDWIDTH, BEFORE],
        }
    }

    fn on_ack(&self, x: &mut [f64], seen: &Feedback, _scratch: &mut [f64]) {
        let interval = seen.rtt / x[0];
        match self.estimate {
            Estimate::Given(_) => {}
            Estimate::Filter(tau) => {
                let mut filter = LowPass {
                    last: x[BEFORE],
                    ..LowPass::at(tau, x[BANDWIDTH])
                };
                filter.arrival(1.0, interval);
                (x[BANDWIDTH], x[BEFORE]) = (filter.output, filter.last);
            }
            Estimate::Kernel => {
                x[ACKED] += 1.0;
                x[ELAPSED] += interval;
                if x[ELAPSED] > seen.rtt.max(LEAST_SAMPLE) {
                    let sample = x[ACKED] / x[ELAPSED];
                    x[BEFORE] = KEPT * x[BEFORE] + (1.0 - KEPT) * sample;
                    x[BANDWIDTH] = KEPT * x[BANDWIDTH] + (1.0 - KEPT) * x[BEFORE];
                    (x[ACKED], x[ELAPSED]) = (0.0, 0.0);
                }
            }
        }
        x[0] += 1.0 / x[0];
    }

    fn needs_rtt(&self) -> bool {
        true
    }

    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str {
        if x[BANDWIDTH] * seen.base_rtt < self.least_window {
            "least window"
        } else {
            "congestion avoidance"
        }
    }

    fn source(&self) -> &'static str {
        match self.estimate {
            Estimate::Kernel => "linux net/ipv4/tcp_westwood.c",
            _ => "grieco2002",
        }
    }
}
