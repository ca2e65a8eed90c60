//! Every check of `cwnd verify`, group by group.

fn all_pass(name: &str) {
    let groups = cwnd::verify::select(&[name.to_owned()], false).unwrap();
    let checks = (groups[0].run)().unwrap();
    assert!(!checks.is_empty());
    let failed: Vec<String> = checks
        .iter()
        .filter(|c| !c.passed)
        .map(|c| {
            format!(
                "{}: expected {}, got {:?} {:?}",
                c.what, c.expected, c.got, c.failure
            )
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        checks.len(),
        failed.join("\n")
    );
}

macro_rules! groups {
    ($($test:ident = $name:literal),+ $(,)?) => {
        $(#[test] fn $test() { all_pass($name); })+

        #[test]
        fn every_group_has_a_test() {
            let tested = [$($name),+];
            for group in cwnd::verify::GROUPS.iter().filter(|group| !group.slow) {
                assert!(tested.contains(&group.name), "the group {} is not tested", group.name);
            }
        }
    };
}

groups! {
    lambert = "lambert",
    closed_forms = "closed-forms",
    constants = "constants",
    rfc3649 = "rfc3649",
    bic_table = "bic-table",
    bic_claims = "bic-claims",
    epoch = "epoch",
    sawtooth = "sawtooth",
    roads_differ = "roads-differ",
    inverse = "inverse",
    ack = "ack",
    tcp_red = "tcp-red",
    fluid = "fluid",
    two_flows = "two-flows",
    bic2004 = "bic2004",
    modern_forms = "modern-forms",
    rfc9438 = "rfc9438",
    tfrc = "tfrc",
    pftk = "pftk",
    epoch_modern = "epoch-modern",
    ns2 = "ns2",
    kernel = "kernel",
    rtt_exponents = "rtt-exponents",
    synchronised_ratios = "synchronised-ratios",
    queue_equilibria = "queue-equilibria",
    sawtooth_use = "sawtooth-use",
    cubic_beside_reno = "cubic-beside-reno",
    convergence = "convergence",
    fair_allocations = "fair-allocations",
    loops = "loops",
    loop_roads = "loop-roads",
    loop_boundaries = "loop-boundaries",
    westwood_forms = "westwood-forms",
    westwood = "westwood",
    bandwidth_filter = "bandwidth-filter",
    easy_red = "easy-red",
    xcp_equilibrium = "xcp-equilibrium",
    xcp = "xcp",
    fast = "fast",
    aqm = "aqm",
    westwood_ns2 = "westwood-ns2",
    slow_links = "slow-links",
    ack_modern = "ack-modern",
}

#[test]
fn a_wrong_value_fails() {
    use cwnd::verify::{Check, Tolerance};
    let check =
        |got, tolerance| Check::new("x", String::new(), 2.0, "", Ok(got), tolerance, "").passed;
    assert!(check(2.0, Tolerance::Absolute(0.0)));
    assert!(!check(2.001, Tolerance::Absolute(1e-4)));
    assert!(check(2.001, Tolerance::Relative(1e-3)));
    assert!(!check(2.003, Tolerance::Relative(1e-3)));
    assert!(!check(f64::NAN, Tolerance::Relative(1.0)));
}
