//! Settlement: the final answers when a request is completed, or its turn ends.
//!
//! The finalizer decides; this gives it the facts.

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder_identity::{ActorId, PeerId, QuestionId, VersionVector, covers};

use crate::{
    automerge_names::heads,
    document::Document,
    form::{Form, Question},
    graph::OpId,
    json::answer_to_json,
    limits,
    projection::{Answer, Conflict},
    schema::Mark,
};

/// A member's proposal to complete the request.
#[derive(Debug, Clone, Copy)]
pub struct Completion<'a> {
    /// Accept, decline or cancel.
    pub response: ChatInputResponseKind,
    /// The answers that are attached to it.
    pub attached: &'a BTreeMap<QuestionId, ChatInputAnswer>,
    /// The member who proposes it.
    pub proposer: PeerId,
    /// The part of the document that they had seen.
    pub seen: &'a VersionVector,
}

/// The answers for the record of a decision, or of a turn's end.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settlement {
    /// The final answers.
    pub answers: BTreeMap<QuestionId, Answer>,
    /// Answers that the proposer did not see and that are not final.
    pub displaced: Vec<Displaced>,
    /// Required questions without a submitted answer.
    pub missing: Vec<QuestionId>,
    /// Questions whose submitted answer breaks a rule.
    pub invalid: Vec<QuestionId>,
    /// All answers together are larger than [`limits::ANSWERS`]; this is the largest.
    pub too_large: Option<QuestionId>,
    /// The version of the document that it was made from.
    pub version_vector: VersionVector,
}

/// An answer in the document that the proposer had not seen, and that is not the final one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displaced {
    /// The question.
    pub question: QuestionId,
    /// Its author.
    pub author: PeerId,
    /// In which change: its actor.
    pub actor: ActorId,
    /// In which change: its number.
    pub seq: u64,
}

/// An answer that came too late for a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct NotIncluded {
    /// The question.
    pub question: QuestionId,
    /// Its author.
    pub author: PeerId,
    /// In which change: its actor.
    pub actor: ActorId,
    /// In which change: its number.
    pub seq: u64,
    /// As it would be.
    pub answer: ChatInputAnswer,
}

impl Document {
    /// Settles a completion. An accept with anything `missing`, `invalid` or `too_large` must be
    /// refused. A decline or a cancel never is, so those leave out answers that do not fit.
    pub fn settle_completion(&self, form: &Form, completion: &Completion<'_>) -> Settlement {
        let mut settlement = self.settlement();
        for question in form.questions() {
            self.settle(question, completion, &mut settlement);
        }
        match completion.response {
            ChatInputResponseKind::Accept => {
                for question in form.questions() {
                    settlement.judge(question);
                }
                settlement.leave_out(|answer| matches!(answer, ChatInputAnswer::Draft(_)));
            }
            ChatInputResponseKind::Decline | ChatInputResponseKind::Cancel => {
                settlement.leave_out(|_| true);
            }
        }
        settlement
    }

    /// Settles the end of a turn: the answers stay as they are.
    pub fn settle_end(&self, form: &Form) -> Settlement {
        let mut settlement = self.settlement();
        settlement.answers = self.projection(form).answers;
        settlement.leave_out(|_| true);
        settlement
    }

    /// The answers that came too late for a decision made on that version vector.
    pub fn not_included(&self, form: &Form, decided_on: &VersionVector) -> Vec<NotIncluded> {
        let late = |question: &Question| {
            let merged = self.merged(question)?;
            let late = merged.said.into_iter().filter_map(|(op, answer)| {
                let (actor, seq) = self.written_as(op);
                (!self.is_covered(decided_on, op)).then(|| NotIncluded {
                    question: question.id().clone(),
                    author: self.graph.author(op.actor),
                    actor,
                    seq,
                    answer,
                })
            });
            Some(late.collect::<Vec<_>>())
        };
        form.questions().iter().filter_map(late).flatten().collect()
    }

    /// The answers that came in time and did not become final: the other sides of conflicts.
    pub fn passed_over(
        &self,
        form: &Form,
        decided_on: &VersionVector,
        decided: &BTreeMap<QuestionId, Answer>,
    ) -> BTreeMap<QuestionId, Vec<Conflict>> {
        let of = |question: &Question| {
            let chosen = decided.get(question.id()).map(|answer| &answer.answer);
            let said =
                self.merged(question)?.said.into_iter().filter(|(op, answer)| {
                    self.is_covered(decided_on, *op) && Some(answer) != chosen
                });
            let mut others: Vec<Conflict> = Vec::new();
            for (op, answer) in said {
                let author = self.graph.author(op.actor);
                match others.iter_mut().find(|other| other.answer == answer) {
                    Some(other) if other.authors.contains(&author) => {}
                    Some(other) => other.authors.push(author),
                    None => others.push(Conflict { answer, authors: vec![author] }),
                }
            }
            others.iter_mut().for_each(|other| other.authors.sort());
            (!others.is_empty()).then(|| (question.id().clone(), others))
        };
        form.questions().iter().filter_map(of).collect()
    }

    fn settlement(&self) -> Settlement {
        Settlement { version_vector: self.version_vector().clone(), ..Settlement::default() }
    }

    fn settle(
        &self,
        question: &Question,
        completion: &Completion<'_>,
        settlement: &mut Settlement,
    ) {
        let id = question.id();
        let merged = self.merged(question).unwrap_or_default();
        let attached = completion.attached.get(id).map(|answer| question.normal_answer(answer));
        let present = merged.answer.as_ref().map(|answer| &answer.answer);
        let attached = attached
            .filter(|attached| fits(question, attached, completion.response))
            .filter(|attached| present.is_none_or(|present| !is_weaker(attached, present)));
        let Some(attached) = attached else {
            if let Some(answer) = merged.answer {
                settlement.answers.insert(id.clone(), answer);
            }
            return;
        };
        let unseen = merged.said.iter().filter(|(op, answer)| {
            present.is_some_and(|present| rank(answer) == rank(present))
                && *answer != attached
                && !self.is_covered(completion.seen, *op)
        });
        settlement.displaced.extend(unseen.map(|(op, _)| {
            let (actor, seq) = self.written_as(*op);
            Displaced { question: id.clone(), author: self.graph.author(op.actor), actor, seq }
        }));
        settlement.displaced.dedup();
        let authors = self.authors_of(question, &attached, &merged.said, completion);
        settlement.answers.insert(id.clone(), Answer { answer: attached, authors });
    }

    /// The authors proven to have given that answer, now or when the proposer saw it. Without any,
    /// it is the proposer's own.
    fn authors_of(
        &self,
        question: &Question,
        attached: &ChatInputAnswer,
        said: &[(OpId, ChatInputAnswer)],
        completion: &Completion<'_>,
    ) -> Vec<PeerId> {
        let author = |op: &OpId| self.graph.author(op.actor);
        let now: BTreeSet<PeerId> = said
            .iter()
            .filter(|(_, answer)| answer == attached)
            .map(|(op, _)| author(op))
            .collect();
        if !now.is_empty() {
            return now.into_iter().collect();
        }
        let then = self.authors_then(question, attached, completion.seen);
        if then.is_empty() { vec![completion.proposer] } else { then.into_iter().collect() }
    }

    fn authors_then(
        &self,
        question: &Question,
        attached: &ChatInputAnswer,
        seen: &VersionVector,
    ) -> BTreeSet<PeerId> {
        let Some(fields) = self.structure.fields(question.id()) else { return BTreeSet::new() };
        let known: Vec<_> =
            seen.values().map(|tip| tip.hash).filter(|hash| self.graph.contains(hash)).collect();
        let marks = self.marks(fields, Some(&heads(&known))).into_iter();
        marks
            .filter(|live| match (&live.mark, attached) {
                (Some(Mark::Submitted(value)), ChatInputAnswer::Submitted(attached)) => {
                    question.normal(value) == attached.value
                }
                (Some(Mark::Skipped(freeform)), ChatInputAnswer::Skipped(attached)) => {
                    *freeform == attached.freeform_values.clone().unwrap_or_default()
                }
                (Some(_), _) | (None, _) => false,
            })
            .map(|live| self.graph.author(live.op.actor))
            .collect()
    }

    fn written_as(&self, op: OpId) -> (ActorId, u64) {
        let place = self.graph.change_of(op).expect("a live operation is of an admitted change");
        (self.graph.actor_id(op.actor), u64::from(place.seq))
    }

    /// Skeletons are in no version vector: they come with the request.
    fn is_covered(&self, version_vector: &VersionVector, op: OpId) -> bool {
        let (actor, seq) = self.written_as(op);
        let place = self.graph.change_of(op).expect("a live operation is of an admitted change");
        self.skeletons.contains(&self.graph.hash(place)) || covers(version_vector, &actor, seq)
    }
}

/// Whether an answer of the completion can be part of the outcome. For an accept an invalid one
/// can, since it is what the accept is refused for; otherwise only a valid one.
fn fits(question: &Question, attached: &ChatInputAnswer, response: ChatInputResponseKind) -> bool {
    let accepts = response == ChatInputResponseKind::Accept;
    match attached {
        ChatInputAnswer::Draft(draft) => question.fits(&draft.value),
        ChatInputAnswer::Submitted(given) => accepts || question.check(&given.value).is_ok(),
        ChatInputAnswer::Skipped(_) => true,
    }
}

/// A skip in the completion never displaces a submitted answer. A draft displaces neither a
/// submitted answer nor a skip.
fn is_weaker(attached: &ChatInputAnswer, present: &ChatInputAnswer) -> bool {
    rank(attached) < rank(present)
}

fn rank(answer: &ChatInputAnswer) -> u8 {
    match answer {
        ChatInputAnswer::Draft(_) => 0,
        ChatInputAnswer::Skipped(_) => 1,
        ChatInputAnswer::Submitted(_) => 2,
    }
}

impl Settlement {
    fn judge(&mut self, question: &Question) {
        let id = question.id();
        match self.answers.get(id).map(|answer| &answer.answer) {
            Some(ChatInputAnswer::Submitted(given)) if question.check(&given.value).is_err() => {
                self.invalid.push(id.clone());
            }
            Some(ChatInputAnswer::Submitted(_)) => {}
            Some(ChatInputAnswer::Draft(_) | ChatInputAnswer::Skipped(_)) | None => {
                if question.required() {
                    self.missing.push(id.clone());
                }
            }
        }
    }

    /// If all answers together are too large, leaves out the largest that may go, until the rest
    /// fits. They stay in the document. If that is not enough, sets `too_large` to the largest.
    fn leave_out(&mut self, may_go: impl Fn(&ChatInputAnswer) -> bool) {
        let mut sizes: Vec<(usize, QuestionId)> = self
            .answers
            .iter()
            .map(|(id, answer)| (answer_to_json(&answer.answer).to_string().len(), id.clone()))
            .collect();
        let mut all: usize = sizes.iter().map(|(size, _)| size).sum();
        sizes.sort_unstable();
        for (size, id) in sizes.into_iter().rev() {
            if all <= limits::ANSWERS {
                return;
            }
            if self.answers.get(&id).is_some_and(|answer| may_go(&answer.answer)) {
                self.answers.remove(&id);
                all -= size;
            } else {
                self.too_large.get_or_insert(id);
            }
        }
        if all <= limits::ANSWERS {
            self.too_large = None;
        }
    }
}
