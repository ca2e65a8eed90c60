//! What a run leaves behind besides its summary: rows over time, and the points of a picture.

use crate::error::{Error, Result};
use crate::fluid::{Event, Observer, Sample, Scenario, What};
use std::fmt::Write;
use std::io::{IsTerminal, Write as _};
use std::time::Instant;

/// Which rows a trace has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rows {
    /// One every so many seconds.
    Every(f64),
    /// One at every event.
    Events,
}

/// Samples or events as comma-separated values.
pub(super) struct Trace {
    rows: Rows,
    pub text: String,
    labels: Vec<String>,
    links: Vec<String>,
}

impl Trace {
    pub fn new(rows: Rows, scenario: &Scenario) -> Self {
        let labels: Vec<String> = scenario.flows.iter().map(|f| f.label.clone()).collect();
        let links: Vec<String> = scenario.links.iter().map(|l| l.name.clone()).collect();
        let mut text = String::new();
        match rows {
            Rows::Events => text += "time_s,event,flow,link,law,before_pkt,after_pkt\n",
            Rows::Every(_) => {
                text += "time_s";
                for link in &links {
                    let _ = write!(text, ",queue_{link}_pkt");
                }
                for number in 1..=labels.len() {
                    let _ = write!(text, ",window_{number}_pkt,rate_{number}_pps");
                }
                text.push('\n');
            }
        }
        Self {
            rows,
            text,
            labels,
            links,
        }
    }

    fn sample(&mut self, sample: &Sample<'_>) {
        if self.rows == Rows::Events {
            return;
        }
        let _ = write!(self.text, "{}", sample.time);
        for queue in sample.queues {
            let _ = write!(self.text, ",{queue}");
        }
        for (window, rate) in sample.windows.iter().zip(sample.rates) {
            let _ = write!(self.text, ",{window},{rate}");
        }
        self.text.push('\n');
    }

    fn event(&mut self, event: &Event) {
        if self.rows != Rows::Events {
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
        let _ = writeln!(
            self.text,
            "{time},{what},{flow},{link},{law},{},{}",
            event.before, event.after
        );
    }
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
