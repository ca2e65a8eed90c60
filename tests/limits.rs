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
