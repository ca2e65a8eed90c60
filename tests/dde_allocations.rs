//! Steps do not allocate: ten times the span, the same number of allocations.
#![allow(missing_docs, unsafe_code, clippy::pedantic, clippy::unwrap_used)]

mod problems;

use cwnd::numeric::dde::Options;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    // Of this thread only: the test harness has threads of its own that allocate when they like.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn steps_do_not_allocate() {
    let count = |run: &dyn Fn(f64)| {
        [200.0, 2000.0].map(|until| {
            let before = COUNT.get();
            run(until);
            COUNT.get() - before
        })
    };
    let options = Options::new(1e-5, 1e-5);
    let smooth = count(&|until| {
        problems::tcp_red().0.run(until, &options).unwrap();
    });
    assert_eq!(smooth[0], smooth[1]);
    let jumps = count(&|until| {
        let mut problem = problems::hybrid::Sawtooth::new(0.7);
        problem.log.reserve(4000);
        problems::hybrid::run(&mut problem, &[0.0, 0.0], (0.0, until), &options).unwrap();
    });
    assert_eq!(jumps[0], jumps[1]);
}
