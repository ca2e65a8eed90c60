//! The algorithm that a law file describes.

use super::check::{Fault, check};
use super::expression::Node;
use super::program::{Program, bind, edges, mentions};
use crate::error::{Error, Result};
use crate::model::{
    Algorithm, Cause, ClosedForms, Explanation, Feedback, FormInfo, Parameter, Preset, Price,
    ResponseFunction, Setting, WindowLaw,
};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// What an expression knows besides the parameters, in this order.
pub(super) const VARIABLES: [&str; 6] = ["w", "w_max", "age", "rtt", "base_rtt", "queueing_delay"];
const W_MAX: usize = 1;
const AGE: usize = 2;

/// A law as its file gives it. Lives as long as the program: its words are what the built-in laws' are.
pub(super) struct Written {
    pub name: &'static str,
    pub title: &'static str,
    pub source: &'static str,
    pub parameters: &'static [Parameter],
    pub presets: &'static [Preset],
    pub explanation: &'static Explanation,
    pub increase: Node,
    pub per_second: bool,
    pub decrease: Node,
}

impl Written {
    /// The law with these values. A tree that was read once compiles with its names bound too: it only gets smaller.
    pub fn bound(&self, setting: &Setting) -> Option<Law> {
        let values: Vec<f64> = setting.iter().map(|(_, value)| value).collect();
        let value = |name: usize| {
            name.checked_sub(VARIABLES.len())
                .and_then(|at| values.get(at))
                .copied()
        };
        let increase = bind(&self.increase, &value);
        let decrease = bind(&self.decrease, &value);
        let (mut smooth, mut jumps) = (Vec::new(), Vec::new());
        edges(&increase, &mut smooth, &mut jumps);
        smooth.append(&mut jumps);
        let mut switches: Vec<Program> = Vec::new();
        for tree in smooth.iter().map(|tree| bind(tree, &|_| None)) {
            if !matches!(tree, Node::Number(_))
                && let Some(program) = Program::new(&tree)
                && !switches.contains(&program)
            {
                switches.push(program);
            }
        }
        edges(&decrease, &mut Vec::new(), &mut jumps);
        let among = |names: &[usize]| {
            names
                .iter()
                .any(|n| mentions(&increase, *n) || mentions(&decrease, *n))
        };
        Some(Law {
            uses: Uses {
                w_max: among(&[W_MAX]),
                age: among(&[AGE]),
                time: self.per_second || among(&[AGE, 3, 4, 5]),
            },
            aged_decrease: mentions(&decrease, AGE),
            thresholds: thresholds(&jumps),
            increase: Program::new(&increase)?,
            decrease: Program::new(&decrease)?,
            switches,
            per_second: self.per_second,
            source: self.source,
            name: self.name,
            fault: Mutex::default(),
        })
    }
}

impl Written {
    /// What its two verbs do with these values that no law may do.
    pub(super) fn fault(&self, setting: &Setting) -> Option<Fault> {
        check(&self.bound(setting)?).err()
    }
}

/// Windows at which one of these trees in w alone changes its sign.
fn thresholds(jumps: &[Node]) -> Vec<f64> {
    let mut found = Vec::new();
    for tree in jumps
        .iter()
        .filter(|tree| !(1..VARIABLES.len()).any(|name| mentions(tree, name)))
    {
        let Some(program) = Program::new(tree) else {
            continue;
        };
        let sign = |w: f64| program.run(&[w]) > 0.0;
        let at = |step: i32| 10f64.powf(f64::from(step) / 40.0);
        for step in -80..480 {
            let (mut low, mut high) = (at(step), at(step + 1));
            let before = sign(low);
            if before == sign(high) {
                continue;
            }
            loop {
                let middle = f64::midpoint(low, high);
                if middle <= low || middle >= high {
                    break;
                }
                if sign(middle) == before {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            found.push(high);
        }
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

impl Algorithm for Written {
    fn name(&self) -> &'static str {
        self.name
    }
    fn title(&self) -> &'static str {
        self.title
    }
    fn price(&self) -> Price {
        Price::Loss
    }
    fn parameters(&self) -> &'static [Parameter] {
        self.parameters
    }
    fn presets(&self) -> &'static [Preset] {
        self.presets
    }
    fn references(&self) -> &'static [&'static str] {
        &[]
    }
    fn explanation(&self) -> &'static Explanation {
        self.explanation
    }
    fn check(&self, setting: &Setting) -> Result<()> {
        self.fault(setting)
            .map_or(Ok(()), |fault| Err(Error::Arguments(fault.detail)))
    }
    fn law(&self, setting: &Setting) -> Option<Box<dyn WindowLaw>> {
        self.bound(setting)
            .map(|law| Box::new(law) as Box<dyn WindowLaw>)
    }
}

impl ClosedForms for Written {
    fn forms(&self) -> &'static [FormInfo] {
        &[]
    }
    /// None: a file gives the two verbs only.
    fn closed(&self, _setting: &Setting) -> Vec<Box<dyn ResponseFunction>> {
        Vec::new()
    }
}

/// What the expressions name. `w_max` and `age` follow the window in the state, where they are used.
#[derive(Clone, Copy)]
pub(super) struct Uses {
    pub w_max: bool,
    pub age: bool,
    /// Anything in seconds.
    pub time: bool,
}

/// The two verbs, compiled for one set of values.
pub(super) struct Law {
    increase: Program,
    per_second: bool,
    decrease: Program,
    switches: Vec<Program>,
    thresholds: Vec<f64>,
    uses: Uses,
    aged_decrease: bool,
    source: &'static str,
    pub name: &'static str,
    /// What went wrong on each thread, and whether at a loss: growth is also tried where it is not needed.
    fault: Mutex<HashMap<ThreadId, (String, bool)>>,
}

impl Law {
    fn variables(&self, x: &[f64], seen: &Feedback) -> [f64; VARIABLES.len()] {
        let w = x[0];
        let w_max = if self.uses.w_max { x[1] } else { w };
        let age = if self.uses.age {
            x[1 + usize::from(self.uses.w_max)]
        } else {
            0.0
        };
        [
            w,
            w_max,
            age,
            seen.rtt,
            seen.base_rtt,
            (seen.rtt - seen.base_rtt).max(0.0),
        ]
    }

    /// Growth in this state, in the file's own unit.
    pub fn growth(&self, variables: &[f64]) -> f64 {
        self.increase.run(variables)
    }

    /// The window that a loss leaves in this state.
    pub fn left(&self, variables: &[f64]) -> f64 {
        self.decrease.run(variables)
    }

    pub fn uses(&self) -> Uses {
        self.uses
    }

    fn report(&self, detail: String, at_loss: bool) {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        // The first at a loss stays; of growth the last stays, nearest to where the road gave up.
        let here = thread::current().id();
        if !fault.get(&here).is_some_and(|(_, certain)| *certain) {
            fault.insert(here, (detail, at_loss));
        }
    }

    pub fn increase_fault(&self, found: f64, v: &[f64]) -> String {
        format!(
            "the law file's `{}`: its increase is {found} at {}: {}",
            self.name,
            place(v),
            if found < 0.0 && found.is_finite() {
                "0 or more is needed where nothing queues and the window is not above w_max"
            } else {
                "a finite number is needed"
            }
        )
    }

    pub fn decrease_fault(&self, found: f64, v: &[f64]) -> String {
        format!(
            "the law file's `{}`: its decrease leaves {found} packets at {}: a loss leaves less than the window, and more than nothing",
            self.name,
            place(v)
        )
    }
}

fn place(v: &[f64]) -> String {
    use crate::units::significant;
    let [w, w_max, age, rtt, _, delay] = *v else {
        return String::new();
    };
    let n = |x: f64| significant(x, 6);
    format!(
        "a window of {} packets (w_max {}, age {} s, rtt {} s, queueing_delay {} s)",
        n(w),
        n(w_max),
        n(age),
        n(rtt),
        n(delay)
    )
}

impl WindowLaw for Law {
    fn states(&self) -> &'static [&'static str] {
        match (self.uses.w_max, self.uses.age) {
            (false, false) => &["window"],
            (true, false) => &["window", "w_max"],
            (false, true) => &["window", "age"],
            (true, true) => &["window", "w_max", "age"],
        }
    }

    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        let variables = self.variables(x, seen);
        let growth = self.growth(&variables);
        if !growth.is_finite() && variables.iter().all(|v| v.is_finite()) {
            self.report(self.increase_fault(growth, &variables), false);
        }
        dx.fill(0.0);
        dx[0] = if self.per_second {
            growth
        } else {
            growth / seen.rtt
        };
        if self.uses.age {
            dx[1 + usize::from(self.uses.w_max)] = 1.0;
        }
    }

    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause) {
        let variables = self.variables(x, seen);
        let w = x[0];
        x[0] = if why == Cause::Timeout {
            1.0
        } else {
            let left = self.left(&variables);
            if left > 0.0 && left <= w {
                left
            } else {
                if variables.iter().all(|v| v.is_finite()) {
                    self.report(self.decrease_fault(left, &variables), true);
                }
                w
            }
        };
        if self.uses.w_max {
            x[1] = w;
        }
        if self.uses.age {
            x[1 + usize::from(self.uses.w_max)] = 0.0;
        }
    }

    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = window;
        if self.uses.w_max {
            x[1] = window;
        }
    }

    fn switches(&self, x: &[f64], seen: &Feedback, out: &mut Vec<f64>) {
        let variables = self.variables(x, seen);
        out.extend(self.switches.iter().map(|program| {
            let value = program.run(&variables);
            if value.is_nan() { 1.0 } else { value }
        }));
    }

    fn thresholds(&self) -> Vec<f64> {
        self.thresholds.clone()
    }

    fn needs_rtt(&self) -> bool {
        self.uses.time
    }

    fn regime(&self, _x: &[f64], _seen: &Feedback) -> &'static str {
        "as its file has it"
    }

    fn source(&self) -> &'static str {
        self.source
    }

    fn unsettled(&self) -> Option<&'static str> {
        self.aged_decrease.then_some(
            "its decrease counts the seconds since the loss before, which a single epoch does not know: use --road ack or fluid",
        )
    }

    fn fault(&self, answered: bool) -> Option<String> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let (detail, at_loss) = fault.remove(&thread::current().id())?;
        (at_loss || !answered).then_some(detail)
    }
}
