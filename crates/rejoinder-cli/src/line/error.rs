//! Lines that can't be read as commands.

/// A line that is not a command: the command it tried to be, and the problem.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{command}: {problem}")]
pub(crate) struct LineError {
    /// The line's first word.
    pub command: String,
    /// The problem.
    pub problem: LineProblem,
}

/// A problem with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineProblem {
    /// An unknown command.
    #[error("no such command; there are {known}")]
    UnknownCommand {
        /// The commands that exist.
        known: &'static str,
    },
    /// A part of the command is missing.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// More than the command takes.
    #[error("nothing may follow, but {0:?} does")]
    TooMuch(String),
    /// A malformed JSON string.
    #[error("not a JSON string: {0}")]
    BadString(String),
    /// A JSON string followed by something without a space.
    #[error("a space must follow the string, not {0:?}")]
    Glued(String),
    /// A state that can't be waited for.
    #[error("can wait for open, synced or decided, not for {0:?}")]
    UnknownState(String),
    /// Not a number of seconds up to a day.
    #[error("{0:?} is no number of seconds up to a day")]
    NotSeconds(String),
    /// A byte that is not UTF-8, counted from 1.
    #[error("the line is not UTF-8 at byte {byte}")]
    NotUtf8 {
        /// The position of the byte.
        byte: usize,
    },
    /// A line longer than any answer.
    #[error("the line is longer than any answer")]
    TooLong,
}

impl LineProblem {
    /// Returns the word for the problem in a reply's `error`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::UnknownCommand { .. } => "unknown-command",
            Self::Missing(_)
            | Self::TooMuch(_)
            | Self::BadString(_)
            | Self::Glued(_)
            | Self::UnknownState(_)
            | Self::NotSeconds(_)
            | Self::NotUtf8 { .. }
            | Self::TooLong => "unreadable",
        }
    }
}
