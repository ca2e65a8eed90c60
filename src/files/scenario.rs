//! A scenario file.

use super::quantity::{buffer, lapse, number, rate, size, time, whole};
use super::section::{Section, Source, Word};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{Begin, Flow, Losses, MOST_FLOWS, Process, Run, Scenario, Sender, Sync};
use crate::model::WindowLaw;
use crate::network::{Link, parse_queue, route};
use crate::units::{Bytes, LossRate};
use crate::what_if::{PacketSize, Staged};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

const TABLES: &[&str] = &["link", "links", "flow", "loss", "run"];
const LINK: &[&str] = &["capacity", "buffer", "queue", "delay", "initial_queue"];
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
];
const LOSS: &[&str] = &[
    "rate",
    "process",
    "sync",
    "reaction",
    "refractory",
    "recovery",
    "least_window",
    "timeout_below",
    "rto",
];
const RUN: &[&str] = &[
    "duration",
    "measure_from",
    "seed",
    "packet",
    "tolerance",
    "budget",
    "slices",
];

/// Reads a scenario file; `path` is what messages call it, and `seed` overrides the file's.
///
/// # Errors
/// [`Error::Place`] with line and column of whatever is wrong.
///
/// ```
/// use cwnd::files::{example, read_scenario};
/// let staged = read_scenario("two-flows", example("two-flows")?.text, None)?;
/// assert_eq!(staged.scenario.flows.len(), 2);
/// # Ok::<(), cwnd::error::Error>(())
/// ```
pub fn read_scenario(path: &str, text: &str, seed: Option<u64>) -> Result<Staged> {
    let source = Source { path, text };
    let document = DeTable::parse(text)
        .map_err(|error| source.wrong(&error.span().unwrap_or(0..0), error.message()))?;
    let root = Section::root(source, &document, TABLES)?;
    let mut reader = Reader {
        source,
        packet: Bytes::new(1500.0),
        seed: 1,
        links: Vec::new(),
        flows: Vec::new(),
        groups: Vec::new(),
        notes: Vec::new(),
    };
    let run = reader.run(&root, seed)?;
    let tables = reader.names(&root)?;
    let drafts = reader.drafts(&root)?;
    reader.flows(drafts, &run)?;
    reader.links(tables)?;
    let losses = reader.losses(&root)?;
    let scenario = Scenario {
        links: reader.links,
        flows: reader.flows,
        losses,
        run,
    };
    source.at(&(0..0), scenario.check())?;
    Ok(Staged {
        name: path.to_owned(),
        scenario,
        groups: reader.groups,
        size: PacketSize::from_packet(reader.packet)?,
        notes: reader.notes,
    })
}

struct Reader<'a> {
    source: Source<'a>,
    packet: Bytes,
    seed: u64,
    links: Vec<Link>,
    flows: Vec<Flow>,
    groups: Vec<(Option<Selected>, usize)>,
    notes: Vec<String>,
}

/// What a `[[flow]]` table says its law is.
enum Draft {
    Law(Selected, bool),
    Constant(f64),
}

type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a> {
    fn run(&mut self, root: &Section<'a>, seed: Option<u64>) -> Result<Run> {
        let mut run = Run::default();
        let Some(value) = root.get("run") else {
            self.seed = seed.unwrap_or(run.seed);
            run.seed = self.seed;
            return Ok(run);
        };
        let section = Section::new(self.source, value, "[run]", RUN)?;
        let refuse =
            |key: &str, detail: String| Err(self.source.wrong(&section.place(key), detail));
        run.duration = section.read("duration", run.duration, time)?;
        if run.duration == 0.0 {
            return refuse(
                "duration",
                "`duration` is 0: a run lasts longer than that".into(),
            );
        }
        run.measure_from = section.read("measure_from", run.measure_from, time)?;
        if run.measure_from >= run.duration {
            return refuse(
                "measure_from",
                format!(
                    "`measure_from` is {} s, which is not before the end of the run at {} s",
                    run.measure_from, run.duration
                ),
            );
        }
        run.tolerance = section.read("tolerance", run.tolerance, number)?;
        if !(1e-13..=0.1).contains(&run.tolerance) {
            return refuse(
                "tolerance",
                format!("`tolerance` is {}: allowed is 1e-13 to 0.1", run.tolerance),
            );
        }
        run.seed = seed.unwrap_or(section.read("seed", run.seed, whole)?);
        let most = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
        run.budget = section.read("budget", run.budget, |text| whole(text).map(most))?;
        run.slices = section.read("slices", run.slices, |text| whole(text).map(most))?;
        if !(1..=1000).contains(&run.slices) {
            return refuse(
                "slices",
                format!("`slices` is {}: allowed is 1 to 1000", run.slices),
            );
        }
        self.packet = section.read("packet", self.packet, |text| {
            let packet = Bytes::parse(text)?;
            PacketSize::from_packet(packet).map(|size| size.packet)
        })?;
        self.seed = run.seed;
        Ok(run)
    }

    /// The links by name; their numbers wait until the round trips are known, for buffers in `bdp`.
    fn names(&mut self, root: &Section<'a>) -> Result<Vec<(Word, &'a Value<'a>)>> {
        let mut tables = Vec::new();
        if let Some(value) = root.get("link") {
            let name = Word {
                text: "link".into(),
                span: value.span(),
            };
            tables.push((name, value));
        }
        if let Some(value) = root.get("links") {
            let Some(all) = value.get_ref().as_table() else {
                return Err(self.source.wrong(
                    &value.span(),
                    "`links` holds one table for each link, such as [links.north]",
                ));
            };
            let names: Vec<String> = all.keys().map(|key| key.get_ref().to_string()).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let section = Section::new(self.source, value, "[links]", &names)?;
            tables.extend(section.entries());
        }
        let links = tables
            .iter()
            .map(|(name, value)| self.link(name, value))
            .collect::<Result<_>>()?;
        self.links = links;
        Ok(tables)
    }

    /// Everything about a link except its buffer.
    fn link(&self, name: &Word, value: &'a Value<'a>) -> Result<Link> {
        let section = Section::new(
            self.source,
            value,
            &format!("the link `{}`", name.text),
            LINK,
        )?;
        let Some(capacity) = section.word("capacity")? else {
            return Err(self.source.wrong(
                &section.span,
                format!(
                    "the link `{}` has no `capacity`, such as capacity = \"100Mbit/s\"",
                    name.text
                ),
            ));
        };
        let capacity = self
            .source
            .at(&capacity.span, rate(&capacity.text, self.packet))?;
        let queue = section.word("queue")?;
        let queue = match queue {
            None => parse_queue("drop-tail", capacity, self.packet)?,
            Some(word) => self
                .source
                .at(&word.span, parse_queue(&word.text, capacity, self.packet))?,
        };
        Ok(Link {
            name: name.text.clone(),
            capacity,
            buffer: f64::INFINITY,
            delay: section.read("delay", 0.0, time)?,
            initial_queue: section.read("initial_queue", 0.0, |text| size(text, self.packet))?,
            queue,
        })
    }

    /// Buffers, which may be given in units of capacity × mean base round trip of the flows.
    fn links(&mut self, tables: Vec<(Word, &'a Value<'a>)>) -> Result<()> {
        for (at, (name, value)) in tables.into_iter().enumerate() {
            let section = Section::new(self.source, value, &name.text, LINK)?;
            let crossing = self.flows.iter().filter(|flow| flow.path.contains(&at));
            let (count, sum) =
                crossing.fold((0.0, 0.0), |(n, sum), flow| (n + 1.0, sum + flow.base_rtt));
            let Some(link) = self.links.get_mut(at) else {
                continue;
            };
            let bdp = if count > 0.0 {
                link.capacity * sum / count
            } else {
                0.0
            };
            let capacity = link.capacity;
            link.buffer = section.read("buffer", bdp, |text| {
                buffer(text, capacity, bdp, self.packet)
            })?;
            if link.initial_queue > link.buffer {
                return Err(self.source.wrong(
                    &section.place("initial_queue"),
                    format!(
                        "`initial_queue` is {} packets, more than the buffer of {} packets",
                        link.initial_queue, link.buffer
                    ),
                ));
            }
        }
        Ok(())
    }

    /// The flow tables with their laws.
    fn drafts(&mut self, root: &Section<'a>) -> Result<Vec<(Section<'a>, Draft, usize)>> {
        let tables: Vec<&'a Value<'a>> = match root.get("flow") {
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
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        if name.trim() != "constant-rate" {
            let said = values
                .split(',')
                .any(|pair| pair.trim_start().starts_with("fast_convergence"));
            return Selected::parse(text)
                .map(|selected| Draft::Law(selected, said))
                .map_err(|error| match error {
                    Error::Unknown {
                        what: what @ "law",
                        given,
                        mut allowed,
                    } => {
                        allowed.push("constant-rate".into());
                        Error::Unknown {
                            what,
                            given,
                            allowed,
                        }
                    }
                    other => other,
                });
        }
        match values.split_once('=') {
            Some((key, value)) if key.trim() == "rate" => {
                rate(value, self.packet).map(Draft::Constant)
            }
            Some((key, _)) => Err(Error::unknown("key", key.trim(), ["rate"])),
            None => Err(Error::malformed(
                "law",
                text,
                "constant-rate with its rate, such as constant-rate:rate=2Mbit/s",
            )),
        }
    }

    fn flows(&mut self, drafts: Vec<(Section<'a>, Draft, usize)>, run: &Run) -> Result<()> {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed ^ 0x5CE1_A210);
        for (section, draft, count) in drafts {
            let path = self.path(&section)?;
            let rtts = self.rtts(&section, &path, count)?;
            let starts = self.times(&section, "start", count, &mut rng)?;
            let stops = self.times(&section, "stop", count, &mut rng)?;
            let packets = |text: &str| size(text, self.packet);
            let some = |text: &str| packets(text).map(Some);
            let initial = section.read("initial_window", 10.0, packets)?;
            let begin = if section.switch("slow_start")?.unwrap_or(true) {
                Begin::SlowStart(initial)
            } else {
                Begin::Growing(initial)
            };
            let (sender, label) = match &draft {
                Draft::Constant(rate) => (Sender::Constant(*rate), "constant-rate".to_owned()),
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
                Draft::Constant(rate) => Begin::Growing(rate),
                Draft::Law(..) => begin,
            };
            let like = Flow {
                label,
                sender,
                path,
                base_rtt: 0.0,
                standing_delay: 0.0,
                start: 0.0,
                stop: None,
                size: section.read("size", None, some)?,
                receive_window: section.read("receive_window", None, some)?,
                begin,
            };
            for k in 0..count {
                let flow = Flow {
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
                    route(&self.links, &flow.path, flow.base_rtt),
                )?;
                self.flows.push(flow);
            }
            let selected = match draft {
                Draft::Law(selected, _) => Some(selected),
                Draft::Constant(_) => None,
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
        let mut path = Vec::new();
        for word in words {
            let names = self.links.iter().map(|link| link.name.as_str());
            let Some(at) = names.clone().position(|name| name == word.text) else {
                return Err(self.source.wrong(
                    &word.span,
                    Error::unknown("link", &word.text, names).to_string(),
                ));
            };
            if path.contains(&at) {
                return Err(self.source.wrong(
                    &word.span,
                    format!(
                        "the link `{}` is on the path twice: a flow crosses a link once",
                        word.text
                    ),
                ));
            }
            path.push(at);
        }
        Ok(path)
    }

    /// The round trip of each flow.
    fn rtts(&self, section: &Section<'a>, path: &[usize], count: usize) -> Result<Vec<f64>> {
        let least = 2.0 * path.iter().map(|&at| self.links[at].delay).sum::<f64>();
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

    fn losses(&self, root: &Section<'a>) -> Result<Losses> {
        let mut losses = Losses::default();
        let Some(value) = root.get("loss") else {
            return Ok(losses);
        };
        let section = Section::new(self.source, value, "[loss]", LOSS)?;
        losses.rate = section.read("rate", losses.rate, |text| match number(text) {
            Ok(0.0) => Ok(0.0),
            _ => LossRate::parse(text).map(LossRate::value),
        })?;
        losses.process = section.read("process", losses.process, |text| match text {
            "periodic" => Ok(Process::Periodic),
            "random" => Ok(Process::Random),
            "mean-field" => Ok(Process::MeanField),
            other => Err(Error::unknown(
                "process",
                other,
                ["periodic", "random", "mean-field"],
            )),
        })?;
        losses.sync = section.read("sync", losses.sync, sync)?;
        losses.reaction = section.read("reaction", losses.reaction, lapse)?;
        losses.refractory = section.read("refractory", losses.refractory, lapse)?;
        losses.recovery = section.read("recovery", losses.recovery, lapse)?;
        losses.rto = section.read("rto", losses.rto, lapse)?;
        let packets = |text: &str| size(text, self.packet);
        losses.least_window = section.read("least_window", losses.least_window, packets)?;
        losses.timeout_below = section.read("timeout_below", losses.timeout_below, packets)?;
        Ok(losses)
    }
}

/// `all`, `one`, `natural` or a fraction.
fn sync(text: &str) -> Result<Sync> {
    match text {
        "all" => Ok(Sync::All),
        "one" => Ok(Sync::One),
        "natural" => Ok(Sync::Natural),
        other => {
            let share = number(other).map_err(|_| {
                Error::unknown(
                    "sync",
                    other,
                    ["all", "one", "natural", "a fraction such as 0.3"],
                )
            })?;
            if share > 0.0 && share <= 1.0 {
                Ok(Sync::Share(share))
            } else {
                Err(Error::out_of_range(
                    "the share of flows that lose",
                    format!("`{other}`"),
                    "more than 0 and at most 1",
                ))
            }
        }
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
