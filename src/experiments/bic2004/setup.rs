//! The network and the background traffic.

use crate::algorithms::Selected;
use crate::error::Result;
use crate::fluid::{Begin, Flow, Losses, Run, Scenario, Sender, Web};
use crate::model::WindowLaw;
use crate::network::{Link, parse_queue};
use crate::units::Bytes;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::Range;
use std::sync::Arc;

/// Bits of a packet on the wire.
pub const PACKET_BITS: f64 = 12_000.0;

/// A protocol of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Protocol {
    /// What the paper calls it.
    pub name: &'static str,
    /// The law with its parameters.
    pub spec: &'static str,
}

/// Those that the paper compares, in its order.
pub const PROTOCOLS: [Protocol; 4] = [
    Protocol {
        name: "AIMD",
        spec: "aimd:a=32,b=0.125",
    },
    Protocol {
        name: "HSTCP",
        spec: "highspeed",
    },
    Protocol {
        name: "STCP",
        spec: "scalable",
    },
    Protocol {
        name: "BIC",
        spec: "bic:smax=32,smin=0.01,beta=0.125,fast_convergence=1",
    },
];

/// Standard TCP, for the background.
const STANDARD: Protocol = Protocol {
    name: "TCP",
    spec: "reno",
};

impl Protocol {
    /// Its law.
    ///
    /// # Errors
    /// None for the protocols of this room.
    pub fn law(self) -> Result<Arc<dyn WindowLaw>> {
        Ok(Arc::from(Selected::parse(self.spec)?.law()?))
    }

    /// A flow of it, in slow start from two packets.
    ///
    /// # Errors
    /// None for the protocols of this room.
    pub fn flow(self, rtt: f64, start: f64) -> Result<Flow> {
        Ok(Flow {
            start,
            begin: Begin::SlowStart(2.0),
            ..Flow::new(self.name, self.law()?, vec![0], rtt)
        })
    }
}

/// The router before the bottleneck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Router {
    /// Drops what does not fit.
    DropTail,
    /// Adaptive RED with the bottom of `max_p` at 0.001.
    Red,
}

impl Router {
    /// What the paper calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DropTail => "drop tail",
            Self::Red => "RED",
        }
    }

    /// In the grammar of queues.
    #[must_use]
    pub const fn spec(self) -> &'static str {
        match self {
            Self::DropTail => "drop-tail",
            Self::Red => "adaptive-red:bottom=0.001",
        }
    }
}

/// What the experiments share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// Bits per second.
    pub capacity_bps: f64,
    /// The router.
    pub router: Router,
    /// Seconds that a full buffer takes to drain.
    pub buffer_s: f64,
    /// Share of the capacity that the web load takes on average, 0 for none.
    pub web: f64,
    /// TCP flows with a window of at most 64 packets.
    pub small: usize,
    /// TCP flows without that limit.
    pub long_lived: usize,
    /// Seconds of the run.
    pub duration: f64,
    /// When measuring begins.
    pub measure_from: f64,
    /// Equal parts of the measured time.
    pub slices: usize,
}

/// Round trips of the background, seconds.
const RTTS: (f64, f64) = (0.04, 0.15);

impl Setup {
    /// The paper's network at this capacity.
    #[must_use]
    pub const fn new(capacity_bps: f64, router: Router) -> Self {
        Self {
            capacity_bps,
            router,
            buffer_s: 0.02,
            web: 0.2,
            small: 25,
            long_lived: 3,
            duration: 600.0,
            measure_from: 300.0,
            slices: 1,
        }
    }

    /// Without background traffic.
    #[must_use]
    pub const fn alone(self) -> Self {
        Self {
            web: 0.0,
            small: 0,
            long_lived: 0,
            ..self
        }
    }

    /// Packets per second.
    #[must_use]
    pub fn capacity(&self) -> f64 {
        self.capacity_bps / PACKET_BITS
    }

    /// Random numbers of the experiment itself; `purpose` keeps them apart from the background's.
    #[must_use]
    pub(super) fn random(seed: u64, purpose: u64) -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(
            seed.wrapping_mul(0x2545_F491_4F6C_DD1D)
                .wrapping_add(purpose),
        )
    }

    /// Places of the long-lived TCP flows behind `first` high-speed ones.
    #[must_use]
    pub fn long_lived_at(&self, first: usize) -> Range<usize> {
        first..first + self.long_lived
    }

    /// The scenario of these high-speed flows, which come first, and the background behind them: long-lived flows, small flows, web.
    ///
    /// # Errors
    /// Those of the queue's grammar and of [`Web::over`].
    pub fn scenario(&self, high_speed: Vec<Flow>, seed: u64) -> Result<Scenario> {
        let capacity = self.capacity();
        let link = Link {
            name: "bottleneck".into(),
            capacity,
            buffer: capacity * self.buffer_s,
            delay: 0.0,
            initial_queue: 0.0,
            queue: parse_queue(self.router.spec(), capacity, Bytes::new(PACKET_BITS / 8.0))?,
        };
        let mut flows = high_speed;
        let mut rng = Self::random(seed, 0);
        let mut between = |low: f64, high: f64| low + (high - low) * rng.random::<f64>();
        for _ in 0..self.long_lived {
            let rtt = between(RTTS.0, RTTS.1);
            let start = between(0.0, 0.05 * self.duration);
            flows.push(STANDARD.flow(rtt, start)?);
        }
        for _ in 0..self.small {
            let rtt = between(RTTS.0, RTTS.1);
            let start = between(0.0, 0.25 * self.duration);
            let stop = between(0.75 * self.duration, self.duration);
            flows.push(Flow {
                stop: Some(stop),
                receive_window: Some(64.0),
                ..STANDARD.flow(rtt, start)?
            });
        }
        if self.web > 0.0 {
            let web = Web::new(self.web * capacity, 2e6 / PACKET_BITS);
            flows.push(Flow {
                label: "web".into(),
                sender: self.web_load(&web, seed)?,
                ..STANDARD.flow(RTTS.0, 0.0)?
            });
        }
        Ok(Scenario {
            links: vec![link],
            flows,
            losses: Losses {
                timeout_below: 4.0,
                ..Losses::default()
            },
            run: Run {
                duration: self.duration,
                measure_from: self.measure_from,
                seed,
                tolerance: 1e-4,
                slices: self.slices,
                ..Run::default()
            },
        })
    }

    fn web_load(&self, web: &Web, seed: u64) -> Result<Sender> {
        web.over(self.duration, seed, 0)
    }
}
