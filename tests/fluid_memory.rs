//! A run needs no more memory for 10 000 seconds than for 100.
#![allow(missing_docs, unsafe_code, clippy::unwrap_used)]

use cwnd::algorithms::Selected;
use cwnd::fluid::{Begin, Flow, Lapse, Losses, Process, Run, Scenario, simulate};
use cwnd::model::WindowLaw;
use cwnd::network::{Link, parse_queue};
use cwnd::units::Bytes;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Watched;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

/// The most memory that a run holds at once.
fn peak(process: Process, queue: &str, duration: f64) -> usize {
    let selected = Selected::parse("reno").unwrap();
    let law: Arc<dyn WindowLaw> = selected.law().unwrap().into();
    let scenario = Scenario {
        links: vec![Link {
            name: "link".into(),
            capacity: 1000.0,
            buffer: 100.0,
            delay: 0.005,
            initial_queue: 0.0,
            queue: parse_queue(queue, 1000.0, Bytes::new(1500.0)).unwrap(),
        }],
        flows: (1..=5)
            .map(|k| Flow {
                begin: Begin::Growing(10.0),
                ..Flow::new("reno", Arc::clone(&law), vec![0], 0.04 * f64::from(k))
            })
            .collect(),
        losses: Losses {
            process,
            reaction: Lapse::rounds(1.0),
            ..Losses::default()
        },
        run: Run {
            duration,
            ..Run::default()
        },
    };
    let before = NOW.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    simulate(&scenario, &mut ()).unwrap();
    MOST.load(Ordering::Relaxed) - before
}

#[test]
fn memory_does_not_grow_with_the_length_of_a_run() {
    for (process, queue) in [
        (Process::Random, "drop-tail"),
        (Process::MeanField, "red:min=20pkt,max=80pkt"),
    ] {
        let (short, long) = (peak(process, queue, 100.0), peak(process, queue, 10_000.0));
        // Vectors grow by doubling, so a little more history at once may double one of them.
        assert!(
            long <= short + short / 4,
            "{short} B for 100 s, {long} B for 10 000 s"
        );
    }
}
