//! The verb `transfer`.

use super::args::{Format, TransferArgs};
use super::asserted::finish;
use super::emit::{NO_ANSWER, duration, notes, number, rate, size, table, word};
use super::{Outcome, meaning};
use crate::algorithms::Selected;
use crate::error::Result;
use crate::units::{Bytes, LossRate, Rate, Seconds, Size, grid, parse_number};
use crate::what_if::transfer::{
    TRANSFER_ROADS, TransferAnswer, TransferInputs, TransferQuery, acknowledged, transfer as ask,
};
use crate::what_if::{Envelope, PacketSize};

/// Everything but size, round trip and loss, which may be grids.
fn inputs(
    args: &TransferArgs,
    law: Option<&Selected>,
    packet: PacketSize,
) -> Result<TransferInputs> {
    let payload = |text: &str| -> Result<f64> {
        Ok(match Size::parse(text)? {
            Size::Bytes(bytes) => bytes.value(),
            Size::Packets(count) => count.value() * packet.mss.value(),
        })
    };
    let link = args.link.as_deref().map(Rate::parse).transpose()?;
    let window = args.receive_window.as_deref().map(payload).transpose()?;
    let first = args
        .initial_window
        .as_deref()
        .map(Size::parse)
        .transpose()?;
    Ok(TransferInputs {
        link: link.map(|rate| match rate {
            Rate::Bits(rate) => rate,
            Rate::Packets(rate) => {
                crate::units::BitRate::new(rate.value() * 8.0 * packet.packet.value())
            }
        }),
        receive_window: window.map(Bytes::new),
        initial_window: first.map(|size| size.packets(packet.mss)),
        handshake: parse_number("number of round trips", &args.handshake)?,
        ack_every: match &args.ack_every {
            Some(text) => parse_number("number of packets", text)?,
            None => law.map_or(1.0, acknowledged),
        },
        rto: args.rto.as_deref().map(Seconds::parse).transpose()?,
        syn_timeout: Seconds::parse(&args.syn_timeout)?,
        delayed_ack: args
            .delayed_ack
            .as_deref()
            .map_or(Ok(0.0), |text| Seconds::parse(text).map(Seconds::value))?,
        probe: args.tail_loss_probe,
        size: packet,
        ..TransferInputs::new(Bytes::new(1.0), Seconds::new(1.0))
    })
}

fn roads(text: &str) -> Vec<&str> {
    if text.split(',').any(|name| name.trim() == "all") {
        return TRANSFER_ROADS.iter().map(|(name, _)| *name).collect();
    }
    text.split(',').map(str::trim).collect()
}

pub(super) fn transfer(args: &TransferArgs) -> Result<Outcome> {
    let packet = meaning::size(&args.packet)?;
    let law = args.law.as_deref().map(Selected::parse).transpose()?;
    let base = inputs(args, law.as_ref(), packet)?;
    let sizes = grid(&args.size, |item| {
        Ok(match Size::parse(item)? {
            Size::Bytes(bytes) => bytes.value(),
            Size::Packets(count) => count.value() * packet.mss.value(),
        })
    })?;
    let rtts = grid(&args.rtt, |item| Seconds::parse(item).map(Seconds::value))?;
    let losses: Vec<Option<LossRate>> = match &args.loss {
        None => vec![None],
        Some(text) => meaning::losses(text)?.into_iter().map(Some).collect(),
    };
    let share = args
        .share
        .as_deref()
        .map(|text| parse_number("share", text))
        .transpose()?;
    let seed = meaning::whole("--seed", &args.seed)?;
    let (mut all, mut text) = (Vec::new(), String::new());
    for rtt in &rtts {
        for bytes in &sizes {
            for loss in &losses {
                let at = TransferInputs {
                    bytes: Bytes::new(*bytes),
                    rtt: Seconds::new(*rtt),
                    loss: *loss,
                    ..base
                };
                let reply = ask(law.as_ref(), &at, share, &roads(&args.road), seed)?;
                if args.output.format == Format::Text {
                    if !text.is_empty() {
                        text.push('\n');
                    }
                    text += &page(&reply, law.as_ref(), args);
                }
                all.push(reply);
            }
        }
    }
    finish(&all, &text, args.assert.assert.as_deref(), &args.output)
}

fn heading(query: &TransferQuery, law: Option<&Selected>) -> String {
    let mut words = vec![format!(
        "{} of payload ({} packets), RTT {}",
        size(Some(query.size_bytes)),
        number(Some(query.packets), 12),
        duration(Some(query.rtt_s))
    )];
    words.extend(
        query
            .link_bps
            .map(|link| format!("link {}", rate(Some(link)))),
    );
    words.extend(query.loss.map(|p| format!("loss {}", number(Some(p), 6))));
    words.extend(
        query
            .receive_window_bytes
            .map(|bytes| format!("receive window {}", size(Some(bytes)))),
    );
    words.push(format!(
        "initial window {} packets",
        number(Some(query.initial_window_pkt), 6)
    ));
    if query.loss.is_some() {
        words.push(law.map_or_else(
            || "then standard TCP with timeouts".into(),
            |law| format!("then {}", law.spec()),
        ));
    }
    words.join(", ") + "\n"
}

fn row(answer: &TransferAnswer, share: bool) -> Vec<String> {
    let mut row = vec![
        answer.road.into(),
        duration(answer.time_s),
        duration(answer.ci_s),
        rate(answer.goodput_bps),
        duration(answer.handshake_s),
        duration(answer.slow_start_s),
        duration(answer.recovery_s),
        duration(answer.steady_s),
        number(answer.rounds, 6),
        rate(answer.long_run_goodput_bps),
    ];
    if share {
        row.push(size(answer.size_for_share_bytes));
    }
    row.push(word(answer.source.as_deref()));
    row
}

fn page(
    reply: &Envelope<TransferQuery, TransferAnswer>,
    law: Option<&Selected>,
    args: &TransferArgs,
) -> String {
    let share = reply.query.share;
    let title = share.map(|share| format!("size for {} %", number(Some(100.0 * share), 6)));
    let mut header = vec![
        "road",
        "time",
        "± 95 %",
        "goodput",
        "handshake",
        "slow start",
        "repair",
        "then",
        "rounds",
        "in the long run",
    ];
    header.extend(title.as_deref());
    header.push("source");
    let mut right = vec![true; header.len()];
    if let (Some(first), Some(last)) = (Some(0), right.len().checked_sub(1)) {
        right[first] = false;
        right[last] = false;
    }
    let rows = reply
        .answers
        .iter()
        .map(|answer| row(answer, share.is_some()));
    let mut text = heading(&reply.query, law) + &table(&header, &right, rows.collect());
    let mut remarks = reply.notes.clone();
    for answer in &reply.answers {
        remarks.extend(
            answer
                .note
                .iter()
                .map(|note| format!("{}: {note}", answer.road)),
        );
        let sizeless = share.is_some() && answer.size_for_share_bytes.is_none();
        let missing = answer.time_s.is_none() || (sizeless && answer.road != "fluid");
        remarks.extend(
            answer
                .reason
                .iter()
                .filter(|_| missing)
                .map(|reason| format!("{}{NO_ANSWER}{reason}", answer.road)),
        );
    }
    text += &notes(remarks, &args.output);
    text
}
