//! Flags of the verb `transfer`.

use super::{AssertArgs, OutputArgs, SizeArgs};
use clap::Args;

#[derive(Args)]
pub(in crate::cli) struct TransferArgs {
    /// Law that takes over after slow start: NAME[@PRESET][:key=value,...]; standard TCP with timeouts if none is named
    #[arg(value_name = "LAW")]
    pub law: Option<String>,
    /// Payload to transfer, such as 100kB or 343pkt; a comma list or range makes a grid
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub size: String,
    /// Round trip, such as 100ms; a comma list or range makes a grid
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rtt: String,
    /// Capacity of the narrowest link on the wire, such as 1Gbit/s
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub link: Option<String>,
    /// Loss events per packet: 1e-3, 0.1%, 1/1000; a comma list or range makes a grid
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub loss: Option<String>,
    /// Receiver's window, payload, such as 64KiB
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub receive_window: Option<String>,
    /// First window (RFC 6928's unless given: 10pkt, fewer if they are longer than 1460 B)
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true)]
    pub initial_window: Option<String>,
    /// Round trips before the first packet of data: TCP 1, TCP with TLS 1.3 2, QUIC 1, its 0-RTT 0
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub handshake: String,
    /// Packets for each acknowledgement: slow start grows by 1 + 1/N a round trip (the law's own, 1 without a law, unless given)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub ack_every: Option<String>,
    /// Delay of the acknowledgement of a lone packet, such as 100ms (none unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub delayed_ack: Option<String>,
    /// First retransmission timeout (four round trips, at least 1s, unless given)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rto: Option<String>,
    /// Timeout of the handshake's first packet
    #[arg(
        long,
        value_name = "TIME",
        default_value = "1s",
        allow_hyphen_values = true
    )]
    pub syn_timeout: String,
    /// Every loss is repaired without a timeout (RACK and tail loss probes, RFC 8985)
    #[arg(long)]
    pub tail_loss_probe: bool,
    /// Asks also for the smallest size whose goodput is this share of the long-run goodput, such as 90%
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub share: Option<String>,
    /// Roads to the time, a comma list or `all`: rounds, cardwell, fluid
    #[arg(
        long,
        value_name = "ROADS",
        default_value = "all",
        allow_hyphen_values = true
    )]
    pub road: String,
    /// Seed of the runs of the road `fluid`
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        allow_hyphen_values = true
    )]
    pub seed: String,
    #[command(flatten)]
    pub packet: SizeArgs,
    #[command(flatten)]
    pub assert: AssertArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}
