//! The bandwidth filter of end-to-end estimates: gain, step, independence of the spacing of acknowledgements, frequency response.

use super::{Check, Tolerance};
use crate::error::Result;
use crate::numeric::low_pass::LowPass;
use std::f64::consts::PI;

pub(super) fn filter() -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let tau = 0.5;
    let mut push =
        |what: String, expected: f64, source: &'static str, got: f64, tolerance, reason| {
            checks.push(Check::new(
                "bandwidth-filter",
                what,
                expected,
                source,
                Ok(got),
                tolerance,
                reason,
            ));
        };
    // A constant rate arrives in pieces of any size at any times up to tau/2.
    let spacings: &[&[f64]] = &[&[1e-4], &[0.01], &[0.2], &[0.001, 0.03, 0.24, 0.0005]];
    for gaps in spacings {
        let mut filter = LowPass::at(tau, 0.0);
        let mut time = 0.0;
        for gap in gaps.iter().cycle() {
            filter.arrival(1000.0 * gap, *gap);
            time += gap;
            if time > 40.0 * tau {
                break;
            }
        }
        push(
            format!("gain at frequency 0, acknowledgements {gaps:?} s apart"),
            1000.0,
            "a + (1-a) = 1",
            filter.output,
            Tolerance::Relative(1e-12),
            "40 time constants after a start at 0, and rounding",
        );
    }
    // The step response at 1 and 2 tau: 1 - exp(-t/tau), whatever the spacing.
    for gap in [1e-3, 1e-2, 0.05] {
        for at in [1.0, 2.0] {
            let mut filter = LowPass::at(tau, 0.0);
            filter.last = 1.0;
            let steps = (at * tau / gap).round() as usize;
            for _ in 0..steps {
                filter.sample(1.0, gap);
            }
            push(
                format!("step response after {at} tau, samples {gap} s apart"),
                -(-at).exp_m1(),
                "1 - exp(-t/tau)",
                filter.output,
                Tolerance::Relative(at * (gap / tau).powi(2) / 4.0),
                "Tustin's rule is of second order in the spacing",
            );
        }
    }
    // Driven by a sine, after the transient: gain and phase.
    for (gap, omega) in [
        (0.01, 0.5),
        (0.01, 2.0),
        (0.01, 20.0),
        (0.2, 2.0),
        (0.2, 6.0),
    ] {
        let (gain, phase) = measured(tau, gap, omega);
        let (expected, angle) = LowPass::response(tau, gap, omega);
        push(
            format!("gain at {omega} rad/s, samples {gap} s apart"),
            expected,
            "1/|1 + j tau (2/D) tan(w D/2)|",
            gain,
            Tolerance::Relative(1e-9),
            "the transient has decayed by 1e-17; least squares over whole samples",
        );
        push(
            format!("phase at {omega} rad/s, samples {gap} s apart"),
            angle,
            "-atan(tau (2/D) tan(w D/2))",
            phase,
            Tolerance::Absolute(1e-9),
            "the transient has decayed by 1e-17; least squares over whole samples",
        );
        let analogue = 1.0 / (omega * tau).hypot(1.0);
        push(
            format!("gain at {omega} rad/s, samples {gap} s apart, beside the analogue filter"),
            analogue,
            "1/sqrt(1 + (w tau)^2)",
            gain,
            Tolerance::Relative((omega * gap).powi(2) / 6.0),
            "Tustin's rule bends the frequency axis by (w D)^2/12",
        );
    }
    // Silence: zeros every tau/2 give the factor 1.5/2.5 each, the first one half as much of the last sample.
    let mut filter = LowPass::at(tau, 100.0);
    let left = filter.silence(2.1);
    push(
        "what is left of the estimate after 2.1 s of silence".into(),
        (0.6 * 100.0 + 0.4 * 50.0) * 0.6f64.powi(7),
        "eight samples of 0, tau/2 apart",
        filter.output,
        Tolerance::Relative(1e-13),
        "rounding",
    );
    push(
        "seconds that belong to the next sample".into(),
        0.1,
        "2.1 s less eight times 0.25 s",
        left,
        Tolerance::Absolute(1e-12),
        "rounding",
    );
    Ok(checks)
}

/// Gain and phase of the filter, measured on a sine by least squares.
fn measured(tau: f64, gap: f64, omega: f64) -> (f64, f64) {
    let mut filter = LowPass::at(tau, 0.0);
    let settle = (40.0 * tau / gap) as u32;
    let (mut ss, mut sc, mut cc, mut ys, mut yc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let measure = ((2.0 * PI / (omega * gap)) * 20.0) as u32 + 100;
    for k in 1..=settle + measure {
        let phase = omega * gap * f64::from(k);
        filter.sample(phase.sin(), gap);
        if k > settle {
            let (s, c) = phase.sin_cos();
            ss += s * s;
            sc += s * c;
            cc += c * c;
            ys += filter.output * s;
            yc += filter.output * c;
        }
    }
    let det = ss * cc - sc * sc;
    let (a, b) = ((ys * cc - yc * sc) / det, (yc * ss - ys * sc) / det);
    (a.hypot(b), b.atan2(a))
}
