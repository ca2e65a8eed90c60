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

/// The most memory that a run holds at once, over a row of links with these capacities.
fn peak(process: Process, queue: &str, row: &[f64], duration: f64) -> usize {
    let selected = Selected::parse("reno").unwrap();
    let law: Arc<dyn WindowLaw> = selected.law().unwrap().into();
    let scenario = Scenario {
        links: row
            .iter()
            .map(|&capacity| Link {
                name: "link".into(),
                capacity,
                buffer: 100.0,
                delay: 0.005,
                initial_queue: 0.0,
                queue: parse_queue(queue, capacity, Bytes::new(1500.0)).unwrap(),
            })
            .collect(),
        flows: (1..=5)
            .map(|k| Flow {
                begin: Begin::Growing(10.0),
                ..Flow::new(
                    "reno",
                    Arc::clone(&law),
                    (0..row.len()).collect(),
                    0.04 * f64::from(k),
                )
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
    for (process, queue, row) in [
        (Process::Random, "drop-tail", &[1000.0][..]),
        (Process::MeanField, "red:min=20pkt,max=80pkt", &[1000.0]),
        (Process::Random, "drop-tail", &[1500.0, 1000.0]),
        (
            Process::MeanField,
            "red:min=20pkt,max=80pkt",
            &[1500.0, 1000.0],
        ),
    ] {
        let peak = |duration: f64| peak(process, queue, row, duration);
        // Links in a row cost more a second.
        let length = if row.len() > 1 { 1000.0 } else { 10_000.0 };
        let (short, long) = (peak(100.0), peak(length));
        // Vectors grow by doubling, so a little more history at once may double one of them.
        assert!(
            long <= short + short / 4,
            "{short} B for 100 s, {long} B for {length} s"
        );
    }
}
