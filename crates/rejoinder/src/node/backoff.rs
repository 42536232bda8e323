//! When to try again: each time after twice as long, with jitter, so that many who lost the same
//! peer don't all come back at once.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::Rng;
use rejoinder_identity::Timestamp;

/// When to try again.
#[derive(Debug, Clone)]
pub(crate) struct Backoff {
    first: Duration,
    last: Duration,
    next: Duration,
    at: Timestamp,
}

impl Backoff {
    /// The first try is due at once.
    pub(crate) fn new(now: Timestamp, first: Duration, last: Duration) -> Self {
        Self { first, last, next: first, at: now }
    }

    pub(crate) fn due_at(&self) -> Timestamp {
        self.at
    }

    /// A try failed.
    pub(crate) fn failed(&mut self, now: Timestamp, random: &mut ChaCha8Rng) {
        self.at = now.after(jitter(self.next, random));
        self.next = (self.next * 2).min(self.last);
    }

    /// It worked for a while and no longer does: soon, from the beginning.
    pub(crate) fn restart(&mut self, now: Timestamp, random: &mut ChaCha8Rng) {
        self.next = self.first;
        self.failed(now, random);
    }

    /// Something changed that may make it work: at once.
    pub(crate) fn at_once(&mut self, now: Timestamp) {
        *self = Self::new(now, self.first, self.last);
    }
}

/// Between half of it and all of it.
fn jitter(delay: Duration, random: &mut ChaCha8Rng) -> Duration {
    let millis = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(millis / 2 + random.next_u64() % (millis / 2 + 1))
}

#[cfg(test)]
mod tests {
    use rand_core::SeedableRng;

    use super::*;

    #[test]
    fn each_delay_is_about_twice_the_one_before_up_to_the_last() {
        let (first, last) = (Duration::from_millis(100), Duration::from_secs(2));
        for seed in 0..100 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut now = Timestamp::from_millis(0);
            let mut backoff = Backoff::new(now, first, last);
            assert_eq!(backoff.due_at(), now);
            for most in [100, 200, 400, 800, 1_600, 2_000, 2_000] {
                backoff.failed(now, &mut random);
                let delay = backoff.due_at().since(now).as_millis();
                assert!((most / 2..=most).contains(&delay), "seed {seed}: {delay} of {most}");
                now = backoff.due_at();
            }
            backoff.restart(now, &mut random);
            assert!(backoff.due_at().since(now) <= first, "seed {seed}");
            backoff.at_once(now);
            assert_eq!(backoff.due_at(), now);
        }
    }
}
