//! What a flow and a link are doing at the moment: the modes of the hybrid system.

use super::plan::{Mode, Plan};
use super::scenario::{Begin, Flow, Scenario, Sender};
use crate::model::Side;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// What a flow is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Not started.
    Waiting,
    /// W' = ln 2 · W/R: the window doubles each round trip.
    SlowStart,
    /// The law's own growth.
    Growing,
    /// The window stands still after a reaction.
    Recovering,
    /// Nothing is sent after a timeout.
    Silent,
    /// Sending at a rate of its own.
    Steady,
    /// Finished.
    Done,
}

/// A flow at the moment.
pub(super) struct LiveFlow {
    pub phase: Phase,
    /// The receiver's window is reached and the law would grow further.
    pub capped: bool,
    /// The state is held at a switch of the law.
    pub held: bool,
    /// Its side of that switch while it is not.
    pub side: Side,
    /// The least window is reached and the law would shrink further.
    pub floored: bool,
    /// Losses up to this time belong to an event that is already being reacted to.
    pub blind_until: f64,
    /// The window stands still till then after a reaction.
    pub rests_until: f64,
    /// Where slow start ends without a loss.
    pub threshold: f64,
    /// The window to go on with after silence.
    pub kept: f64,
    /// Packets to send, if not endless.
    pub size: Option<f64>,
    rng: Xoshiro256PlusPlus,
}

impl LiveFlow {
    fn new(seed: u64, number: u64) -> Self {
        // Streams of their own, so that what one flow draws does not depend on when another does.
        let rng = Xoshiro256PlusPlus::seed_from_u64(
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .wrapping_add(number),
        );
        Self {
            phase: Phase::Waiting,
            capped: false,
            held: false,
            side: Side::Free,
            floored: false,
            blind_until: f64::NEG_INFINITY,
            rests_until: f64::NEG_INFINITY,
            threshold: f64::INFINITY,
            kept: 0.0,
            size: None,
            rng,
        }
    }

    /// Draws how far the next loss is: the loss intensity to be integrated until then.
    pub fn draw(&mut self) -> f64 {
        exponential(&mut self.rng)
    }

    /// A number between 0 and 1.
    pub fn uniform(&mut self) -> f64 {
        self.rng.random::<f64>()
    }

    /// Whether it can lose packets and react.
    pub fn reacts(&self) -> bool {
        matches!(
            self.phase,
            Phase::SlowStart | Phase::Growing | Phase::Recovering
        )
    }

    /// Whether it is in slow start.
    pub fn is_slow(&self) -> bool {
        self.phase == Phase::SlowStart
    }

    /// Whether it has started and is not finished.
    pub fn has_begun(&self) -> bool {
        !matches!(self.phase, Phase::Waiting | Phase::Done)
    }

    /// The phase in which a flow begins.
    pub fn begin(&mut self, flow: &Flow) {
        self.phase = match (&flow.sender, flow.begin) {
            (Sender::Constant(_) | Sender::Changing(_), _) => Phase::Steady,
            (_, Begin::SlowStart(_)) => Phase::SlowStart,
            _ => Phase::Growing,
        };
    }
}

/// A step of a Poisson process.
fn exponential(rng: &mut Xoshiro256PlusPlus) -> f64 {
    -(-rng.random::<f64>()).ln_1p()
}

/// A link at the moment.
pub(super) struct LiveLink {
    /// When the next losers are taken if the buffer is still full.
    pub again: f64,
    pub rng: Xoshiro256PlusPlus,
}

/// How far the drawn losses of the flows are, one place a flow.
pub(super) struct Chances {
    /// Loss intensity to be integrated until the next loss.
    pub left: Vec<f64>,
    /// Since when, and till when, losses count.
    pub since: Vec<f64>,
    pub till: Vec<f64>,
}

impl Chances {
    /// Whether losses of flow `f` belong to an event that is already being reacted to.
    pub fn blind(&self, f: usize) -> bool {
        self.till[f] < f64::INFINITY
    }
}

/// Everything that is not in the state vector.
pub(super) struct Live {
    pub flows: Vec<LiveFlow>,
    pub chances: Chances,
    /// Flows whose window does not move as the law alone says.
    pub irregular: Vec<usize>,
    pub links: Vec<LiveLink>,
    pub modes: Vec<Mode>,
}

impl Live {
    pub fn new(plan: &Plan, scenario: &Scenario) -> Self {
        let seed = scenario.run.seed;
        let count = plan.flows.len() as u64;
        let mut flows: Vec<_> = (0..count).map(|f| LiveFlow::new(seed, f)).collect();
        for (live, flow) in flows.iter_mut().zip(&scenario.flows) {
            live.size = flow.size;
        }
        Self {
            chances: Chances {
                left: flows.iter_mut().map(LiveFlow::draw).collect(),
                since: vec![f64::NEG_INFINITY; flows.len()],
                till: vec![f64::INFINITY; flows.len()],
            },
            irregular: Vec::new(),
            flows,
            links: (0..plan.links.len() as u64)
                .map(|l| LiveLink {
                    again: f64::NAN,
                    rng: Xoshiro256PlusPlus::seed_from_u64(
                        seed.wrapping_mul(0xD1B5_4A32_D192_ED03)
                            .wrapping_add(count + l),
                    ),
                })
                .collect(),
            modes: vec![Mode::Empty; plan.links.len()],
        }
    }

    /// Flow `f` is to begin again at time `t`, with this size.
    pub fn renew(&mut self, f: usize, size: f64, t: f64) {
        let live = &mut self.flows[f];
        live.size = Some(size);
        (live.capped, live.held, live.side) = (false, false, Side::Free);
        live.blind_until = f64::NEG_INFINITY;
        live.threshold = f64::INFINITY;
        live.kept = 0.0;
        self.chances.since[f] = t;
        self.chances.till[f] = f64::INFINITY;
    }

    /// Lists the irregular flows again.
    pub fn sort_out(&mut self) {
        let regular = |flow: &LiveFlow| {
            matches!(flow.phase, Phase::Growing | Phase::Steady)
                && !flow.capped
                && !flow.floored
                && !flow.held
                && flow.side == Side::Free
        };
        self.irregular.clear();
        let flows = self.flows.iter().enumerate();
        self.irregular
            .extend(flows.filter(|(_, flow)| !regular(flow)).map(|(f, _)| f));
    }
}
