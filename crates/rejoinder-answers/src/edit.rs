//! Edits: the things a person does to a request's answers, and the reasons to refuse them.

use ahp_types::state::ChatInputAnswerValue;
use rejoinder_identity::{
    ActorId, ChangeHash, DocumentId, Incarnation, OptionId, PeerId, QuestionId, Timestamp,
};

use crate::{admission_error::AdmissionError, limits, validity::Invalid};

/// Something a person did to one question.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// The whole value, as a draft. On a submitted answer it takes that back.
    Draft {
        /// The question.
        question: QuestionId,
        /// Must fit the question's kind. Without freeform values it leaves those there are.
        value: ChatInputAnswerValue,
    },
    /// Typing in a text question: characters (code points) go, others come in their place.
    Type {
        /// The question.
        question: QuestionId,
        /// The character of the draft's text to type before.
        at: usize,
        /// The number of characters that go.
        delete: usize,
        /// The characters that come.
        insert: String,
    },
    /// One option of a multi-select, ticked or unticked.
    Toggle {
        /// The question.
        question: QuestionId,
        /// The option.
        option: OptionId,
        /// Ticked, or unticked.
        on: bool,
    },
    /// This is my answer.
    Submit {
        /// The question.
        question: QuestionId,
        /// The value, or the draft as it stands.
        value: Option<ChatInputAnswerValue>,
    },
    /// I don't answer this one.
    Skip {
        /// The question.
        question: QuestionId,
        /// The text that is given instead.
        freeform: Vec<String>,
    },
    /// Removes the answer and the draft, with the characters that I see.
    Clear {
        /// The question.
        question: QuestionId,
    },
}

impl Edit {
    /// The question that it is about.
    pub fn question(&self) -> &QuestionId {
        match self {
            Self::Draft { question, .. }
            | Self::Type { question, .. }
            | Self::Toggle { question, .. }
            | Self::Submit { question, .. }
            | Self::Skip { question, .. }
            | Self::Clear { question } => question,
        }
    }
}

/// The writer of an edit, and the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writer {
    /// The device.
    pub device: PeerId,
    /// Its present run.
    pub incarnation: Incarnation,
    /// Now. It is written in the change for people to read; nothing is decided by it.
    pub now: Timestamp,
}

impl Writer {
    /// The actor as which this device writes there.
    pub fn actor(&self, document: &DocumentId) -> ActorId {
        ActorId::of_author(&self.device, document, &self.incarnation)
    }
}

/// A change that was made here, ready for its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its actor.
    pub actor: ActorId,
    /// Its number, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: ChangeHash,
    /// Its bytes.
    pub change: Vec<u8>,
}

/// The edit was not made; the document is as it was.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EditRefused {
    /// The request has no such question.
    #[error("there is no question \"{0}\"")]
    UnknownQuestion(QuestionId),
    /// The question is of a kind that this release does not know.
    #[error("question \"{0}\" is of a kind that can't be answered here")]
    NotAnswerable(QuestionId),
    /// The value is of another kind than the question, or the edit is not for its kind.
    #[error("question \"{question}\" takes {takes}")]
    WrongKind {
        /// The question.
        question: QuestionId,
        /// The kind of value that it takes.
        takes: &'static str,
    },
    /// The question has no such option.
    #[error("question \"{question}\" has no option \"{option}\"")]
    UnknownOption {
        /// The question.
        question: QuestionId,
        /// The option.
        option: OptionId,
    },
    /// The value breaks a rule of the question.
    #[error("question \"{question}\": {why}")]
    Invalid {
        /// The question.
        question: QuestionId,
        /// The rule.
        why: Invalid,
    },
    /// There is no draft that could be submitted.
    #[error("question \"{0}\" has no draft to submit")]
    NothingToSubmit(QuestionId),
    /// The place to type at is not in the text.
    #[error("question \"{question}\": character {end} of a text of {length}")]
    OutOfRange {
        /// The question.
        question: QuestionId,
        /// The end of what was to be replaced, in characters.
        end: usize,
        /// The text's length, in characters.
        length: usize,
    },
    /// The text would be longer than [`limits::TEXT`](crate::limits::TEXT), and not shorter than it
    /// is now. An edit that takes several changes must shorten it in each.
    #[error(
        "question \"{question}\": the text would be {bytes} bytes long, at most {}",
        limits::TEXT
    )]
    TextTooLong {
        /// The question.
        question: QuestionId,
        /// The bytes it would have.
        bytes: usize,
    },
    /// The answer's JSON would be longer than [`limits::ANSWER`](crate::limits::ANSWER).
    #[error(
        "question \"{question}\": the answer as JSON would be {bytes} bytes long, at most {}",
        limits::ANSWER
    )]
    AnswerTooLong {
        /// The question.
        question: QuestionId,
        /// The bytes it would have.
        bytes: usize,
    },
    /// More than [`limits::FREEFORM_VALUES`](crate::limits::FREEFORM_VALUES) freeform values.
    #[error(
        "question \"{question}\": {count} freeform values, at most {}",
        limits::FREEFORM_VALUES
    )]
    TooManyFreeform {
        /// The question.
        question: QuestionId,
        /// The number of them.
        count: usize,
    },
    /// A freeform value is longer than [`limits::FREEFORM_VALUE`](crate::limits::FREEFORM_VALUE).
    #[error(
        "question \"{question}\": a freeform value would be {bytes} bytes long, at most {}",
        limits::FREEFORM_VALUE
    )]
    FreeformTooLong {
        /// The question.
        question: QuestionId,
        /// The bytes of the longest.
        bytes: usize,
    },
    /// All submitted answers of the request together would be longer than
    /// [`limits::ANSWERS`](crate::limits::ANSWERS).
    #[error(
        "question \"{question}\": all answers of the request as JSON would be {bytes} bytes long, at most {}",
        limits::ANSWERS
    )]
    AnswersTooLarge {
        /// The question.
        question: QuestionId,
        /// The bytes they would have.
        bytes: usize,
    },
    /// This run of the device has written all it may in this document; the next run can go on.
    #[error(
        "question \"{0}\": this run has made all {max} changes it may; start again",
        max = limits::ACTOR_CHANGES
    )]
    TooManyChanges(QuestionId),
    /// So much was written in the document that no change can be added.
    #[error("question \"{0}\": the request's history is full")]
    DocumentFull(QuestionId),
    /// Other peers would refuse the change: a mistake in this release.
    #[error("question \"{question}\": the edit could not be written: {why}")]
    NotWritten {
        /// The question.
        question: QuestionId,
        /// The reason they would give.
        why: AdmissionError,
    },
}
