//! Where do two response functions meet: points, and intervals on which they coincide.

use super::timeouts::{TOO_HIGH, timeouts_note};
use super::{Context, Envelope, LawName, reason_of};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{Path, ResponseFunction};
use crate::numeric::root;
use crate::units::LossRate;
use serde::Serialize;

/// The question.
#[derive(Debug, Clone, Serialize)]
pub struct CrossoverQuery {
    /// `crossover`.
    pub verb: &'static str,
    /// The two laws.
    pub laws: [LawName; 2],
    /// Range of loss rates that was searched.
    pub loss: Interval,
    /// Round trip, seconds.
    pub rtt_s: Option<f64>,
    /// Round trip without queues, seconds.
    pub base_rtt_s: Option<f64>,
}

/// A point at which both windows are equal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Meeting {
    /// Loss events per packet.
    pub loss: f64,
    /// Both windows, packets.
    pub window_pkt: f64,
}

/// A range of loss rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// Smaller end.
    pub from: f64,
    /// Larger end.
    pub to: f64,
}

/// One road's answer.
#[derive(Debug, Clone, Serialize)]
pub struct CrossoverAnswer {
    /// The road.
    pub road: &'static str,
    /// Both forms, joined by a slash.
    pub form: Option<String>,
    /// Where the curves meet, ends of intervals inside the range included, in ascending order of loss.
    pub points: Option<Vec<Meeting>>,
    /// Where they coincide.
    pub intervals: Option<Vec<Interval>>,
    /// What a careful reader should know.
    pub note: Option<String>,
    /// Why something has no value.
    pub reason: Option<String>,
}

/// Samples a decade of loss rates.
const PER_DECADE: f64 = 48.0;
/// Difference of the logarithms below which two windows are the same.
const SAME: f64 = 1e-10;

/// How far in ln p a curve may have left another, tangentially, before that is seen: a difference that grows as its square is
/// [`SAME`] at a hundredth of this.
const TANGENT: f64 = 1e-3;

/// How far before a meeting, relative, the forms' remarks on it are asked for.
const BEFORE: f64 = 1e-3;

/// Searches a range of loss rates for the places where two laws get the same window.
///
/// # Errors
/// As [`super::response`]; [`Error::OutOfRange`] for an empty range.
pub fn crossover(
    pair: [&Selected; 2],
    range: (LossRate, LossRate),
    context: &Context,
) -> Result<Envelope<CrossoverQuery, CrossoverAnswer>> {
    let (from, to) = if range.0 <= range.1 {
        range
    } else {
        (range.1, range.0)
    };
    if from == to {
        return Err(Error::out_of_range(
            "the range of loss rates",
            format!("`{from}..{to}`"),
            "two different ends, such as 1e-8..1e-1",
        ));
    }
    super::check_form(context.form.as_deref(), &pair)?;
    if context.form.as_deref() == Some("all") {
        return Err(Error::Arguments(
            "`--form all` is not for a crossover, which compares one form with one: name it".into(),
        ));
    }
    let (mut answers, mut notes) = (Vec::new(), Vec::new());
    for road in &context.roads {
        let mut answer = CrossoverAnswer {
            road: road.name,
            form: None,
            points: None,
            intervals: None,
            note: None,
            reason: None,
        };
        if !road.searchable {
            answer.reason = Some(
                "a run for every trial loss rate would be needed: this road is not searched".into(),
            );
            answers.push(answer);
            continue;
        }
        let pick =
            |law: &Selected| -> Result<std::result::Result<Box<dyn ResponseFunction>, String>> {
                Ok(road
                    .functions(law, &context.for_law(law))?
                    .into_iter()
                    .next()
                    .map_or_else(|| Err("no form".into()), |chosen| chosen.function))
            };
        match (pick(pair[0])?, pick(pair[1])?) {
            (Ok(f), Ok(g)) => {
                answer.form = Some(format!("{}/{}", f.form(), g.form()));
                if f.loss_model() != g.loss_model() {
                    answer.note = Some(format!(
                        "two loss models: {} and {}",
                        f.loss_model().name(),
                        g.loss_model().name()
                    ));
                }
                let search = Search {
                    f: f.as_ref(),
                    g: g.as_ref(),
                    path: &context.path,
                };
                match search.run(from.value(), to.value()) {
                    Ok((points, intervals, jumps)) => {
                        if points.is_empty() && intervals.is_empty() {
                            answer.reason = Some("no crossover in this range".into());
                        }
                        for function in [&f, &g] {
                            let model = function.loss_model().name();
                            let met = points.iter().map(|point| (point.loss, model));
                            notes.extend(timeouts_note(met, TOO_HIGH));
                        }
                        let mut remarks: Vec<String> = answer.note.take().into_iter().collect();
                        remarks.extend(search.remarks(pair, &points));
                        (answer.points, answer.intervals) = (Some(points), Some(intervals));
                        if !jumps.is_empty() {
                            let places: Vec<String> = jumps
                                .iter()
                                .map(|p| crate::units::significant(*p, 6))
                                .collect();
                            remarks.push(format!(
                                "the curves change sides by a jump, without meeting, at p = {}",
                                places.join(", ")
                            ));
                        }
                        answer.note = (!remarks.is_empty()).then(|| remarks.join("; "));
                    }
                    Err(error) => answer.reason = Some(reason_of(error)?),
                }
            }
            (Err(reason), _) | (_, Err(reason)) => answer.reason = Some(reason),
        }
        answers.push(answer);
    }
    let query = CrossoverQuery {
        verb: "crossover",
        laws: [pair[0].into(), pair[1].into()],
        loss: Interval {
            from: from.value(),
            to: to.value(),
        },
        rtt_s: context.rtt_s(),
        base_rtt_s: context.base_rtt_s(),
    };
    notes.dedup();
    Ok(Envelope {
        notes,
        ..Envelope::new(query, answers)
    })
}

struct Search<'a> {
    f: &'a dyn ResponseFunction,
    g: &'a dyn ResponseFunction,
    path: &'a Path,
}

/// Points, intervals, and loss rates at which the difference jumps through zero.
type Found = (Vec<Meeting>, Vec<Interval>, Vec<f64>);

impl Search<'_> {
    fn windows(&self, ln_p: f64) -> Result<(f64, f64)> {
        let p = LossRate::new(ln_p.exp())?;
        Ok((
            self.f.respond(p, self.path)?.window.value(),
            self.g.respond(p, self.path)?.window.value(),
        ))
    }

    /// ln f − ln g, exactly 0 where they are the same.
    fn difference(&self, ln_p: f64) -> Result<f64> {
        let (f, g) = self.windows(ln_p)?;
        let difference = (f / g).ln();
        Ok(if difference.abs() < SAME {
            0.0
        } else {
            difference
        })
    }

    /// What the two response functions say about their windows just before they meet (at the place itself a joined form only
    /// says that it joins), each remark once.
    fn remarks(&self, pair: [&Selected; 2], points: &[Meeting]) -> Vec<String> {
        let mut all = Vec::new();
        for point in points {
            for (law, function) in pair.iter().zip([self.f, self.g]) {
                let there = LossRate::new(point.loss * (1.0 - BEFORE))
                    .and_then(|p| function.respond(p, self.path));
                let said = there.ok().and_then(|response| response.note);
                if let Some(note) = said {
                    let remark = format!("{}: {note}", law.spec());
                    if !all.contains(&remark) {
                        all.push(remark);
                    }
                }
            }
        }
        all
    }

    fn meeting(&self, ln_p: f64) -> Result<Meeting> {
        Ok(Meeting {
            loss: ln_p.exp(),
            window_pkt: self.windows(ln_p)?.0,
        })
    }

    /// The end of a stretch of coincidence between `same`, inside it, and `other`, outside.
    fn edge(&self, same: f64, other: f64) -> Result<f64> {
        let outside = |x: f64| {
            Ok(if self.difference(x)? == 0.0 {
                -1.0
            } else {
                1.0
            })
        };
        let edge = root::brent(&outside, same, other, 1e-13)?;
        self.border(edge, same, other)
    }

    /// A curve that leaves the other tangentially does so where its regime changes, on the side of the coincidence: that place if
    /// there is one within [`TANGENT`], else `edge`.
    fn border(&self, edge: f64, same: f64, other: f64) -> Result<f64> {
        let regimes = |x: f64| -> Result<[String; 2]> {
            let p = LossRate::new(x.exp())?;
            let of = |function: &dyn ResponseFunction| -> Result<String> {
                Ok(function.respond(p, self.path)?.regime.into_owned())
            };
            Ok([of(self.f)?, of(self.g)?])
        };
        let outward = (other - same).signum();
        let (mut inside, mut outside) = (edge - outward * TANGENT, edge + outward * TANGENT * 1e-3);
        let here = regimes(inside)?;
        if self.difference(inside)? != 0.0 || regimes(outside)? == here {
            return Ok(edge);
        }
        while (outside - inside).abs() > 4.0 * f64::EPSILON * edge.abs() {
            let middle = f64::midpoint(inside, outside);
            if regimes(middle)? == here {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        Ok(outside)
    }

    /// A stretch of coincidence ends at `edge`, outside being in the direction `side`: the curves meet there, or one jumps.
    fn ends(
        &self,
        edge: f64,
        side: f64,
        points: &mut Vec<Meeting>,
        jumps: &mut Vec<f64>,
    ) -> Result<()> {
        if self.difference(edge + side * 1e-9)?.abs() < 1e-6 {
            points.push(self.meeting(edge)?);
        } else {
            jumps.push(edge.exp());
        }
        Ok(())
    }

    fn run(&self, least: f64, most: f64) -> Result<Found> {
        let (from, to) = (least.ln(), most.ln());
        // The ends of the range as they were given, not through a logarithm.
        let loss = |x: f64| {
            if x == from {
                least
            } else if x == to {
                most
            } else {
                x.exp()
            }
        };
        let count = ((to - from) / std::f64::consts::LN_10 * PER_DECADE)
            .ceil()
            .max(8.0) as usize;
        let at = |i: usize| {
            if i == count {
                to
            } else {
                from + (to - from) * i as f64 / count as f64
            }
        };
        let (mut points, mut intervals, mut jumps) = (Vec::new(), Vec::new(), Vec::new());
        // Where a form has no answer the search goes on behind the gap.
        let mut last: Option<(f64, f64)> = None;
        let mut open: Option<f64> = None;
        let mut answered = false;
        let mut refusal = None;
        for i in 0..=count {
            let x = at(i);
            let d = match self.difference(x) {
                Ok(d) => d,
                Err(error) => {
                    refusal = Some(reason_of(error)?);
                    if let (Some(start), Some((end, _))) = (open.take(), last) {
                        intervals.push(Interval {
                            from: loss(start),
                            to: loss(end),
                        });
                    }
                    last = None;
                    continue;
                }
            };
            answered = true;
            match last {
                None if d == 0.0 => open = Some(x),
                Some((before, then)) => {
                    if then != 0.0 && d == 0.0 {
                        let edge = self.edge(x, before)?;
                        self.ends(edge, -1.0, &mut points, &mut jumps)?;
                        open = Some(edge);
                    } else if then == 0.0 && d != 0.0 {
                        let edge = self.edge(before, x)?;
                        let start = open.take().unwrap_or(before);
                        if edge - start > 1e-6 {
                            intervals.push(Interval {
                                from: loss(start),
                                to: loss(edge),
                            });
                            self.ends(edge, 1.0, &mut points, &mut jumps)?;
                        }
                    } else if (then > 0.0) != (d > 0.0) && then != 0.0 {
                        let root = root::brent(&|x| self.difference(x), before, x, 0.0)?;
                        if self.difference(root)?.abs() < 1e-6 {
                            points.push(self.meeting(root)?);
                        } else {
                            jumps.push(root.exp());
                        }
                    }
                }
                None => {}
            }
            last = Some((x, d));
        }
        if let (Some(start), Some((end, _))) = (open, last) {
            intervals.push(Interval {
                from: loss(start),
                to: loss(end),
            });
        }
        match refusal {
            Some(reason) if !answered => Err(Error::NoAnswer(reason)),
            _ => Ok((points, intervals, jumps)),
        }
    }
}
