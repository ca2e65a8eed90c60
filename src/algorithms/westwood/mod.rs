//! TCP Westwood: standard TCP's growth; a loss sets the window to what the estimated bandwidth keeps in flight over the
//! shortest round trip.

mod closed;
mod law;

use crate::model::{
    Algorithm, Bounds, ClosedForms, Equation, Explanation, FormInfo, Kind, Parameter, Preset,
    Price, ResponseFunction, Setting, WindowLaw,
};
use law::{Estimate, Law};

/// TCP Westwood.
pub struct Westwood;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        key: "tau",
        symbol: "τ",
        default: 0.5,
        bounds: Bounds::open(0.0, 1e9),
        kind: Kind::Time,
        unit: "s",
        meaning: "time constant of the bandwidth filter: its cut-off is 1/tau (not used by westwood-plus)",
    },
    Parameter::number(
        "bandwidth",
        "B",
        0.0,
        Bounds::closed(0.0, 1e15),
        "packets/s",
        "a fixed estimate; 0 lets the filter estimate it",
    ),
    Parameter::number(
        "least_window",
        "",
        1.0,
        Bounds::closed(0.0, 1e9),
        "packets",
        "a loss leaves no less",
    ),
];

const KERNEL: &str = "westwood-plus";

const PRESETS: &[Preset] = &[
    Preset {
        name: "paper",
        source: "grieco2002",
        note: Some(
            "the slides give no value for tau: 0.5 s is common use, unconfirmed; the filter is Tustin's rule on 1/(tau s + 1)",
        ),
        values: &[],
    },
    Preset {
        name: KERNEL,
        source: "linux net/ipv4/tcp_westwood.c",
        note: Some(
            "one sample every max(RTT, 50 ms), two filters in a row that keep 7/8 each, at least 2 packets after a loss; the window is not rounded to whole packets",
        ),
        values: &[("least_window", 2.0)],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "TCP Westwood grows by one packet a round trip like standard TCP. A loss sets the window to B RTTmin, B the bandwidth estimated end to end \
              from returning acknowledgements: what was delivered, without the queue. So a loss takes the queue's share of the window, not half of it.",
    equations: &[
        Equation {
            formula: "cwnd += 1/cwnd for each acknowledgement; cwnd = B RTTmin after three duplicates; cwnd = 1 after a timeout, ssthresh = B RTTmin",
            source: "grieco2002 slide 14",
            meaning: "the law",
        },
        Equation {
            formula: "B_k = a B_(k-1) + (1-a)(b_k + b_(k-1))/2, a = (2 tau - D)/(2 tau + D), b_k = acknowledged/D",
            source: "derived from grieco2002 slide 10: Tustin's rule on 1/(tau s + 1), step D",
            meaning: "the estimate; a sample of 0 for every tau/2 without an acknowledgement",
        },
        Equation {
            formula: "r' = (1-p)/R^2 + p (B Rm/R) r - p r^2",
            source: "derived from grieco2002 slides 15 to 17",
            meaning: "mean-field equation of the rate; stable at its positive root",
        },
        Equation {
            formula: "r = (B Rm + sqrt((B Rm)^2 + 4(1-p)/p))/(2R)",
            source: "grieco2002 slide 18",
            meaning: "its root for a given estimate; form `given-bandwidth` (parameter bandwidth)",
        },
        Equation {
            formula: "r = sqrt((1-p)/p)/sqrt(R Tq), Tq = R - Rm",
            source: "grieco2002 slide 20",
            meaning: "estimate = rate; form `conservation`. Over Kelly's Reno sqrt(2(1-p)/p)/R it is sqrt(R/(2 Tq)): more than Reno where Tq < R/2. \
                      Both fall as 1/sqrt(p); Reno's RTT exponent is -1, Westwood's -1/2 at a common Tq, -1 if Tq grows with R",
        },
        Equation {
            formula: "r = sqrt((1-p)/p)/sqrt(R (R - (1-p) Rm))",
            source: "derived from grieco2002 slide 17",
            meaning: "estimate = (1-p) r, finite at Tq = 0; form `delivered`",
        },
        Equation {
            formula: "r = (1/R) sqrt(2/(pi p)) exp(-p w0^2/2)/erfc(w0 sqrt(p/2)), w0 = B Rm",
            source: "derived: renewal at independent losses",
            meaning: "exact for a given estimate; form `renewal`",
        },
        Equation {
            formula: "r = y/(R sqrt(p)), y = sqrt(2/pi) exp(-(ρ y)^2/2)/erfc(ρ y/sqrt(2)), ρ = Rm/R",
            source: "derived: the same with estimate = mean rate",
            meaning: "form `self-consistent`: 0.798 to 0.978 of the mean-field 1/sqrt(1-ρ) for ρ from 0 to 0.95",
        },
        Equation {
            formula: "1/p = N^2 (ρ (1-g)/(1-ρ) + 1/2), W = N (ρ (1-g)/(1-ρ) + 1/2), g = 1/u - 1/(e^u - 1), u = N R/tau",
            source: "derived: periodic losses, filter on a periodic ramp",
            meaning: "form `periodic`; from 1/sqrt(2 p (1-ρ)) (slow filter) to sqrt((1+ρ)/(2 (1-ρ) p)) (fast filter)",
        },
    ],
    ranges: &[
        "0 < Tq: without a queue only `delivered`, `given-bandwidth` and `renewal` are finite",
        "p up to about 0.01: above it retransmission timeouts rule; `renewal` and `self-consistent` leave out terms of order p",
        "B Rm above least_window",
    ],
    caveats: &[
        "--rtt includes the queueing delay, --base-rtt does not: RTTmin is taken for the true base round trip",
        "the mean-field forms ignore how the window is spread: independent losses give 2 to 20 % less (`self-consistent`)",
        "as printed, a loss sets the window to B RTTmin even where that is more than the window",
        "compressed acknowledgements make the original sample overestimate (the kernel's one sample a round trip does not); a fluid has none",
        "the slides' formulas did not survive transcription: rebuilt from slides 15 to 17, which fix the algebra; their tau is not stated",
    ],
};

fn estimate(setting: &Setting) -> Estimate {
    let bandwidth = setting.get("bandwidth");
    if bandwidth > 0.0 {
        Estimate::Given(bandwidth)
    } else if setting.preset().name == KERNEL {
        Estimate::Kernel
    } else {
        Estimate::Filter(setting.get("tau"))
    }
}

impl Algorithm for Westwood {
    fn name(&self) -> &'static str {
        "westwood"
    }
    fn title(&self) -> &'static str {
        "TCP Westwood"
    }
    fn price(&self) -> Price {
        Price::Loss
    }
    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }
    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }
    fn references(&self) -> &'static [&'static str] {
        &["grieco2002", "mascolo2001", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            estimate: estimate(setting),
            least_window: setting.get("least_window"),
        }))
    }
}

impl ClosedForms for Westwood {
    fn forms(&self) -> &'static [FormInfo] {
        closed::FORMS
    }
    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        match estimate(setting) {
            Estimate::Given(bandwidth) => closed::given(bandwidth),
            other => closed::estimated(other),
        }
    }
}
