//! Following a home while commands run: events are printed, and the first decision is noticed.

use std::cell::{Cell, RefCell};

use rejoinder::{Event as Told, Events, HomeEvent, OpeningId, RequestStatus, RequestView};
use tokio::sync::Notify;

use super::Joined;
use crate::{
    event::{Event, Fate},
    failure::Failure,
    feed::Feed,
};

/// The events that the commands need to know of.
#[derive(Debug, Default)]
pub(super) struct Following {
    /// A request that was open has ended.
    settled: Notify,
    /// The request that ended last; at first, the newest request of this home, if that was over
    /// when this run began.
    last_settled: Cell<Option<OpeningId>>,
    /// The host refused something.
    refused: Cell<bool>,
    disk: Disk,
}

/// The number of times that the disk began to refuse writes, and the last reason.
#[derive(Debug, Default)]
struct Disk {
    failures: Cell<u64>,
    why: RefCell<String>,
    failed: Notify,
}

impl Following {
    /// Starts in a home where these requests are known already.
    pub(super) fn of(requests: &[RequestView]) -> Self {
        let over = |view: &&RequestView| match view.status {
            RequestStatus::Open | RequestStatus::Suspended => false,
            RequestStatus::Decided { .. } | RequestStatus::Ended(_) => true,
        };
        let newest = requests.last().filter(over).map(|view| view.opening);
        Self { last_settled: Cell::new(newest), ..Self::default() }
    }

    /// Waits until an open request has ended. Cancel-safe.
    pub(super) async fn settled(&self) {
        self.settled.notified().await;
    }

    /// Returns the request that ended last, in this run or before it.
    pub(super) fn last_settled(&self) -> Option<OpeningId> {
        self.last_settled.get()
    }

    /// True if the host refused something.
    pub(super) fn refused(&self) -> bool {
        self.refused.get()
    }

    /// Waits until the disk begins to refuse writes, and returns the reason. Cancel-safe.
    pub(super) async fn disk_fails(&self) -> String {
        let before = self.disk.failures.get();
        while self.disk.failures.get() == before {
            self.disk.failed.notified().await;
        }
        self.disk.why.borrow().clone()
    }

    /// Follows until this device is told that it may not join.
    pub(super) async fn run(
        &self,
        joined: &Joined<'_>,
        mut events: Events,
        mut feed: Feed,
    ) -> Failure {
        // True if anything has happened since "synced" was last printed.
        let mut stale = true;
        loop {
            let event = tokio::select! {
                biased;
                event = events.next() => event,
                synced = joined.workspace.synced(), if stale => {
                    if let Err(closed) = synced {
                        return closed.into();
                    }
                    stale = false;
                    joined.console.event(Event::Synced);
                    continue;
                }
            };
            let Some(event) = event else { return events.closed().into() };
            stale |= unsettles(&event);
            if let HomeEvent::Plain(Told::DiskFailing(why)) = &event {
                self.disk.failures.set(self.disk.failures.get() + 1);
                self.disk.why.replace(why.clone());
                self.disk.failed.notify_one();
            }
            for told in feed.take(&event) {
                if let Event::Fate { fate: Fate::Refused { .. }, .. } = told {
                    self.refused.set(true);
                }
                joined.console.event(told);
            }
            if let Some(opening) = feed.take_settled() {
                self.last_settled.set(Some(opening));
                self.settled.notify_one();
            }
            if let HomeEvent::Plain(Told::JoinRefused { why, .. }) = event
                && let Some(failure) = refused(joined, &why).await
            {
                return failure;
            }
        }
    }
}

/// Returns the failure that ends the command; `None` for a member, whose ticket need not be good.
async fn refused(joined: &Joined<'_>, why: &str) -> Option<Failure> {
    match joined.workspace.view().await {
        Ok(view) if view.member => None,
        Ok(_) => {
            let message = format!("the host does not let this device in: {why}");
            Some(Failure::new("join-refused", message))
        }
        Err(closed) => Some(closed.into()),
    }
}

/// True if an event may end the synced state, so that it is to be reported again. A request that is
/// void or can't be read does not.
fn unsettles(event: &HomeEvent) -> bool {
    matches!(
        event,
        HomeEvent::LinkUp { .. }
            | HomeEvent::Request { .. }
            | HomeEvent::Plain(
                Told::Joined(_)
                    | Told::InSync { yes: false, .. }
                    | Told::Fate { fate: rejoinder::Fate::Saved, .. }
            )
    )
}
