//! The rules of admission, by name.

use rejoinder_identity::QuestionId;

/// The rule that a change breaks. It breaks it on every peer, and always will.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdmissionError {
    /// More bytes than a change may have.
    #[error("{bytes} bytes, at most {limit}")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Not one uncompressed change chunk and nothing else.
    #[error("not a single plain change: {0}")]
    NotAChange(&'static str),
    /// The checksum is not that of the bytes.
    #[error("the checksum is wrong")]
    Checksum,
    /// Part of it can't be read.
    #[error("cannot read its {0}")]
    Malformed(&'static str),
    /// It can be spelled another way, so it is not a change that Automerge makes.
    #[error("not as Automerge spells it: {0}")]
    NotCanonical(&'static str),
    /// More of something than there may be.
    #[error("more than {limit} {what}")]
    TooMany {
        /// The things that are too many.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// It changes nothing.
    #[error("it has no operations")]
    NoOperations,
    /// Its actor is not the one as whom its author writes here, or the skeleton's.
    #[error("its actor is not its author's")]
    WrongActor,
    /// It has a commit message.
    #[error("it has a message")]
    HasMessage,
    /// It has bytes behind its last column.
    #[error("it has bytes behind its columns")]
    ExtraBytes,
    /// Its time is before 1970 or beyond [`limits::TIME`](crate::limits::TIME).
    #[error("its time {0} is out of range")]
    Time(i64),
    /// Its number does not follow the last one of its actor.
    #[error("its number {0} does not follow")]
    Sequence(u64),
    /// Its operations are not numbered from the one after the largest of its dependencies.
    #[error("its operations start at {found} and should at {expected}")]
    StartOp {
        /// Its first number.
        found: u64,
        /// The expected number.
        expected: u64,
    },
    /// It names an actor that nobody has heard of.
    #[error("it names an unknown actor")]
    UnknownActor,
    /// It refers to something that is not among its causes.
    #[error("{0} is not among its causes")]
    NotInPast(&'static str),
    /// It does something that no edit does.
    #[error("it {0}")]
    NotAllowed(&'static str),
    /// It leaves a text longer than [`limits::TEXT`](crate::limits::TEXT), and not shorter than
    /// it was.
    #[error("the text of question \"{question}\" would be {bytes} bytes long")]
    TextTooLong {
        /// The question.
        question: QuestionId,
        /// The bytes it would have.
        bytes: usize,
    },
    /// A skeleton that is not the next one.
    #[error("not the next skeleton")]
    NotTheNextSkeleton,
    /// Automerge does not take it.
    #[error("automerge: {0}")]
    Automerge(String),
    /// Automerge gives it back as something else.
    #[error("automerge gives it back as other bytes")]
    RoundTrip,
}
