//! The response plots of Xu, Harfoush and Rhee, INFOCOM 2004.

use crate::algorithms::Selected;
use crate::error::Result;
use crate::figures::response_plot::{Curve, Quantity, View, Words, response_plot};
use crate::figures::{Figure, Mark, Series};
use crate::units::{LossRate, significant};
use crate::what_if::{Context, crossover, find_road};

fn plot(
    name: &str,
    title: &str,
    caption: &str,
    curves: &[Curve],
    loss: (f64, f64),
    vertical: (f64, f64),
) -> Result<Figure> {
    let words = Words {
        name,
        title,
        caption,
    };
    let view = View {
        vertical: Some(vertical),
        ..View::of(loss, Quantity::Window)
    };
    Ok(response_plot(words, curves, Vec::new(), view)?.figure)
}

/// The second curve over the first at a loss rate that both are drawn at.
fn ratio(one: &Series, other: &Series, p: f64) -> Option<f64> {
    let at = |series: &Series| {
        let mut points = series.points.iter();
        points
            .find(|(x, _)| (x / p - 1.0).abs() < 1e-9)
            .map(|(_, y)| *y)
    };
    Some(at(other)? / at(one)?)
}

/// Where the second curve lies furthest below the first: the loss rate and the share that is missing.
fn furthest_below(one: &Series, other: &Series) -> (f64, f64) {
    let pairs = one.points.iter().zip(&other.points);
    let gaps = pairs.map(|((p, high), (_, low))| (*p, 1.0 - low / high));
    gaps.fold(
        (f64::NAN, 0.0),
        |worst, gap| {
            if gap.1 > worst.1 { gap } else { worst }
        },
    )
}

/// Where `spec` meets `other`, as a mark: the point with the smallest loss rate.
fn meeting(spec: &str, other: &str, label: &str, loss: (f64, f64)) -> Result<Option<Mark>> {
    let pair = [&Selected::parse(spec)?, &Selected::parse(other)?];
    let context = Context {
        roads: vec![find_road("closed")?],
        ..Context::default()
    };
    let reply = crossover(
        pair,
        (LossRate::new(loss.0)?, LossRate::new(loss.1)?),
        &context,
    )?;
    let first = reply
        .answers
        .first()
        .and_then(|answer| answer.points.as_ref()?.first().copied());
    Ok(first.map(|point| Mark {
        at: (point.loss, point.window_pkt),
        text: format!("{label} W = {}", significant(point.window_pkt, 3)),
    }))
}

const HIGHSPEED: &str = "HighSpeed: 0.15/p^0.82 (draft of 2002, unconfirmed), as the paper's d = 0.82 and crossing at 31 imply (31 with the rounded 1.2/√p for standard TCP; 32.6 with the exact 1.2247/√p drawn here)";

const SCALABLE_AT_16: &str = "The paper has Scalable cross standard TCP at 16 packets, where it begins to be scalable; the two mean windows drawn here cross at 1.2247²/0.0749 = 20.03.";

pub(in crate::figures) fn figure_4() -> Result<Figure> {
    let curves = [
        Curve::new("Standard TCP", "reno", None)?,
        Curve::new("HighSpeed TCP", "highspeed@draft2002", None)?,
        Curve::new("Scalable TCP", "scalable", None)?,
        Curve::new("AIMD(32, 0.125)", "aimd:a=32,b=0.125", None)?,
    ];
    let loss = (1e-7, 1e-2);
    let caption = format!(
        "Xu, Harfoush and Rhee 2004, figure 4. One loss event every 1/p packets; mean window per round. {HIGHSPEED}. Scalable: 0.0749/p, \
         the mean (0.08/p is its peak). HighSpeed and Scalable follow standard TCP above the loss rate at which they meet it. {SCALABLE_AT_16}"
    );
    let mut figure = plot(
        "bic2004-4",
        "Response functions of various protocols",
        &caption,
        &curves,
        loss,
        (1e1, 1e6),
    )?;
    let marks = [
        meeting("highspeed@draft2002", "reno", "HighSpeed meets TCP:", loss)?,
        meeting("scalable", "reno", "Scalable meets TCP:", loss)?,
    ];
    figure.panels[0].marks = marks.into_iter().flatten().collect();
    Ok(figure)
}

pub(in crate::figures) fn figure_6() -> Result<Figure> {
    let mut curves = vec![Curve::new("Standard TCP", "reno", None)?];
    for smax in [8, 16, 32, 64] {
        curves.push(Curve::new(
            &format!("BIC, Smax = {smax}"),
            &format!("bic:smax={smax},low_window=0"),
            None,
        )?);
    }
    let caption = "Xu, Harfoush and Rhee 2004, figure 6. Smin = 0.01, β = 0.125 (fraction removed). Equations 4–5 and, below βWmax = 2Smax, the \
                   Lambert W form with 1/p − Smin; not joined with standard TCP (low_window = 0), as the paper draws it. Smax matters only at low \
                   loss rates: the curves part at βWmax = 2Smax.";
    plot(
        "bic2004-6",
        "Response functions of BIC for different values of Smax",
        caption,
        &curves,
        (1e-8, 1e-1),
        (1e0, 1e6),
    )
}

pub(in crate::figures) fn figure_7() -> Result<Figure> {
    let mut curves = vec![Curve::new("Standard TCP", "reno", None)?];
    for smin in ["1", "0.1", "0.01", "0.001"] {
        curves.push(Curve::new(
            &format!("BIC, Smin = {smin}"),
            &format!("bic:smin={smin},low_window=0"),
            None,
        )?);
    }
    let caption = "Xu, Harfoush and Rhee 2004, figure 7. Smax = 32, β = 0.125 (fraction removed); not joined with standard TCP (low_window = 0), as \
                   the paper draws it. A smaller Smin moves the crossing with standard TCP towards lower loss rates. Where βWmax < Smin the curve \
                   continues the paper's equation 3 below one step.";
    let loss = (1e-8, 1e-1);
    plot(
        "bic2004-7",
        "Response functions of BIC for different values of Smin",
        caption,
        &curves,
        loss,
        (1e0, 1e6),
    )
}

pub(in crate::figures) fn figure_8() -> Result<Figure> {
    let curves = [
        Curve::new("Standard TCP", "reno", None)?,
        Curve::new("HighSpeed TCP", "highspeed@draft2002", None)?,
        Curve::new("Scalable TCP", "scalable", None)?,
        Curve::new("AIMD(32, 0.125)", "aimd:a=32,b=0.125", None)?,
        Curve::new("BIC(32, 0.125, 0.01)", "bic:low_window=0", None)?,
        Curve::new("BIC, its pseudo-code", "bic:low_window=0", Some("per-ack"))?,
    ];
    let loss = (1e-7, 1e-2);
    let caption = format!(
        "Xu, Harfoush and Rhee 2004, figure 8. BIC by equations 4–5 and the Lambert W form (one halving a round) and as its pseudo-code \
         re-evaluates the increment at every acknowledgement, which the paper does not show; neither is joined \
         with standard TCP. {HIGHSPEED}. Scalable: 0.0749/p. {SCALABLE_AT_16}"
    );
    let mut figure = plot(
        "bic2004-8",
        "Response functions of various protocols and BIC",
        &caption,
        &curves,
        loss,
        (1e1, 1e6),
    )?;
    let panel = &mut figure.panels[0];
    if let [.., aimd, bic, code] = panel.series.as_slice() {
        let (p, gap) = furthest_below(bic, code);
        figure.caption += &format!(
            " The pseudo-code lies up to {:.1} % below the equations, at p = {}.",
            100.0 * gap,
            significant(p, 3)
        );
        let shares = [1e-5, 1e-6, 1e-7].map(|p| {
            let share = ratio(aimd, bic, p).unwrap_or(f64::NAN);
            format!("{} at {p:e}", significant(share, 2))
        });
        figure.caption += &format!(
            " The paper says that BIC meets AIMD around p = 1e-5; these curves come together slowly: BIC's window over AIMD's is {}.",
            shares.join(", ")
        );
    }
    panel.marks = meeting("bic:low_window=0", "reno", "BIC meets TCP:", loss)?
        .into_iter()
        .collect();
    Ok(figure)
}
