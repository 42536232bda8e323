//! The refusal of a pattern: what can go wrong when one is read.

use crate::limits;

/// The reason why a pattern can't be checked here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is longer than 4,096 bytes.
    #[error("longer than {} bytes", limits::PATTERN)]
    TooLong,
    /// Something that is no regular expression, or none that is supported here.
    #[error("at byte {at}: {what}")]
    Syntax {
        /// The byte, counted from 0.
        at: usize,
        /// The reason.
        what: &'static str,
    },
    /// It repeats so much that checking it would take too much memory.
    #[error("it repeats too much")]
    TooComplex,
}
