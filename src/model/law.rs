//! The two verbs of a window law, as the numerical roads see it.

use super::Price;

/// What the network tells a sender. Times in seconds, rates in packets per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feedback {
    /// Round trip, queues included.
    pub rtt: f64,
    /// Round trip without queues.
    pub base_rtt: f64,
    /// Share of packets that carry a congestion mark.
    pub marking: f64,
    /// A router's explicit feedback, packets per second squared.
    pub explicit: f64,
    /// Packets of this flow delivered per second.
    pub delivery_rate: f64,
}

impl Feedback {
    /// The same path with everything delivered that a window of `window` packets sends.
    #[must_use]
    pub fn delivering(self, window: f64) -> Self {
        Self {
            delivery_rate: window / self.rtt,
            ..self
        }
    }

    /// A path with this round trip and no queue, marks or explicit feedback.
    #[must_use]
    pub fn quiet(rtt: f64) -> Self {
        Self {
            rtt,
            base_rtt: rtt,
            marking: 0.0,
            explicit: 0.0,
            delivery_rate: 0.0,
        }
    }
}

/// What the network tells many flows that cross one link side by side; the slices are equally long, one place a flow.
#[derive(Debug, Clone, Copy)]
pub struct Sights<'a> {
    /// Round trips, queues included.
    pub rtt: &'a [f64],
    /// Round trips without queues.
    pub base_rtt: &'a [f64],
    /// Round trips per second.
    pub pace: &'a [f64],
    /// Packets sent per second.
    pub rate: &'a [f64],
    /// Share of these that is delivered, of every flow.
    pub delivered: f64,
    /// Share of packets that carry a congestion mark, of every flow.
    pub marking: f64,
    /// Explicit feedback, packets per second squared, to every flow.
    pub explicit: f64,
}

impl Sights<'_> {
    /// What each flow is told, in order.
    #[inline]
    pub fn each(&self) -> impl Iterator<Item = Feedback> {
        let all = self.rtt.iter().zip(self.base_rtt).zip(self.rate);
        all.map(|((&rtt, &base_rtt), &rate)| Feedback {
            rtt,
            base_rtt,
            marking: self.marking,
            explicit: self.explicit,
            delivery_rate: rate * self.delivered,
        })
    }
}

/// Why a sender reacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// One or more packets of a round were lost and repaired without a timeout.
    Loss,
    /// A congestion mark (ECN).
    Mark,
    /// A retransmission timeout.
    Timeout,
}

/// On which side of a threshold, at which its equations jump, a state is taken to be. A step that looks across the threshold
/// goes on with the equations of its own side, so that it is smooth; the event there then ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// There is no such threshold, or nothing is known yet: the state decides.
    Free,
    /// Below it.
    Below,
    /// Above it.
    Above,
}

/// The two verbs, and the state they work on. The state is a slice whose first place is the window in packets;
/// the others are what the law remembers (BIC's `w_max`, CUBIC's age). A law declares its own state, so that a new law
/// changes no shared type.
pub trait WindowLaw: Send + Sync {
    /// Names of the state's places, `window` first.
    fn states(&self) -> &'static [&'static str];

    /// Writes the state's rate of change per **second** between losses into `dx` (same length as `x`).
    fn increase(&self, x: &[f64], seen: &Feedback, dx: &mut [f64]);

    /// [`increase`](Self::increase) of many flows at once, whose states follow each other in `x`: one call into the
    /// law, so that the loop inside is compiled for the law.
    fn increase_all(&self, x: &[f64], seen: &Sights<'_>, dx: &mut [f64]) {
        let places = self.states().len();
        let states = x.chunks_exact(places).zip(dx.chunks_exact_mut(places));
        for ((x, dx), seen) in states.zip(seen.each()) {
            self.increase(x, &seen, dx);
        }
    }

    /// Changes the state to what an event leaves of it.
    fn decrease(&self, x: &mut [f64], seen: &Feedback, why: Cause);

    /// Sets the state of a flow that meets a loss in a steady state with this window: `window` itself and what the
    /// law then remembers. All other places are 0 unless the law says otherwise.
    fn settle(&self, window: f64, x: &mut [f64]) {
        x.fill(0.0);
        if let Some(first) = x.first_mut() {
            *first = window;
        }
    }

    /// [`WindowLaw::settle`] for a law whose memory depends on the path. It may keep what `x` remembers already.
    fn steady(&self, window: f64, _seen: &Feedback, x: &mut [f64]) {
        self.settle(window, x);
    }

    /// Places whose value at a loss is what earlier epochs made it, not what `settle` says: a measured bandwidth. In a
    /// periodic solution they repeat themselves.
    fn carried(&self) -> &'static [usize] {
        &[]
    }

    /// Writes into `dx` the rates of what the law goes on measuring while its window does not grow by `increase`: in slow
    /// start, in recovery, in silence. It leaves the other places of `dx` as they are.
    fn measure(&self, _x: &[f64], _seen: &Feedback, _dx: &mut [f64]) {}

    /// Appends quantities that pass through zero where `increase` changes its formula.
    fn switches(&self, _x: &[f64], _seen: &Feedback, _out: &mut Vec<f64>) {}

    /// Whether `increase` may point at this one of the `switches` from both of its sides.
    fn holds_at(&self, _switch: usize) -> bool {
        false
    }

    /// How far the state is above the switch at which it can be held, relative; NaN if there is none.
    fn beyond(&self, _x: &[f64], _seen: &Feedback) -> f64 {
        f64::NAN
    }

    /// [`increase`](Self::increase) as it is on one side of that switch, whatever the state says: what a step that looks
    /// across the switch goes on with.
    fn increase_beside(&self, _side: Side, x: &[f64], seen: &Feedback, dx: &mut [f64]) {
        self.increase(x, seen, dx);
    }

    /// Where `increase` points at a switch from both of its sides, the state cannot leave it: it is held there, also while
    /// the switch moves with a round trip that changes by `rtt_rate` seconds per second. Writes the rate of change of a held
    /// state into `dx`, and returns how far it is from coming free, 0 or less if it is not held.
    fn held(&self, _x: &[f64], _seen: &Feedback, _rtt_rate: f64, _dx: &mut [f64]) -> f64 {
        -1.0
    }

    /// Whether a state at that switch is [`held`](Self::held) there, and the side to which it moves if it is not.
    fn meets(&self, x: &[f64], seen: &Feedback, rtt_rate: f64) -> (bool, Side) {
        let [mut along, mut below] = [0, 1].map(|_| vec![0.0; x.len()]);
        let held = self.held(x, seen, rtt_rate, &mut along) > 0.0;
        self.increase_beside(Side::Below, x, seen, &mut below);
        let side = if below[0] <= along[0] {
            Side::Below
        } else {
            Side::Above
        };
        (held, side)
    }

    /// Windows at which `decrease` changes its rule by a jump, in ascending order.
    fn thresholds(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Appends the windows at which `decrease` jumps in this state: the [`thresholds`](Self::thresholds), and those that the state
    /// itself sets, as fast convergence does at the last maximum.
    fn jumps(&self, _x: &[f64], out: &mut Vec<f64>) {
        out.extend(self.thresholds());
    }

    /// One acknowledgement: `ack_every`/window of a round passes. Default: `increase` over that time in one explicit step,
    /// which is how a law written as "cwnd += a/cwnd per acknowledgement" is defined. `scratch` is as long as `x`.
    fn on_ack(&self, x: &mut [f64], seen: &Feedback, scratch: &mut [f64]) {
        self.increase(x, seen, scratch);
        let dt = self.ack_every() * seen.rtt / x[0];
        for (place, rate) in x.iter_mut().zip(scratch.iter()) {
            *place += rate * dt;
        }
    }

    /// `count` acknowledgements in a row; returns the rounds that passed. One call into the law for a whole stretch without
    /// losses, so that the loop inside is compiled for the law.
    fn on_acks(&self, count: u64, x: &mut [f64], seen: &Feedback, scratch: &mut [f64]) -> f64 {
        let mut rounds = 0.0;
        let mut seen = *seen;
        for _ in 0..count {
            rounds += self.ack_every() / x[0];
            seen.delivery_rate = x[0] / seen.rtt;
            self.on_ack(x, &seen, scratch);
        }
        rounds
    }

    /// Packets that one acknowledgement stands for.
    fn ack_every(&self) -> f64 {
        1.0
    }

    /// Whether the law counts seconds, so that its window in packets depends on the round trip.
    fn needs_rtt(&self) -> bool {
        false
    }

    /// What the law answers to. One that answers to loss grows between losses; others may stand still or shrink, and have no
    /// response to a loss rate.
    fn price(&self) -> Price {
        Price::Loss
    }

    /// Its part where a router divides by weights; 0 for a law that does not listen to explicit feedback.
    fn weight(&self) -> f64 {
        0.0
    }

    /// Slow start ends without a loss where this reaches zero from below; not negative at the start for a law that has none.
    fn slow_start_ends(&self, _x: &[f64], _seen: &Feedback) -> f64 {
        f64::NEG_INFINITY
    }

    /// Name of the regime that the state is in.
    fn regime(&self, x: &[f64], seen: &Feedback) -> &'static str;

    /// Where the law is printed: a key of the references and a place in it.
    fn source(&self) -> &'static str;

    /// What went wrong inside the law on this thread since this was last asked, for a law whose formulas come from outside and may fail where
    /// nobody looked before. `answered` says whether the road came to a number all the same: growth is also tried in states
    /// that a step then does not reach.
    fn fault(&self, _answered: bool) -> Option<String> {
        None
    }

    /// Why a flow alone has no stable periodic solution under these parameters, if it has none (fast convergence).
    fn unsettled(&self) -> Option<&'static str> {
        None
    }
}
