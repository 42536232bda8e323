//! A peer's wall clock, which may be wrong by years and may jump.

use std::sync::atomic::{AtomicI64, Ordering};

use rejoinder::{Timestamp, environment::WallClock};

use crate::trace::Trace;

/// The time at which every world begins: 2026-01-01, in milliseconds.
const BEGINNING: i64 = 1_767_225_600_000;

/// A peer's wall clock.
#[derive(Debug)]
pub(crate) struct SimClock {
    trace: Trace,
    ahead: AtomicI64,
}

impl SimClock {
    pub(crate) fn new(trace: Trace) -> Self {
        Self { trace, ahead: AtomicI64::new(0) }
    }

    /// Moves the clock forward or back, whatever it has shown before.
    pub(crate) fn jump(&self, millis: i64) {
        self.ahead.fetch_add(millis, Ordering::Relaxed);
    }
}

impl WallClock for SimClock {
    fn read(&self) -> Timestamp {
        let ahead = BEGINNING + self.ahead.load(Ordering::Relaxed);
        Timestamp::from_millis(ahead).after(self.trace.elapsed())
    }
}
