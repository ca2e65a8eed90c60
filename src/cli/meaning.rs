//! What the typed words mean.

use super::args::{LossKindArgs, PathArgs, RoadArgs, SizeArgs, ThreadArgs};
use crate::algorithms::Selected;
use crate::error::{Error, Result};
use crate::model::{LossModel, Path};
use crate::responses::ack::Effort;
use crate::units::{Bytes, LossRate, Seconds, grid, parse_number};
use crate::what_if::parallel::MOST_THREADS;
use crate::what_if::{Context, PacketSize, ROADS, Road, find_road};

/// The laws on the command line.
pub(super) fn laws(specs: &[String]) -> Result<Vec<Selected>> {
    specs.iter().map(|spec| Selected::parse(spec)).collect()
}

/// A grid of loss rates.
pub(super) fn losses(text: &str) -> Result<Vec<LossRate>> {
    grid(text, |item| LossRate::parse(item).map(LossRate::value))?
        .into_iter()
        .map(LossRate::new)
        .collect()
}

/// A grid of loss events from what the flags count: events, lost packets or bit errors. None if none is given.
pub(super) fn events(
    loss: Option<&str>,
    kind: &LossKindArgs,
    size: PacketSize,
) -> Result<Vec<LossRate>> {
    let packets = match kind.loss_is.as_str() {
        "events" => false,
        "packets" => true,
        other => {
            return Err(Error::unknown(
                "value for `--loss-is`",
                other,
                ["events", "packets"],
            ));
        }
    };
    if packets != kind.burst.is_some() || (packets && kind.ber.is_some()) {
        return Err(Error::Arguments(
            "--loss-is packets and --burst N go together, beside --loss: lost packets become events only with the number that go in one".into(),
        ));
    }
    if let Some(text) = &kind.ber {
        let read = |item: &str| parse_number("bit error rate", item);
        let convert = |rate: f64| {
            LossRate::from_bit_errors(rate, size.packet).map_err(|_| {
                Error::out_of_range(
                    "--ber",
                    format!("`{text}`"),
                    "more than 0, with fewer than all packets hit",
                )
            })
        };
        return grid(text, read)?.into_iter().map(convert).collect();
    }
    let given = loss.map_or_else(|| Ok(Vec::new()), losses)?;
    let Some(text) = &kind.burst else {
        return Ok(given);
    };
    let burst = parse_number("number", text)?;
    if burst < 1.0 {
        return Err(Error::out_of_range(
            "--burst",
            format!("`{text}`"),
            "at least 1 packet",
        ));
    }
    given
        .into_iter()
        .map(|p| LossRate::new(p.value() / burst))
        .collect()
}

/// What answers to a question about lost packets say.
pub(super) fn burst_note(kind: &LossKindArgs) -> Option<String> {
    kind.burst.as_ref().map(|burst| {
        format!("lost packets divided by {burst} an event: the window follows loss events, so it matters as soon as several packets go in one")
    })
}

/// Two ends of a range of loss rates.
pub(super) fn range(text: &str) -> Result<(LossRate, LossRate)> {
    let malformed = || Error::malformed("range of loss rates", text, "two ends such as 1e-8..1e-1");
    let (from, to) = text.split_once("..").ok_or_else(malformed)?;
    let (from, to) = (LossRate::parse(from)?, LossRate::parse(to)?);
    if from == to {
        return Err(Error::out_of_range(
            "the range of loss rates",
            format!("`{text}`"),
            "two different ends such as 1e-8..1e-1",
        ));
    }
    Ok(if from < to { (from, to) } else { (to, from) })
}

/// Every path of the grid of round trips; one without a round trip if none is given.
pub(super) fn paths(args: &PathArgs) -> Result<Vec<Path>> {
    let seconds = |item: &str| Seconds::parse(item).map(Seconds::value);
    let base_rtt = args.base_rtt.as_deref().map(Seconds::parse).transpose()?;
    let rtts: Vec<f64> = match (&args.rtt, &args.one_way_delay) {
        (Some(text), _) => grid(text, seconds)?,
        (None, Some(text)) => grid(text, seconds)?
            .into_iter()
            .map(|delay| 2.0 * delay)
            .collect(),
        (None, None) => Vec::new(),
    };
    if let Some(base) = base_rtt {
        let Some(least) = rtts.iter().copied().reduce(f64::min) else {
            return Err(Error::Arguments(
                "--base-rtt needs --rtt beside it: the round trip with queues, such as --rtt 120ms"
                    .into(),
            ));
        };
        if base.value() > least {
            return Err(Error::out_of_range(
                "--base-rtt",
                format!("`{}`", args.base_rtt.as_deref().unwrap_or_default()),
                format!("at most the round trip of {least} s"),
            ));
        }
    }
    if rtts.is_empty() {
        return Ok(vec![Path::default()]);
    }
    Ok(rtts
        .into_iter()
        .map(|rtt| Path {
            rtt: Some(Seconds::new(rtt)),
            base_rtt,
        })
        .collect())
}

/// Packet and payload.
pub(super) fn size(args: &SizeArgs) -> Result<PacketSize> {
    match (&args.packet, &args.mss) {
        (Some(text), _) => PacketSize::from_packet(Bytes::parse(text)?),
        (None, Some(text)) => Ok(PacketSize::from_mss(Bytes::parse(text)?)),
        (None, None) => Ok(PacketSize::default()),
    }
}

fn roads(text: &str) -> Result<Vec<&'static Road>> {
    let mut out: Vec<&'static Road> = Vec::new();
    for name in text.split(',').map(str::trim) {
        if name == "all" {
            return Ok(ROADS.iter().collect());
        }
        let road = find_road(name)?;
        if !out.iter().any(|other| other.name == road.name) {
            out.push(road);
        }
    }
    Ok(out)
}

pub(super) fn whole(flag: &str, text: &str) -> Result<u64> {
    let allowed = "a whole number up to 1e18, such as 1, 20000 or 1e8";
    let value = parse_number("number", text)
        .map_err(|_| Error::out_of_range(flag, format!("`{text}`"), allowed))?;
    if value.fract() == 0.0 && (0.0..=1e18).contains(&value) {
        Ok(text.trim().parse().unwrap_or(value as u64))
    } else {
        Err(Error::out_of_range(flag, format!("`{text}`"), allowed))
    }
}

/// Number of threads, `None` for all cores.
pub(super) fn threads(args: &ThreadArgs) -> Result<Option<usize>> {
    let Some(text) = &args.threads else {
        return Ok(None);
    };
    match whole("--threads", text)? {
        count if (1..=MOST_THREADS as u64).contains(&count) => Ok(Some(count as usize)),
        _ => Err(Error::out_of_range(
            "--threads",
            format!("`{text}`"),
            format!("1 to {MOST_THREADS}"),
        )),
    }
}

/// Everything about roads, with the path still to be filled in.
pub(super) fn context(args: &RoadArgs, size: PacketSize) -> Result<Context> {
    let precision = parse_number("number", &args.precision)?;
    if !(precision > 0.0 && precision < 1.0) {
        return Err(Error::out_of_range(
            "--precision",
            format!("`{}`", args.precision),
            "more than 0 and less than 100%",
        ));
    }
    let budget = whole("--budget", &args.budget)?;
    if budget == 0 {
        return Err(Error::out_of_range(
            "--budget",
            format!("`{}`", args.budget),
            "at least 1",
        ));
    }
    let loss_model = match args.loss_model.as_deref() {
        None => None,
        Some("periodic") => Some(LossModel::Periodic),
        Some("random") => Some(LossModel::Random),
        Some(other) => return Err(Error::unknown("loss model", other, ["periodic", "random"])),
    };
    Ok(Context {
        path: Path::default(),
        size,
        roads: roads(&args.road)?,
        form: args.form.clone(),
        loss_model,
        effort: Effort {
            precision,
            budget,
            seed: whole("--seed", &args.seed)?,
        },
    })
}
