//! The reason why the command could not do what it was asked to: a sentence that names the thing,
//! and the exit code.

use rejoinder::{Closed, NotDone, OpenError};

use crate::{form::FormError, outcome::Exit};

/// The reason why the command failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// A word for programs.
    pub error: String,
    /// A sentence for people.
    pub message: String,
}

impl Failure {
    /// Makes a general failure, with exit code 1.
    pub(crate) fn new(error: &str, message: impl ToString) -> Self {
        Self { exit: Exit::Failed, error: error.to_owned(), message: message.to_string() }
    }

    /// Makes a failure to read the command line, a form or a ticket.
    pub(crate) fn unreadable(error: &str, message: impl ToString) -> Self {
        Self { exit: Exit::Unreadable, ..Self::new(error, message) }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        let word = match &error {
            OpenError::InUse { .. } => "home-in-use",
            OpenError::Denied { .. } => "denied",
            OpenError::Disk { .. } => "disk",
            OpenError::Key { .. } => "key",
            OpenError::NoHome { .. } => "no-home",
            OpenError::StoreMissing { .. } => "store-missing",
            OpenError::KeyMissing { .. } => "key-missing",
            OpenError::Exposed { .. } => "exposed",
            OpenError::Store(_) => "store",
            OpenError::Restore(_) => "restore",
            OpenError::Listen { .. } => "listen",
            OpenError::Interrupted => "interrupted",
            OpenError::Failed(_) => "fault",
        };
        let hint = match &error {
            OpenError::StoreMissing { .. } | OpenError::KeyMissing { .. } => {
                " (`ask` and `join` do with --new)"
            }
            OpenError::NoHome { .. } => "; --home says which directory is meant",
            OpenError::InUse { .. }
            | OpenError::Denied { .. }
            | OpenError::Disk { .. }
            | OpenError::Key { .. }
            | OpenError::Exposed { .. }
            | OpenError::Store(_)
            | OpenError::Restore(_)
            | OpenError::Listen { .. }
            | OpenError::Interrupted
            | OpenError::Failed(_) => "",
        };
        Self::new(word, format!("{error}{hint}"))
    }
}

impl From<NotDone> for Failure {
    fn from(error: NotDone) -> Self {
        Self::new(error.code(), &error)
    }
}

impl From<Closed> for Failure {
    fn from(closed: Closed) -> Self {
        Self::new(closed.code(), &closed)
    }
}

impl From<FormError> for Failure {
    fn from(error: FormError) -> Self {
        Self::unreadable("form", error)
    }
}
