//! The times at which one conversation has something to do.

use rejoinder_identity::Timestamp;

/// A reason to come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// Tell our position, which has changed.
    Tell,
    /// Ask for a comparison: the regular one, or an earlier one.
    Compare,
    /// Send a summary if the two sides still differ.
    Check,
    /// Answer a summary that came too soon after our last one.
    Answer,
}

impl Timer {
    const ALL: [Self; 4] = [Self::Tell, Self::Compare, Self::Check, Self::Answer];
}

/// When each timer expires. A timer that is not set never does.
#[derive(Debug, Default)]
pub(crate) struct TimerTable {
    expires: [Option<Timestamp>; Timer::ALL.len()],
}

impl TimerTable {
    pub(crate) fn set(&mut self, timer: Timer, time: Timestamp) {
        self.expires[timer as usize] = Some(time);
    }

    /// Sets a timer, unless it expires earlier already.
    pub(crate) fn set_by(&mut self, timer: Timer, time: Timestamp) {
        let expires = &mut self.expires[timer as usize];
        *expires = Some(expires.map_or(time, |set| set.min(time)));
    }

    pub(crate) fn stop(&mut self, timer: Timer) {
        self.expires[timer as usize] = None;
    }

    pub(crate) fn is_due(&self, timer: Timer, now: Timestamp) -> bool {
        self.expires[timer as usize].is_some_and(|time| time <= now)
    }

    /// Stops a timer that is due. Returns whether it was.
    pub(crate) fn expire(&mut self, timer: Timer, now: Timestamp) -> bool {
        let due = self.is_due(timer, now);
        if due {
            self.stop(timer);
        }
        due
    }

    /// Returns the earliest time of all timers for which `counts` holds.
    pub(crate) fn next(&self, counts: impl Fn(Timer) -> bool) -> Option<Timestamp> {
        let counted = Timer::ALL.into_iter().filter(|timer| counts(*timer));
        counted.filter_map(|timer| self.expires[timer as usize]).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn each_timer_has_its_own_time() {
        for (place, timer) in Timer::ALL.into_iter().enumerate() {
            assert_eq!(timer as usize, place);
        }
        let mut timers = TimerTable::default();
        assert_eq!(timers.next(|_| true), None);
        timers.set(Timer::Compare, at(30));
        timers.set(Timer::Tell, at(10));
        assert_eq!(timers.next(|_| true), Some(at(10)));
        assert_eq!(timers.next(|timer| timer != Timer::Tell), Some(at(30)));
        timers.stop(Timer::Tell);
        assert_eq!(timers.next(|_| true), Some(at(30)));
    }

    #[test]
    fn a_timer_expires_once() {
        let mut timers = TimerTable::default();
        timers.set(Timer::Check, at(10));
        assert!(!timers.expire(Timer::Check, at(9)));
        assert!(timers.is_due(Timer::Check, at(10)));
        assert!(timers.expire(Timer::Check, at(10)));
        assert!(!timers.expire(Timer::Check, at(11)));
    }

    #[test]
    fn a_later_time_moves_nothing() {
        let mut timers = TimerTable::default();
        timers.set_by(Timer::Tell, at(10));
        timers.set_by(Timer::Tell, at(20));
        assert_eq!(timers.next(|_| true), Some(at(10)));
        timers.set_by(Timer::Tell, at(5));
        assert_eq!(timers.next(|_| true), Some(at(5)));
    }
}
