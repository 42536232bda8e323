//! Members' proposals: each kind, and the record that it leads to.

use rejoinder_identity::{OpeningId, Role, Timestamp};

use super::{Finalizer, OnBehalf, Verdict, member_action};
use crate::{
    checked::Checked,
    log::Log,
    proposal::{Proposal, ProposalKind},
    record::Body,
    refusal::{HostCannot, NoAccess, Refusal},
    settle::Settle,
    state::State,
};

impl Finalizer {
    /// Answers a proposal. They must come in the order in which the host stored them.
    ///
    /// `taken_up` tells whether the host program waits for a request that a resumed turn would
    /// open again.
    pub fn decide(
        &self,
        log: &Log,
        now: Timestamp,
        proposal: &Checked<Proposal>,
        settle: &dyn Settle,
        taken_up: &dyn Fn(&OpeningId) -> bool,
    ) -> Verdict {
        if !self.is_current(log) {
            return Verdict::NotHost;
        }
        let id = proposal.proposal_id();
        let answered = log.state().answered(&id);
        let answered =
            answered.filter(|_| !rejoinder_identity::mutant!("mutant-proposal-answered-twice"));
        if let Some(answered) = answered {
            return Verdict::Answered(answered.record);
        }
        let author = proposal.value().author;
        let Some(member) = log.state().members().get(&author) else {
            return Verdict::Stranger(author);
        };
        let granted = Granting { state: log.state(), now, proposal, settle, taken_up };
        self.answer(log, now, id, author, granted.body(member.role))
    }
}

struct Granting<'a> {
    state: &'a State,
    now: Timestamp,
    proposal: &'a Checked<Proposal>,
    settle: &'a dyn Settle,
    taken_up: &'a dyn Fn(&OpeningId) -> bool,
}

impl Granting<'_> {
    fn body(&self, role: Role) -> Result<Body, Refusal> {
        let Self { state, now, settle, taken_up, .. } = *self;
        let kind = &self.proposal.value().kind;
        allowed(kind, role)?;
        let on_behalf = OnBehalf {
            origin: Some(self.proposal.value().author),
            grants: Some(self.proposal.proposal_id()),
        };
        match kind {
            ProposalKind::Complete(complete) => state.complete(self.proposal, complete, settle),
            ProposalKind::StartTurn(start) => state.start_turn(now, start, on_behalf),
            ProposalKind::CancelTurn { turn } => state.cancel_turn(now, turn, settle, on_behalf),
            ProposalKind::Truncate { turn } => state.truncate(turn.as_ref(), settle, on_behalf),
            ProposalKind::ResumeTurn { turn } => state.resume_turn(turn, taken_up, on_behalf),
            ProposalKind::Action { channel, action } => {
                member_action::publish(state, channel, action, on_behalf)
            }
            ProposalKind::Unknown { kind, .. } => Err(Refusal::Host(HostCannot::Unsupported {
                what: format!("proposals of kind {kind}"),
            })),
        }
    }
}

fn allowed(kind: &ProposalKind, role: Role) -> Result<(), Refusal> {
    let least = match kind {
        ProposalKind::Complete(_) => Role::Answerer,
        ProposalKind::StartTurn(_)
        | ProposalKind::CancelTurn { .. }
        | ProposalKind::Truncate { .. }
        | ProposalKind::ResumeTurn { .. }
        | ProposalKind::Action { .. }
        | ProposalKind::Unknown { .. } => Role::Collaborator,
    };
    if role < least {
        return Err(Refusal::Owner(NoAccess::NotAllowed { role }));
    }
    Ok(())
}
