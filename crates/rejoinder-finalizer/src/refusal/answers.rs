//! Refusals on which the person who completes a request must act.

use std::fmt;

use rejoinder_identity::QuestionId;

use super::list;

/// The answers can't be taken as they are, or belong to another text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadAnswers {
    /// The request has another text now; look at it and complete that.
    RequestChanged {
        /// The revision that holds.
        revision: u32,
    },
    /// Required questions have no submitted answer.
    RequiredUnanswered {
        /// The questions.
        questions: Vec<QuestionId>,
    },
    /// Submitted answers do not satisfy their questions.
    Invalid {
        /// The questions.
        questions: Vec<QuestionId>,
    },
    /// The request is strict, and somebody gave another answer that the proposer had not seen.
    Stale {
        /// The questions that it answers.
        questions: Vec<QuestionId>,
    },
    /// All answers together are above the limit.
    TooLarge {
        /// The question with the largest answer.
        question: QuestionId,
    },
}

impl BadAnswers {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::RequestChanged { .. } => "request-changed",
            Self::RequiredUnanswered { .. } => "required-unanswered",
            Self::Invalid { .. } => "invalid",
            Self::Stale { .. } => "stale",
            Self::TooLarge { .. } => "too-large",
        }
    }

    pub(super) fn questions(&self) -> &[QuestionId] {
        match self {
            Self::RequestChanged { .. } => &[],
            Self::RequiredUnanswered { questions }
            | Self::Invalid { questions }
            | Self::Stale { questions } => questions,
            Self::TooLarge { question } => std::slice::from_ref(question),
        }
    }
}

impl fmt::Display for BadAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestChanged { revision } => {
                write!(f, "the request has changed (revision {revision}): look at it again")
            }
            Self::RequiredUnanswered { questions } => {
                write!(f, "no submitted answer to the required {}", Named(questions))
            }
            Self::Invalid { questions } => {
                write!(f, "the submitted answer is not valid for {}", Named(questions))
            }
            Self::Stale { questions } => {
                write!(f, "somebody gave another answer meanwhile to {}", Named(questions))
            }
            Self::TooLarge { question } => {
                write!(f, "all answers together are too large; the largest answers {question:?}")
            }
        }
    }
}

struct Named<'a>(&'a [QuestionId]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.len() == 1 { "question " } else { "questions " })?;
        list(f, self.0.iter().map(QuestionId::as_str))
    }
}
