//! Events of a home, in order, each with the state as it was then. For those who
//! print or log; whoever shows a state uses the streams of state.

use std::{net::SocketAddr, sync::Arc};

use futures_core::Stream;
use rejoinder_identity::{PeerId, WorkspaceId};
use rejoinder_quic::Closed as LinkClosed;
use rejoinder_replica::{Event, MemberView, Replica, RequestView, Subject};
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::{error::Closed, fault::Fault, limits};

/// Something happened: at this home's node, or to what the home holds.
#[derive(Debug, Clone)]
pub enum HomeEvent {
    /// The home can be reached at these addresses.
    Listening {
        /// The addresses.
        addresses: Vec<SocketAddr>,
    },
    /// There is a link to that device; there was none.
    LinkUp {
        /// The device.
        peer: PeerId,
    },
    /// There is no link to that device any more.
    LinkDown {
        /// The device.
        peer: PeerId,
        /// The reason why the last one ended.
        closed: LinkClosed,
    },
    /// Nothing came back from that device: it was dialled to be let in by it, or while there is no
    /// link at all. It is tried again; told once until it answers.
    NotReached {
        /// The device.
        peer: PeerId,
        /// The reason.
        why: String,
    },
    /// A device became a member.
    Member {
        /// The workspace.
        workspace: WorkspaceId,
        /// The member.
        member: MemberView,
    },
    /// Something about a request, with the request as it was then.
    Request {
        /// The event.
        event: Event,
        /// The request, with its answers.
        request: Arc<RequestView>,
    },
    /// Something else, with nothing to show. Who begins to listen later hears of damage as well.
    Plain(Event),
    /// This listener was too slow: so many events are not here. The states have what is so now.
    Missed(u64),
    /// A fault in this program closes the home. Nothing comes after it.
    Failed {
        /// The fault's message, to be reported.
        why: String,
    },
}

impl HomeEvent {
    /// The thing that it is about.
    pub fn subject(&self) -> Subject {
        match self {
            Self::Request { event, .. } | Self::Plain(event) => event.subject(),
            Self::Member { workspace, .. } => Subject::Workspace(*workspace),
            Self::Listening { .. }
            | Self::LinkUp { .. }
            | Self::LinkDown { .. }
            | Self::NotReached { .. }
            | Self::Missed(_)
            | Self::Failed { .. } => Subject::Home,
        }
    }

    /// The replica's own event, if it is one.
    pub fn event(&self) -> Option<&Event> {
        match self {
            Self::Request { event, .. } | Self::Plain(event) => Some(event),
            Self::Member { .. }
            | Self::Listening { .. }
            | Self::LinkUp { .. }
            | Self::LinkDown { .. }
            | Self::NotReached { .. }
            | Self::Missed(_)
            | Self::Failed { .. } => None,
        }
    }

    /// The request that it is about, as it was then; `None` if it only names one, or none.
    pub fn request(&self) -> Option<&RequestView> {
        if let Self::Request { request, .. } = self { Some(request) } else { None }
    }

    /// Adds to an event the state as it is now. `None` for an event that concerns the node alone,
    /// and for one whose object no longer exists.
    pub(crate) fn told(replica: &Replica, event: Event) -> Option<Self> {
        if let Event::PeersChanged = event {
            return None;
        }
        if let Event::Member { workspace, device } = event {
            let members = replica.members(&workspace);
            let member = members.into_iter().find(|member| member.device == device)?;
            return Some(Self::Member { workspace, member });
        }
        match event.subject() {
            Subject::Request(workspace, opening) if !only_names(&event) => {
                let request = Arc::new(replica.request(&workspace, &opening)?);
                Some(Self::Request { event, request })
            }
            Subject::Home
            | Subject::Workspace(_)
            | Subject::Request(..)
            | Subject::Proposal(..) => Some(Self::Plain(event)),
        }
    }
}

/// True if a request's event is told without the request: a void one may be gone, and an unreadable
/// one would be shown without its answers.
fn only_names(event: &Event) -> bool {
    matches!(event, Event::Void { .. } | Event::Unreadable { .. })
}

/// A feed of events, from the moment it was asked for. It ends when the home is closed.
#[derive(Debug)]
pub struct Events {
    events: mpsc::Receiver<HomeEvent>,
    fault: Fault,
}

impl Events {
    pub(crate) fn new(fault: Fault) -> (mpsc::Sender<HomeEvent>, Self) {
        let (listener, events) = mpsc::channel(limits::EVENTS);
        (listener, Self { events, fault })
    }

    /// The reason why no event comes any more.
    pub fn closed(&self) -> Closed {
        self.fault.closed()
    }

    /// The next event. Cancel-safe.
    pub async fn next(&mut self) -> Option<HomeEvent> {
        self.events.recv().await
    }
}

impl Stream for Events {
    type Item = HomeEvent;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<HomeEvent>> {
        self.events.poll_recv(context)
    }
}

/// One who listens, as the node sees it.
#[derive(Debug)]
pub(crate) struct Listener {
    sender: mpsc::Sender<HomeEvent>,
    missed: u64,
}

impl Listener {
    pub(crate) fn new(sender: mpsc::Sender<HomeEvent>) -> Self {
        Self { sender, missed: 0 }
    }

    /// True if it still listens.
    #[must_use]
    pub(crate) fn tell(&mut self, event: HomeEvent) -> bool {
        // The last place is kept for saying what was missed, so that this always comes before
        // what follows it.
        if self.sender.capacity() < 2 {
            self.missed += 1;
            return !self.sender.is_closed();
        }
        if self.missed > 0 {
            let missed = HomeEvent::Missed(std::mem::take(&mut self.missed));
            if !self.put(missed) {
                return false;
            }
        }
        self.put(event)
    }

    /// The last thing that is told: the place is taken that is kept for saying what was missed.
    pub(crate) fn tell_last(self, event: HomeEvent) {
        let _told = self.put(event);
    }

    fn put(&self, event: HomeEvent) -> bool {
        !matches!(self.sender.try_send(event), Err(TrySendError::Closed(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_listener_is_told_what_it_missed() {
        let (sender, mut events) = Events::new(Fault::default());
        let mut listener = Listener::new(sender);
        let more = 10;
        for _ in 0..limits::EVENTS + more {
            assert!(listener.tell(HomeEvent::Plain(Event::DiskRecovered)));
        }
        for _ in 0..limits::EVENTS - 1 {
            assert!(matches!(events.next().await, Some(HomeEvent::Plain(Event::DiskRecovered))));
        }
        assert!(listener.tell(HomeEvent::Plain(Event::DiskRecovered)));
        let missed = u64::try_from(more).unwrap() + 1;
        assert!(matches!(events.next().await, Some(HomeEvent::Missed(n)) if n == missed));
        assert!(matches!(events.next().await, Some(HomeEvent::Plain(Event::DiskRecovered))));
        drop(events);
        assert!(!listener.tell(HomeEvent::Plain(Event::DiskRecovered)));
    }
}
