//! The random draws of a world. Each purpose has a stream of its own, so that one more draw for the
//! network does not shift the workload.

use std::time::Duration;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rejoinder_identity::hash;

/// A stream of draws.
#[derive(Debug)]
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let seed = hash("sim-draws", &[&seed.to_le_bytes(), purpose.as_bytes()]);
        Self(ChaCha8Rng::from_seed(seed.0))
    }

    pub(crate) fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.fill(&mut bytes);
        bytes
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }

    /// Draws one of `0..limit`. The bias of the remainder is too small to matter here.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0.next_u64() % limit.max(1)
    }

    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True in `permille` of a thousand cases.
    pub(crate) fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < permille.into()
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.index(from.len());
        from.get(index)
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }

    /// Draws a pause around `mean`, between a quarter of it and twice it.
    pub(crate) fn pause(&mut self, mean: Duration) -> Duration {
        let mean = u64::try_from(mean.as_millis()).unwrap_or(u64::MAX / 4);
        Duration::from_millis(self.between(mean / 4, mean * 2).max(1))
    }
}
