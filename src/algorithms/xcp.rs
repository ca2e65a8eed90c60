//! XCP's sender: it does what the routers on its path say.

use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Parameter,
    Preset, Price, ResponseFunction, Setting, WindowLaw,
};

/// XCP.
pub struct Xcp;

const PARAMETERS: &[Parameter] = &[Parameter::number(
    "weight",
    "w",
    1.0,
    Bounds::open(0.0, 1e9),
    "",
    "price the sender pays: rates on a common bottleneck are in proportion",
)];

const PRESETS: &[Preset] = &[Preset {
    name: "paper",
    source: "katabi2002",
    note: Some(
        "the constants alpha = 0.4, beta = 0.226 and gamma = 0.1 are the router's: give them to the queue, `xcp:alpha=...`",
    ),
    values: &[],
}];

const EXPLANATION: Explanation = Explanation {
    summary: "Packets carry the sender's window and round trip; each router writes down how far the window should change, and the least of what the \
              routers of a path say comes back with the acknowledgement. The control of the whole traffic (efficiency) is apart from its \
              division among flows (fairness). A loss is taken as standard TCP takes it.",
    equations: &[
        Equation {
            formula: "cwnd = max(cwnd + H_feedback, 1) for each acknowledgement",
            source: "katabi2002 section 3.2",
            meaning: "the sender; in a fluid W' = R F, F the explicit feedback (packets/s^2) of one return trip ago",
        },
        Equation {
            formula: "phi = alpha d (C - y) - beta Q",
            source: "katabi2002 eq. 1",
            meaning: "the router's aggregate feedback in an interval d, the mean round trip",
        },
        Equation {
            formula: "h = max(0, gamma y - |phi|)",
            source: "katabi2002 eq. 2",
            meaning: "bandwidth shuffling; gamma y in appendices A and B (queue key full_shuffle=1)",
        },
        Equation {
            formula: "x_i' = [(h + phi+) w_i/sum w - (h + phi-) x_i/sum x]/d",
            source: "derived: katabi2002 eq. 4, 6, 7 and 9, summed over a flow's packets",
            meaning: "what one router tells one flow; the least over the path counts",
        },
        Equation {
            formula: "0 < alpha < pi/(4 sqrt 2) and beta = alpha^2 sqrt 2",
            source: "katabi2002 theorem 1",
            meaning: "linear stability on one link, whatever capacity, delay and number of flows",
        },
        Equation {
            formula: "x_i = min over the path of c/N rho^2/((1 + alpha/gamma) rho - alpha/gamma)",
            source: "derived: F = 0 at a link with utilisation rho and no queue",
            meaning: "equilibrium on a network: a bottleneck runs at alpha/(alpha + gamma) = 80 % or more",
        },
    ],
    ranges: &[
        "every link that can be a bottleneck has an XCP router: queue `xcp`",
        "one packet of every flow must fit into bandwidth x delay: the window never goes below one packet",
    ],
    caveats: &[
        "equation 2 subtracts |phi|, the paper's appendices do not: utilisation of the parking lot's links is 92.7 or 90.0 %",
        "appendix B prints h = 0.1 y in a rate per second; it is gamma y/d",
        "copies print beta = alpha sqrt 2 in theorem 1; alpha^2 sqrt 2 gives the 0.226 that the paper uses",
        "answers to routers, not to loss: it has no response to p",
    ],
};

impl Algorithm for Xcp {
    fn name(&self) -> &'static str {
        "xcp"
    }
    fn title(&self) -> &'static str {
        "XCP"
    }
    fn price(&self) -> Price {
        Price::Explicit
    }
    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }
    fn presets(&self) -> &'static [Preset] {
        PRESETS
    }
    fn references(&self) -> &'static [&'static str] {
        &["katabi2002", "low2005"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        Some(Box::new(Law {
            weight: setting.get("weight"),
        }))
    }
}

struct Law {
    weight: f64,
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, _x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx[0] = seen.rtt * seen.explicit;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = match why {
            Cause::Timeout => 1.0,
            _ => 0.5 * x[0],
        };
    }
    fn price(&self) -> Price {
        Price::Explicit
    }
    fn weight(&self) -> f64 {
        self.weight
    }
    /// There is none.
    fn slow_start_ends(&self, _x: &[f64], _seen: &Feedback) -> f64 {
        0.0
    }
    fn needs_rtt(&self) -> bool {
        true
    }
    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "explicit feedback"
    }
    fn source(&self) -> &'static str {
        "katabi2002"
    }
}

impl ClosedForms for Xcp {
    fn forms(&self) -> &'static [FormInfo] {
        &[]
    }
    fn closed(&self, _setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        Vec::new()
    }
}
