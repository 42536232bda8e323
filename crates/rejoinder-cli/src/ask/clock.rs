//! The time that `--until` sets, and whether a ticket's is over. The one place of the command that
//! reads the wall clock.

use std::time::Duration;

use rejoinder::{
    Timestamp,
    environment::{SystemClock, WallClock},
};

use crate::{args::Until, limits};

/// When an open request ends without an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Timestamp);

/// True if it is past that, by this machine's clock.
pub(crate) fn is_past(time: Timestamp) -> bool {
    SystemClock.read() >= time
}

impl Deadline {
    pub(super) fn new(until: Until) -> Self {
        Self(match until {
            Until::In(span) => SystemClock.read().after(span),
            Until::At(millis) => Timestamp::from_millis(0).after(Duration::from_millis(millis)),
        })
    }

    pub(super) fn is_over(self) -> bool {
        is_past(self.0)
    }

    /// Waits for it; for ever, if there is none. It looks at the wall clock again and again, since
    /// a machine that sleeps does not count that.
    pub(super) async fn wait(deadline: Option<Self>) {
        let Some(deadline) = deadline else { return std::future::pending().await };
        while !deadline.is_over() {
            let left = deadline.0.since(SystemClock.read());
            let look = Duration::from_secs(limits::UNTIL_LOOK_SECONDS);
            tokio::time::sleep(left.min(look)).await;
        }
    }
}
