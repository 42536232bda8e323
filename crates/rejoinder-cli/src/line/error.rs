//! Lines that can't be obeyed because they can't be read.

/// A line that is no command: which command it tried to be, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{command}: {problem}")]
pub(crate) struct LineError {
    /// Its first word.
    pub command: String,
    /// The problem.
    pub problem: LineProblem,
}

/// A problem with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineProblem {
    /// No such command.
    #[error("no such command; there are {known}")]
    UnknownCommand {
        /// Those there are.
        known: &'static str,
    },
    /// Something that the command needs is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// More than the command takes.
    #[error("nothing may follow, but {0:?} does")]
    TooMuch(String),
    /// A JSON string that is none.
    #[error("not a JSON string: {0}")]
    BadString(String),
    /// A JSON string that something follows without a space.
    #[error("a space must follow the string, not {0:?}")]
    Glued(String),
    /// Nothing that can be waited for.
    #[error("can wait for open, synced or decided, not for {0:?}")]
    UnknownState(String),
    /// Not a number of seconds up to a day.
    #[error("{0:?} is no number of seconds up to a day")]
    NotSeconds(String),
    /// A byte, counted from 1, that is no UTF-8.
    #[error("the line is not UTF-8 at byte {byte}")]
    NotUtf8 {
        /// Its place.
        byte: usize,
    },
    /// Longer than any answer.
    #[error("the line is longer than any answer")]
    TooLong,
}

impl LineProblem {
    /// The word for it in a reply's `error`.
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
