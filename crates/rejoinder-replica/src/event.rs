//! Events: changes, for those who show or wait for them. Events name things; the state is in the
//! views.

use std::collections::BTreeMap;

use rejoinder_finalizer::Refusal;
use rejoinder_identity::{OpeningId, PeerId, ProposalId, QuestionId, WorkspaceId};

use crate::store::{Salvaged, Table};

/// The progress of a proposal. Each state stays true once it was reached, except
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
    /// The devices to link with, or their addresses, have changed: see
    /// [`Replica::peers`](crate::Replica::peers). The node alone hears of it.
    PeersChanged,
    /// A workspace has let this device in.
    Joined(WorkspaceId),
    /// A workspace's host won't let this device in.
    JoinRefused {
        /// The workspace.
        workspace: WorkspaceId,
        /// The reason.
        why: String,
    },
    /// A member that was asked has the join, and the host has not answered it.
    JoinWaits {
        /// The workspace.
        workspace: WorkspaceId,
        /// The member.
        at: PeerId,
    },
    /// A device waits for a person's approval.
    ApprovalNeeded {
        /// The workspace.
        workspace: WorkspaceId,
        /// The device.
        device: PeerId,
        /// The name it gives itself.
        name: String,
    },
    /// A device became a member.
    Member {
        /// The workspace.
        workspace: WorkspaceId,
        /// The device.
        device: PeerId,
    },
    /// A request was raised or raised again.
    Opened {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// An answer changed.
    Answer {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The question.
        question: QuestionId,
        /// The author.
        by: PeerId,
    },
    /// An edit came after the decision: it is kept, and not in it.
    NotIncluded {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The question.
        question: QuestionId,
        /// The author.
        by: PeerId,
    },
    /// Something of this device's own came further.
    Fate {
        /// The workspace.
        workspace: WorkspaceId,
        /// The proposal.
        proposal: ProposalId,
        /// Its fate.
        fate: Fate,
    },
    /// The host decided.
    Decided {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// A turn ended and took an open request with it; it may be suspended only.
    Ended {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// A turn was resumed: the request is open again.
    Resumed {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// A decision or a request is void: a newer epoch doesn't have it.
    Void {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// The chat, its turns or the session changed otherwise.
    Chat(WorkspaceId),
    /// This workspace became the same here and at every linked peer, or no longer is.
    InSync {
        /// The workspace.
        workspace: WorkspaceId,
        /// True if it is the same.
        yes: bool,
    },
    /// So many changes of this device's own are on no peer's disk yet, as far as this run knows: it
    /// was another number until now. It is 0 at the start of a run.
    Uncarried {
        /// The workspace.
        workspace: WorkspaceId,
        /// The number.
        count: u64,
    },
    /// The document of an open request can't be read from the disk. It is tried again from time to
    /// time; until then the host can't decide on that request, nor end its turn.
    Unreadable {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The reason.
        why: String,
    },
    /// Something a peer sent was refused, and why. It is not stored and not passed on.
    NotAdmitted {
        /// The sender.
        from: PeerId,
        /// The item and the reason.
        why: String,
    },
    /// The disk refuses writes, and why; nothing is lost while this process runs.
    DiskFailing(String),
    /// The disk takes writes again.
    DiskRecovered,
    /// Rows of the home were not what was written. They are set aside; what a peer has of them is
    /// fetched again.
    Damaged {
        /// The number of rows, by table.
        rows: BTreeMap<Table, u64>,
    },
    /// The home's file was damaged and is made anew.
    Salvaged(Salvaged),
    /// Of what this device itself wrote, so much is not here any more: what a peer has comes back,
    /// what none has is lost.
    OwnMissing {
        /// The number of changes of answers.
        changes: u64,
        /// The number of proposals, which may have been others': a lost row doesn't say whose it
        /// was.
        proposals: u64,
    },
    /// Others hold something newer of this device than this home wrote: a copy of it runs
    /// elsewhere, or it was set back to an earlier state. Told once in a run.
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
