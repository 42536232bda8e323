//! The answers that a document shows for a request, and how concurrent edits merge into them.
//!
//! It never fails, and it is the same on every peer that has the same changes. Content that can't
//! be read as an answer is reported beside the answers.

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputSkipped,
};
use rejoinder_identity::{PeerId, QuestionId};
use serde_json::{Map, Value, json};

use crate::{
    content::{Content, LiveMark, Variant},
    document::Document,
    form::{Form, Question},
    graph::OpId,
    json::answer_to_json,
    problem::{Problem, ProblemKind},
    schema::Mark,
    structure::Fields,
};

/// The answers that a document shows for a request.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Projection {
    /// The answers.
    pub answers: BTreeMap<QuestionId, Answer>,
    /// Other answers that were given at the same time.
    pub conflicts: BTreeMap<QuestionId, Vec<Conflict>>,
    /// Parts of the document that could not be read as an answer.
    pub problems: Vec<Problem>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// As AHP spells it.
    pub answer: ChatInputAnswer,
    /// Its authors, sorted.
    pub authors: Vec<PeerId>,
}

/// An answer that another one displaces, until somebody who sees both resolves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict {
    /// As AHP spells it.
    pub answer: ChatInputAnswer,
    /// Its authors, sorted.
    pub authors: Vec<PeerId>,
}

impl Document {
    /// The answers to the given revision of the request.
    pub fn projection(&self, form: &Form) -> Projection {
        self.projection_of(form, form.questions().iter().map(Question::id))
    }

    /// The same for some questions of it.
    pub fn projection_of<'a>(
        &self,
        form: &Form,
        questions: impl IntoIterator<Item = &'a QuestionId>,
    ) -> Projection {
        let mut projection = Projection::default();
        for question in questions.into_iter().filter_map(|id| form.question(id)) {
            let Some(merged) = self.merged(question) else { continue };
            let id = question.id();
            projection.problems.extend(merged.problems);
            if let Some(answer) = merged.answer {
                projection.answers.insert(id.clone(), answer);
            }
            if !merged.conflicts.is_empty() {
                projection.conflicts.insert(id.clone(), merged.conflicts);
            }
        }
        projection
    }

    /// The draft that a question's content makes, whatever its mark says. Typing goes into it.
    pub fn draft(&self, form: &Form, question: &QuestionId) -> Option<ChatInputAnswerValue> {
        let question = form.question(question)?;
        let content = self.content(question, self.structure.fields(question.id())?);
        content.variants.into_iter().next().map(|variant| variant.value)
    }

    /// `None` if the question's structure is not here yet.
    pub(crate) fn merged(&self, question: &Question) -> Option<Merged> {
        let fields = self.structure.fields(question.id())?;
        let mut merged = Merged::default();
        let mut said = Said::default();
        for mark in self.marks(fields, None) {
            self.sort(question, fields, mark, &mut said, &mut merged.problems);
        }
        let mut content = Content::default();
        if !said.drafts.is_empty() {
            content = self.content(question, fields);
            merged.problems.append(&mut content.problems);
        }
        self.resolve(said, content, &mut merged);
        Some(merged)
    }

    fn sort(
        &self,
        question: &Question,
        fields: &Fields,
        live: LiveMark,
        said: &mut Said,
        problems: &mut Vec<Problem>,
    ) {
        let (kind, raw) = match live.mark {
            None => (ProblemKind::Unreadable, live.text),
            Some(Mark::Submitted(value)) if question.fits(&value) => {
                let answered = ChatInputAnswered { value: question.normal(&value) };
                return said.submitted.push((live.op, ChatInputAnswer::Submitted(answered)));
            }
            Some(Mark::Submitted(_)) => (ProblemKind::OtherKind, live.text),
            Some(Mark::Skipped(freeform)) => {
                let freeform_values = (!freeform.is_empty()).then_some(freeform);
                let skipped = ChatInputSkipped { freeform_values };
                return said.skipped.push((live.op, ChatInputAnswer::Skipped(skipped)));
            }
            Some(Mark::Draft { kind: Some(kind) }) if kind != question.takes() => {
                let value = self.content_of_kind(fields, &kind);
                let draft = ChatInputAnswer::Draft(ChatInputAnswered { value });
                (ProblemKind::OtherKind, answer_to_json(&draft).to_string())
            }
            Some(Mark::Draft { .. }) => return said.drafts.push(live.op),
        };
        let author = self.graph.author(live.op.actor);
        problems.push(Problem { question: question.id().clone(), kind, raw, author });
    }

    /// Submitted before skipped before draft: a stale skip or a late draft displaces no answer.
    fn resolve(&self, said: Said, content: Content, merged: &mut Merged) {
        let drafters: BTreeSet<PeerId> =
            said.drafts.iter().map(|op| self.graph.author(op.actor)).collect();
        let drafted = draft_answers(content.variants, &drafters);
        // Automerge's order picks among those of one kind: its last one wins.
        let stated: Vec<&(OpId, ChatInputAnswer)> =
            said.submitted.iter().rev().chain(said.skipped.iter().rev()).collect();
        let mut heard = Heard::default();
        for (op, answer) in &stated {
            heard.add(answer, &BTreeSet::from([self.graph.author(op.actor)]));
        }
        match heard.answers.first().cloned() {
            None => drafted.iter().for_each(|(answer, authors)| heard.add(answer, authors)),
            Some((answer, _)) => add_drafts(&answer, &drafted, &drafters, &mut heard),
        }
        merged.said.extend(stated.into_iter().cloned());
        for op in said.drafts {
            let drafts = drafts_by(&self.graph.author(op.actor), &drafted);
            merged.said.extend(drafts.into_iter().map(|draft| (op, draft.clone())));
        }
        let mut heard = heard
            .answers
            .into_iter()
            .map(|(answer, authors)| (answer, authors.into_iter().collect::<Vec<PeerId>>()));
        merged.answer = heard.next().map(|(answer, authors)| Answer { answer, authors });
        merged.conflicts = heard.map(|(answer, authors)| Conflict { answer, authors }).collect();
        if rejoinder_identity::mutant!("mutant-conflicts-hidden") {
            merged.conflicts.clear();
        }
    }
}

/// One question, merged.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) answer: Option<Answer>,
    conflicts: Vec<Conflict>,
    problems: Vec<Problem>,
    /// The answer of each live mark by itself, with the operation that wrote it.
    pub(crate) said: Vec<(OpId, ChatInputAnswer)>,
}

/// The live marks of a question by what they say, in Automerge's order.
#[derive(Debug, Default)]
struct Said {
    submitted: Vec<(OpId, ChatInputAnswer)>,
    skipped: Vec<(OpId, ChatInputAnswer)>,
    drafts: Vec<OpId>,
}

/// Answers in the order in which they count; equal ones are one, with all its authors.
#[derive(Debug, Default)]
struct Heard {
    answers: Vec<(ChatInputAnswer, BTreeSet<PeerId>)>,
}

impl Heard {
    fn add(&mut self, answer: &ChatInputAnswer, authors: &BTreeSet<PeerId>) {
        match self.answers.iter_mut().find(|(other, _)| other == answer) {
            Some((_, all)) => all.extend(authors),
            None => self.answers.push((answer.clone(), authors.clone())),
        }
    }
}

type Drafts = Vec<(ChatInputAnswer, BTreeSet<PeerId>)>;

/// With one way to read it, a draft is by all who drafted; else each by those who wrote it.
fn draft_answers(variants: Vec<Variant>, drafters: &BTreeSet<PeerId>) -> Drafts {
    let several = variants.len() > 1;
    let draft = |Variant { value, authors }| {
        let authors = authors.filter(|_| several).unwrap_or_else(|| drafters.clone());
        (ChatInputAnswer::Draft(ChatInputAnswered { value }), authors)
    };
    variants.into_iter().map(draft).collect()
}

/// The draft of one author: the values that they wrote, or the draft that counts if others have
/// replaced all of those.
fn drafts_by<'a>(author: &PeerId, drafts: &'a Drafts) -> Vec<&'a ChatInputAnswer> {
    let own = drafts.iter().filter(|(_, authors)| authors.contains(author));
    let own: Vec<_> = own.map(|(answer, _)| answer).collect();
    if own.is_empty() { drafts.iter().map(|(answer, _)| answer).take(1).collect() } else { own }
}

/// Drafts beside an answer. A submit writes its value into the content as well, and that is no
/// draft of its author.
fn add_drafts(
    answer: &ChatInputAnswer,
    drafts: &Drafts,
    drafters: &BTreeSet<PeerId>,
    heard: &mut Heard,
) {
    let before = heard.answers.len();
    for (draft, authors) in drafts {
        if value(draft) == value(answer) {
            let authors: BTreeSet<PeerId> = authors.intersection(drafters).copied().collect();
            if !authors.is_empty() {
                heard.add(draft, &authors);
            }
        } else {
            heard.add(draft, authors);
        }
    }
    if let (true, Some((draft, _))) = (heard.answers.len() == before, drafts.first()) {
        heard.add(draft, drafters);
    }
}

/// The value of an answer, draft or submitted.
pub(crate) fn value(answer: &ChatInputAnswer) -> Option<&ChatInputAnswerValue> {
    match answer {
        ChatInputAnswer::Draft(answered) | ChatInputAnswer::Submitted(answered) => {
            Some(&answered.value)
        }
        ChatInputAnswer::Skipped(_) => None,
    }
}

impl Projection {
    /// Canonical JSON: equal documents give equal bytes.
    pub fn to_json(&self) -> Value {
        let authored = |answer: &ChatInputAnswer, authors: &[PeerId]| {
            let authors: Vec<String> = authors.iter().map(PeerId::to_string).collect();
            json!({ "answer": answer_to_json(answer), "authors": authors })
        };
        let answers: Map<String, Value> = self
            .answers
            .iter()
            .map(|(id, answer)| (id.0.clone(), authored(&answer.answer, &answer.authors)))
            .collect();
        let conflict = |conflict: &Conflict| authored(&conflict.answer, &conflict.authors);
        let conflicts: Map<String, Value> = self
            .conflicts
            .iter()
            .map(|(id, conflicts)| (id.0.clone(), conflicts.iter().map(conflict).collect()))
            .collect();
        let problems: Vec<Value> = self.problems.iter().map(Problem::to_json).collect();
        json!({ "answers": answers, "conflicts": conflicts, "problems": problems })
    }
}
