//! Progress of one of this device's own proposals before it is answered, and what an answer
//! says of it.

use std::collections::BTreeSet;

use rejoinder_finalizer::{
    Complete, Ended, Log, ProposalKind, Refusal, Ruling, Status, TurnEnd, refusal::Over,
};
use rejoinder_identity::{OpeningId, PeerId};

use super::Content;
use crate::event::Fate;

#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    pub(super) saved: bool,
    /// Peers that have it on their disks.
    pub(super) acknowledged_by: BTreeSet<PeerId>,
    /// The fate that was told last: the host's own word may say no more than what was known before.
    pub(super) told: Option<Fate>,
}

impl Progress {
    pub(super) fn saved() -> Self {
        Self { saved: true, ..Self::default() }
    }

    /// The fate of one on this disk that no record answers.
    pub(super) fn fate(&self, host: Option<PeerId>) -> Fate {
        let received = host.is_some_and(|host| self.acknowledged_by.contains(&host));
        match self.acknowledged_by.len() {
            _ if received => Fate::Received,
            0 => Fate::Saved,
            count => Fate::Carried(count),
        }
    }
}

pub(super) fn of_ruling(ruling: &Ruling) -> Fate {
    match ruling {
        Ruling::Granted | Ruling::Decided(_) => Fate::Granted,
        Ruling::Refused(refusal) => Fate::Refused(refusal.clone()),
    }
}

/// The reason why a completion that is on its way can only be refused: its request is over. A
/// device with the record of that needs no host to say so. It is carried on all the same: the host
/// answers it, and with that everybody drops it.
pub(super) fn too_late(log: &Log, content: &Content) -> Option<Refusal> {
    if rejoinder_identity::mutant!("mutant-too-late-and-not-said") {
        return None;
    }
    let request = log.state().request(&completes(content)?)?;
    match request.status() {
        // A suspended request may be resumed. So may one that failed for good when the turns after
        // it are truncated: an accept that waited was granted then, and had been called refused.
        Status::Open | Status::Suspended(_) | Status::Ended(Ended { how: TurnEnd::Failed, .. }) => {
            None
        }
        Status::Decided(_) | Status::Ended(_) => over(request.status()),
    }
}

/// The request that one would complete.
pub(super) fn completes(content: &Content) -> Option<OpeningId> {
    let Content::Proposal(signed) = content else { return None };
    match &signed.value().kind {
        ProposalKind::Complete(Complete { opening, .. }) => Some(*opening),
        ProposalKind::StartTurn(_)
        | ProposalKind::CancelTurn { .. }
        | ProposalKind::Truncate { .. }
        | ProposalKind::ResumeTurn { .. }
        | ProposalKind::Action { .. }
        | ProposalKind::Unknown { .. } => None,
    }
}

/// The reason why a request can't be completed any more.
pub(crate) fn over(status: &Status) -> Option<Refusal> {
    match status {
        Status::Open => None,
        Status::Decided(decision) => Some(Refusal::Nobody(Over::AlreadyDecided {
            by: decision.by,
            response: decision.response,
            decision: decision.record,
        })),
        Status::Suspended(ended) | Status::Ended(ended) => {
            Some(Refusal::Nobody(Over::NoOpenRequest { ended: Some(ended.how) }))
        }
    }
}
