//! The delay solver against problems with known solutions; only the public API.
#![allow(missing_docs, clippy::pedantic, clippy::unwrap_used)]

mod problems;

use cwnd::numeric::dde::{
    Cause, Direction, Effect, Error, History, Interpolant, Options, Overlap, Problem, Solution,
    Tolerance, solve,
};
use problems::hybrid::{BackAndForth, Flows, LateJump, Lines, Queue, Sawtooth, run};
use problems::{
    cosine, linear, mackey_glass, state_dependent, tcp_red, two_delays, two_kinks, without,
};

fn both(tolerance: f64) -> Options {
    Options::new(tolerance, tolerance)
}

fn close(got: f64, want: f64, allowed: f64) {
    assert!(
        (got - want).abs() <= allowed,
        "{got} is not {want}: off by {:e}, allowed {allowed:e}",
        (got - want).abs()
    );
}

// ---- smooth problems -------------------------------------------------------------------------

#[test]
fn every_problem_reaches_its_solution() {
    let cases = [
        (linear(), 10.0, 1e-12, 1e-12),
        (cosine(), 20.0, 1e-12, 1e-10),
        (two_delays(), 10.0, 1e-12, 1e-12),
        (two_kinks(), 10.0, 1e-12, 1e-11),
        (state_dependent(), 16.5, 1e-12, 1e-10),
    ];
    for ((problem, exact), until, tolerance, allowed) in cases {
        for interpolant in [Interpolant::Fourth, Interpolant::Fifth] {
            let options = Options {
                interpolant,
                ..both(tolerance)
            };
            let end = problem.run(until, &options).unwrap();
            assert_eq!(end.t, until);
            close(
                end.x[0],
                exact(until),
                allowed * exact(until).abs().max(1.0),
            );
        }
    }
}

#[test]
fn a_problem_may_be_chosen_at_run_time() {
    let mut problems: Vec<Box<dyn Problem>> = vec![Box::new(linear().0), Box::new(tcp_red().0)];
    for problem in &mut problems {
        let end = solve(
            problem.as_mut(),
            &|_, _| 1.0,
            (0.0, 0.1),
            &both(1e-6),
            |_| {},
        );
        assert_eq!(end.unwrap().t, 0.1);
    }
}

#[test]
fn linear_at_ten_is_a_fraction() {
    let (problem, exact) = linear();
    close(exact(10.0), 10_493.0 / 518_400.0, 1e-13);
    let end = problem.run(10.0, &both(1e-13)).unwrap();
    close(end.x[0], 10_493.0 / 518_400.0, 1e-12);
}

#[test]
fn mackey_glass_at_500() {
    let (problem, y) = mackey_glass();
    let end = problem.run(500.0, &both(1e-11)).unwrap();
    close(end.x[0], y, 1e-8);
}

#[test]
fn tcp_red_at_100() {
    let (problem, x) = tcp_red();
    // Absolute 1e-11: every component to 1e-9. Relative 1e-11 of a queue of 375: to 1e-9 of it.
    let absolute = problem.run(100.0, &Options::new(0.0, 1e-11)).unwrap();
    let relative = problem.run(100.0, &both(1e-11)).unwrap();
    for ((absolute, relative), x) in absolute.x.iter().zip(&relative.x).zip(x) {
        close(*absolute, x, 1e-9);
        close(*relative, x, 1e-9 * x);
    }
}

#[test]
fn a_vector_of_tolerances_is_one_per_component() {
    let (problem, x) = tcp_red();
    let options = Options::new(vec![1e-9; 3], vec![1e-9, 1e-8, 1e-8]);
    let end = problem.run(100.0, &options).unwrap();
    close(end.x[0], x[0], 1e-5);
    let wrong = Options::new(Tolerance::Each(vec![1e-9; 2]), 1e-9);
    let error = problem.run(100.0, &wrong).unwrap_err();
    assert!(matches!(error, Error::BadArgument { value, .. } if value == 2.0));
}

#[test]
fn the_error_follows_the_tolerance() {
    for ((problem, exact), until) in [(two_kinks(), 5.0), (two_delays(), 5.0), (cosine(), 10.0)] {
        let error = |tolerance| {
            let end = problem.run(until, &both(tolerance)).unwrap();
            (end.x[0] - exact(until)).abs()
        };
        for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
            assert!(error(tolerance) < 30.0 * tolerance, "{}", problem.name);
        }
        assert!(error(1e-10) < 1e-2 * error(1e-5));
    }
}

/// The order from two fixed steps: at the ends of steps, and anywhere.
fn order(
    interpolant: Interpolant,
    (problem, exact): &(problems::Smooth, problems::Exact),
) -> [f64; 2] {
    let errors = [0.1, 0.05].map(|step| {
        let options = Options {
            fixed_step: Some(step),
            interpolant,
            ..both(1e-6)
        };
        let mut worst = [0.0_f64; 2];
        let watch = problem.watch(10.0, &options, |step| {
            for j in 1..=10 {
                let t = step.start() + (step.end() - step.start()) * f64::from(j) / 10.0;
                let error = (step.state(0, t) - exact(t)).abs();
                worst[usize::from(j < 10)] = worst[usize::from(j < 10)].max(error);
            }
        });
        watch.unwrap();
        worst
    });
    [0, 1].map(|i| (errors[0][i] / errors[1][i]).log2())
}

#[test]
fn the_order_is_five() {
    for case in [two_delays(), two_kinks()] {
        for interpolant in [Interpolant::Fourth, Interpolant::Fifth] {
            let [ends, anywhere] = order(interpolant, &case);
            assert!(ends > 4.8, "{interpolant:?} {ends}");
            assert!(anywhere > 4.8, "{interpolant:?} {anywhere}");
        }
    }
}

#[test]
fn without_breaking_points_the_order_is_lost() {
    let (problem, exact) = two_kinks();
    let options = Options {
        fixed_step: Some(0.07),
        ..both(1e-6)
    };
    let error = |options: &Options| {
        let end = problem.run(5.0, options).unwrap();
        (end.x[0] - exact(5.0)).abs()
    };
    let with = error(&options);
    let without = error(&without(&options, |parts| parts.breaking_points = false));
    assert!(with < 1e-9, "{with:e}");
    assert!(without > 1e3 * with, "{without:e} against {with:e}");
}

#[test]
fn a_state_dependent_lag_up_to_its_pole() {
    let (problem, exact) = state_dependent();
    let end = problem.run(16.5, &Options::new(0.0, 1e-13)).unwrap();
    close(end.x[0], exact(16.5), 1e-9);
}

#[test]
fn a_state_dependent_lag_ends_steps_at_its_breaking_points() {
    let (problem, _) = state_dependent();
    let mut ends = Vec::new();
    let end = problem.watch(10.0, &both(1e-10), |step| ends.push(step.end()));
    assert_eq!(end.unwrap().cost.breaking_points, 2);
    for point in [1.0_f64.exp(), 2.0_f64.exp()] {
        let near = ends.iter().map(|t| (t - point).abs());
        assert!(near.fold(f64::INFINITY, f64::min) < 1e-8);
    }
}

#[test]
fn watching_does_not_influence_the_steps() {
    let (problem, exact) = cosine();
    let times: Vec<f64> = (0..=1000).map(|k| f64::from(k) * 0.01).collect();
    let mut seen = 0;
    let watched = problem.watch(10.0, &both(1e-10), |step| {
        for &t in step.own(&times) {
            close(step.state(0, t), exact(t), 1e-8);
            seen += 1;
        }
    });
    assert_eq!(seen, 1000);
    assert_eq!(watched.unwrap(), problem.run(10.0, &both(1e-10)).unwrap());
}

// ---- steps longer than a delay ---------------------------------------------------------------

/// (cos t, −sin t) rotated back by the angle of its delay: x' depends on the past only.
struct Rotation(f64);

impl Problem for Rotation {
    fn dimension(&self) -> usize {
        2
    }
    fn rhs(&self, t: f64, _x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        let (sin, cos) = self.0.sin_cos();
        let (x, v) = (history.state(0, t - self.0), history.state(1, t - self.0));
        dx[0] = v * cos - x * sin;
        dx[1] = -(x * cos + v * sin);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        self.0
    }
}

#[test]
fn overlapping_steps_are_iterated_to_the_same_solution() {
    let past = |i: usize, t: f64| if i == 0 { t.cos() } else { -t.sin() };
    let solve = |delay, overlap| {
        let options = Options {
            overlap,
            ..both(1e-8)
        };
        solve(&mut Rotation(delay), &past, (0.0, 10.0), &options, |_| {}).unwrap()
    };
    for delay in [0.3, 0.01, 1e-3, 0.0] {
        let end = solve(delay, Overlap::Iterate);
        close(end.x[0], 10.0_f64.cos(), 1e-7);
        close(end.x[1], -10.0_f64.sin(), 1e-7);
    }
    let (free, bound) = (solve(1e-3, Overlap::Iterate), solve(1e-3, Overlap::Forbid));
    close(bound.x[0], 10.0_f64.cos(), 1e-10);
    assert!(free.cost.iterations > 0 && bound.cost.iterations == 0);
    assert!(20 * free.cost.evaluations < bound.cost.evaluations);
}

// ---- events, jumps, modes --------------------------------------------------------------------

fn sawtooth(delay: f64, options: &Options) -> (Solution, [f64; 2], usize) {
    let mut problem = Sawtooth::new(delay);
    let end = run(&mut problem, &[0.0, 0.0], (0.0, 40.3), options).unwrap();
    let exact = problem.solution(end.t);
    (end, exact, problem.log.len())
}

#[test]
fn a_sawtooth_with_a_delayed_reaction() {
    for (delay, reactions) in [(0.0, 7), (0.7, 12)] {
        let (end, exact, log) = sawtooth(delay, &both(1e-6));
        assert_eq!(log, reactions);
        close(end.x[0], exact[0], 1e-12);
        close(end.x[1], exact[1], 1e-11);
    }
}

#[test]
fn each_part_switched_off_shows() {
    let wrong = |options: &Options| {
        let (end, exact, _) = sawtooth(0.7, options);
        (end.x[1] - exact[1]).abs()
    };
    let all = both(1e-4);
    assert!(wrong(&all) < 1e-11);
    assert!(wrong(&without(&all, |parts| parts.breaking_points = false)) > 1e-7);
    assert!(wrong(&without(&all, |parts| parts.event_location = false)) > 1e-3);
    assert!(wrong(&without(&all, |parts| parts.both_limits = false)) > 1e-1);
}

#[test]
fn a_state_dependent_lag_meets_a_jump() {
    for tolerance in [1e-6, 1e-9] {
        let mut problem = LateJump::default();
        let end = run(&mut problem, &[0.0, 0.5], (0.0, 6.0), &both(tolerance)).unwrap();
        close(end.x[1], LateJump::solution(6.0), 10.0 * tolerance);
        // The delayed jump makes an event of its own: once, and at its time.
        assert_eq!(
            problem.log,
            [(1.0, Cause::Scheduled(0)), (2.0, Cause::Event(0))]
        );
    }
}

#[test]
fn an_argument_may_go_back_over_a_jump() {
    use std::f64::consts::PI;
    for tolerance in [1e-4, 1e-9] {
        let end = run(
            &mut BackAndForth,
            &[0.0, 0.0],
            (0.0, 10.0),
            &both(tolerance),
        )
        .unwrap();
        close(end.x[1], PI + (10.0 - 2.5 * PI), 1e-12);
        assert!(end.cost.breaking_points >= 3);
    }
}

#[test]
fn flows_and_a_queue_agree_with_themselves() {
    let solve = |tolerance, overlap| {
        let options = Options {
            overlap,
            ..both(tolerance)
        };
        let mut problem = Flows {
            empty: true,
            log: Vec::new(),
        };
        let past = [1.0, 2.0, 3.0, 4.0, 5.0, 0.0];
        let end = run(&mut problem, &past, (0.0, 60.0), &options).unwrap();
        (end, problem.log)
    };
    let (best, log) = solve(1e-12, Overlap::Forbid);
    assert!(log.len() > 50);
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        for overlap in [Overlap::Forbid, Overlap::Iterate] {
            let (end, other) = solve(tolerance, overlap);
            assert_eq!(other.len(), log.len());
            for (a, b) in other.iter().zip(&log) {
                assert_eq!(a.1, b.1);
                close(a.0, b.0, 100.0 * tolerance);
            }
            for (a, b) in end.x.iter().zip(&best.x) {
                close(*a, *b, 1000.0 * tolerance);
            }
        }
    }
}

#[test]
fn history_has_both_limits_at_a_jump() {
    struct Both(Vec<(f64, f64)>);
    impl Problem for Both {
        fn dimension(&self) -> usize {
            1
        }
        fn rhs(&self, _t: f64, _x: &[f64], _history: &History<'_>, dx: &mut [f64]) {
            dx[0] = 1.0;
        }
        fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
            3.0
        }
        fn scheduled(&self) -> Vec<(f64, usize)> {
            vec![(1.0, 0), (2.5, 1)]
        }
        fn react(&mut self, cause: Cause, now: &mut Now<'_>) -> Effect {
            match cause {
                Cause::Scheduled(0) => now.x[0] = 5.0,
                _ => {
                    let history = now.history();
                    for t in [0.0, 1.0] {
                        self.0
                            .push((history.state_before(0, t), history.state(0, t)));
                    }
                }
            }
            Effect::Jump
        }
        fn initial(&self, _t: f64, x: &mut [f64]) {
            x[0] = 0.0;
        }
    }
    use cwnd::numeric::dde::Now;
    let mut problem = Both(Vec::new());
    run(&mut problem, &[-3.0], (0.0, 3.0), &both(1e-6)).unwrap();
    let [(a, b), (c, d)] = problem.0[..] else {
        panic!("{:?}", problem.0)
    };
    for (got, want) in [(a, -3.0), (b, 0.0), (c, 1.0), (d, 5.0)] {
        close(got, want, 1e-14);
    }
}

fn lines(
    mut problem: Lines,
    past: &[f64],
    until: f64,
    options: &Options,
) -> (Vec<(f64, Cause)>, Vec<f64>) {
    let end = run(&mut problem, past, (0.0, until), options).unwrap();
    (problem.log, end.x)
}

#[test]
fn an_event_at_the_start_happens_once() {
    for direction in [Direction::Rising, Direction::Both] {
        for kick in [0.0, 1.0] {
            let problem = Lines {
                direction,
                kick,
                ..Lines::default()
            };
            let (log, x) = lines(problem, &[10.0], 5.0, &both(1e-6));
            let [(t, Cause::Event(0))] = log[..] else {
                panic!("{log:?}")
            };
            close(t, 0.0, 1e-14);
            close(x[0], 15.0 + kick, 1e-12);
        }
    }
    let falling = Lines {
        direction: Direction::Falling,
        ..Lines::default()
    };
    assert!(lines(falling, &[10.0], 5.0, &both(1e-6)).0.is_empty());
}

#[test]
fn an_event_at_the_end_of_a_step_or_of_the_span_happens_once() {
    let options = Options {
        fixed_step: Some(1.0),
        ..both(1e-6)
    };
    for (until, level) in [(10.0, 10.0 - 1e-13), (12.0, 10.0)] {
        let problem = Lines {
            levels: vec![level],
            ..Lines::default()
        };
        let (log, _) = lines(problem, &[0.0], until, &options);
        assert_eq!(log.len(), 1, "{log:?}");
        close(log[0].0, level, 1e-14);
    }
}

#[test]
fn a_jump_across_a_surface_is_an_event_at_that_time() {
    let problem = Lines {
        shifts: vec![(2.0, 20.0), (3.0, -20.0), (4.0, 6.0)],
        ..Lines::default()
    };
    let (log, _) = lines(problem, &[0.0], 5.0, &both(1e-6));
    let expected = [
        (2.0, Cause::Scheduled(0)),
        (2.0, Cause::Event(0)),
        (3.0, Cause::Scheduled(1)),
        (4.0, Cause::Scheduled(2)),
        (4.0, Cause::Event(0)),
    ];
    assert_eq!(log, expected);
}

#[test]
fn simultaneous_events_all_happen_in_order() {
    let problem = Lines {
        slopes: vec![1.0, 2.0, 0.5],
        levels: vec![3.0, 6.0, 1.5],
        ..Lines::default()
    };
    let (log, _) = lines(problem, &[0.0; 3], 5.0, &both(1e-6));
    let causes: Vec<_> = log.iter().map(|(_, cause)| *cause).collect();
    assert_eq!(causes, [0, 1, 2].map(Cause::Event));
    for (t, _) in log {
        close(t, 3.0, 1e-14);
    }
}

#[test]
fn events_of_one_step_happen_earliest_first() {
    let problem = Lines {
        slopes: vec![1.0; 3],
        levels: vec![4.0, 3.0, 3.0 + 1e-14],
        effect: Effect::Switch,
        ..Lines::default()
    };
    let (log, _) = lines(problem, &[0.0; 3], 5.0, &both(1e-6));
    let causes: Vec<_> = log.iter().map(|(_, cause)| *cause).collect();
    assert_eq!(causes, [1, 2, 0].map(Cause::Event));
    assert!(log.windows(2).all(|pair| pair[0].0 <= pair[1].0));
}

#[test]
fn a_reaction_can_stop() {
    let problem = Lines {
        effect: Effect::Stop,
        ..Lines::default()
    };
    let mut problem = problem;
    let end = run(&mut problem, &[0.0], (0.0, 50.0), &both(1e-6)).unwrap();
    assert!(end.stopped);
    close(end.t, 10.0, 1e-14);
    close(end.x[0], 10.0, 1e-14);
}

#[test]
fn an_event_that_comes_and_goes_within_a_step_is_found() {
    let mut problem = Queue::default();
    let end = run(&mut problem, &[0.5], (0.0, 50.0), &both(1e-10)).unwrap();
    close(end.x[0], Queue::solution(50.0), 1e-8);
}

#[test]
fn a_queue_empties_rests_and_fills() {
    let mut problem = Queue::default();
    for (tolerance, allowed) in [(1e-6, 1e-5), (1e-12, 1e-11)] {
        problem.log.clear();
        problem.empty = false;
        let mut lowest = 0.0_f64;
        let end = solve(
            &mut problem,
            &|_, _| 0.5,
            (0.0, 30.0),
            &both(tolerance),
            |step| lowest = lowest.min(step.state(0, step.end())),
        );
        close(end.unwrap().x[0], Queue::solution(30.0), allowed);
        assert!(lowest > -1e-13, "{lowest:e}");
        let causes: Vec<_> = problem.log.iter().map(|(_, cause)| *cause).collect();
        assert_eq!(causes, [0, 1, 0, 1, 0, 1, 0, 1, 0].map(Cause::Event));
        let leave = std::f64::consts::TAU - 0.2_f64.acos();
        close(problem.log[1].0, leave, 1e-14);
    }
}

/// Falls to its surface at 1, stays exactly there, and goes on at 3.
struct Resting {
    slope: f64,
    on: f64,
    log: Vec<f64>,
}

impl Problem for Resting {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&self, _t: f64, _x: &[f64], _history: &History<'_>, dx: &mut [f64]) {
        dx[0] = self.slope;
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        0.0
    }
    fn events(&self) -> Vec<Direction> {
        vec![Direction::Both]
    }
    fn surfaces(&self, _t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
        g[0] = x[0];
    }
    fn scheduled(&self) -> Vec<(f64, usize)> {
        vec![(3.0, 0)]
    }
    fn react(&mut self, cause: Cause, now: &mut cwnd::numeric::dde::Now<'_>) -> Effect {
        if cause == Cause::Scheduled(0) {
            self.slope = self.on;
        } else {
            self.log.push(now.t);
            if now.t < 3.0 {
                now.x[0] = 0.0;
                self.slope = 0.0;
            }
        }
        Effect::Switch
    }
}

/// One that went on downwards has crossed already; one that turns back crosses again.
#[test]
fn an_event_that_stays_on_its_surface_happens_once() {
    for (on, times) in [(-1.0, &[1.0][..]), (0.0, &[1.0]), (1.0, &[1.0, 3.0])] {
        let mut problem = Resting {
            slope: -1.0,
            on,
            log: Vec::new(),
        };
        let end = run(&mut problem, &[1.0], (0.0, 5.0), &both(1e-6)).unwrap();
        close(end.x[0], 2.0 * on, 1e-12);
        assert_eq!(problem.log.len(), times.len(), "{on}: {:?}", problem.log);
        for (got, want) in problem.log.iter().zip(times) {
            close(*got, *want, 1e-13);
        }
    }
}

#[test]
fn a_reaction_that_changes_nothing_changes_nothing() {
    let (plain, _) = tcp_red();
    struct Watched<P>(P, usize);
    impl<P: Problem> Problem for Watched<P> {
        fn dimension(&self) -> usize {
            self.0.dimension()
        }
        fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
            self.0.rhs(t, x, history, dx);
        }
        fn longest_delay(&self, t: f64, x: &[f64]) -> f64 {
            self.0.longest_delay(t, x)
        }
        fn lags(&self) -> Vec<cwnd::numeric::dde::Lag> {
            self.0.lags()
        }
        fn events(&self) -> Vec<Direction> {
            vec![Direction::Both; 2]
        }
        fn surfaces(&self, _t: f64, x: &[f64], _history: &History<'_>, g: &mut [f64]) {
            g[0] = x[0] - 15.0;
            g[1] = x[1] - 200.0;
        }
        fn react(&mut self, _cause: Cause, now: &mut cwnd::numeric::dde::Now<'_>) -> Effect {
            self.1 += 1;
            now.x[0] *= 1.0;
            Effect::Jump
        }
    }
    let past = plain.past;
    let without = plain.run(50.0, &both(1e-8)).unwrap();
    let mut watched = Watched(plain, 0);
    let with = solve(&mut watched, &past, (0.0, 50.0), &both(1e-8), |_| {}).unwrap();
    assert!(watched.1 > 10);
    assert_eq!(with.x, without.x);
    assert_eq!(with.cost.accepted, without.cost.accepted);
}

// ---- memory ----------------------------------------------------------------------------------

#[test]
fn memory_does_not_grow_with_the_span() {
    let (problem, _) = tcp_red();
    let kept = |until| {
        let cost = problem.run(until, &both(1e-5)).unwrap().cost;
        (cost.kept_steps, cost.kept_discontinuities)
    };
    let (short, long) = (kept(100.0), kept(10_000.0));
    assert!(long.0 <= short.0 + 2, "{short:?} {long:?}");
    assert!(long.1 <= short.1);
    let kept = |until| {
        let mut problem = Sawtooth::new(0.7);
        let end = run(&mut problem, &[0.0, 0.0], (0.0, until), &both(1e-5)).unwrap();
        (end.cost.kept_steps, end.cost.kept_discontinuities)
    };
    let (short, long) = (kept(100.0), kept(10_000.0));
    assert!(
        long.0 <= short.0 + 1 && long.1 <= short.1 + 1,
        "{short:?} {long:?}"
    );
}

// ---- errors ----------------------------------------------------------------------------------

/// x' = f(t, x, history) from 1, with a past of 1 and nothing declared.
struct Bare {
    rhs: fn(f64, f64, &History<'_>) -> f64,
    longest: f64,
    storm: bool,
    schedule: Option<f64>,
}

impl Problem for Bare {
    fn dimension(&self) -> usize {
        1
    }
    fn rhs(&self, t: f64, x: &[f64], history: &History<'_>, dx: &mut [f64]) {
        dx[0] = (self.rhs)(t, x[0], history);
    }
    fn longest_delay(&self, _t: f64, _x: &[f64]) -> f64 {
        self.longest
    }
    fn scheduled(&self) -> Vec<(f64, usize)> {
        let at = if self.storm || self.schedule.is_some() {
            1.0
        } else {
            9.0
        };
        vec![(at, 0)]
    }
    fn react(&mut self, _cause: Cause, now: &mut cwnd::numeric::dde::Now<'_>) -> Effect {
        if self.storm {
            now.schedule(now.t, 0);
        }
        if let Some(time) = self.schedule.take() {
            now.schedule(time, 0);
        }
        Effect::Jump
    }
}

fn fails(
    rhs: fn(f64, f64, &History<'_>) -> f64,
    change: impl FnOnce(&mut Bare, &mut Options),
) -> Error {
    let mut problem = Bare {
        rhs,
        longest: 1.0,
        storm: false,
        schedule: None,
    };
    let mut options = both(1e-6);
    change(&mut problem, &mut options);
    let error = run(&mut problem, &[1.0], (0.0, 5.0), &options).unwrap_err();
    assert!(error.to_string().len() > 20);
    error
}

#[test]
fn errors_carry_their_numbers() {
    match fails(|_, x, h| h.state(0, h.now() + 0.25) - x, |_, _| {}) {
        Error::InFuture { t, asked } => assert_eq!((t, asked), (0.0, 0.25)),
        other => panic!("{other}"),
    }
    match fails(
        |t, _, h| h.state(0, t - if t < 3.0 { 0.5 } else { 2.0 }),
        |_, _| {},
    ) {
        Error::BeforeHistory {
            t,
            asked,
            kept_from,
        } => {
            close(t, 3.0, 0.01);
            close(asked, 1.0, 0.01);
            assert!(kept_from > asked && kept_from < 2.01);
        }
        other => panic!("{other}"),
    }
    match fails(|t, _, _| if t < 2.0 { 1.0 } else { f64::NAN }, |_, _| {}) {
        Error::NonFinite {
            t,
            component,
            value,
        } => {
            close(t, 2.0, 1e-12);
            assert!(component == 0 && value.is_nan());
        }
        other => panic!("{other}"),
    }
    match fails(|_, x, _| x * x, |_, _| {}) {
        Error::StepTooSmall { t, step, .. } => {
            close(t, 1.0, 1e-6);
            assert!(step < 1e-12);
        }
        Error::NonFinite { t, .. } => close(t, 1.0, 1e-6),
        other => panic!("{other}"),
    }
    match fails(|_, x, _| -x, |_, options| options.budget = 7) {
        Error::StepBudget { t, steps } => assert!(steps == 7 && t > 0.0 && t < 5.0),
        other => panic!("{other}"),
    }
    let shrinking: fn(f64, f64, &History<'_>) -> f64 =
        |t, _, h| -h.state(0, t - (1.0 - t).max(0.0));
    match fails(shrinking, |_, options| options.overlap = Overlap::Forbid) {
        Error::VanishingDelay { t, delay, .. } => {
            close(t, 1.0, 1e-10);
            assert!(delay < 1e-10);
        }
        other => panic!("{other}"),
    }
    match fails(|_, _, _| 1.0, |problem, _| problem.storm = true) {
        Error::EventStorm { t, fired } => assert!(t == 1.0 && fired >= 1000),
        other => panic!("{other}"),
    }
    match fails(|_, _, _| 1.0, |problem, _| problem.schedule = Some(0.5)) {
        Error::ScheduledInPast { t, asked } => assert_eq!((t, asked), (1.0, 0.5)),
        other => panic!("{other}"),
    }
    match fails(|_, _, _| 1.0, |_, options| options.longest_step = -2.0) {
        Error::BadArgument { value, .. } => assert_eq!(value, -2.0),
        other => panic!("{other}"),
    }
}

#[test]
fn a_delay_that_vanishes_is_no_obstacle_to_iteration() {
    let mut problem = Bare {
        rhs: |t, _, h| -h.state(0, t - (1.0 - t).max(0.0)),
        longest: 2.0,
        storm: false,
        schedule: None,
    };
    // Before t = 1 x is a polynomial between 1 − 2^−k and 1 − 2^−(k+1), as x' = −x(2t − 1): in exact fractions up to k = 25, and
    // along the slope −x(1) from there, x(1) = 0.229809612604. Beyond it decays by e in a second.
    for tolerance in [1e-6, 1e-9, 1e-11] {
        let end = run(&mut problem, &[1.0], (0.0, 2.0), &both(tolerance)).unwrap();
        close(
            end.x[0],
            0.229_809_612_604 / std::f64::consts::E,
            30.0 * tolerance,
        );
    }
}
