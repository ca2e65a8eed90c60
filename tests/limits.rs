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
