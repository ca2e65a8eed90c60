//! How much more than standard TCP does a law take at the same loss rate, and where does that begin?
//!
//! `cargo run --example friendliness -- bic scalable`

use cwnd::algorithms::Selected;
use cwnd::error::Result;
use cwnd::units::LossRate;
use cwnd::what_if::{Context, crossover, find_road, response};

fn main() -> Result<()> {
    let mut specs: Vec<String> = std::env::args().skip(1).collect();
    if specs.is_empty() {
        specs = ["bic", "scalable", "highspeed"].map(String::from).to_vec();
    }
    let reno = Selected::parse("reno")?;
    let context = Context {
        roads: vec![find_road("closed")?],
        ..Context::default()
    };
    let window = |law: &Selected, p: f64| -> Result<f64> {
        let reply = response(law, LossRate::new(p)?, &context)?;
        Ok(reply.answers[0].window_pkt.unwrap_or(f64::NAN))
    };
    for spec in &specs {
        let law = Selected::parse(spec)?;
        let meets = crossover(
            [&law, &reno],
            (LossRate::new(1e-8)?, LossRate::new(0.1)?),
            &context,
        )?;
        let point = meets.answers[0]
            .points
            .as_ref()
            .and_then(|points| points.first().copied());
        match point {
            Some(point) => println!(
                "{spec} leaves standard TCP at p = {:.3e}, a window of {:.1} packets",
                point.loss, point.window_pkt
            ),
            None => println!("{spec} never meets standard TCP between p = 1e-8 and 0.1"),
        }
        for p in [1e-3, 1e-5, 1e-7] {
            println!(
                "  p = {p:e}: {:.2} times standard TCP",
                window(&law, p)? / window(&reno, p)?
            );
        }
    }
    Ok(())
}
