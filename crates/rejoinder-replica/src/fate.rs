//! How far this device's own proposals have come.

use std::collections::BTreeSet;

use rejoinder_finalizer::{Answered, Ended, How, ProposalKind, Refusal, Ruling, Status};
use rejoinder_identity::{OpeningId, PeerId, ProposalId};

use crate::{
    core::Core,
    event::{Event, Fate},
    propose::over,
    wish::Content,
    workspace::Workspace,
};

/// How far a proposal of this device has come before it is answered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Course {
    pub(crate) saved: bool,
    /// Who has it on the disk.
    pub(crate) carried_by: BTreeSet<PeerId>,
    /// What was told last: the host's own word may say no more than what was known before.
    pub(crate) told: Option<Fate>,
}

impl Workspace {
    /// How far a proposal has come; none when it is neither on its way from here nor answered.
    pub(crate) fn fate(&self, proposal: &ProposalId) -> Option<Fate> {
        if let Some(Answered { ruling, .. }) = self.log.state().answered(proposal) {
            return Some(match ruling {
                Ruling::Granted | Ruling::Decided(_) => Fate::Granted,
                Ruling::Refused(refusal) => Fate::Refused(refusal.clone()),
            });
        }
        let course = self.courses.get(proposal)?;
        if !course.saved {
            return None;
        }
        if let Some(refusal) = self.too_late(proposal) {
            return Some(Fate::Refused(refusal));
        }
        let received =
            self.log.state().host().is_some_and(|host| course.carried_by.contains(&host));
        Some(match course.carried_by.len() {
            _ if received => Fate::Received,
            0 => Fate::Saved,
            count => Fate::Carried(count),
        })
    }

    /// Why a completion that is on its way can only be refused: its request is over. Whoever has
    /// the record of that needs no host to say so. It is carried on all the same: the host answers
    /// it, and with that everybody drops it.
    fn too_late(&self, proposal: &ProposalId) -> Option<Refusal> {
        if rejoinder_identity::mutant!("mutant-too-late-and-not-said") {
            return None;
        }
        let request = self.log.state().request(&self.completes(proposal)?)?;
        match request.status() {
            // What is suspended may be resumed. So may what failed for good when the turns after it
            // are truncated: an accept that waited was granted then, and had been called refused.
            Status::Open | Status::Suspended(_) | Status::Ended(Ended { how: How::Failed, .. }) => {
                None
            }
            Status::Decided(_) | Status::Ended(_) => over(request.status()),
        }
    }

    /// Which request a proposal that waits here would complete.
    fn completes(&self, proposal: &ProposalId) -> Option<OpeningId> {
        let Content::Proposal(signed) = &self.wishes.get(proposal)?.content else { return None };
        let ProposalKind::Complete(complete) = &signed.value().kind else { return None };
        Some(complete.opening)
    }

    /// A request is over, or open again: so are the completions that this device still wished.
    pub(crate) fn tell_completions(&mut self, core: &mut Core, opening: &OpeningId) {
        let own = self.courses.keys().copied();
        let own: Vec<_> = own.filter(|id| self.completes(id).as_ref() == Some(opening)).collect();
        own.into_iter().for_each(|id| self.tell_fate(core, id));
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

    pub(crate) fn tell_fate(&mut self, core: &mut Core, proposal: ProposalId) {
        let (fate, course) = (self.fate(&proposal), self.courses.get_mut(&proposal));
        if let (Some(fate), Some(course)) = (fate, course)
            && course.told.as_ref() != Some(&fate)
        {
            course.told = Some(fate.clone());
            tracing::debug!(%proposal, ?fate, "fate");
            core.tell(Event::Fate { workspace: self.id, proposal, fate });
        }
    }
}
