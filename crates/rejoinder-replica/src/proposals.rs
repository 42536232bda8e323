//! The proposals and joins that no record has answered yet, and how far this device's own have
//! come.
//!
//! It says what may wait and what is known of it. Storing, sending and telling are the
//! workspace's.

mod pending;
mod progress;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rejoinder_finalizer::{Checked, Join, Log, Refusal, Unanswered, refusal::NoAccess};
use rejoinder_identity::{OpeningId, PeerId, ProposalId, Timestamp, WorkspaceId};

use self::{pending::newness, progress::Progress};
pub(crate) use self::{
    pending::{Content, NotCarried, Pending},
    progress::over,
};
use crate::{
    event::Fate,
    limits,
    rows::{self, ProposalRow},
    store::{Batch, Table},
};

/// Proposals and joins that wait for the host in one workspace.
#[derive(Debug, Default)]
pub(crate) struct Proposals {
    waiting: BTreeMap<ProposalId, Pending>,
    /// The number of those that each author has.
    unanswered: Unanswered,
    /// Progress of this device's own, in this run.
    own: BTreeMap<ProposalId, Progress>,
}

/// The source of a join, which decides how much of it is judged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum From {
    /// This device, or another member: to leave there what that one has taken would keep the two
    /// apart for as long as it waits.
    Member,
    /// A device at this door. `host` says whether this device is the host, whose clock counts.
    Door { host: bool },
}

impl Proposals {
    /// Adds one that is on the disk. What was let in once stays: the limit is for what comes.
    pub(crate) fn restore(&mut self, me: PeerId, pending: Pending) {
        let (id, author) = (pending.content.id(), pending.content.author());
        if author == me {
            self.own.insert(id, Progress::saved());
        }
        if let Content::Proposal(_) = pending.content {
            let _over_the_limit = self.unanswered.hold(author, id);
        }
        self.waiting.insert(id, pending);
    }

    /// Checks that one may wait here.
    ///
    /// # Errors
    ///
    /// The reason why it may not.
    pub(crate) fn admit(
        &mut self,
        log: &Log,
        now: Timestamp,
        content: &Content,
        from: From,
    ) -> Result<(), NotCarried> {
        let (id, author) = (content.id(), content.author());
        let answered = log.state().answered(&id).is_some();
        let answered = answered && !rejoinder_identity::mutant!("mutant-proposal-answered-twice");
        if answered {
            return Err(NotCarried::Answered);
        }
        if self.waiting.contains_key(&id) {
            return Err(NotCarried::Known);
        }
        let is_member = log.state().members().contains_key(&author);
        match content {
            Content::Proposal(_) if !is_member => Err(NotCarried::Unknown(author)),
            Content::Proposal(_) => {
                self.unanswered.hold(author, id).map_err(|_| NotCarried::TooMany)
            }
            Content::Join(_) if is_member => Err(NotCarried::Answered),
            Content::Join(join) => self.admit_join(log, now, join, from),
        }
    }

    fn admit_join(
        &self,
        log: &Log,
        now: Timestamp,
        join: &Checked<Join>,
        from: From,
    ) -> Result<(), NotCarried> {
        let Join { device, invite, .. } = join.value();
        let Some(held) = log.state().invites().get(invite) else {
            return Err(NotCarried::Unknown(*invite));
        };
        let (at_door, host) = match from {
            From::Member => (false, false),
            From::Door { host } => (true, host),
        };
        if at_door && held.taken >= held.seats {
            return Err(NotCarried::NotGranted(Refusal::Owner(NoAccess::NoSeatLeft {
                seats: held.seats,
            })));
        }
        if host && now > held.expires {
            let expired = held.expires;
            return Err(NotCarried::NotGranted(Refusal::Owner(NoAccess::InviteExpired {
                expired,
            })));
        }
        let (mut all, mut of_invite) = (0, 0);
        for other in self.joins() {
            let theirs = other.value();
            if theirs.device != *device {
                all += 1;
                of_invite += usize::from(theirs.invite == *invite);
            } else if newness(other) > newness(join) {
                return Err(NotCarried::Superseded);
            }
        }
        let full = all >= limits::WAITING_JOINS
            || (at_door && of_invite >= limits::WAITING_JOINS_PER_INVITE);
        if full { Err(NotCarried::TooMany) } else { Ok(()) }
    }

    /// Adds one that was admitted and is on its way to the disk.
    pub(crate) fn insert(&mut self, content: Content, arrival: u64) {
        self.waiting.insert(content.id(), Pending { content, arrival, stored: false });
    }

    /// Notes that one is on the disk. Returns whether it waits still.
    pub(crate) fn stored(&mut self, id: &ProposalId) -> bool {
        let Some(pending) = self.waiting.get_mut(id) else { return false };
        pending.stored = true;
        if let Some(own) = self.own.get_mut(id) {
            own.saved = true;
        }
        true
    }

    /// Removes one that a record answers.
    pub(crate) fn answered(&mut self, id: &ProposalId) {
        self.waiting.remove(id);
        self.unanswered.release(id);
    }

    /// Removes a join in whose place something else has come.
    pub(crate) fn remove_join(&mut self, id: &ProposalId) {
        self.waiting.remove(id);
    }

    pub(crate) fn get(&self, id: &ProposalId) -> Option<&Content> {
        self.waiting.get(id).map(|pending| &pending.content)
    }

    pub(crate) fn contains(&self, id: &ProposalId) -> bool {
        self.waiting.contains_key(id)
    }

    /// Those on the disk, in the order in which this home durably received them. What is on its
    /// way there is queued when it is there.
    pub(crate) fn in_order(&self) -> Vec<ProposalId> {
        let stored = self.waiting.iter().filter(|(_, pending)| pending.stored);
        let mut stored: Vec<_> = stored.map(|(id, pending)| (pending.arrival, *id)).collect();
        stored.sort_unstable();
        stored.into_iter().map(|(_, id)| id).collect()
    }

    /// The joins of a device that wait here: one, or several in a home of an older release.
    pub(crate) fn joins_of(&self, device: &PeerId) -> Vec<ProposalId> {
        let of_it = self.joins().filter(|join| join.value().device == *device);
        of_it.map(Checked::<Join>::proposal_id).collect()
    }

    fn joins(&self) -> impl Iterator<Item = &Checked<Join>> {
        self.waiting.values().filter_map(|pending| match &pending.content {
            Content::Proposal(_) => None,
            Content::Join(join) => Some(&**join),
        })
    }

    /// Every row, for a file that is made again.
    pub(crate) fn rows(&self, workspace: &WorkspaceId, batch: &mut Batch) {
        for (id, Pending { content, arrival, .. }) in &self.waiting {
            let row = ProposalRow { arrival: *arrival, bytes: content.bytes().to_vec() };
            batch.put(Table::Proposals, rows::proposal_key(workspace, id), rows::value(&row));
        }
    }
}

/// This device's own.
impl Proposals {
    /// Begins to follow one that this device makes.
    pub(crate) fn begin(&mut self, id: ProposalId) {
        self.own.insert(id, Progress::default());
    }

    /// Ends that: it was not admitted.
    pub(crate) fn give_up(&mut self, id: &ProposalId) {
        self.own.remove(id);
    }

    /// The fate of one, `None` if it is neither on its way from here nor answered.
    pub(crate) fn fate(&self, log: &Log, id: &ProposalId) -> Option<Fate> {
        if let Some(answered) = log.state().answered(id) {
            return Some(progress::of_ruling(&answered.ruling));
        }
        let own = self.own.get(id)?;
        if !own.saved {
            return None;
        }
        let too_late = self.get(id).and_then(|content| progress::too_late(log, content));
        Some(match too_late {
            Some(refusal) => Fate::Refused(refusal),
            None => own.fate(log.state().host()),
        })
    }

    /// The fate of one, if that is more than was told last. It counts as told then.
    pub(crate) fn news(&mut self, log: &Log, id: &ProposalId) -> Option<Fate> {
        let fate = self.fate(log, id)?;
        let own = self.own.get_mut(id)?;
        if own.told.as_ref() == Some(&fate) {
            return None;
        }
        own.told = Some(fate.clone());
        Some(fate)
    }

    /// Notes that a peer has one on its disk. Returns whether that says more than was known: that
    /// the host has it says more than how many have.
    pub(crate) fn acknowledged(&mut self, log: &Log, by: PeerId, id: &ProposalId) -> bool {
        let before = self.fate(log, id);
        let Some(own) = self.own.get_mut(id) else { return false };
        own.acknowledged_by.insert(by) && self.fate(log, id) != before
    }

    /// This device's own that wait still.
    pub(crate) fn own_waiting(&self) -> Vec<ProposalId> {
        self.own.keys().filter(|id| self.waiting.contains_key(*id)).copied().collect()
    }

    /// True if one of this device's own is on no peer's disk yet.
    pub(crate) fn any_alone(&self) -> bool {
        self.own.iter().any(|(id, own)| self.contains(id) && own.acknowledged_by.is_empty())
    }

    /// This device's own that would complete a request.
    pub(crate) fn own_completions(&self, opening: &OpeningId) -> Vec<ProposalId> {
        let completes =
            |id: &&ProposalId| self.get(id).and_then(progress::completes).as_ref() == Some(opening);
        self.own.keys().filter(completes).copied().collect()
    }
}
