//! Completions: the first valid one wins.

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::OpeningId;

use super::fit::fit;
use crate::{
    checked::Checked,
    limits,
    proposal::{Complete, Proposal},
    record::{Body, Decided},
    refusal::{BadAnswers, Over, Refusal},
    request::{Request, Status},
    settle::{Completing, Embedded, Settle, Settled},
    state::State,
};

impl State {
    pub(super) fn complete(
        &self,
        proposal: &Checked<Proposal>,
        complete: &Complete,
        settle: &dyn Settle,
    ) -> Result<Body, Refusal> {
        let request = self.open(&complete.opening)?;
        if complete.revision != request.revision() {
            return Err(Refusal::Answerer(BadAnswers::RequestChanged {
                revision: request.revision(),
            }));
        }
        let author = proposal.value().author;
        let settled = settle.completion(
            &complete.opening,
            &Completing {
                response: complete.response,
                attached: &complete.answers,
                proposer: author,
                seen: &proposal.value().seen.version_vector,
            },
        );
        let accept = complete.response == ChatInputResponseKind::Accept;
        if accept {
            acceptable(request, &settled)?;
        }
        let Settled { answers, displaced, version_vector, .. } = settled;
        let mut decided = Decided {
            opening: complete.opening,
            revision: complete.revision,
            response: complete.response,
            by: author,
            proposal: proposal.proposal_id(),
            embedded: Embedded { answers, version_vector, left_out: Vec::new() },
            displaced,
        };
        let left_out = fit(&mut [&mut decided.embedded], limits::LARGE_RECORD);
        match left_out {
            Some(question) if accept => Err(Refusal::Answerer(BadAnswers::TooLarge { question })),
            Some(_) | None => Ok(Body::Decided(decided)),
        }
    }

    /// The request, or the refusal if it is not open.
    pub(super) fn open(&self, opening: &OpeningId) -> Result<&Request, Refusal> {
        let Some(request) = self.request(opening) else {
            return Err(Refusal::Nobody(Over::NoOpenRequest { ended: None }));
        };
        match request.status() {
            Status::Open => Ok(request),
            Status::Decided(_) if rejoinder_identity::mutant!("mutant-second-completion-wins") => {
                Ok(request)
            }
            Status::Decided(decision) => Err(Refusal::Nobody(Over::AlreadyDecided {
                by: decision.by,
                response: decision.response,
                decision: decision.record,
            })),
            Status::Suspended(ended) | Status::Ended(ended) => {
                Err(Refusal::Nobody(Over::NoOpenRequest { ended: Some(ended.how) }))
            }
        }
    }
}

/// Checks an accept. Decline and cancel are never refused for their content.
fn acceptable(request: &Request, settled: &Settled) -> Result<(), Refusal> {
    if let Some(question) = settled.too_large.clone() {
        return Err(Refusal::Answerer(BadAnswers::TooLarge { question }));
    }
    if !settled.missing.is_empty() {
        return Err(Refusal::Answerer(BadAnswers::RequiredUnanswered {
            questions: settled.missing.clone(),
        }));
    }
    if !settled.invalid.is_empty() {
        return Err(Refusal::Answerer(BadAnswers::Invalid { questions: settled.invalid.clone() }));
    }
    if request.strict() && !settled.displaced.is_empty() {
        let mut questions: Vec<_> =
            settled.displaced.iter().map(|displaced| displaced.question.clone()).collect();
        questions.dedup();
        return Err(Refusal::Answerer(BadAnswers::Stale { questions }));
    }
    Ok(())
}
