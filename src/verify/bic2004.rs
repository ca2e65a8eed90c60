//! What the BIC paper says about its simulations, as orderings with margins that every seed must show.

use super::{Check, Tolerance};
use crate::error::{Error, Result};
use crate::experiments::bic2004::{
    Classes, Convergence, Friendliness, Overflow, PROTOCOLS, Pair, Phase, Protocol, Router, Shares,
    Synchronisation, Synchrony, lost_in_overflow, modes,
};
use crate::experiments::{SEEDS, each_seed, ns2};
use crate::fluid::Sync as Losers;

const PAPER: &str = "xu2004";
const EVERY: &str = "an ordering with its margin: every seed must show it";
// Numbers that the text prints as "almost" or "about", from a packet simulator with details that the paper leaves open (buffer, background,
// loss recovery).
const STEEP: &str = "617 over ten seeds, 529 to 759: the buffer is a guess, and the ratio follows it (bic2004-buffer)";
const GUESSED: &str = "130 over ten seeds, 107 to 157: the buffer is a guess, and the ratio follows it (bic2004-buffer)";
const COUNTED: &str = "0.32 and 0.81 here: who loses in one overflow is drawn for each flow over a round trip, and the paper does not say how long an interval is";
const NO_BURSTS: &str = "all of the link here: a fluid has no bursts and loses no acknowledgements";
const ROUNDED: &str = "two digits that the text calls about; the fluid lies within 0.017 of them";

const AIMD: Protocol = PROTOCOLS[0];
const STCP: Protocol = PROTOCOLS[2];

/// Checks of one group.
struct Claims {
    group: &'static str,
    checks: Vec<Check>,
}

impl Claims {
    /// In how many of the seeds `holds`; expected: in all.
    fn all(&mut self, what: &str, source: &str, seeds: usize, holds: impl Fn(usize) -> bool) {
        let got = (0..seeds).filter(|seed| holds(*seed)).count();
        self.checks.push(Check::new(
            self.group,
            format!("{what}: seeds that show it"),
            seeds as f64,
            format!("{PAPER}, {source}"),
            Ok(got as f64),
            Tolerance::Absolute(0.0),
            EVERY,
        ));
    }

    fn printed(
        &mut self,
        what: &str,
        source: &str,
        expected: f64,
        got: f64,
        tolerance: Tolerance,
        reason: &'static str,
    ) {
        self.checks.push(Check::new(
            self.group,
            what.to_owned(),
            expected,
            format!("{PAPER}, {source}"),
            Ok(got),
            tolerance,
            reason,
        ));
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), x| (sum + x, count + 1.0));
    sum / count
}

/// Runs of the four protocols in their order.
fn four<R: Send>(
    seeds: &[u64],
    run: impl Fn(Protocol, u64) -> Result<R> + Sync,
) -> Result<[Vec<R>; 4]> {
    each_seed(&PROTOCOLS, seeds, |protocol, seed| run(*protocol, seed))?
        .try_into()
        .map_err(|_| Error::NoAnswer("not four protocols".into()))
}

fn table(
    seeds: &[u64],
    capacity: f64,
    router: Router,
    inverse: f64,
    buffer: Option<f64>,
) -> Result<[Vec<Shares>; 4]> {
    four(seeds, |protocol, seed| {
        let mut pair = Pair::new(protocol, capacity, router, inverse);
        pair.setup.buffer_s = buffer.unwrap_or(pair.setup.buffer_s);
        pair.run(seed)
    })
}

fn table_1(claims: &mut Claims, seeds: &[u64]) -> Result<()> {
    let n = seeds.len();
    let [aimd, hstcp, stcp, bic] = table(seeds, 2.5e9, Router::DropTail, 6.0, None)?;
    claims.all(
        "2.5 Gbit/s, 40/240 ms: STCP's ratio at least 3 times HSTCP's",
        "table 1",
        n,
        |k| stcp[k].ratio >= 3.0 * hstcp[k].ratio,
    );
    claims.all(
        "2.5 Gbit/s, 40/240 ms: HSTCP's ratio at least 4 times AIMD's",
        "table 1",
        n,
        |k| hstcp[k].ratio >= 4.0 * aimd[k].ratio,
    );
    claims.all(
        "2.5 Gbit/s, 40/240 ms: BIC's ratio at most 4 times AIMD's and at most 0.7 of HSTCP's",
        "tables 1 and 3",
        n,
        |k| bic[k].ratio <= 4.0 * aimd[k].ratio && bic[k].ratio <= 0.7 * hstcp[k].ratio,
    );
    claims.printed(
        "2.5 Gbit/s, 40/240 ms: STCP's ratio (\"almost 400\")",
        "section IV",
        400.0,
        mean(stcp.iter().map(|run| run.ratio)),
        Tolerance::Relative(0.6),
        STEEP,
    );
    claims.printed(
        "2.5 Gbit/s, 40/240 ms: HSTCP's ratio (\"about 100\")",
        "section IV",
        100.0,
        mean(hstcp.iter().map(|run| run.ratio)),
        Tolerance::Relative(0.5),
        GUESSED,
    );
    let square = |run: &Shares| ((0.24 + run.wait) / (0.04 + run.wait)).powi(2);
    claims.checks.push(Check::new(
        claims.group,
        "2.5 Gbit/s, 40/240 ms: AIMD's ratio, against the square of the ratio of round trips with the mean queue".into(),
        mean(aimd.iter().map(square)),
        format!("{PAPER}, table 1: \"quadratic\""),
        Ok(mean(aimd.iter().map(|run| run.ratio))),
        Tolerance::Relative(0.1),
        "losses that mostly but not always hit both, and a queue that is not always at its mean",
    ));
    Ok(())
}

/// The growth of windows in figure 5 and the packets lost in an overflow.
fn single(claims: &mut Claims, seeds: &[u64]) -> Result<()> {
    let run = modes(1)?;
    let shown = [Phase::Additive, Phase::Search, Phase::SlowStart]
        .iter()
        .filter(|phase| run.longest(**phase, (22.0, 120.0)).is_some())
        .count();
    claims.checks.push(Check::new(
        claims.group,
        "two BIC flows: modes shown besides fast convergence".into(),
        3.0,
        format!("{PAPER}, figure 5"),
        Ok(shown as f64 * f64::from(u8::from(!run.lowered.is_empty()))),
        Tolerance::Absolute(0.0),
        "a count",
    ));
    for (protocol, capacity) in [(AIMD, 500e6), (AIMD, 2.5e9), (STCP, 500e6), (STCP, 2.5e9)] {
        let runs = each_seed(&[Overflow::new(protocol, capacity)], seeds, Overflow::run)?;
        let runs: Vec<_> = runs.into_iter().flatten().flatten().collect();
        let increment = mean(runs.iter().map(|run| run.increment));
        claims.checks.push(Check::new(
            claims.group,
            format!(
                "{} at {} Mbit/s: packets lost in one loss event",
                protocol.name,
                capacity / 1e6
            ),
            lost_in_overflow(increment),
            "1 + 3a/2 + ∫ exp(−u − u²/2a) du, own derivation",
            Ok(mean(runs.iter().map(|run| run.lost))),
            Tolerance::Relative(0.02),
            "the round trip still grows a little with the window and the window of Scalable by one percent a round",
        ));
    }
    Ok(())
}

/// Cheap: three seeds of table 1, the modes, overflows, and RTT fairness against ns-2.
pub(super) fn quick() -> Result<Vec<Check>> {
    let mut claims = Claims {
        group: "bic2004",
        checks: Vec::new(),
    };
    table_1(&mut claims, &SEEDS[..3])?;
    single(&mut claims, &SEEDS[..3])?;
    for case in ns2::measured()? {
        let share = |sync: Losers| -> Result<f64> {
            let case = std::slice::from_ref(&case);
            let runs = each_seed(case, &SEEDS[..3], |case, seed| case.fluid(sync, seed))?;
            Ok(mean(runs.iter().flatten().map(|r| r[0] / (r[0] + r[1]))))
        };
        let (one, all) = (share(Losers::One)?, share(Losers::All)?);
        let [rtt, other] = case.rtts.map(|rtt| 1e3 * rtt);
        claims.checks.push(Check::new(
            claims.group,
            format!(
                "{} {rtt:.0}/{other:.0} ms at 100 Mbit/s: share of flow 1, drawn into what the fluid gives when one and when all lose",
                case.law
            ),
            case.share(),
            "ns-2.35, one run",
            Ok(case.share().clamp(one.min(all), one.max(all))),
            Tolerance::Absolute(0.05),
            "one run of the simulator: its two flows with equal round trips differ by up to 0.02 from a half, and a lone overflow lasts tens of seconds",
        ));
    }
    Ok(claims.checks)
}

fn synchronisation(claims: &mut Claims) -> Result<()> {
    let capacities = [100e6, 500e6, 2.5e9];
    let measure = |router: Router| -> Result<Vec<Vec<Synchrony>>> {
        let cases = capacities.map(|capacity| Synchronisation::new(capacity, router));
        each_seed(&cases, &SEEDS, Synchronisation::run)
    };
    let (tail, red) = (measure(Router::DropTail)?, measure(Router::Red)?);
    let n = SEEDS.len();
    let source = "figure 2";
    claims.all(
        "synchronisation at 50 %, drop tail: 500 Mbit/s at least 0.2 and 2.5 Gbit/s at least 0.4 above 100 Mbit/s",
        source,
        n,
        |k| {
            let at = |c: usize| tail[c][k].ratios[1];
            at(1) >= at(0) + 0.2 && at(2) >= at(0) + 0.4
        },
    );
    claims.all(
        "synchronisation at 50 %, RED: at most 0.1 up to 500 Mbit/s",
        source,
        n,
        |k| red[0][k].ratios[1].max(red[1][k].ratios[1]) <= 0.1,
    );
    claims.all(
        "synchronisation at 50 %, 2.5 Gbit/s: RED at most a third of drop tail",
        source,
        n,
        |k| red[2][k].ratios[1] <= tail[2][k].ratios[1] / 3.0,
    );
    claims.printed(
        "synchronisation at 50 %, drop tail, 100 Mbit/s",
        source,
        0.23,
        mean(tail[0].iter().map(|run| run.ratios[1])),
        Tolerance::Absolute(0.12),
        COUNTED,
    );
    claims.printed(
        "synchronisation at 50 %, drop tail, 2.5 Gbit/s",
        source,
        0.6,
        mean(tail[2].iter().map(|run| run.ratios[1])),
        Tolerance::Absolute(0.25),
        COUNTED,
    );
    Ok(())
}

fn convergence(claims: &mut Claims) -> Result<()> {
    let n = SEEDS.len();
    for (router, source) in [(Router::DropTail, "figure 10"), (Router::Red, "figure 11")] {
        let [aimd, hstcp, stcp, bic] = four(&SEEDS, |protocol, seed| {
            Convergence::new(protocol, router).run(seed)
        })?;
        // The first slice from which the index stays at 0.95 or more; both later flows have started in the second.
        let reached = |run: &[f64]| {
            run.iter()
                .rposition(|index| *index < 0.95)
                .map_or(0, |k| k + 1)
        };
        let early = |runs: &[Vec<f64>]| mean(runs.iter().flat_map(|run| run[1..3].iter().copied()));
        let name = router.name();
        if router == Router::DropTail {
            claims.all(
                "fairness of 0.95, drop tail: AIMD and BIC reach it within 150 s after the last start and not after HSTCP, STCP never",
                source,
                n,
                |k| {
                    let first = reached(&aimd[k]).max(reached(&bic[k]));
                    let stcp = reached(&stcp[k]);
                    first <= 3 && first <= reached(&hstcp[k]) && stcp == aimd[k].len()
                },
            );
            claims.all(
                "fairness from 150 to 250 s, drop tail, mean of all seeds: AIMD and BIC at least 0.03 above HSTCP, HSTCP at least 0.3 above STCP",
                source,
                1,
                |_| {
                    early(&aimd).min(early(&bic)) >= early(&hstcp) + 0.03
                        && early(&hstcp) >= early(&stcp) + 0.3
                },
            );
            claims.all(
                "fairness in the last slice, drop tail: AIMD, BIC and HSTCP at least 0.95, STCP at most 0.8",
                source,
                n,
                |k| {
                    let last = |run: &[f64]| run[run.len() - 1];
                    let others = last(&aimd[k]).min(last(&bic[k])).min(last(&hstcp[k]));
                    others >= 0.95 && last(&stcp[k]) <= 0.8
                },
            );
        } else {
            claims.all(
                &format!("fairness from 200 s on, {name}: every protocol at least 0.9"),
                source,
                n,
                |k| {
                    let late = |run: &[f64]| mean(run[2..].iter().copied());
                    let all = [&aimd[k], &hstcp[k], &stcp[k], &bic[k]];
                    all.iter().all(|run| late(run) >= 0.9)
                },
            );
            let least = |run: &[f64]| run[3..].iter().copied().fold(1.0, f64::min);
            claims.all(
                &format!("least fairness from 250 s on, {name}: HSTCP below AIMD and BIC"),
                source,
                n,
                |k| least(&hstcp[k]) < least(&aimd[k]).min(least(&bic[k])),
            );
            let all = |runs: &[Vec<f64>]| mean(runs.iter().map(|run| least(run)));
            claims.all(
                &format!("least fairness from 250 s on, {name}, mean of all seeds: HSTCP at least 0.01 below every other"),
                source,
                1,
                |_| all(&hstcp) + 0.01 <= all(&aimd).min(all(&bic)).min(all(&stcp)),
            );
        }
    }
    Ok(())
}

fn friendliness(claims: &mut Claims) -> Result<()> {
    let n = SEEDS.len();
    let at = |capacity: f64| -> Result<[Vec<Classes>; 4]> {
        four(&SEEDS, |protocol, seed| {
            Friendliness::new(protocol, capacity, Router::DropTail).run(seed)
        })
    };
    let source = "figure 9";
    for (capacity, name) in [(20e6, "20 Mbit/s"), (100e6, "100 Mbit/s")] {
        let [aimd, _, stcp, bic] = at(capacity)?;
        claims.all(
            &format!("{name}: long-lived TCP gets beside BIC at least 0.75 of what it gets beside STCP, and beside AIMD at most a third"),
            source,
            n,
            |k| {
                let tcp = |runs: &[Classes]| runs[k].long_lived;
                tcp(&bic) >= 0.75 * tcp(&stcp) && tcp(&aimd) <= tcp(&stcp) / 3.0
            },
        );
    }
    let [aimd, _, stcp, bic] = at(2.5e9)?;
    claims.all(
        "2.5 Gbit/s: STCP takes most, BIC less than AIMD",
        source,
        n,
        |k| {
            let share = |runs: &[Classes]| runs[k].high_speed;
            share(&stcp) > share(&aimd) && share(&aimd) > share(&bic)
        },
    );
    Ok(())
}

fn utilisation(claims: &mut Claims) -> Result<()> {
    let runs = |router| {
        four(&SEEDS, |protocol, seed| {
            let pair = Pair {
                rtts: [0.1, 0.1],
                ..Pair::new(protocol, 2.5e9, router, 1.0)
            };
            pair.run(seed)
        })
    };
    let source = "section VII, utilisation";
    let (tail, red) = (runs(Router::DropTail)?, runs(Router::Red)?);
    for (protocol, printed) in PROTOCOLS.iter().zip([0.95, 0.92, 0.92, 0.95]) {
        let place = PROTOCOLS.iter().position(|other| other == protocol);
        let of = |all: &[Vec<Shares>; 4]| {
            place.map_or(f64::NAN, |place| {
                mean(all[place].iter().map(|run| run.utilisation))
            })
        };
        claims.printed(
            &format!("utilisation at 2.5 Gbit/s, drop tail, {}", protocol.name),
            source,
            0.97,
            of(&tail),
            Tolerance::Absolute(0.035),
            NO_BURSTS,
        );
        claims.printed(
            &format!("utilisation at 2.5 Gbit/s, RED, {}", protocol.name),
            source,
            printed,
            of(&red),
            Tolerance::Absolute(0.03),
            ROUNDED,
        );
    }
    claims.all(
        "utilisation at 2.5 Gbit/s: RED below drop tail with every protocol",
        source,
        SEEDS.len(),
        |k| (0..4).all(|place| red[place][k].utilisation < tail[place][k].utilisation),
    );
    Ok(())
}

/// Ten seeds of everything.
pub(super) fn slow() -> Result<Vec<Check>> {
    let mut claims = Claims {
        group: "bic2004-slow",
        checks: Vec::new(),
    };
    table_1(&mut claims, &SEEDS)?;
    let n = SEEDS.len();
    let [aimd, _, _, bic] = table(&SEEDS, 2.5e9, Router::DropTail, 6.0, Some(0.12))?;
    claims.all(
        "2.5 Gbit/s, 40/240 ms, a buffer of 120 ms: BIC's ratio at most twice AIMD's",
        "table 3",
        n,
        |k| bic[k].ratio <= 2.0 * aimd[k].ratio,
    );
    let [_, hstcp, stcp, bic] = table(&SEEDS, 100e6, Router::DropTail, 6.0, None)?;
    claims.all(
        "100 Mbit/s, 40/240 ms: HSTCP's and STCP's ratios below a quarter of those at 2.5 Gbit/s' text, BIC's below STCP's",
        "table 2",
        n,
        |k| hstcp[k].ratio < 25.0 && stcp[k].ratio < 100.0 && bic[k].ratio < stcp[k].ratio,
    );
    let red = table(&SEEDS, 2.5e9, Router::Red, 6.0, None)?;
    claims.all(
        "2.5 Gbit/s, 40/240 ms, RED: every protocol within 40 % of the inverse RTT ratio",
        "section VII, RTT fairness",
        n,
        |k| {
            red.iter()
                .all(|runs| (runs[k].ratio / 6.0 - 1.0).abs() <= 0.4)
        },
    );
    single(&mut claims, &SEEDS)?;
    synchronisation(&mut claims)?;
    convergence(&mut claims)?;
    friendliness(&mut claims)?;
    utilisation(&mut claims)?;
    Ok(claims.checks)
}
