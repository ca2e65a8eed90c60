//! AIMD flows as matrices, CUBIC's slow convergence, fair allocations.

use super::data;
use super::{Check, Tolerance, law};
use crate::analysis::convergence::{Aimd, Hits, epochs, matrix, spectrum, unsynchronised};
use crate::analysis::fairness::{Claim, alpha_fair, max_min};
use crate::analysis::{Member, SharedLink};
use crate::error::Result;

fn flows(pairs: &[(f64, f64)]) -> Vec<Aimd> {
    pairs
        .iter()
        .map(|&(growth, kept)| Aimd { growth, kept })
        .collect()
}

pub(super) fn convergence() -> Result<Vec<Check>> {
    const GROUP: &str = "convergence";
    let mut checks = Vec::new();
    let mut push = |what: &str, printed: &str, got: f64| {
        checks.push(Check::new(
            GROUP,
            what.into(),
            printed.parse().unwrap_or(f64::NAN),
            "independent calculation (eigenvalues, and a simulation of 4e5 losses)",
            Ok(got),
            Tolerance::Absolute(data::half_unit(printed) * (1.0 + 1e-9)),
            "half a unit of the last printed digit",
        ));
    };
    let e1 = flows(&[(10.0, 0.5), (20.0, 0.5)]);
    let e2 = flows(&[(10.0, 0.5), (10.0, 0.7)]);
    let e3 = flows(&[(10.0, 0.5), (20.0, 0.5), (40.0, 0.75)]);
    let e5 = flows(&[(10.0, 0.5), (20.0, 0.5), (40.0, 0.7)]);
    let a1 = matrix(&e1)?;
    push("E1 A[1][1]", "0.6667", a1[0][0]);
    push("E1 A[1][2]", "0.1667", a1[0][1]);
    push("E1 A[2][1]", "0.3333", a1[1][0]);
    push("E1 A[2][2]", "0.8333", a1[1][1]);
    let s1 = spectrum(&e1)?;
    push("E1 second eigenvalue", "0.5000", s1.eigenvalues[1]);
    push("E1 first share", "0.3333", s1.perron[0]);
    push(
        "E1 losses until 5 % are left",
        "4.3",
        s1.losses_to(0.05).unwrap_or(f64::NAN),
    );
    let s2 = spectrum(&e2)?;
    push("E2 second eigenvalue", "0.6000", s2.eigenvalues[1]);
    push("E2 first share", "0.3750", s2.perron[0]);
    push(
        "E2 losses until 5 % are left",
        "5.9",
        s2.losses_to(0.05).unwrap_or(f64::NAN),
    );
    for (i, (row, printed)) in matrix(&e3)?
        .iter()
        .zip([
            ["0.57143", "0.07143", "0.03571"],
            ["0.14286", "0.64286", "0.07143"],
            ["0.28571", "0.28571", "0.89286"],
        ])
        .enumerate()
    {
        for (j, (x, printed)) in row.iter().zip(printed).enumerate() {
            push(&format!("E3 A[{}][{}]", i + 1, j + 1), printed, *x);
        }
    }
    let s3 = spectrum(&e3)?;
    push("E3 second eigenvalue", "0.60714", s3.eigenvalues[1]);
    push("E3 third eigenvalue", "0.50000", s3.eigenvalues[2]);
    for (i, printed) in ["0.0909", "0.1818", "0.7273"].iter().enumerate() {
        push(&format!("E3 share {}", i + 1), printed, s3.perron[i]);
    }
    let u4 = unsynchronised(&e1, &Hits::Independent(vec![0.6; 2]))?;
    push("E4 probability of a hit", "0.7143", u4.hit[0]);
    push("E4 second eigenvalue of E[A]", "0.6429", u4.eigenvalues[1]);
    push("E4 E[w1 w1]", "0.12354", u4.moments[0][0]);
    push("E4 E[w1 w2]", "0.20979", u4.moments[0][1]);
    push("E4 E[w2 w2]", "0.45688", u4.moments[1][1]);
    push("E4 deviation of a share", "0.1115", u4.deviation[0]);
    let u5 = unsynchronised(&e5, &Hits::Independent(vec![0.5, 0.3, 0.3]))?;
    push("E5 first probability of a hit", "0.66225", u5.hit[0]);
    push("E5 second probability of a hit", "0.39735", u5.hit[1]);
    for (i, (mean, deviation)) in [
        ("0.06475", "0.036"),
        ("0.21583", "0.098"),
        ("0.71942", "0.109"),
    ]
    .iter()
    .enumerate()
    {
        push(&format!("E5 mean share {}", i + 1), mean, u5.mean[i]);
        push(
            &format!("E5 deviation of share {}", i + 1),
            deviation,
            u5.deviation[i],
        );
    }
    push("E5 second eigenvalue of E[A]", "0.8293", u5.eigenvalues[1]);
    let gaps = |spec: &str, losses: usize, rtt: f64| -> Result<Vec<f64>> {
        let law = law(spec)?;
        let flow = Member {
            law: law.as_ref(),
            base_rtt: rtt,
            count: 1.0,
        };
        let link = SharedLink {
            capacity: 1e5,
            buffer: 0.0,
        };
        Ok(epochs(&[flow, flow], link, &[1.5, 0.5], losses + 1)?
            .iter()
            .map(|w| 2.0 * (w[0] - w[1]) / (w[0] + w[1]))
            .collect())
    };
    let slow = gaps("cubic", 1000, 0.1)?;
    push(
        "cubic without fast convergence: gap of two flows after 100 losses",
        "0.784",
        slow[100],
    );
    push(
        "cubic without fast convergence: gap of two flows after 1000 losses",
        "0.3825",
        slow[1000],
    );
    let fast = gaps("cubic:fast_convergence=1", 300, 0.1)?;
    push(
        "cubic with fast convergence: gap after 10 losses",
        "0.094",
        fast[10],
    );
    let worst = fast[290..]
        .iter()
        .fold(0.0f64, |most, gap| most.max(gap.abs()));
    push(
        "cubic with fast convergence: the gap that stays",
        "0.043",
        worst,
    );
    let friendly = gaps("cubic@hrx08:beta=0.7", 3, 1e-3)?;
    push(
        "cubic of 2008 with beta 0.7 in its Reno-friendly region: factor a loss",
        "0.7000",
        friendly[3] / friendly[2],
    );
    // RFC 9438 raises α to 1 once a window is back where it was, which only the smaller one gets to before the loss:
    // the factor is β − (1−β)(1−α)/(1+α), α = 9/17.
    let friendly = gaps("cubic", 3, 1e-3)?;
    push(
        "cubic of RFC 9438 in its Reno-friendly region: factor a loss",
        "0.607692",
        friendly[3] / friendly[2],
    );
    Ok(checks)
}

pub(super) fn fair_allocations() -> Result<Vec<Check>> {
    const GROUP: &str = "fair-allocations";
    let mut checks = Vec::new();
    let claim = |path: &[usize]| Claim {
        path: path.to_vec(),
        weight: 1.0,
    };
    let line = |l: usize, n0: usize, n1: usize| -> Vec<Claim> {
        let all: Vec<usize> = (0..l).collect();
        let mut out = vec![claim(&all); n0];
        for k in 0..l {
            out.extend(vec![claim(&[k]); n1]);
        }
        out
    };
    let mut push = |what: String, expected: f64, got: Result<f64>, tolerance: f64, reason| {
        checks.push(Check::new(
            GROUP,
            what,
            expected,
            "closed form",
            got,
            Tolerance::Absolute(tolerance),
            reason,
        ));
    };
    let printed = "half a unit of the last printed digit";
    for (alpha, expected) in [(0.5, 0.2), (1.0, 0.333_333), (2.0, 0.414_214)] {
        let got = alpha_fair(&[1.0, 1.0], &line(2, 1, 1), alpha).map(|a| a.rates[0]);
        push(
            format!("two links, alpha {alpha}: the long flow"),
            expected,
            got,
            5e-7,
            printed,
        );
    }
    let got = max_min(&[1.0, 1.0], &line(2, 1, 1)).map(|a| a.rates[0]);
    push(
        "two links, max-min: the long flow".into(),
        0.5,
        got,
        0.0,
        "exact",
    );
    let three = alpha_fair(&[1.0; 3], &line(3, 2, 3), 2.0);
    push(
        "three links, 2 long, 3 short each, alpha 2: long".into(),
        0.138_963,
        three.clone().map(|a| a.rates[0]),
        5e-7,
        printed,
    );
    push(
        "three links, 2 long, 3 short each, alpha 2: short".into(),
        0.240_691,
        three.map(|a| a.rates[2]),
        5e-7,
        printed,
    );
    let two = [claim(&[0, 1]), claim(&[0]), claim(&[1])];
    for (i, (proportional, level)) in [(0.422_650, 0.5), (0.577_350, 0.5), (1.577_350, 1.5)]
        .into_iter()
        .enumerate()
    {
        push(
            format!("links of 1 and 2, proportional: flow {}", i + 1),
            proportional,
            alpha_fair(&[1.0, 2.0], &two, 1.0).map(|a| a.rates[i]),
            5e-7,
            printed,
        );
        push(
            format!("links of 1 and 2, max-min: flow {}", i + 1),
            level,
            max_min(&[1.0, 2.0], &two).map(|a| a.rates[i]),
            1e-15,
            "rounding",
        );
    }
    for alpha in [0.3, 1.0, 3.0, 20.0] {
        for l in [1, 3, 12] {
            let got = alpha_fair(&vec![5.0; l], &line(l, 2, 3), alpha);
            let expected = 5.0 / (2.0 + 3.0 * (l as f64).powf(1.0 / alpha));
            push(
                format!("{l} links, alpha {alpha}: the long flow"),
                expected,
                got.clone().map(|a| a.rates[0]),
                1e-9,
                "solved numerically",
            );
            push(
                format!("{l} links, alpha {alpha}: residual of the optimality conditions"),
                0.0,
                got.map(|a| a.residual),
                1e-9,
                "solved numerically",
            );
        }
    }
    Ok(checks)
}
