//! The one clock of a node: the wall clock as it was when the home was opened, and how long ago
//! that is. So it never runs backwards, and a simulation moves it.

use std::{fmt, sync::Arc, time::Duration};

use rejoinder_identity::Timestamp;
use tokio::time::Instant;

/// Reads the wall clock. Only where a node starts, and to notice that the machine slept.
pub trait WallClock: fmt::Debug + Send + Sync {
    /// What it shows. It may be wrong by years, and it may jump.
    fn read(&self) -> Timestamp;
}

/// The operating system's wall clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock;

impl WallClock for SystemClock {
    fn read(&self) -> Timestamp {
        let since = std::time::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO);
        Timestamp::from_millis(0).after(since)
    }
}

/// The clock of one run.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    wall: Arc<dyn WallClock>,
    start: Timestamp,
    started: Instant,
}

impl Clock {
    pub(crate) fn start(wall: Arc<dyn WallClock>) -> Self {
        Self { start: wall.read(), started: Instant::now(), wall }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.start.after(self.started.elapsed())
    }

    /// When this clock will show `time`; at once when it has.
    pub(crate) fn instant(&self, time: Timestamp) -> Instant {
        // A time too far off to be said is never waited for to the end: other timers come first.
        const FAR: Duration = Duration::from_secs(86_400 * 365);
        self.started + time.since(self.start).min(FAR)
    }

    /// How far the wall clock is ahead of this one; what it gains is time that the machine slept.
    pub(crate) fn ahead(&self) -> i64 {
        self.wall.read().as_millis().saturating_sub(self.now().as_millis())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[derive(Debug)]
    struct Hands(AtomicI64);

    impl WallClock for Hands {
        fn read(&self) -> Timestamp {
            Timestamp::from_millis(self.0.load(Ordering::Relaxed))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_wall_clock_that_jumps_moves_nothing() {
        let hands = Arc::new(Hands(AtomicI64::new(1_000_000)));
        let clock = Clock::start(hands.clone());
        tokio::time::advance(Duration::from_millis(1_500)).await;
        hands.0.store(7, Ordering::Relaxed);
        assert_eq!(clock.now(), Timestamp::from_millis(1_001_500));
        assert_eq!(clock.ahead(), 7 - 1_001_500);
        assert_eq!(clock.instant(clock.now()), Instant::now());
        assert_eq!(
            clock.instant(Timestamp::from_millis(0)),
            Instant::now() - Duration::from_millis(1_500)
        );
        clock.instant(Timestamp::from_millis(i64::MAX));
    }
}
