//! The verb `last-hop`.

use super::args::{AssertArgs, OutputArgs, SizeArgs};
use super::asserted::finish;
use super::emit::{NO_ANSWER, duration, notes, number, rate, table};
use super::questions::preset_note;
use super::{Outcome, meaning};
use crate::analysis::last_hop::{Effort, LastHop, Repair};
use crate::error::{Error, Result};
use crate::units::{Bytes, Rate, Seconds, Size};
use crate::what_if::{HopOptions, HopRoad, PacketSize, last_hop as ask};
use clap::Args;

#[derive(Args)]
pub(super) struct LastHopArgs {
    /// Laws: NAME[@PRESET][:key=value,...]
    #[arg(required = true, value_name = "LAW")]
    pub laws: Vec<String>,
    /// Round trip without queue and without the packet's own time on the link, such as 200ms
    #[arg(
        long,
        value_name = "TIME",
        required_unless_present = "one_way_delay",
        conflicts_with = "one_way_delay",
        allow_hyphen_values = true
    )]
    pub rtt: Option<String>,
    /// One-way delay instead of the round trip, which is twice it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub one_way_delay: Option<String>,
    /// Capacity of the last hop on the wire, such as 9.6kbit/s
    #[arg(long, value_name = "RATE", required = true, allow_hyphen_values = true)]
    pub link: String,
    /// Packets that may wait before it, such as 3pkt; a comma list makes a grid
    #[arg(long, value_name = "SIZE", required = true, allow_hyphen_values = true)]
    pub buffer: String,
    /// Receiver's window, such as 4pkt or 2KiB of payload
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub receive_window: Option<String>,
    /// How losses are mended: fast-recovery (without selective acknowledgements) or sack
    #[arg(
        long,
        value_name = "fast-recovery|sack",
        default_value = "fast-recovery",
        allow_hyphen_values = true
    )]
    pub repair: String,
    /// Retransmission timer (RFC 6298's, at least 1 s, unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rto: Option<String>,
    /// Answers what would help too: a larger buffer, a smaller receive window, standard TCP
    #[arg(long)]
    pub remedies: bool,
    /// Roads to the answer, a comma list of closed, epoch, ack
    #[arg(
        long,
        value_name = "ROADS",
        default_value = "closed,epoch,ack",
        allow_hyphen_values = true
    )]
    pub road: String,
    /// Packets after which the road `ack` stops
    #[arg(
        long,
        value_name = "N",
        default_value = "4000000",
        allow_hyphen_values = true
    )]
    pub budget: String,
    #[command(flatten)]
    pub size: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Whole packets; sizes in bytes are rounded down to them.
fn packets(what: &str, text: &str, bytes: Bytes) -> Result<u64> {
    let text = text.trim();
    let zero = text
        .strip_suffix("pkt")
        .or_else(|| text.strip_suffix('B'))
        .is_some_and(|digits| digits.trim().parse() == Ok(0.0f64));
    if zero {
        return Ok(0);
    }
    let size = Size::parse(text)?;
    let count = size.packets(bytes).value();
    if matches!(size, Size::Packets(_)) && count.fract() != 0.0 {
        return Err(Error::out_of_range(
            what,
            format!("`{text}`"),
            "a whole number of packets",
        ));
    }
    Ok(count as u64)
}

fn roads(text: &str) -> Result<Vec<HopRoad>> {
    if text.trim() == "all" {
        return Ok(HopRoad::ALL.to_vec());
    }
    let mut out: Vec<HopRoad> = Vec::new();
    for name in text.split(',').map(str::trim) {
        let road = HopRoad::parse(name)?;
        if !out.contains(&road) {
            out.push(road);
        }
    }
    Ok(out)
}

fn hop(args: &LastHopArgs, size: PacketSize, buffer: u64) -> Result<LastHop> {
    let delay = match (&args.rtt, &args.one_way_delay) {
        (Some(text), _) => Seconds::parse(text)?.value(),
        (None, Some(text)) => 2.0 * Seconds::parse(text)?.value(),
        (None, None) => 0.0,
    };
    let capacity = match Rate::parse(&args.link)? {
        Rate::Bits(rate) => rate.value() / (8.0 * size.packet.value()),
        Rate::Packets(rate) => rate.value(),
    };
    let repair = Repair::ALL
        .into_iter()
        .find(|repair| repair.name() == args.repair)
        .ok_or_else(|| {
            Error::unknown(
                "value for `--repair`",
                &args.repair,
                Repair::ALL.map(Repair::name),
            )
        })?;
    Ok(LastHop {
        capacity,
        delay,
        buffer,
        receive_window: args
            .receive_window
            .as_deref()
            .map(|text| packets("--receive-window", text, size.mss))
            .transpose()?,
        repair,
        rto: args
            .rto
            .as_deref()
            .map(|text| Seconds::parse(text).map(Seconds::value))
            .transpose()?,
    })
}

pub(super) fn last_hop(args: &LastHopArgs) -> Result<Outcome> {
    let laws = meaning::laws(&args.laws)?;
    let size = meaning::size(&args.size)?;
    let budget = meaning::whole("--budget", &args.budget)?;
    if budget == 0 {
        return Err(Error::out_of_range(
            "--budget",
            format!("`{}`", args.budget),
            "at least 1",
        ));
    }
    let options = HopOptions {
        size,
        roads: roads(&args.road)?,
        remedies: args.remedies,
        effort: Effort {
            packets: budget,
            ..Effort::default()
        },
    };
    let buffers: Result<Vec<u64>> = args
        .buffer
        .split(',')
        .map(|text| packets("--buffer", text, size.packet))
        .collect();
    let (mut all, mut text) = (Vec::new(), String::new());
    for buffer in buffers? {
        let hop = hop(args, size, buffer)?;
        for law in &laws {
            let mut reply = ask(law, &hop, &options)?;
            reply.notes.extend(preset_note(law));
            let (mut rows, mut remarks) = (Vec::new(), Vec::new());
            for a in &reply.answers {
                let what = a.remedy.clone().unwrap_or_else(|| "as asked".into());
                if let Some(reason) = &a.reason {
                    let mark = if a.loss_fraction.is_none() {
                        NO_ANSWER
                    } else {
                        ": "
                    };
                    remarks.push(format!("{}, {what}{mark}{reason}", a.road));
                }
                rows.push(vec![
                    what,
                    a.road.into(),
                    number(a.loss_fraction, 4),
                    number(a.drops_per_event, 4),
                    number(a.timeouts, 3),
                    number(a.peak_pkt, 5),
                    rate(a.rate_bps),
                    rate(a.goodput_bps),
                    number(a.utilisation, 4),
                    duration(a.mean_rtt_s),
                ]);
            }
            remarks.extend(reply.notes.iter().cloned());
            if !text.is_empty() {
                text.push('\n');
            }
            text += &format!(
                "{} ({}); RTT {}, link {}, buffer {} packets, pipe {} packets of {} ({} payload), repair {}\n",
                law.spec(),
                law.algorithm.title(),
                Seconds::new(hop.delay),
                rate(Some(reply.query.link_bps)),
                hop.buffer,
                number(Some(hop.pipe()), 6),
                size.packet,
                size.mss,
                hop.repair.name(),
            );
            text += &table(
                &[
                    "path",
                    "road",
                    "loss",
                    "drops/event",
                    "timeouts",
                    "peak pkt",
                    "rate",
                    "goodput",
                    "utilisation",
                    "mean RTT",
                ],
                &[false, false, true, true, true, true, true, true, true, true],
                rows,
            );
            text += &notes(remarks, &args.output);
            all.push(reply);
        }
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}
