//! What a run leaves behind besides its summary: rows over time, and the points of a picture.

use super::files::Pending;
use crate::error::{Error, Result};
use crate::fluid::{Event, Observer, Sample, Scenario, What};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::Instant;

/// Which rows a trace has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// One every so many seconds.
    Every(f64),
    /// One at every event.
    Events,
}

/// Samples or events as comma-separated values, written as they come.
pub(super) struct Trace {
    rows: Rows,
    out: BufWriter<Pending>,
    /// Why the rest is missing.
    failed: Option<io::Error>,
    labels: Vec<String>,
    links: Vec<String>,
}

impl Trace {
    pub fn new(rows: Rows, scenario: &Scenario, to: Pending) -> Self {
        let mut trace = Self {
            rows,
            out: BufWriter::with_capacity(1 << 16, to),
            failed: None,
            labels: scenario.flows.iter().map(|f| f.label.clone()).collect(),
            links: scenario.links.iter().map(|l| l.name.clone()).collect(),
        };
        let head = trace.head();
        trace.keep(head);
        trace
    }

    /// The whole trace, without its name so far.
    ///
    /// # Errors
    /// [`Error::File`] if some of it could not be written.
    pub fn finish(mut self) -> Result<Pending> {
        let flushed = self.out.flush();
        self.keep(flushed);
        let (pending, _) = self.out.into_parts();
        match &self.failed {
            Some(error) => Err(pending.failed(error)),
            None => Ok(pending),
        }
    }

    fn keep(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed.get_or_insert(error);
        }
    }

    fn head(&mut self) -> io::Result<()> {
        let out = &mut self.out;
        if self.rows == Rows::Events {
            return out.write_all(b"time_s,event,flow,link,law,before_pkt,after_pkt\n");
        }
        write!(out, "time_s")?;
        for link in &self.links {
            write!(out, ",queue_{link}_pkt")?;
        }
        for number in 1..=self.labels.len() {
            write!(out, ",window_{number}_pkt,rate_{number}_pps")?;
        }
        writeln!(out)
    }

    fn sample(&mut self, sample: &Sample<'_>) {
        if self.rows != Rows::Events && self.failed.is_none() {
            let row = row(&mut self.out, sample);
            self.keep(row);
        }
    }

    fn event(&mut self, event: &Event) {
        if self.rows != Rows::Events || self.failed.is_some() {
            return;
        }
        let of_link = matches!(event.what, What::Full | What::Empty);
        let (flow, link, law) = if of_link {
            let name = self.links.get(event.whose).map_or("", String::as_str);
            (String::new(), name, String::new())
        } else {
            let law = self.labels.get(event.whose).map_or("", String::as_str);
            ((event.whose + 1).to_string(), "", quoted(law))
        };
        let (time, what) = (event.time, event.what.name());
        let row = writeln!(
            self.out,
            "{time},{what},{flow},{link},{law},{},{}",
            event.before, event.after
        );
        self.keep(row);
    }
}

fn row(out: &mut impl Write, sample: &Sample<'_>) -> io::Result<()> {
    write!(out, "{}", sample.time)?;
    for queue in sample.queues {
        write!(out, ",{queue}")?;
    }
    for (window, rate) in sample.windows.iter().zip(sample.rates) {
        write!(out, ",{window},{rate}")?;
    }
    writeln!(out)
}

/// A field that may hold a comma.
fn quoted(text: &str) -> String {
    if text.contains(',') {
        format!("\"{text}\"")
    } else {
        text.to_owned()
    }
}

/// Flows that a picture shows.
#[cfg(feature = "plot")]
pub(super) const DRAWN: usize = 12;

/// Samples for a picture.
pub(super) struct Points {
    every: f64,
    next: f64,
    pub windows: Vec<Vec<(f64, f64)>>,
    pub queues: Vec<Vec<(f64, f64)>>,
}

impl Points {
    #[cfg(feature = "plot")]
    pub fn new(every: f64, scenario: &Scenario) -> Self {
        Self {
            every,
            next: 0.0,
            windows: vec![Vec::new(); scenario.flows.len().min(DRAWN)],
            queues: vec![Vec::new(); scenario.links.len()],
        }
    }

    fn sample(&mut self, sample: &Sample<'_>) {
        if sample.time < self.next * (1.0 - 1e-12) {
            return;
        }
        self.next = sample.time + self.every;
        for (points, window) in self.windows.iter_mut().zip(sample.windows) {
            points.push((sample.time, *window));
        }
        for (points, queue) in self.queues.iter_mut().zip(sample.queues) {
            points.push((sample.time, *queue));
        }
    }
}

/// Everything that watches a run of the command line.
pub(super) struct Watch {
    pub trace: Option<Trace>,
    pub points: Option<Points>,
    every: Option<f64>,
    progress: Option<(Instant, f64)>,
    duration: f64,
}

impl Watch {
    pub fn new(
        trace: Option<Trace>,
        points: Option<Points>,
        duration: f64,
        quiet: bool,
    ) -> Result<Self> {
        let of_trace = trace.as_ref().and_then(|trace| match trace.rows {
            Rows::Every(every) => Some(every),
            Rows::Events => None,
        });
        // One clock for both; the picture takes every so many of its samples.
        let every = of_trace.or(points.as_ref().map(|points| points.every));
        if every.is_some_and(|every| duration / every > 1e8) {
            return Err(Error::out_of_range(
                "--sample",
                format!("{} s", every.unwrap_or(0.0)),
                "at most 1e8 rows in a run",
            ));
        }
        let progress = (!quiet && std::io::stderr().is_terminal()).then(|| (Instant::now(), 0.0));
        Ok(Self {
            trace,
            points,
            every,
            progress,
            duration,
        })
    }

    /// Clears the line of progress.
    pub fn finish(&mut self) {
        if self.progress.take().is_some_and(|(_, shown)| shown > 0.0) {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Observer for Watch {
    fn every(&self) -> Option<f64> {
        self.every
    }
    fn wants_events(&self) -> bool {
        self.trace
            .as_ref()
            .is_some_and(|trace| trace.rows == Rows::Events)
    }
    fn sample(&mut self, sample: &Sample<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.sample(sample);
        }
        if let Some(points) = &mut self.points {
            points.sample(sample);
        }
    }
    fn event(&mut self, event: &Event) {
        if let Some(trace) = &mut self.trace {
            trace.event(event);
        }
    }
    fn progress(&mut self, time: f64) {
        if let Some((since, shown)) = &mut self.progress {
            let elapsed = since.elapsed().as_secs_f64();
            if elapsed > *shown + 0.5 {
                *shown = elapsed;
                let mut err = std::io::stderr().lock();
                let share = 100.0 * time / self.duration;
                let _ = write!(
                    err,
                    "\r{time:.1} s of {} s, {share:.0} %\x1b[K",
                    self.duration
                );
                let _ = err.flush();
            }
        }
    }
}
