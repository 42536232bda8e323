//! The engine's view of a request, read for people: the parts to show, and the words for them.
//! Nothing is copied out of it.

mod words;

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputQuestion, ChatInputResponseKind};
use rejoinder::{Conflict, PeerId, RequestStatus, RequestView};
use rejoinder_mcp::default_answer;
use serde_json::Value;

pub(crate) use words::{id, is_required, message, options, title, url, value};

use crate::{canonical, plain};

/// An answer and its authors: there is at least one, and each is proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held<'a> {
    pub(crate) answer: &'a ChatInputAnswer,
    pub(crate) by: &'a [PeerId],
}

/// Returns the questions of a request.
pub(crate) fn questions(view: &RequestView) -> &[ChatInputQuestion] {
    view.request.questions.as_deref().unwrap_or_default()
}

/// Returns the question with that id.
pub(crate) fn question<'a>(view: &'a RequestView, named: &str) -> Option<&'a ChatInputQuestion> {
    questions(view).iter().find(|question| id(question) == named)
}

/// Returns the answer to a question.
pub(crate) fn answer<'a>(view: &'a RequestView, question: &str) -> Option<Held<'a>> {
    let answer = view.projection.answers.get(question)?;
    Some(Held { answer: &answer.answer, by: &answer.authors })
}

/// Returns the answers that others gave to a question at the same time.
pub(crate) fn conflicts<'a>(view: &'a RequestView, question: &str) -> Vec<Held<'a>> {
    let passed_over = view.passed_over.get(question);
    let conflicts = passed_over.or_else(|| view.projection.conflicts.get(question));
    let held = |conflict: &'a Conflict| Held { answer: &conflict.answer, by: &conflict.authors };
    conflicts.into_iter().flatten().map(held).collect()
}

/// Returns the answers to a question that came too late for the decision.
pub(crate) fn not_included<'a>(view: &'a RequestView, question: &str) -> Vec<Held<'a>> {
    let late = view.not_included.iter().filter(|late| late.question.as_str() == question);
    late.map(|late| Held { answer: &late.answer, by: std::slice::from_ref(&late.author) }).collect()
}

/// True if a request has ended, by a decision or without one.
pub(crate) fn is_over(status: &RequestStatus) -> bool {
    match status {
        RequestStatus::Open | RequestStatus::Suspended => false,
        RequestStatus::Decided { .. } | RequestStatus::Ended(_) => true,
    }
}

/// Returns the required questions without a submitted answer. An accept is refused while there are
/// any.
pub(crate) fn unanswered(view: &RequestView) -> Vec<&str> {
    let is_submitted = |id: &str| {
        matches!(answer(view, id), Some(Held { answer: ChatInputAnswer::Submitted(_), .. }))
    };
    let required = questions(view).iter().filter(|question| is_required(question));
    required.map(id).filter(|id| !is_submitted(id)).collect()
}

/// Returns the rules for an answer to a question, in words.
pub(crate) fn constraints(view: &RequestView, question: &ChatInputQuestion) -> String {
    let mut constraints = words::constraints(question);
    let Some(rules) = view.rules.get(id(question)) else { return constraints };
    if let Some(pattern) = &rules.pattern {
        constraints.push_str(&format!(", matching {}", plain::line(pattern.as_str())));
    }
    if let Some(step) = rules.multiple_of {
        constraints.push_str(&format!(", a multiple of {}", canonical::number(step)));
    }
    constraints
}

/// Returns the text shown for a question without an answer, with its default if that is sent.
pub(crate) fn no_answer(view: &RequestView, question: &ChatInputQuestion) -> String {
    format!("no answer{}", instead(view, question))
}

/// Returns the text shown after "no answer": empty without a default.
pub(crate) fn instead(view: &RequestView, question: &ChatInputQuestion) -> String {
    let Some(default) = default_answer(question) else { return String::new() };
    let default = value(Some(question), &default);
    match (&view.status, is_required(question)) {
        (RequestStatus::Open | RequestStatus::Suspended, true) => {
            format!("; suggested, but to be answered: {default}")
        }
        (RequestStatus::Open | RequestStatus::Suspended, false) => format!("; if left: {default}"),
        (RequestStatus::Decided { response: ChatInputResponseKind::Accept, .. }, false) => {
            format!("; sent by default: {default}")
        }
        (RequestStatus::Decided { .. } | RequestStatus::Ended(_), true | false) => String::new(),
    }
}

/// Returns the defaults of optional questions that nobody touched, as AHP spells values.
pub(crate) fn defaults(
    questions: &[ChatInputQuestion],
    is_touched: impl Fn(&str) -> bool,
) -> BTreeMap<String, Value> {
    let left =
        questions.iter().filter(|question| !is_required(question) && !is_touched(id(question)));
    left.filter_map(|question| {
        Some((id(question).to_owned(), canonical::value(&default_answer(question)?)))
    })
    .collect()
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
