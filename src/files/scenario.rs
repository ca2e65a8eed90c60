//! A scenario file.

use super::quantity::{buffer, lapse, loss, number, rate, size, time, whole};
use super::section::{Section, Source, Word, kind};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::fluid::{FINEST, Flow, Losses, Process, Run, Scenario, Sync};
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use crate::what_if::{PacketSize, Staged};
use std::ops::Range;
use toml::Spanned;
use toml::de::DeValue;

/// `law_file` names files that whoever opens files reads first.
const TABLES: &[&str] = &["law_file", "link", "links", "flow", "loss", "run"];
const LINK: &[&str] = &["capacity", "buffer", "queue", "delay", "initial_queue"];
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
    "acknowledged_growth",
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
    let document = source.document()?;
    let root = Section::root(source, &document, TABLES)?;
    let mut reader = Reader {
        source,
        packet: Bytes::new(1500.0),
        seed: 1,
        links: Vec::new(),
        flows: Vec::new(),
        groups: Vec::new(),
        spans: Vec::new(),
        notes: Vec::new(),
    };
    let mut run = reader.run(&root, seed)?;
    let tables = reader.names(&root)?;
    let drafts = reader.drafts(&root)?;
    reader.flows(drafts, &run)?;
    if run.budget == 0 {
        run.budget = Run::budget_for(reader.flows.len());
    }
    reader.links(tables)?;
    let losses = reader.losses(&root)?;
    let scenario = Scenario {
        links: reader.links,
        flows: reader.flows,
        losses,
        run,
    };
    for (flow, span) in scenario.flows.iter().zip(&reader.spans) {
        source.at(span, scenario.check_flow(flow))?;
    }
    source.at(&(0..0), scenario.check())?;
    Ok(Staged {
        name: path.to_owned(),
        scenario,
        groups: reader.groups,
        size: PacketSize::from_packet(reader.packet)?,
        notes: reader.notes,
    })
}

/// What has been read so far.
pub(super) struct Reader<'a> {
    pub source: Source<'a>,
    pub packet: Bytes,
    pub seed: u64,
    pub links: Vec<Link>,
    pub flows: Vec<Flow>,
    pub groups: Vec<(Option<Selected>, usize)>,
    /// Where the law of each flow stands in the file.
    pub spans: Vec<Range<usize>>,
    pub notes: Vec<String>,
}

type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a> {
    fn run(&mut self, root: &Section<'a>, seed: Option<u64>) -> Result<Run> {
        // A budget of 0 stands for the one that follows from the number of flows.
        let mut run = Run {
            budget: 0,
            ..Run::default()
        };
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
        if !(FINEST..=0.1).contains(&run.tolerance) {
            return refuse(
                "tolerance",
                format!(
                    "`tolerance` is {}: allowed is {FINEST:e} to 0.1",
                    run.tolerance
                ),
            );
        }
        run.seed = seed.unwrap_or(section.read("seed", run.seed, whole)?);
        let most = |x: u64| usize::try_from(x).unwrap_or(usize::MAX);
        run.budget = section.read("budget", run.budget, |text| whole(text).map(most))?;
        if run.budget == 0 && section.get("budget").is_some() {
            return refuse("budget", "`budget` is 0 steps: allowed is 1 or more".into());
        }
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
            for (name, value) in section.entries() {
                if tables.iter().any(|(other, _)| other.text == name.text) {
                    return Err(self.source.wrong(
                        &name.span,
                        format!(
                            "[link] is a link called `{0}` too: give [links.{0}] another name",
                            name.text
                        ),
                    ));
                }
                tables.push((name, value));
            }
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
        if value.get_ref().as_table().is_none() {
            return Err(self.source.wrong(
                &value.span(),
                format!(
                    "the link `{}` is a {}: a table [link], or [links.NAME] for each of several, is needed",
                    name.text,
                    kind(value)
                ),
            ));
        }
        let name_of = format!("the link `{}`", name.text);
        let section = Section::new(self.source, value, &name_of, LINK)?;
        let Some(capacity) = section.word("capacity")? else {
            return Err(self.source.wrong(
                &section.span,
                format!(
                    "the link `{}` has no `capacity`, such as capacity = \"100Mbit/s\"",
                    name.text
                ),
            ));
        };
        let place = capacity.span;
        let capacity = self.source.at(&place, rate(&capacity.text, self.packet))?;
        if !(capacity > 0.0 && capacity.is_finite()) {
            return Err(self.source.wrong(
                &place,
                format!(
                    "the capacity of the link `{}` is {capacity} packets/s: allowed is more than 0",
                    name.text
                ),
            ));
        }
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
            let sums = |on: fn(&Flow) -> &[usize]| {
                let crossing = self.flows.iter().filter(|flow| on(flow).contains(&at));
                crossing.fold((0.0, 0.0), |(n, sum), flow| (n + 1.0, sum + flow.base_rtt))
            };
            // A link that carries acknowledgements only goes by the flows that they belong to.
            let (count, sum) = match sums(|flow| &flow.path) {
                (0.0, _) => sums(|flow| &flow.return_path),
                data => data,
            };
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

    fn losses(&self, root: &Section<'a>) -> Result<Losses> {
        let mut losses = Losses::default();
        let Some(value) = root.get("loss") else {
            return Ok(losses);
        };
        let section = Section::new(self.source, value, "[loss]", LOSS)?;
        losses.rate = section.read("rate", losses.rate, loss)?;
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
        losses.sync = section.read("sync", losses.sync, Sync::parse)?;
        losses.reaction = section.read("reaction", losses.reaction, lapse)?;
        losses.refractory = section.read("refractory", losses.refractory, lapse)?;
        losses.recovery = section.read("recovery", losses.recovery, lapse)?;
        losses.rto = section.read("rto", losses.rto, lapse)?;
        let payload = PacketSize::from_packet(self.packet)?.mss;
        let packets = |text: &str| size(text, payload);
        losses.least_window = section.read("least_window", losses.least_window, packets)?;
        losses.timeout_below = section.read("timeout_below", losses.timeout_below, packets)?;
        if let Some(acknowledged) = section.switch("acknowledged_growth")? {
            losses.acknowledged_growth = acknowledged;
        }
        if losses.acknowledged_growth && losses.process != Process::MeanField {
            return Err(self.source.wrong(
                &section.place("acknowledged_growth"),
                format!(
                    "`acknowledged_growth` is for process = \"mean-field\", not \"{}\": events take single packets",
                    losses.process.name()
                ),
            ));
        }
        Ok(losses)
    }
}
