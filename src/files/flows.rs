//! The flow tables of a scenario file.

use super::quantity::{size, time, whole};
use super::scenario::Reader;
use super::section::{Section, Word};
use super::traffic::{self, Traffic};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{Begin, Flow, MOST_FLOWS, Run, Sender};
use crate::model::WindowLaw;
use crate::network::{crossed_twice, route_and_back};
use crate::what_if::PacketSize;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use toml::Spanned;
use toml::de::DeValue;

const FLOW: &[&str] = &[
    "law",
    "count",
    "rtt",
    "spread",
    "start",
    "stop",
    "size",
    "receive_window",
    "initial_window",
    "slow_start",
    "path",
    "return_path",
    "ack_size",
];
/// What only a law has.
const WINDOW: [&str; 3] = ["receive_window", "initial_window", "slow_start"];

/// What a `[[flow]]` table says its law is.
pub(super) enum Draft {
    Law(Selected, bool),
    Traffic(Traffic),
}

impl<'a> Reader<'a> {
    /// The flow tables with their laws.
    pub(super) fn drafts(
        &mut self,
        root: &Section<'a>,
    ) -> Result<Vec<(Section<'a>, Draft, usize)>> {
        let tables: Vec<&'a Spanned<DeValue<'a>>> = match root.get("flow") {
            None => Vec::new(),
            Some(value) => match value.get_ref() {
                DeValue::Array(items) => items.iter().collect(),
                _ => vec![value],
            },
        };
        if tables.is_empty() {
            return Err(self.source.wrong(
                &(0..0),
                "there is no flow: add a [[flow]] table with a law and an rtt",
            ));
        }
        let mut drafts = Vec::new();
        let mut total = 0;
        for value in tables {
            let section = Section::new(self.source, value, "[[flow]]", FLOW)?;
            let Some(law) = section.word("law")? else {
                return Err(self
                    .source
                    .wrong(&section.span, "a flow has no `law`, such as law = \"reno\""));
            };
            let draft = self.source.at(&law.span, self.draft(&law.text))?;
            let count = section.read("count", 1, whole)?;
            total += count;
            if count == 0 || total > MOST_FLOWS as u64 {
                return Err(self.source.wrong(
                    &section.place("count"),
                    format!("{total} flows in all: allowed are 1 to {MOST_FLOWS}"),
                ));
            }
            drafts.push((section, draft, count as usize));
        }
        if total > 1 {
            self.several(&mut drafts)?;
        }
        Ok(drafts)
    }

    /// With several flows fast convergence is on unless the file says otherwise: without it laws that have it never share.
    fn several(&mut self, drafts: &mut [(Section<'a>, Draft, usize)]) -> Result<()> {
        const KEY: &str = "fast_convergence";
        let mut switched = false;
        for (_, draft, _) in drafts {
            if let Draft::Law(selected, said) = draft
                && !*said
                && selected.algorithm.parameters().iter().any(|p| p.key == KEY)
                && !selected.setting.on(KEY)
            {
                selected.setting.set(KEY, "1")?;
                switched = true;
            }
        }
        if switched {
            self.notes.push(
                "several flows: fast_convergence=1 where the law has it and the file says nothing"
                    .into(),
            );
        }
        Ok(())
    }

    fn draft(&self, text: &str) -> Result<Draft> {
        if let Some(traffic) = Traffic::read(text, self.packet) {
            return traffic.map(Draft::Traffic);
        }
        let (_, values) = text.split_once(':').unwrap_or((text, ""));
        let said = values
            .split(',')
            .any(|pair| pair.trim_start().starts_with("fast_convergence"));
        Selected::parse(text)
            .map(|selected| Draft::Law(selected, said))
            .map_err(|error| match error {
                Error::Unknown {
                    what: what @ "law",
                    given,
                    mut allowed,
                } => {
                    allowed.extend(traffic::NAMES.map(str::to_owned));
                    Error::Unknown {
                        what,
                        given,
                        allowed,
                    }
                }
                other => other,
            })
    }

    pub(super) fn flows(
        &mut self,
        drafts: Vec<(Section<'a>, Draft, usize)>,
        run: &Run,
    ) -> Result<()> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ 0x5CE1_A210);
        for (section, draft, count) in drafts {
            if let Draft::Traffic(traffic) = &draft
                && let Some(key) = (WINDOW.iter()).find(|key| section.get(key).is_some())
            {
                return Err(self.source.wrong(
                    &section.place(key),
                    format!(
                        "`{key}` is for a law: `{}` does not answer and has no window",
                        traffic.name()
                    ),
                ));
            }
            let path = self.path(&section)?;
            let return_path = self.return_path(&section, &path)?;
            let ack_size = self.ack_size(&section, &return_path)?;
            let rtts = self.rtts(&section, &path, &return_path, count)?;
            let starts = self.times(&section, "start", count, &mut rng)?;
            let stops = self.times(&section, "stop", count, &mut rng)?;
            // What a flow sends and what its receiver allows is payload, as in every other question.
            let payload = PacketSize::from_packet(self.packet)?.mss;
            let packets = |text: &str| size(text, payload);
            let positive = |text: &str| match packets(text) {
                Ok(0.0) | Err(Error::OutOfRange { .. }) => Err(Error::out_of_range(
                    "a size or window of a flow",
                    format!("`{text}`"),
                    "more than 0",
                )),
                other => other,
            };
            let some = |text: &str| positive(text).map(Some);
            let initial = section.read("initial_window", 10.0, positive)?;
            let begin = if section.switch("slow_start")?.unwrap_or(true) {
                Begin::SlowStart(initial)
            } else {
                Begin::Growing(initial)
            };
            let (sender, label) = match &draft {
                Draft::Traffic(traffic @ Traffic::Constant(rate)) => {
                    (Sender::Constant(*rate), traffic.name().to_owned())
                }
                Draft::Traffic(traffic @ Traffic::Web(web)) => {
                    // Each flow draws its own below.
                    let empty = Sender::Changing(Arc::from([(0.0, web.rate)]));
                    (empty, traffic.name().to_owned())
                }
                Draft::Law(selected, _) => {
                    let Some(law) = selected.algorithm.law(&selected.setting) else {
                        return Err(self.source.wrong(
                            &section.place("law"),
                            format!(
                                "`{}` is a formula, not a law: it cannot send",
                                selected.spec()
                            ),
                        ));
                    };
                    let law: Arc<dyn WindowLaw> = Arc::from(law);
                    (Sender::Law(law), selected.spec())
                }
            };
            let begin = match draft {
                Draft::Traffic(Traffic::Constant(rate)) => Begin::Growing(rate),
                Draft::Traffic(Traffic::Web(web)) => Begin::Growing(web.rate),
                Draft::Law(..) => begin,
            };
            let like = Flow {
                label,
                sender,
                path,
                return_path,
                ack_size,
                base_rtt: 0.0,
                standing_delay: 0.0,
                start: 0.0,
                stop: None,
                size: section.read("size", None, some)?,
                receive_window: section.read("receive_window", None, some)?,
                begin,
                least_window: None,
            };
            for k in 0..count {
                let sender = match &draft {
                    Draft::Traffic(Traffic::Web(web)) => {
                        let number = self.flows.len() as u64;
                        let drawn = web.over(run.duration, self.seed, number);
                        self.source.at(&section.place("law"), drawn)?
                    }
                    _ => like.sender.clone(),
                };
                let flow = Flow {
                    sender,
                    base_rtt: rtts[k],
                    start: starts.as_ref().map_or(0.0, |starts| starts[k]),
                    stop: stops.as_ref().map(|stops| stops[k]),
                    ..like.clone()
                };
                if flow.start >= run.duration {
                    return Err(self.source.wrong(
                        &section.place("start"),
                        format!(
                            "`start` is {} s, which is not before the end of the run at {} s",
                            flow.start, run.duration
                        ),
                    ));
                }
                if let Some(stop) = flow.stop.filter(|stop| *stop <= flow.start) {
                    return Err(self.source.wrong(
                        &section.place("stop"),
                        format!(
                            "`stop` is {stop} s, which is not after the start at {} s",
                            flow.start
                        ),
                    ));
                }
                self.source.at(
                    &section.place("rtt"),
                    route_and_back(&self.links, &flow.path, &flow.return_path, flow.base_rtt),
                )?;
                self.flows.push(flow);
                self.spans.push(section.place("law"));
            }
            let selected = match draft {
                Draft::Law(selected, _) => Some(selected),
                Draft::Traffic(_) => None,
            };
            self.groups.push((selected, count));
        }
        Ok(())
    }

    /// Places of the links of a path; the only link there is, if the file names none.
    fn path(&self, section: &Section<'a>) -> Result<Vec<usize>> {
        let Some(words) = section.words("path")? else {
            return match self.links.len() {
                0 => Ok(Vec::new()),
                1 => Ok(vec![0]),
                _ => Err(self.source.wrong(
                    &section.span,
                    "there are several links and this flow has no `path`, such as path = [\"north\", \"south\"]",
                )),
            };
        };
        self.places(words, None)
    }

    /// Places of the links that acknowledgements cross; none unless the file names some.
    fn return_path(&self, section: &Section<'a>, path: &[usize]) -> Result<Vec<usize>> {
        match section.words("return_path")? {
            None => Ok(Vec::new()),
            Some(words) => self.places(words, Some(path)),
        }
    }

    /// What an acknowledgement takes of the links on the way back, in packets.
    fn ack_size(&self, section: &Section<'a>, return_path: &[usize]) -> Result<f64> {
        if return_path.is_empty() && section.get("ack_size").is_some() {
            return Err(self.source.wrong(
                &section.place("ack_size"),
                "`ack_size` is for a flow with a `return_path`, such as return_path = [\"back\"]: without one acknowledgements cross no link",
            ));
        }
        let usual = Flow::ACK_BYTES / self.packet.value();
        section.read("ack_size", usual, |text| size(text, self.packet))
    }

    /// Places of these links, none of them twice; on the way back none of those of the path.
    fn places(&self, words: Vec<Word>, there: Option<&[usize]>) -> Result<Vec<usize>> {
        let on_path = |at: &usize| there.is_some_and(|path| path.contains(at));
        let mut path = Vec::new();
        for word in words {
            let names = self.links.iter().map(|link| link.name.as_str());
            let Some(at) = names.clone().position(|name| name == word.text) else {
                return Err(self.source.wrong(
                    &word.span,
                    Error::unknown("link", &word.text, names).to_string(),
                ));
            };
            if on_path(&at) || path.contains(&at) {
                let forward = there.is_none();
                let error = crossed_twice(&word.text, forward || on_path(&at), forward);
                return Err(self.source.wrong(&word.span, error.to_string()));
            }
            path.push(at);
        }
        Ok(path)
    }

    /// The round trip of each flow.
    fn rtts(
        &self,
        section: &Section<'a>,
        path: &[usize],
        back: &[usize],
        count: usize,
    ) -> Result<Vec<f64>> {
        let delay = |links: &[usize]| links.iter().map(|&at| self.links[at].delay).sum::<f64>();
        let least = if back.is_empty() {
            2.0 * delay(path)
        } else {
            delay(path) + delay(back)
        };
        let log = match section.word("spread")? {
            None => false,
            Some(word) => match word.text.as_str() {
                "log" => true,
                "linear" => false,
                other => {
                    let error = Error::unknown("spread", other, ["linear", "log"]);
                    return Err(self.source.wrong(&word.span, error.to_string()));
                }
            },
        };
        let Some(word) = section.word("rtt")? else {
            if least > 0.0 {
                return Ok(vec![least; count]);
            }
            return Err(self.source.wrong(
                &section.span,
                "a flow has no `rtt`, such as rtt = \"40ms\", and its links have no delay",
            ));
        };
        self.source.at(&word.span, spread(&word.text, count, log))
    }

    /// One time for each flow: one for all, a list, or drawn.
    fn times(
        &self,
        section: &Section<'a>,
        key: &str,
        count: usize,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Option<Vec<f64>>> {
        let Some(word) = section.word(key)? else {
            return Ok(None);
        };
        let text = word.text.trim();
        let read = |item: &str| self.source.at(&word.span, time(item));
        if let Some(range) = text.strip_prefix("random") {
            let Some((low, high)) = range.split_once("..") else {
                return Err(self.source.wrong(
                    &word.span,
                    format!("`{text}` is no range of times: allowed is random A..B, such as random 0s..5s"),
                ));
            };
            let (low, high) = (read(low)?, read(high)?);
            return Ok(Some(
                (0..count)
                    .map(|_| low + (high - low) * rng.random::<f64>())
                    .collect(),
            ));
        }
        let list: Vec<f64> = text.split(',').map(read).collect::<Result<_>>()?;
        self.source
            .at(&word.span, one_each(list, count, key))
            .map(Some)
    }
}

/// One value for all, or a list of one each.
fn one_each(list: Vec<f64>, count: usize, key: &str) -> Result<Vec<f64>> {
    match list.as_slice() {
        [one] => Ok(vec![*one; count]),
        many if many.len() == count => Ok(list),
        many => Err(Error::Arguments(format!(
            "`{key}` lists {} values for {count} flows: give one for all or one for each",
            many.len()
        ))),
    }
}

/// One round trip for all, a comma list, or a range spread evenly over the flows.
fn spread(text: &str, count: usize, log: bool) -> Result<Vec<f64>> {
    let read = |item: &str| crate::units::Seconds::parse(item).map(crate::units::Seconds::value);
    if let Some((low, high)) = text.split_once("..") {
        let (low, high) = (read(low)?, read(high)?);
        let last = (count.max(2) - 1) as f64;
        return Ok((0..count)
            .map(|k| match k as f64 / last {
                0.0 => low,
                1.0 => high,
                share if log => low * (high / low).powf(share),
                share => low + (high - low) * share,
            })
            .collect());
    }
    one_each(
        text.split(',').map(read).collect::<Result<_>>()?,
        count,
        "rtt",
    )
}
