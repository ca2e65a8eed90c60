//! HighSpeed TCP (RFC 3649): a line in the logarithms of window and loss rate, and the increase and decrease derived from it.

mod linux;

use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Bounds, Cause, ClosedForms, Equation, Explanation, Feedback, FormInfo, Formula,
    LossModel, Parameter, Preset, Price, Response, ResponseFunction, Setting, WindowLaw, join,
};

/// HighSpeed TCP.
pub struct HighSpeed;

const PARAMETERS: &[Parameter] = &[
    Parameter::number(
        "low_window",
        "Low_Window",
        38.0,
        Bounds::closed(2.0, 1e6),
        "packets",
        "up to this window standard TCP",
    ),
    Parameter::number(
        "low_p",
        "Low_P",
        1e-3,
        Bounds::open(0.0, 1.0),
        "",
        "loss rate at Low_Window",
    ),
    Parameter::number(
        "high_window",
        "High_Window",
        83_000.0,
        Bounds::closed(3.0, 1e12),
        "packets",
        "upper end of the line",
    ),
    Parameter::number(
        "high_p",
        "High_P",
        1e-7,
        Bounds::open(0.0, 1.0),
        "",
        "loss rate at High_Window",
    ),
    Parameter::number(
        "high_decrease",
        "High_Decrease",
        0.1,
        Bounds::closed(0.001, 0.5),
        "",
        "fraction removed by a loss at High_Window",
    ),
];

const PRESETS: &[Preset] = &[
    Preset {
        name: "rfc",
        source: "rfc3649 section 5",
        note: None,
        values: &[],
    },
    Preset {
        name: "draft2002",
        source: "floyd2002 (Low_Window by ns-2's default file)",
        note: Some(
            "unconfirmed: 0.15/p^0.82 is derived from Low_Window 31 and Low_P 1.44/31^2; the draft's text was not seen",
        ),
        values: &[("low_window", 31.0), ("low_p", 1.44 / 961.0)],
    },
    Preset {
        name: "linux",
        source: "linux net/ipv4/tcp_highspeed.c",
        note: Some(
            "the first 72 rows of table 12 in whole packets, a round trip of recovery after each loss: road `ack`; closed forms are the RFC's",
        ),
        values: &[],
    },
];

const EXPLANATION: Explanation = Explanation {
    summary: "HighSpeed TCP is standard TCP up to Low_Window packets; above it the increase grows and the decrease shrinks with the window, \
              so that the response follows a line through (Low_P, Low_Window) and (High_P, High_Window).",
    equations: &[
        Equation {
            formula: "S = (log High_Window - log Low_Window)/(log High_P - log Low_P) = -0.83482",
            source: "rfc3649 section 5",
            meaning: "slope of the line; the number is the preset `rfc`'s, -0.82088 for `draft2002`",
        },
        Equation {
            formula: "W = Low_Window (p/Low_P)^S",
            source: "rfc3649 section 5",
            meaning: "form `line`",
        },
        Equation {
            formula: "W = 0.12/p^0.835",
            source: "rfc3649 section 5",
            meaning: "preset `rfc`: the line as printed, behind the tables of RFC 3649, 8312 and 9438; 0.15/p^0.82 for `draft2002`; form `printed`",
        },
        Equation {
            formula: "b(w) = (High_Decrease - 1/2) log(w/Low_Window)/log(High_Window/Low_Window) + 1/2",
            source: "rfc3649 section 5",
            meaning: "fraction removed by a loss",
        },
        Equation {
            formula: "a(w) = w^2 p(w) 2 b(w)/(2 - b(w)), p(w) = 1/(12.8 w^1.2)",
            source: "rfc3649 section 5 and appendix B",
            meaning: "packets per round trip, at least 1; with other corner points p(w) is the line through them",
        },
        Equation {
            formula: "cwnd += a(cwnd)/cwnd for each acknowledgement; cwnd = (1 - b(cwnd)) cwnd at a loss",
            source: "rfc3649 section 5",
            meaning: "the law",
        },
    ],
    ranges: &[
        "Low_Window < w <= High_Window, 1e-7 <= p < 1e-3; the RFC says nothing above High_Window, where the line is extended and a, b are held",
        "RFC 3649 restricts itself to p <= 0.01",
    ],
    caveats: &[
        "loss model `frozen`: the RFC derives a(w) from the AIMD mean with a and b frozen at w, while they vary along the sawtooth; the law itself is 5 % higher at 1e-3, 0.1 % lower at 1e-5",
        "p(w) = 0.078/w^1.2 of the text does not reproduce table 12; 1/(12.8 w^1.2) of the appendix program does",
        "a(38) by the program is 0.956; it is clamped to 1",
        "the program's b(w) would be 0 at 567416 packets and negative above: a and b are held at their values at High_Window",
        "table 8's row 1e-5 should read 10.0 for 15.1",
    ],
};

impl Algorithm for HighSpeed {
    fn name(&self) -> &'static str {
        "highspeed"
    }
    fn other_names(&self) -> &'static [&'static str] {
        &["hstcp"]
    }
    fn title(&self) -> &'static str {
        "HighSpeed TCP"
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
        &["rfc3649", "floyd2002", "xu2004", "linux"]
    }
    fn explanation(&self) -> &'static Explanation {
        &EXPLANATION
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        if setting.preset().name == "linux" && !setting.is_untouched() {
            return Err(Error::Arguments(
                "the kernel's table is fixed: `highspeed@linux` takes no parameters".into(),
            ));
        }
        let line = Line::of(setting);
        if line.high_window <= line.low_window {
            return Err(Error::Arguments(format!(
                "`high_window={}` must be more than `low_window={}`",
                line.high_window, line.low_window
            )));
        }
        if line.high_p >= line.low_p {
            return Err(Error::Arguments(format!(
                "`high_p={}` must be less than `low_p={}`",
                line.high_p, line.low_p
            )));
        }
        if line.slope() > 1.0 {
            return Err(Error::Arguments(format!(
                "the line's slope is {:.4}: at most 1 is allowed, as Scalable TCP has",
                line.slope()
            )));
        }
        Ok(())
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        if setting.preset().name == "linux" {
            return Some(Box::new(linux::Law::new()));
        }
        Some(Box::new(Law::new(
            Line::of(setting),
            setting.get("high_decrease"),
        )))
    }
}

/// The line through the two corner points.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    low_window: f64,
    low_p: f64,
    high_window: f64,
    high_p: f64,
}

impl Line {
    fn of(setting: &Setting) -> Self {
        Self {
            low_window: setting.get("low_window"),
            low_p: setting.get("low_p"),
            high_window: setting.get("high_window"),
            high_p: setting.get("high_p"),
        }
    }

    /// d = −S.
    fn slope(&self) -> f64 {
        (self.high_window / self.low_window).ln() / (self.low_p / self.high_p).ln()
    }

    fn window(&self, p: f64) -> f64 {
        self.low_window * (self.low_p / p).powf(self.slope())
    }

    /// c and d of the line as its source prints it, if it is one that a source prints.
    fn printed(&self) -> Option<(f64, f64)> {
        let corners = |preset: &'static Preset| Self::of(&Setting::of(PARAMETERS, preset));
        if *self == corners(&PRESETS[0]) {
            Some((0.12, 0.835))
        } else if *self == corners(&PRESETS[1]) {
            Some((0.15, 0.82))
        } else {
            None
        }
    }
}

/// a(w) and b(w).
struct Law {
    line: Line,
    high_decrease: f64,
    /// p(w) = 1/(factor·w^power).
    factor: f64,
    power: f64,
    /// b per unit of ln w.
    tilt: f64,
}

impl Law {
    fn new(line: Line, high_decrease: f64) -> Self {
        // The appendix program's rounded p(w) belongs to the RFC's corner points; any other line has its own.
        let (factor, power) = match line.printed() {
            Some((0.12, _)) => (12.8, 1.2),
            _ => (
                line.low_window.powf(-1.0 / line.slope()) / line.low_p,
                1.0 / line.slope(),
            ),
        };
        let tilt = (high_decrease - 0.5) / (line.high_window / line.low_window).ln();
        Self {
            line,
            high_decrease,
            factor,
            power,
            tilt,
        }
    }

    fn b(&self, w: f64) -> f64 {
        if w <= self.line.low_window {
            0.5
        } else if w >= self.line.high_window {
            self.high_decrease
        } else {
            0.5 + self.tilt * (w / self.line.low_window).ln()
        }
    }

    fn a(&self, w: f64) -> f64 {
        if w <= self.line.low_window {
            return 1.0;
        }
        let w = w.min(self.line.high_window);
        self.unclamped(w).max(1.0)
    }

    fn unclamped(&self, w: f64) -> f64 {
        let b = self.b(w);
        w.powf(2.0 - self.power) / self.factor * 2.0 * b / (2.0 - b)
    }
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        &["window"]
    }
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        dx[0] = self.a(x[0]) / seen.rtt;
    }
    fn decrease(&self, x: &mut [f64], _seen: &Feedback, why: Cause) {
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            (1.0 - self.b(x[0])) * x[0]
        };
    }
    fn switches(&self, x: &[f64], _seen: &Feedback, out: &mut Vec<f64>) {
        out.push(x[0] - self.line.low_window);
        out.push(x[0] - self.line.high_window);
        // Where a(w) leaves its floor of 1.
        out.push(self.unclamped(x[0].clamp(self.line.low_window, self.line.high_window)) - 1.0);
    }
    fn regime(&self, x: &[f64], _seen: &Feedback) -> &'static str {
        if x[0] < self.line.low_window {
            "standard TCP"
        } else if x[0] < self.line.high_window {
            "high speed"
        } else {
            "above High_Window, a and b held"
        }
    }
    fn source(&self) -> &'static str {
        if self.line.printed().is_some_and(|(c, _)| c == 0.12) {
            "rfc3649 section 5, appendix B"
        } else {
            "rfc3649 section 5, p(w) on the line"
        }
    }
}

impl ClosedForms for HighSpeed {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "printed",
                loss_model: LossModel::Frozen,
                meaning: "the line with its printed constants; only for unchanged corner points",
            },
            FormInfo {
                name: "line",
                loss_model: LossModel::Frozen,
                meaning: "the line through the two corner points, slope unrounded",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let line = Line::of(setting);
        let draft = setting.preset().name == "draft2002";
        let answer = move |window: f64, slope: f64, p: f64, source: &'static str| {
            let above = window > line.high_window * (1.0 + 1e-3);
            let regime = if above {
                "above High_Window, line extended"
            } else {
                "high speed"
            };
            let own = Response::closed(window, slope, 0.0, regime, source);
            let joined = join(own, p, line.low_window);
            if joined.note.is_some() {
                joined
            } else if draft {
                joined.with_note("unconfirmed: the draft's text was not seen")
            } else {
                joined
            }
        };
        let mut forms = Vec::new();
        if let Some((c, d)) = line.printed() {
            let source = if draft {
                "floyd2002, as xu2004 quotes d"
            } else {
                "rfc3649 section 5"
            };
            forms.push(
                Formula::new("printed", LossModel::Frozen, move |p, _| {
                    Ok(answer(c / p.powf(d), d, p, source))
                })
                .boxed(),
            );
        }
        let source = if draft {
            "floyd2002, line through the corner points"
        } else {
            "rfc3649 section 5"
        };
        forms.push(
            Formula::new("line", LossModel::Frozen, move |p, _| {
                Ok(answer(line.window(p), line.slope(), p, source))
            })
            .boxed(),
        );
        forms
    }
}
