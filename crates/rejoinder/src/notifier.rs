//! Something may have changed: a counter and those who wait for it to move.
//!
//! Not `tokio::sync::watch`, which wakes its receivers in random order.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// A counter of changes.
#[derive(Debug, Default)]
pub(crate) struct Notifier {
    count: AtomicU64,
    moved: Notify,
}

impl Notifier {
    pub(crate) fn bump(&self) {
        self.count.fetch_add(1, Ordering::AcqRel);
        self.moved.notify_waiters();
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Acquire)
    }

    /// Waits until the counter is beyond `seen`.
    pub(crate) async fn beyond(&self, seen: u64) {
        loop {
            let moved = self.moved.notified();
            tokio::pin!(moved);
            // Before the counter is read, or a bump in between would be missed.
            moved.as_mut().enable();
            if self.count() > seen {
                return;
            }
            moved.await;
        }
    }
}
