//! BIC's closed forms: the paper's per-round analysis, its printed limits, and what its pseudo-code gives exactly.

use super::{Bic, UNSETTLED};
use crate::error::{Error, Result};
use crate::model::{
    ClosedForms, FormInfo, Formula, LossModel, Path, Response, ResponseFunction, Setting, join,
};
use crate::numeric::lambert::omega;
use crate::numeric::root;
use std::f64::consts::LN_2;

/// The regime of equations 4 and 5.
const ADDITIVE: &str = "additive increase";

/// The paper's letters.
#[derive(Debug, Clone, Copy)]
struct Constants {
    smax: f64,
    smin: f64,
    b: f64,
}

impl Constants {
    fn of(setting: &Setting) -> Self {
        Self {
            smax: setting.get("smax"),
            smin: setting.get("smin"),
            b: setting.get("beta"),
        }
    }
}

/// Wmax, rounds N, slope d and regime of one epoch of 1/p packets.
struct Epoch {
    w_max: f64,
    rounds: f64,
    slope: f64,
    regime: &'static str,
    source: &'static str,
}

impl Epoch {
    fn response(self, p: f64) -> Response {
        Response::closed(
            1.0 / (p * self.rounds),
            self.slope,
            0.0,
            self.regime,
            self.source,
        )
        .with_peak(self.w_max)
    }
}

impl Constants {
    /// Equations 4 and 5, for beta·Wmax > 2·Smax.
    fn equation_4(self, p: f64) -> Epoch {
        let Self { smax, smin, b } = self;
        let a = b * (2.0 - b) / (2.0 * smax);
        let bb = (smax / smin).log2() + (2.0 - b) / 2.0;
        let c = smax - smin;
        let root = (bb * bb + 4.0 * a * (c + 1.0 / p)).sqrt();
        let w_max = 2.0 * (c + 1.0 / p) / (bb + root);
        let below = root + (1.0 - b) * bb + b * (2.0 - b) / 2.0;
        Epoch {
            w_max,
            rounds: below / (2.0 - b),
            slope: 1.0 - 2.0 * a / (p * root * below),
            regime: ADDITIVE,
            source: "xu2004 eq. 5",
        }
    }

    /// The Lambert W form for beta·Wmax ≤ 2·Smax, with y packets in place of 1/p: 1/p as printed, 1/p − Smin exactly.
    fn lambert_form(self, p: f64, y: f64, source: &'static str) -> Epoch {
        let Self { smin, b, .. } = self;
        // W0 of 4 b ln2 e^(−2 b ln2)·y/Smin, through the logarithm of its argument.
        let w = omega((4.0 * b * LN_2).ln() - 2.0 * b * LN_2 + (y / smin).ln());
        let w_max = y * LN_2 / w;
        let rounds = (w_max * b / smin).log2() + 2.0;
        let slope = 1.0 - w / ((1.0 + w) * rounds * LN_2 * p * y);
        Epoch {
            w_max,
            rounds,
            slope,
            regime: "binary search",
            source,
        }
    }

    /// beta·Wmax < Smin, outside the paper's formulas: part of one round's step of Smin, then the round at Wmax.
    fn single_step(self, p: f64) -> Epoch {
        let Self { smin, b, .. } = self;
        let c = b * (1.0 - b) / smin;
        let w_max = 2.0 / (p * (1.0 + (1.0 + 4.0 * c / p).sqrt()));
        let steps = b * w_max / smin;
        let slope = 1.0 - steps / ((1.0 + steps) * p * w_max * (1.0 + 2.0 * c * w_max));
        Epoch {
            w_max,
            rounds: 1.0 + steps,
            slope,
            regime: "minimum increment",
            source: "derived: xu2004 eq. 3 continued below one step",
        }
    }

    /// Packets of a per-round epoch whose peak is `w`, in the binary-search regime.
    fn search_packets(self, w: f64) -> f64 {
        w * (w * self.b / self.smin).log2() + 2.0 * (1.0 - self.b) * w + self.smin
    }

    fn per_round(self, p: f64) -> Epoch {
        let Self { smax, smin, b } = self;
        if 1.0 / p >= self.search_packets(2.0 * smax / b) {
            self.equation_4(p)
        } else if 1.0 / p >= self.search_packets(smin / b) {
            self.lambert_form(
                p,
                1.0 / p - smin,
                "xu2004 section VI-B1, LambertW form with 1/p - Smin",
            )
        } else {
            self.single_step(p)
        }
    }

    fn printed(self, p: f64) -> Result<Epoch> {
        let form = self.lambert_form(p, 1.0 / p, "xu2004 section VI-B1, LambertW form");
        if form.w_max * self.b > 2.0 * self.smax {
            Ok(self.equation_4(p))
        } else if form.w_max * self.b < self.smin {
            Err(Error::NoAnswer(
                "outside the formula's range: beta Wmax is less than Smin".into(),
            ))
        } else {
            Ok(form)
        }
    }

    /// The law of the pseudo-code, dW/dn = clamp((Wmax − W)/2, Smin, Smax) per round n.
    fn per_ack(self, p: f64) -> Epoch {
        let Self { smax, smin, b } = self;
        let source = "derived from xu2004 section VI-A, pseudo-code";
        let search_packets =
            |w: f64| w * (2.0 * (b * w / (2.0 * smin)).ln() + 2.0 - 2.0 * b) + 2.0 * smin;
        if 1.0 / p > search_packets(2.0 * smax / b) {
            let a = b * (2.0 - b) / (2.0 * smax);
            let bb = 2.0 * (smax / smin).ln();
            let c = 2.0 * (smax - smin);
            let root = (bb * bb + 4.0 * a * (c + 1.0 / p)).sqrt();
            let below = root + (1.0 - b) * bb;
            let w_max = 2.0 * (c + 1.0 / p) / (bb + root);
            Epoch {
                w_max,
                rounds: below / (2.0 - b),
                slope: 1.0 - 2.0 * a / (p * root * below),
                regime: "additive increase",
                source,
            }
        } else if 1.0 / p > search_packets(2.0 * smin / b) {
            let y = 1.0 / p - 2.0 * smin;
            let w = omega((b / (4.0 * smin)).ln() + 1.0 - b + y.ln());
            let w_max = y / (2.0 * w);
            let rounds = 2.0 * (b * w_max / (2.0 * smin)).ln() + 2.0;
            Epoch {
                w_max,
                rounds,
                slope: 1.0 - 2.0 * w / ((1.0 + w) * rounds * p * y),
                regime: "binary search",
                source,
            }
        } else {
            let w_max = (smin / (p * b * (1.0 - b / 2.0))).sqrt();
            Epoch {
                w_max,
                rounds: b * w_max / smin,
                slope: 0.5,
                regime: "minimum increment",
                source,
            }
        }
    }

    /// Rounds and packets of the epoch with peak `w` in whole rounds, no divisibility assumed.
    fn whole_rounds(self, w: f64) -> (f64, f64) {
        let Self { smax, smin, b } = self;
        let n1 = (b * w / smax - 2.0).ceil().max(0.0);
        let gap = b * w - n1 * smax;
        let halvings = if gap >= 2.0 * smin {
            (gap / (2.0 * smin)).log2().floor() + 1.0
        } else {
            0.0
        };
        let rest = gap / halvings.exp2();
        let (n2, last) = if rest > smin {
            (halvings + 3.0, 3.0 * smin - rest)
        } else {
            (halvings + 2.0, smin)
        };
        let y1 = 0.5 * (2.0 * w * (1.0 - b) + (n1 - 1.0) * smax) * n1;
        (n1 + n2, y1 + w * n2 - 2.0 * gap + last)
    }

    /// The largest peak whose whole-round epoch sends at most 1/p packets: peak, rounds, packets, and whether the next larger
    /// peak would send more by a jump.
    fn longest_epoch(self, p: f64) -> Result<(f64, f64, f64, bool)> {
        let packets = 1.0 / p;
        // Below this peak one round's step of Smin passes it, and the formula does not hold.
        let least = self.smin / self.b;
        if self.whole_rounds(least).1 > packets {
            return Err(Error::NoAnswer(
                "outside the formula's range: beta Wmax is less than Smin".into(),
            ));
        }
        let excess = |ln_w: f64| {
            Ok(if self.whole_rounds(ln_w.exp()).1 > packets {
                1.0
            } else {
                -1.0
            })
        };
        let edge = root::brent(&excess, least.ln(), (1e3 * packets).max(least).ln(), 0.0)?;
        let (below, above) = (
            (edge - 1e-13 * edge.abs().max(1.0)).exp(),
            (edge + 1e-13 * edge.abs().max(1.0)).exp(),
        );
        let ((n, y), (next, _)) = (self.whole_rounds(below), self.whole_rounds(above));
        Ok((below, n, y, next > n))
    }
}

impl ClosedForms for Bic {
    fn forms(&self) -> &'static [FormInfo] {
        &[
            FormInfo {
                name: "per-round",
                loss_model: LossModel::Periodic,
                meaning: "eq. 4-5, and the LambertW form that keeps 1/p - Smin; one halving a round",
            },
            FormInfo {
                name: "printed",
                loss_model: LossModel::Periodic,
                meaning: "eq. 4-5 and the LambertW form exactly as printed",
            },
            FormInfo {
                name: "large-window",
                loss_model: LossModel::Periodic,
                meaning: "eq. 6, the limit of large windows; never joined with standard TCP",
            },
            FormInfo {
                name: "small-window",
                loss_model: LossModel::Periodic,
                meaning: "eq. 7, the limit of small windows; never joined with standard TCP",
            },
            FormInfo {
                name: "fractional",
                loss_model: LossModel::Periodic,
                meaning: "per-round rule without divisibility, the last round cut where 1/p packets are sent",
            },
            FormInfo {
                name: "whole-rounds",
                loss_model: LossModel::Periodic,
                meaning: "per-round rule in whole rounds: the longest epoch with at most 1/p packets",
            },
            FormInfo {
                name: "per-ack",
                loss_model: LossModel::Periodic,
                meaning: "the pseudo-code's law, increment re-evaluated at every acknowledgement",
            },
        ]
    }

    fn closed(&self, setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        let k = Constants::of(setting);
        let low_window = setting.get("low_window");
        if setting.preset().name == "linux" {
            return Vec::new();
        }
        let fast = setting.on("fast_convergence");
        let form =
            move |name: &'static str,
                  joined: bool,
                  own: Box<dyn Fn(f64) -> Result<Response> + Send + Sync>| {
                Formula::new(name, LossModel::Periodic, move |p, _: &Path| {
                    if fast {
                        return Err(Error::NoAnswer(UNSETTLED.into()));
                    }
                    if joined && low_window > 0.0 {
                        own(p).map(|own| join(own, p, low_window))
                    } else {
                        own(p)
                    }
                })
                .boxed()
            };
        vec![
            form(
                "per-round",
                true,
                Box::new(move |p| {
                    let epoch = k.per_round(p);
                    let kink = (epoch.w_max * k.b / (2.0 * k.smax) - 1.0).abs() < 1e-6;
                    let excess = k.per_ack(p).rounds / epoch.rounds - 1.0;
                    let response = epoch.response(p);
                    Ok(if kink {
                        response.with_note(
                            "kink at beta Wmax = 2 Smax: slope towards smaller loss rates",
                        )
                    } else if excess > 5e-4 {
                        response.with_note(format!("halves once a round as the paper's analysis does; its pseudo-code (form per-ack) gives {:.1} % less", 100.0 * excess / (1.0 + excess)))
                    } else {
                        response
                    })
                }),
            ),
            form(
                "printed",
                true,
                Box::new(move |p| {
                    let epoch = k.printed(p)?;
                    let between = epoch.regime == ADDITIVE && epoch.w_max * k.b <= 2.0 * k.smax;
                    let response = epoch.response(p);
                    Ok(if between {
                        response.with_note("between the printed formulas: by the LambertW form beta Wmax is more than 2 Smax, by eq. 4-5, which then holds, it is not; see the form per-round")
                    } else {
                        response
                    })
                }),
            ),
            form(
                "large-window",
                false,
                Box::new(move |p| {
                    let w_max = (2.0 * k.smax / (p * k.b * (2.0 - k.b))).sqrt();
                    let response = Response::closed(
                        (k.smax * (2.0 - k.b) / (2.0 * k.b * p)).sqrt(),
                        0.5,
                        0.0,
                        "limit of large windows",
                        "xu2004 eq. 6",
                    );
                    let far = 2.0 * k.smax * 10.0;
                    Ok(if w_max * k.b < far {
                        response.with_note(
                            "outside its range: beta Wmax is not much larger than 2 Smax",
                        )
                    } else {
                        response
                    })
                }),
            ),
            form(
                "small-window",
                false,
                Box::new(move |p| {
                    let packets = 1.0 / p;
                    if packets < k.search_packets(k.smin / k.b) {
                        return Err(Error::NoAnswer(
                            "outside the formula's range: beta Wmax is less than Smin".into(),
                        ));
                    }
                    let epoch = k.lambert_form(p, packets - k.smin, "xu2004 eq. 7");
                    let w = packets - k.smin;
                    // d of Wmax itself: d ln Wmax/d ln y = ω/(1+ω), with ω = y ln2/Wmax.
                    let omega = w * LN_2 / epoch.w_max;
                    let slope = omega / (1.0 + omega) * packets / w;
                    let response = Response::closed(
                        epoch.w_max,
                        slope,
                        0.0,
                        "limit of small windows",
                        "xu2004 eq. 7",
                    )
                    .with_peak(epoch.w_max);
                    Ok(if epoch.w_max * k.b > 2.0 * k.smax {
                        response.with_note("outside its range: beta Wmax is more than 2 Smax")
                    } else {
                        response
                    })
                }),
            ),
            form(
                "fractional",
                true,
                Box::new(move |p| {
                    let (w, n, y, jump) = k.longest_epoch(p)?;
                    let rounds = if jump { n + (1.0 / p - y) / w } else { n };
                    // Between jumps N stands still and R = (1/p)/N; at one the last round grows with 1/p.
                    let slope = if jump {
                        1.0 - 1.0 / (p * w * rounds)
                    } else {
                        1.0
                    };
                    let regime = if jump {
                        "last round cut"
                    } else {
                        "whole rounds"
                    };
                    Ok(Response::closed(
                        1.0 / (p * rounds),
                        slope,
                        0.0,
                        regime,
                        "derived from xu2004 eq. 2-3",
                    )
                    .with_peak(w))
                }),
            ),
            form(
                "whole-rounds",
                true,
                Box::new(move |p| {
                    let (w, n, y, jump) = k.longest_epoch(p)?;
                    let slope = if jump { 0.0 } else { 1.0 };
                    let response = Response::closed(
                        y / n,
                        slope,
                        0.0,
                        "whole rounds",
                        "derived from xu2004 eq. 2-3",
                    )
                    .with_peak(w);
                    Ok(if jump {
                        response.with_note(
                            "no epoch of whole rounds sends 1/p packets here; this one sends fewer",
                        )
                    } else {
                        response
                    })
                }),
            ),
            form(
                "per-ack",
                true,
                Box::new(move |p| Ok(k.per_ack(p).response(p))),
            ),
        ]
    }
}
