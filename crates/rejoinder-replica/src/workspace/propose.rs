//! This device's own proposals.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder_answers::{Completion, answer_to_json};
use rejoinder_finalizer::{
    Checked, Complete, Proposal, ProposalKind, Refusal, Seen, StartTurn, refusal::BadAnswers,
};
use rejoinder_identity::{OpeningId, QuestionId, Role, TurnId, VersionVector};
use serde_json::json;

use crate::{
    command::Command,
    core::Core,
    documents::Warm,
    input::CommandId,
    proposals::{Content, NotCarried, over},
    refused::Refused,
    workspace::Done,
    workspace::Workspace,
};

impl Workspace {
    pub(super) fn complete(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: OpeningId,
        response: ChatInputResponseKind,
        answers: BTreeMap<QuestionId, ChatInputAnswer>,
    ) -> Result<Done, Refused> {
        self.may(&core.me, Role::Answerer)?;
        core.may_write()?;
        let request = self.request(&opening)?;
        if let Some(refusal) = over(request.status()) {
            return Err(Refused::Host(refusal));
        }
        let (document, revision) = (request.document(), request.revision());
        let Some(warm) = self.warm(&document) else {
            let workspace = self.id;
            let command = Command::Complete { workspace, opening, response, answers };
            return Ok(Done::Later(command, document));
        };
        let version_vector = warm.document().version_vector().clone();
        let answers = on_screen(warm, response, answers);
        let completion =
            Completion { response, attached: &answers, proposer: core.me, seen: &version_vector };
        if let Some(refusal) = incomplete(warm, &completion) {
            return Err(Refused::Host(refusal));
        }
        let answers = answers
            .into_iter()
            .map(|(question, answer)| (question, answer_to_json(&answer).to_string()))
            .collect();
        let kind = ProposalKind::Complete(Complete { opening, revision, response, answers });
        self.propose_having_seen(core, id, kind, version_vector)?;
        Ok(Done::Yes)
    }

    pub(super) fn propose(
        &mut self,
        core: &mut Core,
        id: CommandId,
        kind: ProposalKind,
    ) -> Result<(), Refused> {
        self.may(&core.me, Role::Answerer)?;
        core.may_write()?;
        self.propose_having_seen(core, id, kind, VersionVector::new())
    }

    fn propose_having_seen(
        &mut self,
        core: &mut Core,
        id: CommandId,
        kind: ProposalKind,
        version_vector: VersionVector,
    ) -> Result<(), Refused> {
        let proposal = Proposal {
            workspace: self.id,
            author: core.me,
            nonce: core.nonce(),
            seen: Seen { log: self.chain.position().head, version_vector },
            kind,
        };
        let proposal = Checked::<Proposal>::sign(&core.key, proposal)
            .map_err(|error| Refused::TooLargeProposal(error.to_string()))?;
        let content = Content::Proposal(Box::new(proposal));
        let proposal = content.id();
        self.proposals.begin(proposal);
        self.carry(core, content, None, Some(id), None).map_err(|error| {
            self.proposals.give_up(&proposal);
            match error {
                NotCarried::TooMany => Refused::TooManyProposals,
                NotCarried::Unknown(_)
                | NotCarried::NotInOrder(_)
                | NotCarried::Superseded
                | NotCarried::NotGranted(_)
                | NotCarried::Answered
                | NotCarried::Known => Refused::NotMember,
            }
        })
    }
}

/// A turn of a new id that begins with what its user said.
pub(crate) fn new_turn(core: &mut Core, text: &str) -> StartTurn {
    let turn = TurnId(format!("turn-{}", core.nonce()));
    let message = json!({ "text": text, "origin": { "kind": "user" } }).to_string();
    StartTurn { turn, message, queued: None }
}

/// The answers that a click means: every submitted or skipped one that is on the screen, overlaid
/// with those that came with the completion.
fn on_screen(
    warm: &Warm,
    response: ChatInputResponseKind,
    given: BTreeMap<QuestionId, ChatInputAnswer>,
) -> BTreeMap<QuestionId, ChatInputAnswer> {
    let shown = match response {
        ChatInputResponseKind::Accept => warm.document().projection(warm.form()).answers,
        ChatInputResponseKind::Decline | ChatInputResponseKind::Cancel => BTreeMap::new(),
    };
    let ready = shown.into_iter().filter_map(|(question, shown)| match &shown.answer {
        ChatInputAnswer::Submitted(_) | ChatInputAnswer::Skipped(_) => {
            Some((question, shown.answer))
        }
        ChatInputAnswer::Draft(_) => None,
    });
    ready.chain(given).collect()
}

/// Refuses an accept before it is on its way, if what its author sees is not complete.
fn incomplete(warm: &Warm, completion: &Completion<'_>) -> Option<Refusal> {
    match completion.response {
        ChatInputResponseKind::Decline | ChatInputResponseKind::Cancel => return None,
        ChatInputResponseKind::Accept => {}
    }
    let settlement = warm.document().settle_completion(warm.form(), completion);
    if !settlement.missing.is_empty() {
        return Some(Refusal::Answerer(BadAnswers::RequiredUnanswered {
            questions: settlement.missing,
        }));
    }
    if !settlement.invalid.is_empty() {
        return Some(Refusal::Answerer(BadAnswers::Invalid { questions: settlement.invalid }));
    }
    settlement.too_large.map(|question| Refusal::Answerer(BadAnswers::TooLarge { question }))
}
