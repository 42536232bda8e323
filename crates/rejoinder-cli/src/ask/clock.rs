//! The deadline that `--until` sets, and the check if a ticket has expired. The only place in the
//! command that reads the wall clock.

use std::time::Duration;

use rejoinder::{
    Timestamp,
    environment::{SystemClock, WallClock},
};

use crate::{args::Until, limits};

/// The time at which an open request ends without an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline(Timestamp);

/// True if `time` has passed, by this machine's clock.
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

    /// Waits for the deadline, or forever if there is none. It reads the wall clock repeatedly,
    /// since a timer does not count the time that a machine sleeps.
    pub(super) async fn wait(deadline: Option<Self>) {
        let Some(deadline) = deadline else { return std::future::pending().await };
        while !deadline.is_over() {
            let left = deadline.0.since(SystemClock.read());
            let look = Duration::from_secs(limits::UNTIL_LOOK_SECONDS);
            tokio::time::sleep(left.min(look)).await;
        }
    }
}
