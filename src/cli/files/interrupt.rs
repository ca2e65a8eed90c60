//! A named file that is not whole yet: an interrupt waits until it is gone.

#[cfg(unix)]
mod held {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{flag, low_level};
    use std::io;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex, OnceLock, PoisonError};

    struct Signals {
        /// Nothing is held: a signal does what it always does.
        free: Arc<AtomicBool>,
        /// The signal that came while something was held; 0 for none.
        caught: Arc<AtomicUsize>,
        holders: Mutex<usize>,
    }

    fn signals() -> io::Result<&'static Signals> {
        static SIGNALS: OnceLock<Signals> = OnceLock::new();
        if let Some(signals) = SIGNALS.get() {
            return Ok(signals);
        }
        let free = Arc::new(AtomicBool::new(true));
        let caught = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM] {
            flag::register_conditional_default(signal, free.clone())?;
            flag::register_usize(signal, caught.clone(), signal.unsigned_abs() as usize)?;
        }
        Ok(SIGNALS.get_or_init(|| Signals {
            free,
            caught,
            holders: Mutex::new(0),
        }))
    }

    /// While one of these lives, SIGINT and SIGTERM wait; when the last one goes they end the program as they would have.
    pub struct Held(&'static Signals);

    impl Held {
        pub fn new() -> io::Result<Self> {
            let signals = signals()?;
            let mut holders = signals
                .holders
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *holders += 1;
            signals.free.store(false, Ordering::SeqCst);
            Ok(Self(signals))
        }

        /// An error if a signal waits.
        pub fn go_on(&self) -> io::Result<()> {
            if self.0.caught.load(Ordering::SeqCst) == 0 {
                Ok(())
            } else {
                Err(io::Error::other("interrupted"))
            }
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            let mut holders = self
                .0
                .holders
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *holders -= 1;
            if *holders > 0 {
                return;
            }
            self.0.free.store(true, Ordering::SeqCst);
            let caught = self.0.caught.swap(0, Ordering::SeqCst);
            if let Ok(signal) = i32::try_from(caught)
                && signal != 0
            {
                let _ = low_level::emulate_default_handler(signal);
            }
        }
    }
}

#[cfg(not(unix))]
mod held {
    /// Nothing waits here.
    pub struct Held;

    impl Held {
        pub fn new() -> std::io::Result<Self> {
            Ok(Self)
        }

        pub fn go_on(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

pub(super) use held::Held;
