//! Errors of the store.

use std::{error::Error, fmt, io};

use crate::version::FORMAT;

/// The operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Opening the store.
    Open,
    /// Making batches durable.
    Commit,
    /// Reading rows.
    Load,
}

/// The cause, by who can do something about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Another process holds it.
    InUse,
    /// This user may not read or write it.
    Denied,
    /// Its directory is not there.
    NoDirectory,
    /// No space is left, or a quota is used up. Writing works again when there is some.
    Full,
    /// The file was made by another program.
    Foreign,
    /// A later release wrote this file, in that format.
    Newer(u32),
    /// The file's content contradicts itself.
    Damaged(String),
    /// Another error of the operating system.
    Io,
}

/// An operation of the store failed. The store stays usable: the next operation opens the file
/// again if needed.
#[derive(Debug)]
pub struct StoreError {
    /// The operation.
    pub doing: Doing,
    /// The cause.
    pub what: What,
    /// The file, as its backend names it.
    pub place: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl StoreError {
    pub(crate) fn new(doing: Doing, place: String, failure: Failure) -> Self {
        let Failure { what, source } = failure;
        Self { doing, what, place, source }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let doing = match self.doing {
            Doing::Open => "open",
            Doing::Commit => "write to",
            Doing::Load => "read",
        };
        write!(f, "cannot {doing} {}: ", self.place)?;
        match &self.what {
            What::InUse => f.write_str("another process is using it"),
            What::Denied => f.write_str("permission denied; check who owns it and its directory"),
            What::NoDirectory => f.write_str("its directory does not exist"),
            What::Full => f.write_str("no space left on the disk; free some and go on"),
            What::Foreign => f.write_str("it is not a Rejoinder file; it was left as it is"),
            What::Newer(format) => write!(
                f,
                "a later release of Rejoinder wrote it (format {format}; this is {version} and \
                 reads up to {FORMAT}); update Rejoinder",
                version = env!("CARGO_PKG_VERSION"),
            ),
            What::Damaged(why) => write!(
                f,
                "it is damaged ({why}; found by Rejoinder {}); restore it from a backup, or move \
                 it away and join again",
                env!("CARGO_PKG_VERSION"),
            ),
            What::Io => match &self.source {
                Some(source) => write!(f, "{source}"),
                None => f.write_str("an I/O error"),
            },
        }
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// A failure, before the operation and the file are known.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) what: What,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl From<What> for Failure {
    fn from(what: What) -> Self {
        Self { what, source: None }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self { what: of_kind(error.kind()), source: Some(Box::new(error)) }
    }
}

fn of_kind(kind: io::ErrorKind) -> What {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the operating system's kinds, of which we know some"
    )]
    match kind {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => What::Denied,
        io::ErrorKind::NotFound => What::NoDirectory,
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            What::Full
        }
        // redb's way to say that the file does not begin as one of its files does.
        io::ErrorKind::InvalidData => What::Foreign,
        io::ErrorKind::UnexpectedEof => What::Damaged("it ends before it should".into()),
        _ => What::Io,
    }
}

impl From<redb::Error> for Failure {
    fn from(error: redb::Error) -> Self {
        #[expect(clippy::wildcard_enum_match_arm, reason = "redb's errors may grow")]
        let what = match &error {
            redb::Error::DatabaseAlreadyOpen | redb::Error::LockProtocolMismatch => What::InUse,
            redb::Error::Corrupted(why) => What::Damaged(why.clone()),
            // We do nothing that causes these on an intact file.
            redb::Error::LockPoisoned(_)
            | redb::Error::TransactionPoisoned
            | redb::Error::RepairAborted
            | redb::Error::InvalidSavepoint
            | redb::Error::UnorderedKey => What::Damaged(error.to_string()),
            redb::Error::TableTypeMismatch { .. }
            | redb::Error::TypeDefinitionChanged { .. }
            | redb::Error::TableIsMultimap(_)
            | redb::Error::TableDoesNotExist(_)
            | redb::Error::UpgradeRequired(_) => What::Foreign,
            redb::Error::Io(io) => of_kind(io.kind()),
            _ => What::Io,
        };
        Self { what, source: Some(Box::new(error)) }
    }
}

macro_rules! from_redb {
    ($($error:ident),*) => {$(
        impl From<redb::$error> for Failure {
            fn from(error: redb::$error) -> Self {
                redb::Error::from(error).into()
            }
        }
    )*};
}

from_redb!(
    DatabaseError,
    TransactionError,
    TableError,
    StorageError,
    CommitError,
    SetDurabilityError
);
