//! A shorter way to the same rows for the question that is asked millions of times: a law's response. What the command line
//! would read anew at every point is read once; the answers come from the same code.

use super::points::{Points, command};
use super::rows::Field;
use super::table::Table;
use crate::algorithms::Selected;
use crate::cli::args::{ResponseArgs, Verb};
use crate::cli::meaning;
use crate::error::Result;
use crate::model::{Path, Response};
use crate::units::{LossRate, Seconds};
use crate::what_if::{Prepared, ResponseAnswer, check_form};
use std::sync::OnceLock;

/// Most laws, over all combinations of what is put into them.
const MOST_LAWS: usize = 4096;
/// Most answers that are remembered.
const MOST_REMEMBERED: usize = 1 << 18;

type Get = for<'a> fn(&'a ResponseAnswer) -> Field<'a>;

/// The answer's keys in their order. If an answer has others, this way is not taken.
const FIELDS: &[(&str, Get)] = &[
    ("road", |a| Field::Word(a.road)),
    ("form", |a| a.form.into()),
    ("loss_model", |a| a.loss_model.into()),
    ("window_pkt", |a| a.window_pkt.into()),
    ("peak_pkt", |a| a.peak_pkt.into()),
    ("rate_pps", |a| a.rate_pps.into()),
    ("rate_bps", |a| a.rate_bps.into()),
    ("goodput_bps", |a| a.goodput_bps.into()),
    ("slope", |a| a.slope.into()),
    ("rtt_exponent", |a| a.rtt_exponent.into()),
    ("ci", |a| a.ci.into()),
    ("regime", |a| a.regime.as_deref().into()),
    ("source", |a| a.source.as_deref().into()),
    ("note", |a| a.note.as_deref().into()),
    ("reason", |a| a.reason.as_deref().into()),
];

/// One law with its roads and what is remembered of it.
struct Law {
    prepared: Prepared,
    /// Answers of costly roads by loss rate, where the round trip does not matter to the law.
    known: Vec<OnceLock<Result<Response>>>,
}

/// Everything that the points of a response sweep need, read.
pub(super) struct Fast {
    laws: Vec<Law>,
    /// Axes whose places choose the law, with the stride of each.
    law_axes: Vec<(usize, usize)>,
    loss_axis: Option<usize>,
    losses: Vec<LossRate>,
    rtt_axis: Option<usize>,
    paths: Vec<Path>,
    get: Vec<Get>,
}

impl Fast {
    /// The shorter way, if this sweep can go it; whatever is out of the ordinary is left to the command line.
    pub fn of(points: &Points<'_>, keys: &[String], sample: &[String]) -> Option<Self> {
        let all: Vec<&str> = FIELDS.iter().map(|(key, _)| *key).collect();
        if points.seeded || all != sample {
            return None;
        }
        let get: Option<Vec<Get>> = keys
            .iter()
            .map(|key| {
                FIELDS
                    .iter()
                    .find(|(name, _)| name == key)
                    .map(|(_, get)| *get)
            })
            .collect();
        let (sweep, form) = (points.sweep, points.form);
        let mut places = vec![0; sweep.axes.len()];
        let Ok(Verb::Response(args)) = points.verb(&mut command(), &points.given(0, &places))
        else {
            return None;
        };
        let plain = |texts: &[String]| !texts.iter().any(|text| text.contains('{'));
        let fixed_is_plain = sweep
            .fixed
            .iter()
            .all(|(name, texts)| name == "law" || plain(texts));
        if !fixed_is_plain || !is_ordinary(&args) {
            return None;
        }
        // Which axis is what.
        let (mut law_axes, mut loss_axis, mut rtt_axis) = (Vec::new(), None, None);
        for (axis, input) in sweep.swept() {
            match input.name.as_str() {
                "loss" => loss_axis = Some((axis, input)),
                "rtt" => rtt_axis = Some((axis, input)),
                name if name == "law" || form.find(name).is_none() => law_axes.push(axis),
                _ => return None,
            }
        }
        law_axes.dedup();
        let mut strides = Vec::new();
        let mut count = 1usize;
        for &axis in &law_axes {
            strides.push((axis, count));
            count = count
                .checked_mul(sweep.axes[axis].len())
                .filter(|n| *n <= MOST_LAWS)?;
        }
        let one = |text: &String| {
            (!text.contains([',', '{']) && !text.contains("..")).then(|| text.clone())
        };
        let losses: Option<Vec<LossRate>> = match loss_axis {
            None => meaning::losses(args.loss.as_deref()?).ok(),
            Some((_, input)) => input
                .values
                .iter()
                .map(|value| LossRate::parse(&one(value.texts.first()?)?).ok())
                .collect(),
        };
        let paths: Option<Vec<Path>> = match rtt_axis {
            None => meaning::paths(&args.path).ok(),
            Some((_, input)) => input
                .values
                .iter()
                .map(|value| {
                    Some(Path::with_rtt(
                        Seconds::parse(&one(value.texts.first()?)?).ok()?,
                    ))
                })
                .collect(),
        };
        let (losses, paths) = (losses?, paths?);
        if (loss_axis.is_none() && losses.len() != 1) || (rtt_axis.is_none() && paths.len() != 1) {
            return None;
        }
        let context = meaning::context(&args.roads, meaning::size(&args.size).ok()?).ok()?;
        let mut laws = Vec::new();
        for combination in 0..count {
            for &(axis, stride) in &strides {
                places[axis] = combination / stride % sweep.axes[axis].len();
            }
            let given = points.given(0, &places);
            let (_, specs) = given.iter().find(|(name, _)| *name == "law")?;
            let [spec] = specs.as_slice() else {
                return None;
            };
            let selected = Selected::parse(spec).ok()?;
            check_form(context.form.as_deref(), &[&selected]).ok()?;
            let law = selected.algorithm.law(&selected.setting);
            let same_everywhere = law.is_some_and(|law| !law.needs_rtt());
            let prepared = Prepared::new(&selected, &context.for_law(&selected)).ok()?;
            let entries = losses.len() * prepared.len();
            let remembers = rtt_axis.is_some()
                && same_everywhere
                && entries.saturating_mul(count) <= MOST_REMEMBERED;
            laws.push(Law {
                prepared,
                known: (0..if remembers { entries } else { 0 })
                    .map(|_| OnceLock::new())
                    .collect(),
            });
        }
        Some(Self {
            laws,
            law_axes: strides,
            loss_axis: loss_axis.map(|(axis, _)| axis),
            losses,
            rtt_axis: rtt_axis.map(|(axis, _)| axis),
            paths,
            get: get?,
        })
    }

    /// Appends the rows of a point.
    ///
    /// # Errors
    /// Why the point has no answer; nothing is appended then.
    pub fn rows(&self, table: &Table<'_>, places: &[usize], out: &mut Vec<u8>) -> Result<()> {
        let number = self
            .law_axes
            .iter()
            .map(|&(axis, stride)| places[axis] * stride)
            .sum::<usize>();
        let law = &self.laws[number];
        let at_loss = self.loss_axis.map_or(0, |axis| places[axis]);
        let path = &self.paths[self.rtt_axis.map_or(0, |axis| places[axis])];
        let prepared = &law.prepared;
        let remember = |road: usize, ask: &dyn Fn() -> Result<Response>| match law
            .known
            .get(at_loss * law.prepared.len() + road)
        {
            Some(known) => known.get_or_init(ask).clone(),
            None => ask(),
        };
        let start = out.len();
        let (mut fields, mut end) = (0, start);
        let answered = prepared.answer(self.losses[at_loss], path, &remember, |answer| {
            if end == start {
                fields = table.inputs(0, places, out);
                end = out.len();
            } else {
                out.extend_from_within(start..end);
            }
            for (at, get) in self.get.iter().enumerate() {
                table.layout.put(fields + at, get(&answer), out);
            }
        });
        if answered.is_err() {
            out.truncate(start);
        }
        answered
    }
}

/// Nothing but laws, loss events, round trips and roads.
fn is_ordinary(args: &ResponseArgs) -> bool {
    args.kind.loss_is == "events"
        && args.kind.burst.is_none()
        && args.kind.ber.is_none()
        && args.path.one_way_delay.is_none()
        && args.path.base_rtt.is_none()
}
