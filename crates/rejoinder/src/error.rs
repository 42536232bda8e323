//! Why something was not done, by who can do something about it.

use std::{
    error::Error,
    fmt, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use rejoinder_replica::{Refused, RestoreError};
use rejoinder_storage::StoreError;

/// Why a home could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// Another process has it open: end that one, or take another home.
    InUse {
        /// The home.
        home: PathBuf,
        /// The process, if it could be read.
        pid: Option<u32>,
    },
    /// This user may not do that there: change the owner or the permissions.
    Denied {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
    },
    /// The disk did not.
    Disk {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The device's key is not one: restore the file from a backup.
    Key {
        /// The file.
        path: PathBuf,
    },
    /// No home is there, and none was to be made: look for the right directory.
    NoHome {
        /// The directory.
        home: PathBuf,
    },
    /// The store is missing or empty, and the key is there: restore the file from a backup, or
    /// start anew, see [`Directory::anew`](crate::Directory::anew).
    StoreMissing {
        /// The file.
        store: PathBuf,
    },
    /// The key is missing, and the store is there: restore the file from a backup, or start anew
    /// as another device, see [`Directory::anew`](crate::Directory::anew).
    KeyMissing {
        /// The file.
        key: PathBuf,
    },
    /// Somebody else may have had a hand in it: change the owner or the permissions, or take
    /// another home.
    Exposed {
        /// The directory, or a file in it.
        path: PathBuf,
        /// How.
        why: Exposure,
    },
    /// The home's file could not be opened.
    Store(StoreError),
    /// What the home's file holds can't be read.
    Restore(RestoreError),
    /// No socket could be had at that address: choose another.
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The process or its runtime ended before the home was open.
    Interrupted,
    /// A fault in this program: report what it says.
    Failed(String),
}

/// What lets somebody else have a hand in a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exposure {
    /// That user owns it.
    Owner(u32),
    /// Others may write to it; its mode.
    Writable(u32),
    /// It is a link, or something else that is no file.
    NoFile,
}

impl OpenError {
    pub(crate) fn exposed(path: &Path, why: Exposure) -> Self {
        Self::Exposed { path: path.to_owned(), why }
    }

    pub(crate) fn disk(doing: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        if source.kind() == io::ErrorKind::PermissionDenied {
            return Self::Denied { doing, path };
        }
        Self::Disk { doing, path, source }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { home, pid: Some(pid) } => {
                write!(f, "home {} is in use by process {pid}", home.display())
            }
            Self::InUse { home, pid: None } => {
                write!(f, "home {} is in use by another process", home.display())
            }
            Self::Denied { doing, path } => write!(
                f,
                "cannot {doing} {}: permission denied; check who owns it and its directory",
                path.display()
            ),
            Self::Disk { doing, path, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
            Self::Key { path } => write!(
                f,
                "{} is not a device key; restore it from a backup, or take another home",
                path.display()
            ),
            Self::NoHome { home } => write!(f, "there is no home in {}", home.display()),
            Self::StoreMissing { store } => write!(
                f,
                "{} is missing or empty, and this device's key is there: what the home held is \
                 lost, its workspaces and open requests too; restore the file from a backup, or \
                 start anew with this key",
                store.display()
            ),
            Self::KeyMissing { key } => write!(
                f,
                "{} is missing, and the home's store is there: without that key this device is a \
                 new one, and no member of its workspaces; restore the file from a backup, or \
                 start anew as a new device",
                key.display()
            ),
            Self::Exposed { path, why } => match (path.display(), why) {
                (path, Exposure::Owner(user)) => write!(
                    f,
                    "{path} belongs to another user ({user}); take a home of your own, or run this \
                     as that user"
                ),
                (path, Exposure::Writable(mode)) => write!(
                    f,
                    "others may write to {path} (mode {mode:04o}); if you trust what is in it: \
                     chmod go-w {path}"
                ),
                (path, Exposure::NoFile) => write!(
                    f,
                    "{path} is no file of its own; a home's files lie in the home, and are not \
                     links"
                ),
            },
            Self::Store(error) => error.fmt(f),
            Self::Restore(error) => error.fmt(f),
            Self::Listen { address, source } => write!(f, "cannot listen on {address}: {source}"),
            Self::Interrupted => f.write_str("interrupted while the home was opened"),
            Self::Failed(why) => {
                write!(f, "a fault in rejoinder while the home was opened, please report it: {why}")
            }
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Disk { source, .. } | Self::Listen { source, .. } => Some(source),
            Self::Store(error) => Some(error),
            Self::Restore(error) => Some(error),
            Self::InUse { .. }
            | Self::Denied { .. }
            | Self::Key { .. }
            | Self::NoHome { .. }
            | Self::StoreMissing { .. }
            | Self::KeyMissing { .. }
            | Self::Exposed { .. }
            | Self::Interrupted
            | Self::Failed(_) => None,
        }
    }
}

/// Why a home is closed: nothing more can be done through its handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// It was closed or dropped, its runtime ended, or the thing is no more.
    Ended,
    /// A fault in this program ended it: report what it says, and open the home again. What was
    /// called saved is on its disk.
    Failed(Arc<str>),
}

impl Closed {
    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::Ended => "closed",
            Self::Failed(_) => "fault",
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended => f.write_str("the home was closed"),
            Self::Failed(why) => write!(
                f,
                "a fault in rejoinder closed the home, please report it: {why}; what was saved is \
                 on its disk, start again"
            ),
        }
    }
}

impl Error for Closed {}

/// Why a call changed nothing.
#[derive(Debug, Clone)]
pub enum NotDone {
    /// It may not be done so, and why.
    Refused(Refused),
    /// The home is closed.
    Closed(Closed),
}

impl NotDone {
    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Closed(closed) => closed.code(),
        }
    }
}

impl fmt::Display for NotDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Closed(closed) => closed.fmt(f),
        }
    }
}

impl Error for NotDone {}

impl From<Closed> for NotDone {
    fn from(closed: Closed) -> Self {
        Self::Closed(closed)
    }
}

impl From<Refused> for NotDone {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
