//! A proposal of this device, on its way to the host.

use rejoinder_identity::{ProposalId, WorkspaceId};
use rejoinder_replica::{Fate, Reply};

use crate::{
    error::Closed,
    handle::{Handle, Topic},
    states::States,
};

/// A proposal of this device that is saved and on its way to the host.
#[derive(Debug, Clone)]
pub struct Proposal {
    handle: Handle,
    workspace: WorkspaceId,
    id: ProposalId,
}

impl Proposal {
    pub(crate) fn new(handle: Handle, workspace: WorkspaceId, id: ProposalId) -> Self {
        Self { handle, workspace, id }
    }

    pub(crate) fn of_reply(handle: &Handle, workspace: WorkspaceId, reply: Reply) -> Self {
        let Reply::Proposed(id) = reply else {
            unreachable!("the reply to a command that proposes names the proposal");
        };
        Self::new(handle.clone(), workspace, id)
    }

    /// Its id.
    pub fn id(&self) -> ProposalId {
        self.id
    }

    /// How far it has come, and how it comes further: saved here, carried by so many peers,
    /// received by the host, granted or refused.
    pub fn fate(&self) -> States<Fate> {
        let (workspace, id) = (self.workspace, self.id);
        States::new(&self.handle, Topic::Proposal(workspace, id), move |replica| {
            replica.fate(&workspace, &id)
        })
    }

    /// Waits for the host's answer: [`Fate::Granted`] or [`Fate::Refused`].
    ///
    /// # Errors
    ///
    /// The home was closed. The proposal is still on its way, and goes on with the next run.
    pub async fn decided(&self) -> Result<Fate, Closed> {
        let last = |fate| match fate {
            Fate::Granted | Fate::Refused(_) => Some(fate),
            Fate::Saved | Fate::Carried(_) | Fate::Received => None,
        };
        self.fate().find(last).await
    }
}
