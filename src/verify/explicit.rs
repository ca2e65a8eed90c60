//! XCP: its equilibrium on a network, and the integrator's runs.

use super::data::{self, rows};
use super::{Check, Tolerance, law};
use crate::analysis::shuffled_max_min::{Member, Shuffle};
use crate::error::{Error, Result};
use crate::experiments::xcp2002::{Bulk, Protocol, TCP, XCP, shares};
use crate::fluid::{Begin, Flow, Losses, Run, Scenario, Summary, simulate};
use crate::model::WindowLaw;
use crate::network::{Link, XcpRouter};
use std::sync::Arc;

const GROUP: &str = "xcp";

fn shuffle(full: bool) -> Shuffle {
    Shuffle {
        alpha: 0.4,
        gamma: 0.1,
        full,
    }
}

fn member(path: &[usize], weight: f64, most: f64) -> Member {
    Member {
        path: path.to_vec(),
        weight,
        most,
    }
}

/// The parking lot: nine links of 100 Mbit/s, the fifth of 50; `n` flows over all, `n` over each. Mbit/s.
fn parking_lot(n: f64) -> (Vec<f64>, Vec<Member>) {
    let mut capacities = vec![100.0; 9];
    capacities[4] = 50.0;
    let all: Vec<usize> = (0..9).collect();
    let mut members = vec![member(&all, n, f64::INFINITY)];
    members.extend((0..9).map(|l| member(&[l], n, f64::INFINITY)));
    (capacities, members)
}

pub(super) fn equilibrium() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mut check = |what: &str, expected: f64, got: Result<f64>, digits: f64| {
        checks.push(Check::new(
            "xcp-equilibrium",
            what.to_owned(),
            expected,
            "derived from katabi2002 eq. 2, and by an independent integration of it with the least feedback of the path",
            got,
            Tolerance::Absolute(digits),
            "the last printed digit",
        ));
    };
    for (full, rho, cross) in [(false, 0.926_93, 1.353_851), (true, 0.9, 1.3)] {
        let (capacities, members) = parking_lot(50.0);
        let found = shuffle(full).divide(&capacities, &members)?;
        let name = if full { "full shuffle" } else { "equation 2" };
        check(
            &format!("parking lot, {name}: utilisation of links 1 to 4"),
            rho,
            Ok(found.utilisation[0]),
            5e-6,
        );
        check(
            &format!("parking lot, {name}: a cross flow, Mbit/s"),
            cross,
            Ok(found.rates[1] / 50.0),
            5e-7,
        );
        check(
            &format!("parking lot, {name}: a long flow, Mbit/s"),
            0.5,
            Ok(found.rates[0] / 50.0),
            1e-12,
        );
    }
    check(
        "least utilisation of a bottleneck",
        0.8,
        Ok(shuffle(false).least_utilisation()),
        1e-12,
    );
    for (n, long) in [(10.0, 0.131_773), (50.0, 0.054_012), (200.0, 0.026_124)] {
        let members = [member(&[0], n - 1.0, 0.8), member(&[0], 1.0, f64::INFINITY)];
        let found = shuffle(false).divide(&[1.0], &members);
        check(
            &format!("{n} flows, all but one held at 0.8 of the link: the free one's rate"),
            long,
            found.map(|found| found.rates[1]),
            5e-7,
        );
    }
    for (held, rho) in [
        (0.1, 0.901_386),
        (0.2, 0.917_307),
        (0.3, 0.937_899),
        (0.4, 0.964_809),
    ] {
        let members = [member(&[0], 1.0, held), member(&[0], 1.0, f64::INFINITY)];
        let found = shuffle(false).divide(&[1.0], &members);
        check(
            &format!("two flows, one held at {held} of the link: utilisation"),
            rho,
            found.map(|found| found.utilisation[0]),
            5e-7,
        );
    }
    Ok(checks)
}

/// One flow over the parking lot's links and one over each, as a run; packets per second are Mbit/s here times 20.
fn parking_run(full: bool) -> Result<Summary> {
    let (capacities, members) = parking_lot(1.0);
    let links = capacities.iter().enumerate().map(|(l, capacity)| Link {
        name: format!("link {}", l + 1),
        capacity: 20.0 * capacity,
        buffer: 500.0,
        delay: 0.002,
        initial_queue: 0.0,
        queue: Arc::new(XcpRouter {
            full_shuffle: full,
            ..XcpRouter::default()
        }),
    });
    let law: Arc<dyn WindowLaw> = law("xcp")?.into();
    let flows = members.iter().map(|member| Flow {
        begin: Begin::Growing(5.0),
        ..Flow::new("xcp", Arc::clone(&law), member.path.clone(), 0.05)
    });
    simulate(
        &Scenario {
            links: links.collect(),
            flows: flows.collect(),
            losses: Losses::default(),
            run: Run {
                duration: 60.0,
                measure_from: 50.0,
                tolerance: 1e-5,
                ..Run::default()
            },
        },
        &mut (),
    )
}

pub(super) fn runs() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for full in [false, true] {
        let (capacities, members) = parking_lot(1.0);
        let exact = shuffle(full).divide(&capacities, &members)?;
        let run = parking_run(full)?;
        let name = if full { "full shuffle" } else { "equation 2" };
        for l in [0, 3, 4, 5] {
            checks.push(Check::new(
                GROUP,
                format!("fluid, parking lot, {name}: utilisation of link {}", l + 1),
                exact.utilisation[l],
                "constrained max-min",
                Ok(run.links[l].utilisation),
                Tolerance::Absolute(1e-4),
                "the run's tolerance of 1e-5, and what is left of the approach after 1000 round trips",
            ));
        }
    }
    for (mb, rtt) in [
        (1.5, 0.3),
        (1.5, 1.4),
        (6.0, 0.08),
        (155.0, 0.01),
        (155.0, 0.08),
        (155.0, 1.4),
        (4000.0, 0.01),
        (4000.0, 0.08),
        (4000.0, 1.4),
    ] {
        let bulk = Bulk::new(XCP, mb, rtt);
        let link = bulk.run();
        let (busy, drops) = match link {
            Ok(link) => (Ok(link.utilisation), Ok(link.drop_fraction)),
            Err(error) => {
                let text = error.to_string();
                (Err(error), Err(Error::NoAnswer(text)))
            }
        };
        checks.push(Check::new(
            GROUP,
            format!("fluid, 50 flows, {mb} Mbit/s, {rtt} s: utilisation from the 20th round trip"),
            1.0,
            "katabi2002 section 5: near optimal at any capacity and delay",
            busy,
            Tolerance::Absolute(0.01),
            "what was asked for: 99 %",
        ));
        checks.push(Check::new(
            GROUP,
            format!("fluid, 50 flows, {mb} Mbit/s, {rtt} s: share dropped"),
            0.0,
            "katabi2002 section 5: drop rate below 1e-6",
            drops,
            Tolerance::Absolute(1e-6),
            "the paper's own bound",
        ));
    }
    for (mb, rtt) in [(6.0, 0.08), (155.0, 0.08), (155.0, 1.4), (4000.0, 0.08)] {
        let link = Bulk::both_ways(XCP, mb, rtt).run()?;
        for (what, expected, got, allowed, reason) in [
            (
                "utilisation from the 20th round trip",
                1.0,
                link.utilisation,
                0.01,
                "what was asked for: 99 %",
            ),
            (
                "share dropped",
                0.0,
                link.drop_fraction,
                1e-6,
                "the paper's own bound",
            ),
        ] {
            checks.push(Check::new(
                GROUP,
                format!("fluid, 50 flows both ways, {mb} Mbit/s, {rtt} s: {what}"),
                expected,
                "katabi2002 section 5: near optimal at any capacity and delay, no drops",
                Ok(got),
                Tolerance::Absolute(allowed),
                reason,
            ));
        }
    }
    let rtts: Vec<f64> = (0..30).map(|k| 0.04 + 0.01 * f64::from(k)).collect();
    let summary = shares(XCP, &rtts)?;
    let rates = || summary.flows.iter().map(|flow| flow.rate);
    checks.push(Check::new(
        GROUP,
        "fluid, 30 flows, RTT 40 to 330 ms: least over largest rate".into(),
        1.0,
        "katabi2002 section 5.5: equal throughput",
        Ok(rates().fold(f64::INFINITY, f64::min) / rates().fold(0.0, f64::max)),
        Tolerance::Absolute(1e-3),
        "the run's tolerance of 1e-4 and the approach from the start",
    ));
    prices(&mut checks)?;
    ns2(&mut checks)?;
    Ok(checks)
}

fn prices(checks: &mut Vec<Check>) -> Result<()> {
    let mut flows = Vec::new();
    for price in [5, 10, 15] {
        flows.push(Flow {
            begin: Begin::Growing(1.0),
            ..Flow::new(
                "xcp",
                law(&format!("xcp:weight={price}"))?.into(),
                vec![0],
                0.04,
            )
        });
    }
    let summary = simulate(
        &Scenario {
            links: vec![Link {
                name: "link".into(),
                capacity: 1250.0,
                buffer: 50.0,
                delay: 0.0,
                initial_queue: 0.0,
                queue: Arc::new(XcpRouter::default()),
            }],
            flows,
            losses: Losses::default(),
            run: Run {
                duration: 40.0,
                measure_from: 30.0,
                ..Run::default()
            },
        },
        &mut (),
    )?;
    for (flow, (price, expected)) in
        summary
            .flows
            .iter()
            .zip([(5, 10.0 / 6.0), (10, 10.0 / 3.0), (15, 5.0)])
    {
        checks.push(Check::new(
            GROUP,
            format!("fluid, 10 Mbit/s, price {price} of 5, 10 and 15: Mbit/s"),
            expected,
            "katabi2002 section 6: throughput in proportion to the price",
            Ok(flow.rate * 8e-3),
            Tolerance::Relative(1e-5),
            "the run's tolerance and the approach over 750 round trips",
        ));
    }
    Ok(())
}

/// Runs of a packet simulator.
fn ns2(checks: &mut Vec<Check>) -> Result<()> {
    for row in rows(data::NS2_XCP)? {
        let xcp = row.text("queue") == "xcp";
        let protocol: Protocol = if xcp { XCP } else { TCP };
        let bulk = Bulk {
            flows: 20,
            rounds: (150.0, 350.0),
            ..Bulk::new(protocol, row.number("link_mbps")?, 0.08)
        };
        let link = bulk.run()?;
        let name = protocol.name;
        checks.push(Check::new(
            GROUP,
            format!("fluid beside ns-2, {name}, 20 flows: utilisation"),
            row.number("utilisation")?,
            "ns-2.35",
            Ok(link.utilisation),
            Tolerance::Absolute(0.005),
            "whole packets and their rounding leave XCP 0.2 % short in the simulator",
        ));
        let pipe = bulk.pipe();
        checks.push(Check::new(
            GROUP,
            format!("fluid beside ns-2, {name}, 20 flows: mean queue over bandwidth x delay"),
            row.number("mean_queue_bytes")? / (1000.0 * pipe),
            "ns-2.35",
            Ok(link.queue_mean / pipe),
            Tolerance::Absolute(0.25),
            "the simulator's losses are in part synchronised and it has timeouts: its queue empties more often than a fluid's; XCP's is 2 packets there and none here",
        ));
    }
    Ok(())
}
