//! What the integrator costs: against another delay solver at equal global error, per flow and step, and for a small run.
#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cwnd::algorithms::Selected;
use cwnd::fluid::{Begin, Flow, Losses, Run, Scenario, Sync, simulate};
use cwnd::model::WindowLaw;
use cwnd::network::{DropTail, Link};
use cwnd::numeric::dde::{History, Lag, Options, Problem, solve};
use differential_equations::prelude::{DDE, ExplicitRungeKutta, IVP};
use std::hint::black_box;
use std::sync::Arc;

// ---- TCP with RED --------------------------------------------------------------------------

const DELAY: f64 = 0.246;
const UNTIL: f64 = 100.0;
const PAST: [f64; 3] = [10.0, 150.0, 150.0];
const EXACT: [f64; 3] = [20.848_511_180, 374.631_759_575, 132.356_658_769];

fn slopes(x: &[f64], then: &[f64; 3], dx: &mut [f64]) {
    let rtt = |q: f64| 0.2 + q / 3750.0;
    let p = 1.86e-4 * (then[2] - 132.0);
    dx[0] = 1.0 / rtt(x[1]) - x[0] * then[0] / (2.0 * rtt(then[1])) * p;
    dx[1] = 60.0 * x[0] / rtt(x[1]) - 3750.0;
    dx[2] = 0.5 * (x[1] - x[2]);
}

struct TcpRed;

impl Problem for TcpRed {
    fn dimension(&self) -> usize {
        3
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let mut then = [0.0; 3];
        history.fill(0, t - DELAY, &mut then);
        slopes(x, &then, dx);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        DELAY
    }
    fn lags(&self) -> Vec<Lag> {
        vec![Lag::constant(DELAY)]
    }
}

impl DDE<1, f64, [f64; 3]> for TcpRed {
    fn diff(&self, _t: f64, y: &[f64; 3], yd: &[[f64; 3]; 1], dydt: &mut [f64; 3]) {
        slopes(y, &yd[0], dydt);
    }
    fn lags(&self, _t: f64, _y: &[f64; 3], lags: &mut [f64; 1]) {
        lags[0] = DELAY;
    }
}

fn ours(tolerance: f64) -> [f64; 3] {
    let options = Options::new(tolerance, tolerance);
    let end = solve(&mut TcpRed, &|i, _| PAST[i], (0.0, UNTIL), &options, |_| {}).unwrap();
    [end.x[0], end.x[1], end.x[2]]
}

fn theirs(tolerance: f64) -> Option<[f64; 3]> {
    let problem = IVP::dde(&TcpRed, 0.0, UNTIL, PAST, |_t: f64| PAST);
    let method = ExplicitRungeKutta::dopri5()
        .max_delay(2.0 * DELAY)
        .max_steps(10_000_000)
        .rtol(tolerance)
        .atol(tolerance);
    let solution = problem.method(method).solve().ok()?;
    solution.y.last().copied()
}

fn error(x: [f64; 3]) -> f64 {
    let errors = x
        .iter()
        .zip(EXACT)
        .map(|(x, exact)| (x / exact - 1.0).abs());
    errors.fold(0.0, f64::max)
}

/// The largest of a ladder of tolerances at which a solver is as good as wanted.
fn tolerance_for(wanted: f64, run: impl Fn(f64) -> Option<[f64; 3]>) -> Option<f64> {
    (6..52)
        .map(|k| 10f64.powf(-0.25 * f64::from(k)))
        .find(|&tolerance| run(tolerance).is_some_and(|x| error(x) <= wanted))
}

fn tcp_red(c: &mut Criterion) {
    let mut group = c.benchmark_group("tcp-red");
    group.sample_size(20);
    for wanted in [1e-4, 1e-6, 1e-8] {
        let name = format!("global error {wanted:.0e}");
        if let Some(tolerance) = tolerance_for(wanted, |t| Some(ours(t))) {
            println!(
                "cwnd, {name}: tolerance {tolerance:.1e}, error {:.1e}",
                error(ours(tolerance))
            );
            group.bench_function(BenchmarkId::new("cwnd", &name), |b| {
                b.iter(|| ours(black_box(tolerance)));
            });
        }
        match tolerance_for(wanted, theirs) {
            Some(tolerance) => {
                let reached = theirs(tolerance).map_or(f64::NAN, error);
                println!(
                    "differential-equations, {name}: tolerance {tolerance:.1e}, error {reached:.1e}"
                );
                group.bench_function(BenchmarkId::new("differential-equations", &name), |b| {
                    b.iter(|| theirs(black_box(tolerance)));
                });
            }
            None => println!("differential-equations, {name}: not reached at any tolerance"),
        }
    }
    group.finish();
}

// ---- flows -----------------------------------------------------------------------------------

/// Reno flows at one drop-tail link, round trips from 20 to 200 ms, 50 packets a flow.
fn flows(count: usize, duration: f64, sync: Sync, begin: Begin) -> Scenario {
    let selected = Selected::parse("reno").unwrap();
    let law: Arc<dyn WindowLaw> = selected.law().unwrap().into();
    let capacity = 500.0 * count as f64;
    Scenario {
        links: vec![Link {
            name: "link".into(),
            capacity,
            buffer: 0.05 * capacity,
            delay: 0.0,
            initial_queue: 0.0,
            queue: Arc::new(DropTail),
        }],
        flows: (0..count)
            .map(|k| {
                let share = k as f64 / count as f64;
                Flow {
                    begin,
                    ..Flow::new("reno", Arc::clone(&law), vec![0], 0.02 + 0.18 * share)
                }
            })
            .collect(),
        losses: Losses {
            sync,
            ..Losses::default()
        },
        run: Run {
            duration,
            ..Run::default()
        },
    }
}

/// Time per flow and step: the number of elements is flows × accepted steps.
fn flow_steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("flow-step");
    group.sample_size(10);
    for (count, duration) in [(10, 100.0), (100, 20.0), (1000, 4.0), (10_000, 0.5)] {
        // Losses at a share of the flows: steps between events, and the events.
        let scenario = flows(count, duration, Sync::Natural, Begin::Growing(60.0));
        let steps = simulate(&scenario, &mut ()).unwrap().steps;
        group.throughput(Throughput::Elements((steps * count) as u64));
        group.bench_function(BenchmarkId::from_parameter(count), |b| {
            b.iter(|| simulate(black_box(&scenario), &mut ()).unwrap());
        });
    }
    group.finish();
}

fn ten_flows(c: &mut Criterion) {
    let scenario = flows(10, 5.0, Sync::Natural, Begin::SlowStart(10.0));
    c.bench_function("10 reno flows, 5 s", |b| {
        b.iter(|| simulate(black_box(&scenario), &mut ()).unwrap());
    });
}

criterion_group!(benches, tcp_red, flow_steps, ten_flows);
criterion_main!(benches);
