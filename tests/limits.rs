//! Receive windows, least windows, and what happens within one instant.
#![cfg(feature = "files")]
#![allow(missing_docs, clippy::unwrap_used)]

mod runs;

use cwnd::files::read_scenario;
use cwnd::fluid::{Summary, simulate};
use runs::close;

fn summary(text: &str, seed: Option<u64>) -> Summary {
    let staged = read_scenario("here", text, seed).unwrap();
    simulate(&staged.scenario, &mut ()).unwrap()
}

fn window(text: &str, flow: usize) -> f64 {
    summary(text, None).flows[flow].window.unwrap()
}

fn refused(text: &str) -> String {
    read_scenario("here", text, None).unwrap_err().to_string()
}

// ---- one instant ---------------------------------------------------------------------------------

/// Two flows lose together, and their round trips end a few units in the last place apart: both are awake afterwards. A
/// synchronised pair shares the 50 + 30 packets that the link holds, and each window lies between half its share and all of it.
#[test]
fn two_flows_that_wake_in_one_instant_both_wake() {
    let text = r#"
[link]
capacity = "12Mbit/s"
buffer = "30pkt"
[[flow]]
law = "reno"
rtt = "50ms"
[[flow]]
law = "reno"
rtt = "50.00000000012ms"
[loss]
sync = "all"
[run]
duration = "200s"
tolerance = 1e-4
"#;
    let summary = summary(text, None);
    for flow in &summary.flows {
        let window = flow.window.unwrap();
        assert!((20.0..40.0).contains(&window), "{window}");
        assert!(flow.loss_events > 100);
    }
    assert!(summary.links[0].drop_fraction < 0.01);
}

/// Two losses whose reactions overlap: the window stands still for the whole rest after the second, not till the end of the first
/// one's. Events tell when: each rest lasts two round trips.
#[test]
fn a_rest_ends_when_the_last_one_does() {
    let text = r#"
[link]
capacity = "2000pkt/s"
buffer = "20pkt"
queue = "constant-loss:p=1%"
[[flow]]
law = "reno"
rtt = "100ms"
slow_start = false
[loss]
refractory = "0.1rtt"
recovery = "2rtt"
[run]
duration = "400s"
"#;
    let staged = read_scenario("here", text, None).unwrap();
    let mut tape = runs::Tape {
        every: Some(0.01),
        ..runs::Tape::default()
    };
    simulate(&staged.scenario, &mut tape).unwrap();
    let reactions = runs::of(&tape, cwnd::fluid::What::Reaction);
    let overlapping = (reactions.windows(2)).filter(|pair| pair[1].time - pair[0].time < 0.19);
    let mut looked_at = 0;
    for pair in overlapping {
        // The same window at the end of the second rest as right after its reaction, unless a third one came.
        let (from, to) = (pair[1].time, pair[1].time + 0.19);
        if reactions.iter().any(|r| r.time > from && r.time <= to) {
            continue;
        }
        let last = tape.samples.iter().rfind(|s| s.0 > from && s.0 < to);
        close(last.unwrap().1[0], pair[1].after, 1e-9);
        looked_at += 1;
    }
    assert!(looked_at > 10, "{looked_at}");
}

// ---- receive windows -----------------------------------------------------------------------------

/// A law that shrinks without a loss leaves its receive window, and comes back to it when the rival is gone.
#[test]
fn laws_that_shrink_of_themselves_come_back_to_their_receive_window() {
    let fast = r#"
[link]
capacity = "12Mbit/s"
buffer = "1000pkt"
[[flow]]
law = "fast:alpha=20"
rtt = "100ms"
receive_window = "60pkt"
[[flow]]
law = "fast:alpha=200"
rtt = "100ms"
start = "20s"
stop = "60s"
slow_start = false
[run]
duration = "120s"
measure_from = "90s"
"#;
    close(window(fast, 0), 60.0, 1e-6);
    // While both are there they queue 20 and 200 packets, so the first has less than its receive window of the link's 100.
    let both = fast.replace("\"120s\"", "\"60s\"").replace("90s", "50s");
    assert!(window(&both, 0) < 40.0);
    let vegas = r#"
[link]
capacity = "1000pkt/s"
buffer = "300pkt"
[[flow]]
law = "vegas"
rtt = "50ms"
receive_window = "30pkt"
[[flow]]
law = "constant-rate:rate=900pkt/s"
rtt = "50ms"
start = "10s"
stop = "40s"
[run]
duration = "100s"
measure_from = "80s"
"#;
    close(window(vegas, 0), 30.0, 1e-6);
    let xcp = r#"
[link]
capacity = "12Mbit/s"
buffer = "100pkt"
queue = "xcp"
[[flow]]
law = "xcp"
rtt = "50ms"
count = 3
receive_window = "5pkt"
[[flow]]
law = "xcp"
rtt = "50ms"
count = 20
start = "5s"
stop = "10s"
[run]
duration = "30s"
measure_from = "20s"
"#;
    close(window(xcp, 0), 5.0, 1e-6);
}

/// What a loss leaves of a window is not at the receive window, and grows to it.
#[test]
fn a_flow_that_begins_after_a_loss_grows_to_its_receive_window() {
    let text = r#"
[[flow]]
law = "reno"
rtt = "100ms"
receive_window = "20pkt"
[run]
duration = "20s"
measure_from = "15s"
"#;
    let mut staged = read_scenario("here", text, None).unwrap();
    staged.scenario.flows[0].begin = cwnd::fluid::Begin::AfterLoss(30.0);
    let summary = simulate(&staged.scenario, &mut ()).unwrap();
    close(summary.flows[0].window.unwrap(), 20.0, 1e-9);
}

/// Under a stream of losses a window that would grow beyond the receiver's stands there: 20 of sqrt(2/p) = 44.7 packets. One
/// that would not never meets it: sqrt(2/p) = 14.1, in slow start too.
#[test]
fn a_stream_of_losses_does_not_push_a_window_off_its_receive_window() {
    let text = |p: f64, cap: f64, slow_start: bool| {
        format!(
            "[[flow]]\nlaw = \"reno\"\nrtt = \"100ms\"\nreceive_window = \"{cap}pkt\"\nslow_start = {slow_start}\n[loss]\nrate = {p}\nprocess = \"mean-field\"\n[run]\nduration = \"300s\"\nmeasure_from = \"200s\"\n"
        )
    };
    for slow_start in [false, true] {
        close(window(&text(1e-3, 20.0, slow_start), 0), 20.0, 1e-5);
        close(
            window(&text(1e-2, 50.0, slow_start), 0),
            200f64.sqrt(),
            1e-5,
        );
    }
}

/// Half of all packets lost leave Reno sqrt(2/0.5) = 2 packets, unless the least window is larger.
#[test]
fn a_stream_of_losses_stops_at_the_least_window() {
    let text = |least: f64| {
        format!(
            "[[flow]]\nlaw = \"reno\"\nrtt = \"100ms\"\nslow_start = false\n[loss]\nrate = 0.5\nprocess = \"mean-field\"\nleast_window = \"{least}pkt\"\n[run]\nduration = \"60s\"\nmeasure_from = \"40s\"\n"
        )
    };
    close(window(&text(1.0), 0), 2.0, 1e-5);
    close(window(&text(3.0), 0), 3.0, 1e-5);
}

/// Beside three flows without limit at a RED link, one stands at five packets all the time.
#[test]
fn a_receive_window_holds_at_a_red_link_under_a_stream_of_losses() {
    let text = r#"
[link]
capacity = "12Mbit/s"
buffer = "200pkt"
queue = "red"
[[flow]]
law = "reno"
rtt = "50ms"
count = 3
[[flow]]
law = "reno"
rtt = "50ms"
receive_window = "5pkt"
slow_start = false
[loss]
process = "mean-field"
[run]
duration = "100s"
measure_from = "50s"
"#;
    close(window(text, 3), 5.0, 1e-3);
}

#[test]
fn traffic_that_does_not_answer_has_no_window() {
    let text = |line: &str| {
        format!(
            "[link]\ncapacity = \"12Mbit/s\"\n[[flow]]\nlaw = \"constant-rate:rate=500pkt/s\"\nrtt = \"100ms\"\n{line}\n[run]\nduration = \"5s\"\n"
        )
    };
    for (line, key) in [
        ("receive_window = \"20pkt\"", "receive_window"),
        ("initial_window = \"20pkt\"", "initial_window"),
        ("slow_start = false", "slow_start"),
    ] {
        let error = refused(&text(line));
        assert!(error.contains("line 6") && error.contains(key), "{error}");
        assert!(error.contains("does not answer"), "{error}");
    }
    let mut staged = read_scenario("here", &text(""), None).unwrap();
    assert!(staged.scenario.check().is_ok());
    staged.scenario.flows[0].receive_window = Some(20.0);
    let error = staged.scenario.check().unwrap_err().to_string();
    assert!(error.contains("receive window"), "{error}");
}

// ---- loads ---------------------------------------------------------------------------------------

/// 21 s, 42 s and 161 s are whole numbers of intervals of 0.7 s, which a quotient of doubles exceeds.
#[test]
fn a_load_fills_a_whole_number_of_intervals() {
    let web = cwnd::fluid::Web {
        interval: 0.7,
        ..cwnd::fluid::Web::new(200.0, 100.0)
    };
    for duration in [21.0, 42.0, 84.0, 161.0, 20.9] {
        let cwnd::fluid::Sender::Changing(steps) = web.over(duration, 1, 0).unwrap() else {
            unreachable!()
        };
        assert_eq!(steps.len(), (duration / 0.7 - 1e-9).ceil() as usize);
        assert!(
            steps
                .iter()
                .all(|(t, rate)| *t < duration && rate.is_finite())
        );
    }
}

#[test]
fn a_key_of_traffic_is_given_once() {
    let text = "[link]\ncapacity = \"1000pkt/s\"\n[[flow]]\nlaw = \"constant-rate:rate=200pkt/s,rate=300pkt/s\"\nrtt = \"100ms\"\n[run]\nduration = \"5s\"\n";
    let error = refused(text);
    assert!(error.contains("`rate` is given twice"), "{error}");
    let error = refused(&text.replace("constant-rate:", "web:access=1Mbit/s,"));
    assert!(error.contains("`rate` is given twice"), "{error}");
}

/// Traffic that leaves nothing to share is a question of sharing only: 2000 of 1000 packets/s lose half.
#[test]
fn an_overloaded_link_runs_unless_a_fair_share_is_asked_for() {
    let text = "[link]\ncapacity = \"1000pkt/s\"\nbuffer = \"30pkt\"\n[[flow]]\nlaw = \"constant-rate:rate=2000pkt/s\"\nrtt = \"100ms\"\n[run]\nduration = \"5s\"\n";
    let staged = read_scenario("here", text, None).unwrap();
    assert!(cwnd::what_if::fair(&staged, &[]).unwrap().is_empty());
    let error = cwnd::what_if::fair(&staged, &[1.0]).unwrap_err();
    assert!(error.to_string().contains("fairly"), "{error}");
}

// ---- links down the path -------------------------------------------------------------------------

/// Lengths of the queue over the last fifth of a run with a RED link `forward` ms down the path.
fn swing(forward: f64, reaction: &str) -> (f64, f64) {
    let text = format!(
        r#"
[links.a]
capacity = "1Gbit/s"
buffer = "10000pkt"
delay = "{forward}ms"
[links.b]
capacity = "375pkt/s"
buffer = "200pkt"
queue = "red:min=13.2pkt,max=80pkt,max_p=0.1,weight=0.9"
initial_queue = "17pkt"
[[flow]]
law = "reno"
count = 6
path = ["a", "b"]
rtt = "200ms"
slow_start = false
initial_window = "15pkt"
[loss]
process = "mean-field"
{reaction}
[run]
duration = "100s"
tolerance = 1e-4
"#
    );
    let staged = read_scenario("here", &text, None).unwrap();
    let mut tape = runs::Tape {
        every: Some(0.05),
        ..runs::Tape::default()
    };
    simulate(&staged.scenario, &mut tape).unwrap();
    let late = tape.samples.iter().filter(|s| s.0 > 80.0);
    late.map(|s| s.2[1])
        .fold((f64::INFINITY, 0.0), |(low, high), q| {
            (low.min(q), f64::max(high, q))
        })
}

/// The loop is one round trip long wherever on the path the link lies: 18 % below the critical slope of RED it settles, at
/// 18.7 packets: W = 375 (0.2 + 18.7/375)/6 = 15.6 and p = 2/W² = 0.0082 = 1.497e-3 (18.7 − 13.2).
#[test]
fn a_link_farther_down_the_path_does_not_lengthen_the_loop() {
    for forward in [0.0, 25.0, 50.0] {
        let (low, high) = swing(forward, "");
        assert!(high - low < 0.5, "{forward} ms: {low} to {high}");
        assert!((high + low - 37.4).abs() < 0.2, "{low} to {high}");
    }
}

/// A reaction that would come sooner than the packet reaches the link comes when it does.
#[test]
fn losses_down_the_path_are_not_answered_before_they_happen() {
    let after = |reaction: &str| swing(50.0, &format!("reaction = \"{reaction}\""));
    let ((low, high), (other, _)) = (after("10ms"), after("40ms"));

    assert!(high - low < 1e-3, "{low} to {high}");
    close(low, other, 1e-4);
}

/// A full link down the path reads what was sent a reaction and the way there ago.
#[test]
fn the_history_reaches_as_far_as_losses_down_the_path() {
    let text = r#"
[links.a]
capacity = "1Gbit/s"
buffer = "10pkt"
delay = "50ms"
[links.b]
capacity = "12Mbit/s"
buffer = "20pkt"
delay = "1ms"
[[flow]]
law = "reno"
rtt = "110ms"
path = ["a", "b"]
[[flow]]
law = "reno"
rtt = "110ms"
path = ["b"]
[loss]
process = "mean-field"
[run]
duration = "60s"
measure_from = "20s"
"#;
    let summary = summary(text, None);
    assert!(summary.links[1].utilisation > 0.9);
    let rates: f64 = summary.flows.iter().map(|flow| flow.rate).sum();
    close(rates, 1000.0 * summary.links[1].utilisation, 1e-2);
}

/// Overload at the second link from 20 s on: the first packets lost there entered the first link, where a packet waits 100 ms,
/// that long before, and so the sender learns of it after 200 ms − 100 ms − 10 ms, not after 190 ms.
#[test]
fn a_wait_on_the_way_to_a_link_is_part_of_the_way() {
    let text = r#"
[links.a]
capacity = "1000pkt/s"
buffer = "1000pkt"
delay = "10ms"
[links.b]
capacity = "1500pkt/s"
buffer = "0pkt"
[[flow]]
law = "reno"
rtt = "100ms"
path = ["a", "b"]
receive_window = "200pkt"
[[flow]]
law = "constant-rate:rate=1000pkt/s"
rtt = "100ms"
path = ["b"]
start = "20s"
[loss]
process = "mean-field"
[run]
duration = "21s"
"#;
    let staged = read_scenario("here", text, None).unwrap();
    let mut tape = runs::Tape {
        every: Some(0.001),
        ..runs::Tape::default()
    };
    simulate(&staged.scenario, &mut tape).unwrap();
    let before = tape.samples.iter().rfind(|s| s.0 < 20.0).unwrap();
    close(before.1[0], 200.0, 1e-6);
    close(before.2[0], 100.0, 1e-3);
    let first = tape.samples.iter().find(|s| s.0 > 20.0 && s.1[0] < 199.0);
    let after = first.unwrap().0 - 20.0;
    assert!((after - 0.09).abs() < 0.002, "{after} s");
}

// ---- PIE without what it dropped -----------------------------------------------------------------

/// The queue stands at half the target while arrivals lie between C and C/(1 − p): nothing chatters there. Crossing by
/// crossing this run took 74 721 steps at seed 1, and flows of four of the seeds stayed blind to their losses.
#[test]
fn pie_that_keeps_dropped_packets_out_is_held_at_half_its_target() {
    let text = r#"
[link]
capacity = "12Mbit/s"
buffer = "1000pkt"
queue = "pie:carried=1"
[[flow]]
law = "reno"
rtt = "50ms"
count = 5
[run]
duration = "20s"
tolerance = 1e-4
"#;
    for seed in 1..=18 {
        let summary = summary(text, Some(seed));
        assert!(summary.links[0].drop_fraction < 0.05, "{seed}");
        let windows = summary.flows.iter().map(|flow| flow.window.unwrap());
        assert!(windows.fold(0.0, f64::max) < 20.0, "{seed}");
        assert!(summary.steps < 10_000, "{seed}: {} steps", summary.steps);
    }
}

/// Constant traffic of 1020 packets/s at a link of 1000. While p is more than 1 − 1000/1020 the queue stands at half the target,
/// 7.5 packets, and p falls at its gain times 0.125 · 7.5 ms/15 ms a second; then the queue comes to the target, p to 0.0196.
#[test]
fn constant_traffic_holds_pie_at_half_its_target() {
    let text = r#"
[link]
capacity = "1000pkt/s"
buffer = "1000pkt"
queue = "pie:carried=1"
initial_queue = "100pkt"
[[flow]]
law = "constant-rate:rate=1020pkt/s"
rtt = "100ms"
[run]
duration = "60s"
measure_from = "50s"
"#;
    let staged = read_scenario("here", text, None).unwrap();
    let mut tape = runs::Tape {
        every: Some(0.05),
        ..runs::Tape::default()
    };
    let summary = simulate(&staged.scenario, &mut tape).unwrap();
    let at_half = tape.samples.iter().filter(|s| (s.2[0] - 7.5).abs() < 1e-9);
    assert!(at_half.count() > 20);
    close(summary.links[0].queue_mean, 15.0, 1e-4);
    close(summary.links[0].drop_fraction, 20.0 / 1020.0, 1e-4);
    assert!(summary.steps < 2000, "{} steps", summary.steps);
}

/// PI2 drops the square of its variable: 1200 packets/s at a link of 1000 are brought to the target, 15 packets, with p'² = 1/6
/// where dropped packets stay out, and where they wait with the others the variable rises to 1.
#[test]
fn pi2_that_keeps_dropped_packets_out_brings_constant_traffic_to_its_target() {
    let text = r#"
[link]
capacity = "1000pkt/s"
buffer = "1000pkt"
queue = "pi2:carried=1"
[[flow]]
law = "constant-rate:rate=1200pkt/s"
rtt = "100ms"
[run]
duration = "60s"
measure_from = "50s"
"#;
    let link = &summary(text, None).links[0];
    close(link.queue_mean, 15.0, 1e-4);
    close(link.drop_fraction, 1.0 / 6.0, 1e-4);
    let link = &summary(&text.replace(":carried=1", ""), None).links[0];
    assert!(link.queue_mean > 900.0, "{}", link.queue_mean);
}

/// Below half the target p is held at 0.2 where without drops it would rise, and with them fall. Crossing by crossing this run
/// did not come past its third second.
#[test]
fn pie_that_keeps_dropped_packets_out_is_held_where_it_begins_to_spare() {
    let text = r#"
[link]
capacity = "12Mbit/s"
buffer = "1000pkt"
queue = "pie:carried=1"
initial_queue = "100pkt"
[[flow]]
law = "reno"
rtt = "100ms"
count = 10
[[flow]]
law = "constant-rate:rate=900pkt/s"
rtt = "100ms"
stop = "30s"
[run]
duration = "60s"
measure_from = "40s"
"#;
    let summary = summary(text, None);
    assert!(summary.steps < 20_000, "{} steps", summary.steps);
    assert!(summary.links[0].utilisation > 0.95);
    assert!(summary.links[0].drop_fraction < 0.05);
}

/// A queue that has left half the target upwards and comes back to it meets it as an event. A step that looked across the jump of
/// the drop probability used to see both sides of it, shrank to nanoseconds and never met the threshold: 510 793 steps.
#[test]
fn a_queue_comes_back_to_half_the_target_of_pie() {
    let text = r#"
[link]
capacity = "10Mbit/s"
buffer = "200pkt"
queue = "pie:carried=1"
[[flow]]
law = "reno"
rtt = "50ms"
count = 2
[[flow]]
law = "constant-rate:rate=9Mbit/s"
rtt = "50ms"
[run]
duration = "20s"
"#;
    for seed in 1..=6 {
        let summary = summary(text, Some(seed));
        assert!(summary.steps < 5000, "{seed}: {} steps", summary.steps);
        assert!(summary.links[0].utilisation > 0.9, "{seed}");
    }
}
