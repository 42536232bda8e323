//! From records to state. The fold is total: a record that makes no sense in its place still
//! answers its proposal, and changes nothing else. That is the same on every peer.

mod requests;
mod turns;

use rejoinder_identity::{ProposalId, RecordId, Role};

pub(crate) use self::turns::may_be_published;
use crate::{
    certificate::EpochCertificate,
    change::LogChange,
    record::{Body, EpochStarted, InviteIssued, MemberAdded, Record, Refused},
    state::{Answered, Invite, Member, Ruling, State},
};

/// One record on its way into the state.
pub(crate) struct Folding<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) record: &'a Record,
    pub(crate) id: RecordId,
    pub(crate) changes: Vec<LogChange>,
}

impl State {
    /// Folds the next record, and says what changed.
    pub(crate) fn fold(&mut self, record: &Record, id: RecordId) -> Vec<LogChange> {
        let mut folding = Folding { state: self, record, id, changes: Vec::new() };
        folding.body();
        let changes = folding.changes;
        let open: Vec<_> = self
            .open_requests()
            .into_iter()
            .map(|request| (request.opening, request.request.clone()))
            .collect();
        self.conversation.mirror(&open);
        changes
    }
}

impl Folding<'_> {
    fn body(&mut self) {
        match &self.record.body {
            Body::EpochStarted(started) => self.epoch_started(started),
            Body::InviteIssued(issued) => self.invite_issued(issued),
            Body::MemberAdded(added) => self.member_added(added),
            Body::Published(published) => self.published(published),
            Body::Raised(raised) => self.raised(raised),
            Body::Decided(decided) => self.decided(decided),
            Body::Refused(refused) => self.refused(refused),
            Body::TurnEnded(ended) => self.turn_ended(ended),
            Body::Unknown { kind, .. } => self.changes.push(LogChange::Skipped { kind: *kind }),
        }
    }

    fn epoch_started(&mut self, started: &EpochStarted) {
        let Ok(certificate) = EpochCertificate::verify(&started.certificate, &self.state.workspace)
        else {
            return;
        };
        if self.state.epoch == 0 {
            self.state.conversation.chat.modified_at = self.record.at.to_rfc3339();
        }
        self.state.epoch = certificate.epoch;
        self.state.host = Some((certificate.host, certificate.incarnation));
        let (name, since) = (started.name.clone(), self.record.seq);
        let member = Member { name, role: Role::Owner, since };
        self.state.members.insert(certificate.host, member);
        self.changes
            .push(LogChange::EpochStarted { epoch: certificate.epoch, host: certificate.host });
    }

    fn invite_issued(&mut self, issued: &InviteIssued) {
        // Issued again, it keeps the seats that were taken.
        let taken = self.state.invites.get(&issued.invite).map_or(0, |invite| invite.taken);
        self.state.invites.insert(
            issued.invite,
            Invite {
                seats: issued.seats,
                taken,
                expires: issued.expires,
                role: issued.role,
                approve: issued.approve,
            },
        );
        self.changes.push(LogChange::InviteIssued { invite: issued.invite });
    }

    fn member_added(&mut self, added: &MemberAdded) {
        let (name, since) = (added.name.clone(), self.record.seq);
        let member = Member { name, role: added.role, since };
        let before = self.state.members.insert(added.device, member);
        // A device that was a member, under another name perhaps, takes no second seat.
        if let Some(invite) = added.invite.and_then(|key| self.state.invites.get_mut(&key))
            && before.is_none()
        {
            invite.taken = invite.taken.saturating_add(1);
        }
        self.changes.push(LogChange::MemberAdded {
            device: added.device,
            name: added.name.clone(),
            role: added.role,
        });
        self.answer(added.join, Ruling::Granted);
    }

    fn refused(&mut self, refused: &Refused) {
        self.answer(refused.proposal, Ruling::Refused(refused.reason.clone()));
    }

    /// Only the first record that answers a proposal counts.
    fn answer(&mut self, proposal: ProposalId, ruling: Ruling) {
        if self.state.answered.contains_key(&proposal) {
            return;
        }
        let refused = match &ruling {
            Ruling::Granted | Ruling::Decided(_) => None,
            Ruling::Refused(refusal) => Some(refusal.clone()),
        };
        self.state.answered.insert(proposal, Answered { record: self.id, ruling });
        self.changes.push(LogChange::Answered { proposal, refused });
    }
}
