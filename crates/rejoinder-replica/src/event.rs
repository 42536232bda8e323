//! What changed, for those who show or wait for it. Events name things; the state is in the views.

use std::collections::BTreeMap;

use rejoinder_finalizer::Refusal;
use rejoinder_identity::{OpeningId, PeerId, ProposalId, QuestionId, WorkspaceId};

use crate::store::{Salvaged, Table};

/// How far somebody's proposal has come. Each state is true for ever once it was reached, but
/// for the count of those who carry it, which is of this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// On this disk.
    Saved,
    /// On the disks of so many peers.
    Carried(usize),
    /// On the host's disk.
    Received,
    /// The host granted it.
    Granted,
    /// The host said no.
    Refused(Refusal),
}

/// Something changed.
#[derive(Debug, Clone)]
pub enum Event {
    /// Whom to link with, or where, has changed: see [`Replica::peers`](crate::Replica::peers). The
    /// node alone hears of it.
    PeersChanged,
    /// A workspace has let this device in.
    Joined(WorkspaceId),
    /// A workspace's host won't let this device in.
    JoinRefused {
        /// Where.
        workspace: WorkspaceId,
        /// Why.
        why: String,
    },
    /// A member that was asked has the join, and the host has not answered it.
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
        device: PeerId,
    },
    /// A request was raised or raised again.
    Opened {
        /// Where.
        workspace: WorkspaceId,
        /// Which.
        opening: OpeningId,
    },
    /// An answer changed.
    Answer {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
        /// Which question.
        question: QuestionId,
        /// Who wrote.
        by: PeerId,
    },
    /// An edit came after the decision: it is kept, and not in it.
    NotIncluded {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
        /// Which question.
        question: QuestionId,
        /// Who wrote.
        by: PeerId,
    },
    /// Something of this device's own came further.
    Fate {
        /// Where.
        workspace: WorkspaceId,
        /// Which.
        proposal: ProposalId,
        /// How far.
        fate: Fate,
    },
    /// The host decided.
    Decided {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
    },
    /// A turn ended and took an open request with it; it may be suspended only.
    Ended {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
    },
    /// A turn was resumed: the request is open again.
    Resumed {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
    },
    /// A decision or a request is void: a newer epoch doesn't have it.
    Void {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
    },
    /// The chat, its turns or the session changed otherwise.
    Chat(WorkspaceId),
    /// Whether this workspace is the same here and at every linked peer.
    InSync {
        /// Where.
        workspace: WorkspaceId,
        /// Whether it is.
        yes: bool,
    },
    /// So many changes of this device's own are on no peer's disk yet, as far as this run knows: it
    /// was another number until now. It is 0 at the start of a run.
    Uncarried {
        /// Where.
        workspace: WorkspaceId,
        /// How many.
        count: u64,
    },
    /// The document of an open request can't be read from the disk. It is tried again from time to
    /// time; until then the host can't decide on that request, nor end its turn.
    Unreadable {
        /// Where.
        workspace: WorkspaceId,
        /// Which request.
        opening: OpeningId,
        /// Why.
        why: String,
    },
    /// Something a peer sent was refused, and why. It is not stored and not passed on.
    NotAdmitted {
        /// Who sent it.
        from: PeerId,
        /// What and why.
        why: String,
    },
    /// The disk refuses writes, and why; nothing is lost while this process runs.
    DiskFailing(String),
    /// The disk takes writes again.
    DiskRecovered,
    /// Rows of the home were not what was written. They are set aside; what a peer has of them is
    /// fetched again.
    Damaged {
        /// How many rows of which table.
        rows: BTreeMap<Table, u64>,
    },
    /// The home's file was damaged and is made anew.
    Salvaged(Salvaged),
    /// Of what this device itself wrote, so much is not here any more: what a peer has comes back,
    /// what none has is lost.
    OwnMissing {
        /// How many changes of answers.
        changes: u64,
        /// How many proposals, if they were its own: that can't be seen of a lost row.
        proposals: u64,
    },
    /// Others hold something newer of this device than this home wrote: a copy of it runs elsewhere,
    /// or it was set back to an earlier state. Told once in a run.
    OwnCopy,
}

/// The thing that an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The home: its disk, its links, its device.
    Home,
    /// A workspace, but none of its requests and proposals.
    Workspace(WorkspaceId),
    /// A request of that workspace.
    Request(WorkspaceId, OpeningId),
    /// A proposal of this device in that workspace.
    Proposal(WorkspaceId, ProposalId),
}

impl Subject {
    /// The workspace that it belongs to; `None` for the home.
    pub fn workspace(self) -> Option<WorkspaceId> {
        match self {
            Self::Home => None,
            Self::Workspace(workspace)
            | Self::Request(workspace, _)
            | Self::Proposal(workspace, _) => Some(workspace),
        }
    }
}

impl Event {
    /// The thing that it is about.
    pub fn subject(&self) -> Subject {
        match self {
            Self::PeersChanged
            | Self::NotAdmitted { .. }
            | Self::DiskFailing(_)
            | Self::DiskRecovered
            | Self::Damaged { .. }
            | Self::Salvaged(_)
            | Self::OwnMissing { .. }
            | Self::OwnCopy => Subject::Home,
            Self::Joined(workspace)
            | Self::JoinRefused { workspace, .. }
            | Self::JoinWaits { workspace, .. }
            | Self::ApprovalNeeded { workspace, .. }
            | Self::Member { workspace, .. }
            | Self::Chat(workspace)
            | Self::InSync { workspace, .. }
            | Self::Uncarried { workspace, .. } => Subject::Workspace(*workspace),
            Self::Opened { workspace, opening }
            | Self::Answer { workspace, opening, .. }
            | Self::NotIncluded { workspace, opening, .. }
            | Self::Decided { workspace, opening }
            | Self::Ended { workspace, opening }
            | Self::Resumed { workspace, opening }
            | Self::Void { workspace, opening }
            | Self::Unreadable { workspace, opening, .. } => Subject::Request(*workspace, *opening),
            Self::Fate { workspace, proposal, .. } => Subject::Proposal(*workspace, *proposal),
        }
    }
}
