//! Problems: parts of a document that can't be read as an answer. They are reported beside the
//! answers.

use rejoinder_identity::{PeerId, QuestionId};
use serde_json::{Value, json};

/// Something in the document that is no answer to its question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The question.
    pub question: QuestionId,
    /// The kind of problem.
    pub kind: ProblemKind,
    /// The text in the document.
    pub raw: String,
    /// Its author.
    pub author: PeerId,
}

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// It can't be read: a later release wrote it, or a broken one.
    Unreadable,
    /// It answers a question of another kind, as this one was before, or as a later one is.
    OtherKind,
}

impl Problem {
    pub(crate) fn to_json(&self) -> Value {
        let kind = match self.kind {
            ProblemKind::Unreadable => "unreadable",
            ProblemKind::OtherKind => "other-kind",
        };
        json!({
            "question": self.question.as_str(),
            "problem": kind,
            "raw": self.raw,
            "author": self.author.to_string(),
        })
    }
}
