//! Views of a replica and its workspaces. Nothing here changes anything.

use rejoinder_identity::{Incarnation, OpeningId, PeerId, ProposalId, WorkspaceId};

use super::Replica;
use crate::{
    backlog::Backlog,
    event::Fate,
    view::{ChatView, MemberView, RequestView, WorkspaceView},
    work::Work,
    workspace::Workspace,
};

/// This device.
impl Replica {
    /// This device.
    pub fn me(&self) -> PeerId {
        self.core.me
    }

    /// The name by which others know this device.
    pub fn name(&self) -> &str {
        &self.core.name
    }

    /// As which incarnation it writes now; another one after a failed write.
    pub fn incarnation(&self) -> Incarnation {
        self.core.incarnation
    }

    /// The work that waits in it.
    pub fn backlog(&self) -> Backlog {
        let workspaces = || self.workspaces.values();
        Backlog {
            parked: workspaces().map(Workspace::parked).max().unwrap_or(0),
            unwritten: self.core.writes().bytes(),
            unread: self.core.reads.held(),
            leaving: workspaces().map(Workspace::leaving).max().unwrap_or(0),
        }
    }

    /// The most that one call of [`handle`](Self::handle) has computed so far, of each kind.
    pub fn work(&self) -> Work {
        self.work
    }
}

/// The workspaces of this home.
impl Replica {
    /// The workspaces of this home.
    pub fn workspaces(&self) -> Vec<WorkspaceId> {
        self.workspaces.keys().copied().collect()
    }

    /// One of them, as it is shown.
    pub fn workspace(&self, id: &WorkspaceId) -> Option<WorkspaceView> {
        self.workspaces.get(id).map(|workspace| workspace.view(&self.core))
    }

    /// The members of a workspace.
    pub fn members(&self, id: &WorkspaceId) -> Vec<MemberView> {
        self.workspaces.get(id).into_iter().flat_map(Workspace::members).collect()
    }

    /// The chat of a workspace and its session.
    pub fn chat(&self, id: &WorkspaceId) -> Option<ChatView> {
        self.workspaces.get(id).map(Workspace::chat)
    }

    /// One request, as it is shown.
    pub fn request(&self, id: &WorkspaceId, opening: &OpeningId) -> Option<RequestView> {
        self.workspaces.get(id)?.view_of(opening)
    }

    /// The requests that this device's host asked and whose outcomes its program has not taken.
    pub fn untold(&self, id: &WorkspaceId) -> Vec<OpeningId> {
        self.workspaces.get(id).map(Workspace::untold).unwrap_or_default()
    }

    /// The fate of a proposal of this device.
    pub fn fate(&self, id: &WorkspaceId, proposal: &ProposalId) -> Option<Fate> {
        self.workspaces.get(id)?.fate(proposal)
    }

    /// True if a link is up, log heads and version vectors are equal with every linked member, and
    /// every own edit and proposal is on a peer's disk.
    pub fn synced(&self, id: &WorkspaceId) -> bool {
        self.workspaces.get(id).is_some_and(Workspace::synced)
    }

    /// True if every linked member has the whole log on its disk.
    pub fn delivered(&self, id: &WorkspaceId) -> bool {
        self.workspaces.get(id).is_some_and(Workspace::delivered)
    }
}
