//! The rules of admission by name: which one a change breaks.

use std::fmt;

use rejoinder_identity::QuestionId;

/// The rule that a change breaks. It breaks it on every peer and for ever.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmissionError {
    /// More bytes than a change may have.
    TooLarge {
        /// Bytes there are.
        bytes: usize,
        /// Bytes there may be.
        limit: usize,
    },
    /// Not one uncompressed change chunk and nothing else.
    NotAChange(&'static str),
    /// The checksum is not that of the bytes.
    Checksum,
    /// Part of it can't be read.
    Malformed(&'static str),
    /// It can be spelled another way, so it is not a change that Automerge makes.
    NotCanonical(&'static str),
    /// More of something than there may be.
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// It changes nothing.
    NoOperations,
    /// Its actor is not the one as whom its author writes here, or the skeleton's.
    WrongActor,
    /// It has a commit message.
    HasMessage,
    /// It has bytes behind its last column.
    ExtraBytes,
    /// Its time is before 1970 or beyond [`limits::TIME`](crate::limits::TIME).
    Time(i64),
    /// Its number does not follow the last one of its actor.
    Sequence(u64),
    /// Its operations are not numbered from the one after the largest of its dependencies.
    StartOp {
        /// Its first number.
        found: u64,
        /// What that should be.
        expected: u64,
    },
    /// It names an actor that nobody has heard of.
    UnknownActor,
    /// It refers to something that is not among its causes.
    NotInPast(&'static str),
    /// It does something that no edit does.
    NotAllowed(&'static str),
    /// It leaves a text longer than [`limits::TEXT`](crate::limits::TEXT), and not shorter than
    /// it was.
    TextTooLong {
        /// Of which question.
        question: QuestionId,
        /// The bytes it would have.
        bytes: usize,
    },
    /// A skeleton that is not the next one.
    NotTheNextSkeleton,
    /// Automerge does not take it.
    Automerge(String),
    /// Automerge gives it back as something else.
    RoundTrip,
}

impl fmt::Display for AdmissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes, limit } => write!(f, "{bytes} bytes, at most {limit}"),
            Self::NotAChange(why) => write!(f, "not a single plain change: {why}"),
            Self::Checksum => write!(f, "the checksum is wrong"),
            Self::Malformed(what) => write!(f, "cannot read its {what}"),
            Self::NotCanonical(what) => write!(f, "not as Automerge spells it: {what}"),
            Self::TooMany { what, limit } => write!(f, "more than {limit} {what}"),
            Self::NoOperations => write!(f, "it has no operations"),
            Self::WrongActor => write!(f, "its actor is not its author's"),
            Self::HasMessage => write!(f, "it has a message"),
            Self::ExtraBytes => write!(f, "it has bytes behind its columns"),
            Self::Time(time) => write!(f, "its time {time} is out of range"),
            Self::Sequence(seq) => write!(f, "its number {seq} does not follow"),
            Self::StartOp { found, expected } => {
                write!(f, "its operations start at {found} and should at {expected}")
            }
            Self::UnknownActor => write!(f, "it names an unknown actor"),
            Self::NotInPast(what) => write!(f, "{what} is not among its causes"),
            Self::NotAllowed(what) => write!(f, "it {what}"),
            Self::TextTooLong { question, bytes } => {
                write!(f, "the text of question \"{question}\" would be {bytes} bytes long")
            }
            Self::NotTheNextSkeleton => write!(f, "not the next skeleton"),
            Self::Automerge(why) => write!(f, "automerge: {why}"),
            Self::RoundTrip => write!(f, "automerge gives it back as other bytes"),
        }
    }
}

impl std::error::Error for AdmissionError {}
