//! The one clock of a node: the wall clock as it was when the home was opened, how long ago that
//! is, and how long the machine slept meanwhile. It never runs backwards, and a simulation moves
//! it.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    },
    time::Duration,
};

use rejoinder_identity::Timestamp;
use tokio::time::Instant;

use crate::limits;

/// Reads the wall clock: where a node starts, and to notice that the machine slept.
pub trait WallClock: fmt::Debug + Send + Sync {
    /// The time that it shows. It may be wrong by years, and it may jump.
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

/// The clock of one run. Its clones share what they have noticed.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    wall: Arc<dyn WallClock>,
    start: Timestamp,
    started: Instant,
    noticed: Arc<Noticed>,
}

/// Observations of the wall clock, in milliseconds.
#[derive(Debug, Default)]
struct Noticed {
    /// Its lead over the time that this run has been awake, when it was last read.
    ahead: AtomicI64,
    /// The part of that lead that this clock has adopted.
    slept: AtomicI64,
}

impl Clock {
    pub(crate) fn start(wall: Arc<dyn WallClock>) -> Self {
        Self { start: wall.read(), started: Instant::now(), wall, noticed: Arc::default() }
    }

    /// The current time. A monotonic clock stands still while the machine sleeps: after a night a
    /// record would be dated yesterday, and a ticket for a quarter of an hour be good the next
    /// morning. So a jump of the wall clock over [`limits::SLEPT_MILLIS`] is taken over, unless it
    /// only makes up for an earlier one that went back. A hand that sets the clock forward can't be
    /// told from sleep.
    pub(crate) fn now(&self) -> Timestamp {
        let awake = self.start.after(self.started.elapsed());
        let ahead = self.wall.read().as_millis().saturating_sub(awake.as_millis());
        let before = self.noticed.ahead.swap(ahead, Relaxed);
        if ahead.saturating_sub(before) > limits::SLEPT_MILLIS {
            self.noticed.slept.fetch_max(ahead, Relaxed);
        }
        awake.after(self.slept())
    }

    /// When this clock will show `time`; at once when it has.
    pub(crate) fn instant(&self, time: Timestamp) -> Instant {
        // A time too far off to be said is never waited for to the end: other timers come first.
        const FAR: Duration = Duration::from_secs(86_400 * 365);
        self.started + time.since(self.start.after(self.slept())).min(FAR)
    }

    /// The time that the machine slept, as far as was noticed. It only grows.
    pub(crate) fn slept(&self) -> Duration {
        Duration::from_millis(self.noticed.slept.load(Relaxed).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    #[derive(Debug)]
    struct Hands(AtomicI64);

    impl WallClock for Hands {
        fn read(&self) -> Timestamp {
            Timestamp::from_millis(self.0.load(Relaxed))
        }
    }

    fn clock() -> (Arc<Hands>, Clock) {
        let hands = Arc::new(Hands(AtomicI64::new(10 * HOUR)));
        (hands.clone(), Clock::start(hands))
    }

    #[tokio::test(start_paused = true)]
    async fn a_wall_clock_that_is_set_back_moves_nothing() {
        let (hands, clock) = clock();
        tokio::time::advance(Duration::from_millis(1_500)).await;
        hands.0.store(7, Relaxed);
        assert_eq!(clock.now(), Timestamp::from_millis(10 * HOUR + 1_500));
        assert_eq!(clock.instant(clock.now()), Instant::now());
        assert_eq!(
            clock.instant(Timestamp::from_millis(0)),
            Instant::now() - Duration::from_millis(1_500)
        );
        clock.instant(Timestamp::from_millis(i64::MAX));
        hands.0.store(10 * HOUR + 1_500, Relaxed);
        assert_eq!(clock.now(), Timestamp::from_millis(10 * HOUR + 1_500), "it was set right");
        assert_eq!(clock.slept(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_night_of_sleep_has_passed_in_the_morning() {
        let (hands, clock) = clock();
        let evening = clock.now();
        hands.0.store(18 * HOUR, Relaxed);
        assert_eq!(clock.now().since(evening), Duration::from_secs(8 * 3_600));
        assert_eq!(clock.slept(), Duration::from_secs(8 * 3_600));
        assert_eq!(clock.instant(clock.now()), Instant::now(), "a timer of the night is due");
        tokio::time::advance(Duration::from_secs(1)).await;
        hands.0.store(0, Relaxed);
        assert_eq!(clock.now(), Timestamp::from_millis(18 * HOUR + 1_000), "never backwards");
    }

    #[tokio::test(start_paused = true)]
    async fn a_clock_that_is_corrected_a_little_is_not_a_sleep() {
        let (hands, clock) = clock();
        hands.0.store(10 * HOUR + limits::SLEPT_MILLIS, Relaxed);
        assert_eq!(clock.now(), Timestamp::from_millis(10 * HOUR));
    }
}
