//! What happens at a home, in order, each event with the state as it was then. For those who
//! print or log; whoever shows a state uses the streams of state.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use futures_core::Stream;
use rejoinder_identity::{OpeningId, PeerId, ProposalId, QuestionId, WorkspaceId};
use rejoinder_quic::Closed as LinkClosed;
use rejoinder_replica::{Event, Fate, MemberView, Replica, RequestView, Salvaged};
use tokio::sync::mpsc::{self, error::TrySendError};

use crate::{error::Closed, fault::Fault, limits};

/// Something happened.
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
        /// How the last one ended.
        closed: LinkClosed,
    },
    /// A workspace has let this device in.
    Joined {
        /// Which.
        workspace: WorkspaceId,
    },
    /// A workspace's host won't let this device in.
    JoinRefused {
        /// Which.
        workspace: WorkspaceId,
        /// Why.
        why: String,
    },
    /// Nothing came back from that device: it was dialled to be let in by it, or while there is no
    /// link at all. It is tried again; told once until it answers.
    NotReached {
        /// The device.
        peer: PeerId,
        /// What happened instead.
        why: String,
    },
    /// A member has this device's wish to be let in, and the host has not answered it: a person may
    /// have to. Told once by each member, until it can't be reached.
    JoinWaits {
        /// Where.
        workspace: WorkspaceId,
        /// The member.
        at: PeerId,
    },
    /// A device waits for a person's approval.
    ApprovalNeeded {
        /// Where.
        workspace: WorkspaceId,
        /// Who.
        device: PeerId,
        /// The name it gives itself.
        name: String,
    },
    /// A device became a member.
    Member {
        /// Where.
        workspace: WorkspaceId,
        /// Who.
        member: MemberView,
    },
    /// A request was raised or raised again.
    Opened(Arc<RequestView>),
    /// An answer changed.
    Answer {
        /// The request, with its answers.
        request: Arc<RequestView>,
        /// Which question.
        question: QuestionId,
        /// Who wrote.
        by: PeerId,
    },
    /// An edit came after the decision: it is kept, and not in it.
    NotIncluded {
        /// The request.
        request: Arc<RequestView>,
        /// Which question.
        question: QuestionId,
        /// Who wrote.
        by: PeerId,
    },
    /// A proposal of this device came further.
    Fate {
        /// Where.
        workspace: WorkspaceId,
        /// Which.
        proposal: ProposalId,
        /// How far.
        fate: Fate,
    },
    /// The host decided.
    Decided(Arc<RequestView>),
    /// A turn ended and took an open request with it; the status says whether it may be resumed.
    Ended(Arc<RequestView>),
    /// A turn was resumed: the request is open again.
    Resumed(Arc<RequestView>),
    /// A decision or a request is void: a newer epoch of the host doesn't have it.
    Void {
        /// Where.
        workspace: WorkspaceId,
        /// Which.
        opening: OpeningId,
    },
    /// The chat, its turns or the session changed otherwise.
    Chat {
        /// Where.
        workspace: WorkspaceId,
    },
    /// Whether the workspace is the same here and at every linked peer.
    InSync {
        /// Which.
        workspace: WorkspaceId,
        /// Whether it is.
        yes: bool,
    },
    /// So many changes of this device's own are on no peer's disk yet, as far as this run knows: it
    /// was another number until now.
    Uncarried {
        /// Where.
        workspace: WorkspaceId,
        /// How many.
        count: u64,
    },
    /// The answers of an open request can't be read from the disk. It is tried again from time to
    /// time; until then its host can neither decide on it nor end its turn.
    Unreadable {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
        /// Why.
        why: String,
    },
    /// Something that a peer sent was refused. It is not stored and not passed on.
    NotAdmitted {
        /// Who sent it.
        from: PeerId,
        /// What, and why.
        why: String,
    },
    /// The disk refuses writes; nothing is lost while this process runs.
    DiskFailing {
        /// Why.
        why: String,
    },
    /// The disk takes writes again.
    DiskRecovered,
    /// Rows of this home were not what was written. They are set aside; what a peer has of them is
    /// fetched again. Who begins to listen later hears of it as well.
    Damaged {
        /// How many rows of which table.
        rows: BTreeMap<&'static str, u64>,
    },
    /// The home's file was damaged: what could be read of it is in a new one. Who begins to listen
    /// later hears of it as well.
    Salvaged(Salvaged),
    /// Of what this device itself wrote, so much is not here any more: what a peer has comes back,
    /// what none has is lost. Who begins to listen later hears of it as well.
    OwnMissing {
        /// How many changes of answers.
        changes: u64,
        /// How many proposals, if they were its own: that can't be seen of a lost row.
        proposals: u64,
    },
    /// Others hold something newer of this device than this home wrote: a copy of it runs elsewhere,
    /// or it was set back to an earlier state. Told once; who begins to listen later hears of it as
    /// well.
    OwnCopy,
    /// This listener was too slow: so many events are not here. The states have what is so now.
    Missed(u64),
    /// A fault in this program closes the home. Nothing comes after it.
    Failed {
        /// What it says, to be reported.
        why: String,
    },
}

impl HomeEvent {
    /// The request that it is about, as it was then; none when it only names one, or none.
    pub fn request(&self) -> Option<&RequestView> {
        match self {
            Self::Opened(view)
            | Self::Decided(view)
            | Self::Ended(view)
            | Self::Resumed(view)
            | Self::Answer { request: view, .. }
            | Self::NotIncluded { request: view, .. } => Some(view),
            Self::Listening { .. }
            | Self::LinkUp { .. }
            | Self::LinkDown { .. }
            | Self::Joined { .. }
            | Self::JoinRefused { .. }
            | Self::NotReached { .. }
            | Self::JoinWaits { .. }
            | Self::ApprovalNeeded { .. }
            | Self::Member { .. }
            | Self::Fate { .. }
            | Self::Void { .. }
            | Self::Chat { .. }
            | Self::InSync { .. }
            | Self::Uncarried { .. }
            | Self::Unreadable { .. }
            | Self::NotAdmitted { .. }
            | Self::DiskFailing { .. }
            | Self::DiskRecovered
            | Self::Damaged { .. }
            | Self::Salvaged(_)
            | Self::OwnMissing { .. }
            | Self::OwnCopy
            | Self::Missed(_)
            | Self::Failed { .. } => None,
        }
    }

    /// What the replica told, with the state as it is now. What concerns the node alone is none;
    /// neither is what was over before it could be told.
    pub(crate) fn told(replica: &Replica, event: Event) -> Option<Self> {
        let request = |workspace: &WorkspaceId, opening: &OpeningId| {
            replica.request(workspace, opening).map(Arc::new)
        };
        Some(match event {
            Event::PeersChanged => return None,
            Event::Joined(workspace) => Self::Joined { workspace },
            Event::JoinRefused { workspace, why } => Self::JoinRefused { workspace, why },
            Event::JoinWaits { workspace, at } => Self::JoinWaits { workspace, at },
            Event::ApprovalNeeded { workspace, device, name } => {
                Self::ApprovalNeeded { workspace, device, name }
            }
            Event::Member { workspace, device } => {
                let members = replica.members(&workspace);
                let member = members.into_iter().find(|member| member.device == device)?;
                Self::Member { workspace, member }
            }
            Event::Opened { workspace, opening } => Self::Opened(request(&workspace, &opening)?),
            Event::Answer { workspace, opening, question, by } => {
                Self::Answer { request: request(&workspace, &opening)?, question, by }
            }
            Event::NotIncluded { workspace, opening, question, by } => {
                Self::NotIncluded { request: request(&workspace, &opening)?, question, by }
            }
            Event::Fate { workspace, proposal, fate } => Self::Fate { workspace, proposal, fate },
            Event::Decided { workspace, opening } => Self::Decided(request(&workspace, &opening)?),
            Event::Ended { workspace, opening } => Self::Ended(request(&workspace, &opening)?),
            Event::Resumed { workspace, opening } => Self::Resumed(request(&workspace, &opening)?),
            Event::Void { workspace, opening } => Self::Void { workspace, opening },
            Event::Chat(workspace) => Self::Chat { workspace },
            Event::Uncarried { workspace, count } => Self::Uncarried { workspace, count },
            Event::InSync { workspace, yes } => Self::InSync { workspace, yes },
            Event::Unreadable { workspace, opening, why } => {
                Self::Unreadable { workspace, opening, why }
            }
            Event::NotAdmitted { from, why } => Self::NotAdmitted { from, why },
            Event::DiskFailing(why) => Self::DiskFailing { why },
            Event::DiskRecovered => Self::DiskRecovered,
            Event::OwnCopy => Self::OwnCopy,
            Event::Damaged { rows } => Self::Damaged {
                rows: rows.into_iter().map(|(table, count)| (table.name(), count)).collect(),
            },
            Event::Salvaged(salvaged) => Self::Salvaged(salvaged),
            Event::OwnMissing { changes, proposals } => Self::OwnMissing { changes, proposals },
        })
    }
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

    /// Why no event comes any more.
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

    /// Whether it still listens.
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
            assert!(listener.tell(HomeEvent::DiskRecovered));
        }
        for _ in 0..limits::EVENTS - 1 {
            assert!(matches!(events.next().await, Some(HomeEvent::DiskRecovered)));
        }
        assert!(listener.tell(HomeEvent::DiskRecovered));
        let missed = u64::try_from(more).unwrap() + 1;
        assert!(matches!(events.next().await, Some(HomeEvent::Missed(n)) if n == missed));
        assert!(matches!(events.next().await, Some(HomeEvent::DiskRecovered)));
        drop(events);
        assert!(!listener.tell(HomeEvent::DiskRecovered));
    }
}
