//! Lines that can't be obeyed because they can't be read.

use std::fmt;

/// A line that is no command: which command it tried to be, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineError {
    /// Its first word.
    pub command: String,
    /// What is wrong.
    pub problem: LineProblem,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineProblem {
    /// No such command.
    UnknownCommand {
        /// Those there are.
        known: &'static str,
    },
    /// Something that the command needs is not there.
    Missing(&'static str),
    /// More than the command takes.
    TooMuch(String),
    /// A JSON string that is none.
    BadString(String),
    /// A JSON string that something follows without a space.
    Glued(String),
    /// Nothing that can be waited for.
    UnknownState(String),
    /// Not a number of seconds up to a day.
    NotSeconds(String),
    /// A byte, counted from 1, that is no UTF-8.
    NotUtf8 {
        /// Its place.
        byte: usize,
    },
    /// Longer than any answer.
    TooLong,
}

impl LineProblem {
    /// The word for it in a reply's `error`.
    pub fn code(&self) -> &'static str {
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

impl fmt::Display for LineProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownCommand { known } => write!(f, "no such command; there are {known}"),
            Self::Missing(what) => write!(f, "{what} is missing"),
            Self::TooMuch(rest) => write!(f, "nothing may follow, but {rest:?} does"),
            Self::BadString(what) => write!(f, "not a JSON string: {what}"),
            Self::Glued(rest) => write!(f, "a space must follow the string, not {rest:?}"),
            Self::UnknownState(word) => {
                write!(f, "can wait for open, synced or decided, not for {word:?}")
            }
            Self::NotSeconds(text) => write!(f, "{text:?} is no number of seconds up to a day"),
            Self::NotUtf8 { byte } => write!(f, "the line is not UTF-8 at byte {byte}"),
            Self::TooLong => write!(f, "the line is longer than any answer"),
        }
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.command, self.problem)
    }
}

impl std::error::Error for LineError {}
