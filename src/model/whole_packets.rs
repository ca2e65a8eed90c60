//! Windows of whole packets, as kernels keep them: a counter of acknowledged packets that adds one to the window when it
//! reaches a number. The state stays a slice of `f64`; all values in it are whole.

/// Why such a law has no epoch.
pub const UNSETTLED: &str =
    "the kernel's whole-packet rules are defined for each acknowledgement only: use --road ack";

/// The whole window at or above `window`, at least 2. Upwards, so that a search from above for the window that repeats
/// itself ends at the largest of them: whole packets often give a band of such windows.
#[must_use]
pub fn whole(window: f64) -> f64 {
    window.ceil().max(2.0)
}

/// Division of whole numbers, towards zero for positive ones.
#[must_use]
pub fn floor_div(a: f64, b: f64) -> f64 {
    (a / b).floor()
}

/// Counts `acked` packets at `x[counter]` and adds a packet to the window `x[0]` for every `every` of them. Credit that was
/// gathered under a larger number is worth one packet at most (Linux, net/ipv4/tcp_cong.c, since version 4.1).
pub fn add_one_every(every: f64, acked: f64, x: &mut [f64], counter: usize) {
    if x[counter] >= every {
        x[counter] = 0.0;
        x[0] += 1.0;
    }
    x[counter] += acked;
    if x[counter] >= every {
        let more = floor_div(x[counter], every);
        x[counter] -= more * every;
        x[0] += more;
    }
}

/// Counts `acked` packets against those at `x[held]` that recovery still waits for; whether it goes on. Linux grows a window
/// outside recovery only, so a loss costs the round trip in which the new window is sent once (net/ipv4/tcp_input.c).
pub fn recovering(acked: f64, x: &mut [f64], held: usize) -> bool {
    let holds = x[held] > 0.0;
    if holds {
        x[held] -= acked;
    }
    holds
}
