//! The marks by which each edit is found again: a number that is used once, as it is or in brackets
//! that nobody else writes.

use rejoinder::{ChatInputAnswer, PeerId, Projection, QuestionId, RequestView};

/// The mark of an edit.
pub(super) type Token = u64;

/// The first number that can be a mark.
pub(super) const FIRST: Token = 100_000;

/// The first mark of the answers that requests come with.
pub(super) const GIVEN: Token = 50_000_000;

/// Returns the option with that number. Each is ticked once in a request, so it serves as a mark
/// too.
pub(super) fn option(number: usize) -> String {
    format!("o{number}")
}

/// A mark by which an edit is found again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mark {
    /// A number that is used once in a world.
    Token(Token),
    /// An option that is ticked once in a request.
    Option(usize),
}

/// Returns a mark as a text.
pub(super) fn text(token: Token) -> String {
    format!("⟦{token}⟧")
}

/// A mark that is shown.
pub(super) struct Shown {
    pub(super) question: QuestionId,
    pub(super) mark: Mark,
    pub(super) authors: Vec<PeerId>,
    /// True if it is in a draft. A draft is its fields as they are, whoever wrote each of them. In
    /// a text by several authors something may look like a mark that nobody wrote.
    pub(super) mixed: bool,
}

/// Returns all marks that a request shows.
pub(super) fn shown(view: &RequestView) -> Vec<Shown> {
    let mut shown = projected(&view.projection);
    for (question, conflicts) in &view.passed_over {
        for conflict in conflicts {
            add(&mut shown, question, &conflict.answer, &conflict.authors);
        }
    }
    for late in &view.not_included {
        add(&mut shown, &late.question, &late.answer, &[late.author]);
    }
    shown
}

fn projected(projection: &Projection) -> Vec<Shown> {
    let mut shown = Vec::new();
    for (question, answer) in &projection.answers {
        add(&mut shown, question, &answer.answer, &answer.authors);
    }
    for (question, conflicts) in &projection.conflicts {
        for conflict in conflicts {
            add(&mut shown, question, &conflict.answer, &conflict.authors);
        }
    }
    shown
}

fn add(
    shown: &mut Vec<Shown>,
    question: &QuestionId,
    answer: &ChatInputAnswer,
    authors: &[PeerId],
) {
    let mixed = matches!(answer, ChatInputAnswer::Draft(_));
    for mark in found(&rejoinder::form::answer_to_json(answer)) {
        let (question, authors) = (question.clone(), authors.to_vec());
        shown.push(Shown { question, mark, authors, mixed });
    }
}

fn found(json: &serde_json::Value) -> Vec<Mark> {
    match json {
        serde_json::Value::Number(number) => {
            let token = number.as_f64().map_or(0, |number| number as Token);
            if token >= FIRST { vec![Mark::Token(token)] } else { Vec::new() }
        }
        serde_json::Value::String(text) => match text.strip_prefix('o').map(str::parse) {
            Some(Ok(number)) => vec![Mark::Option(number)],
            Some(Err(_)) | None => bracketed(text).into_iter().map(Mark::Token).collect(),
        },
        serde_json::Value::Array(items) => items.iter().flat_map(found).collect(),
        serde_json::Value::Object(map) => map.values().flat_map(found).collect(),
        serde_json::Value::Null | serde_json::Value::Bool(_) => Vec::new(),
    }
}

fn bracketed(text: &str) -> Vec<Token> {
    let inside = |part: &str| part.split_once('⟧').and_then(|(token, _)| token.parse().ok());
    text.split('⟦').skip(1).filter_map(inside).collect()
}
