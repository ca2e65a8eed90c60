//! The common flow-level form w' = κ(1 − p/U'(x)): what five laws do to their window, given a price p.
//!
//! The loss-based laws have a sawtooth with its peak at w·2/(2 − b), from which their constants follow. The price of Vegas and FAST is
//! queueing delay.

/// A law in the common form. `w` in packets, `rtt` in s, `x` = w/rtt in packets/s, prices as losses per packet or s.
#[derive(Debug, Clone, Copy)]
pub struct FlowLevel {
    /// Its name in the papers.
    pub name: &'static str,
    /// `loss` or `delay`.
    pub price: &'static str,
    /// κ, packets/s, for a window, a round trip and the packets that the law keeps in the queue.
    pub kappa: fn(w: f64, rtt: f64, alpha: f64) -> f64,
    /// U'(x) for a window and a round trip.
    pub marginal_utility: fn(w: f64, rtt: f64, alpha: f64) -> f64,
    /// Whether only the sign of 1 − p/U' counts.
    pub sign_only: bool,
    /// At equilibrium w = constant/p^exponent; `None` where that is α/p and a rate.
    pub response: Option<(f64, f64)>,
}

const HSTCP_SLOPE: f64 = 1.1976;

/// The laws of the table.
pub const FLOW_LEVEL: [FlowLevel; 5] = [
    FlowLevel {
        name: "Reno",
        price: "loss",
        kappa: |_, rtt, _| 1.0 / rtt,
        marginal_utility: |w, _, _| 1.5 / (w * w),
        sign_only: false,
        response: Some((1.225, 0.5)),
    },
    FlowLevel {
        name: "HSTCP",
        price: "loss",
        kappa: |w, rtt, _| {
            let b = highspeed_decrease(w);
            0.156 * b * w.powf(0.8) / ((2.0 - b) * rtt)
        },
        marginal_utility: |w, _, _| 0.0789 / w.powf(HSTCP_SLOPE),
        sign_only: false,
        response: Some((0.120, 0.835)),
    },
    FlowLevel {
        name: "STCP",
        price: "loss",
        kappa: |w, rtt, _| 0.01 * w / rtt,
        marginal_utility: |w, _, _| 0.075 / w,
        sign_only: false,
        response: Some((0.075, 1.0)),
    },
    FlowLevel {
        name: "Vegas",
        price: "delay",
        kappa: |_, rtt, _| 1.0 / rtt,
        marginal_utility: |w, rtt, alpha| alpha * rtt / w,
        sign_only: true,
        response: None,
    },
    FlowLevel {
        name: "FAST",
        price: "delay",
        kappa: |_, rtt, alpha| 0.5 * alpha / rtt,
        marginal_utility: |w, rtt, alpha| alpha * rtt / w,
        sign_only: false,
        response: None,
    },
];

/// The share of the window that HighSpeed TCP gives up: 0.5 at 38 packets to 0.1 at 83000, in the logarithm.
fn highspeed_decrease(w: f64) -> f64 {
    let share = (w / 38.0).ln() / (83_000f64 / 38.0).ln();
    (0.5 - 0.4 * share).clamp(0.1, 0.5)
}

impl FlowLevel {
    /// w' in packets/s for a window, a round trip, α packets in the queue (delay-based laws) and a price.
    #[must_use]
    pub fn slope(&self, w: f64, rtt: f64, alpha: f64, price: f64) -> f64 {
        let error = 1.0 - price / (self.marginal_utility)(w, rtt, alpha);
        (self.kappa)(w, rtt, alpha)
            * if self.sign_only {
                error.signum()
            } else {
                error
            }
    }
}
