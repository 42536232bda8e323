//! How far this device's own proposals have come.

use std::collections::BTreeSet;

use rejoinder_finalizer::{Answered, Fate as Answer};
use rejoinder_identity::{PeerId, ProposalId};

use crate::{
    core::Core,
    event::{Event, Fate},
    workspace::Workspace,
};

/// How far a proposal of this device has come before it is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    pub(crate) saved: bool,
    /// Who has it on the disk.
    pub(crate) carried_by: BTreeSet<PeerId>,
}

impl Workspace {
    /// How far a proposal has come; none when it is neither on its way from here nor answered.
    pub(crate) fn fate(&self, proposal: &ProposalId) -> Option<Fate> {
        if let Some(Answered { fate, .. }) = self.log.state().answered(proposal) {
            return Some(match fate {
                Answer::Granted | Answer::Decided(_) => Fate::Granted,
                Answer::Refused(refusal) => Fate::Refused(refusal.clone()),
            });
        }
        let course = self.courses.get(proposal)?;
        if !course.saved {
            return None;
        }
        let received =
            self.log.state().host().is_some_and(|host| course.carried_by.contains(&host));
        Some(match course.carried_by.len() {
            _ if received => Fate::Received,
            0 => Fate::Saved,
            count => Fate::Carried(count),
        })
    }

    /// Notes that a peer has a proposal on its disk.
    pub(crate) fn proposal_carried(&mut self, core: &mut Core, by: PeerId, proposal: ProposalId) {
        let before = self.fate(&proposal);
        let Some(course) = self.courses.get_mut(&proposal) else { return };
        // That the host has it says more than how many have.
        if course.carried_by.insert(by) && self.fate(&proposal) != before {
            self.tell_fate(core, proposal);
        }
    }

    pub(crate) fn tell_fate(&self, core: &mut Core, proposal: ProposalId) {
        if let Some(fate) = self.fate(&proposal) {
            tracing::debug!(%proposal, ?fate, "fate");
            core.tell(Event::Fate { workspace: self.id, proposal, fate });
        }
    }
}
