//! Errors, grouped by who can do something about them.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use rejoinder_replica::{Refused, RestoreError};
use rejoinder_storage::StoreError;

/// The reason why a home could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open: end that one, or take another home.
    #[error("home {} is in use by {}", home.display(), holder(*pid))]
    InUse {
        /// The home.
        home: PathBuf,
        /// The process, if it could be read.
        pid: Option<u32>,
    },
    /// This user may not do that there: change the owner or the permissions.
    #[error(
        "cannot {doing} {}: permission denied; check who owns it and its directory",
        path.display()
    )]
    Denied {
        /// The attempt.
        doing: &'static str,
        /// With what.
        path: PathBuf,
    },
    /// The disk did not.
    #[error("cannot {doing} {}: {source}", path.display())]
    Disk {
        /// The attempt.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The device's key is not one: restore the file from a backup.
    #[error(
        "{} is not a device key; restore it from a backup, or take another home",
        path.display()
    )]
    Key {
        /// The file.
        path: PathBuf,
    },
    /// No home is there, and none was to be made: look for the right directory.
    #[error("there is no home in {}", home.display())]
    NoHome {
        /// The directory.
        home: PathBuf,
    },
    /// The store is missing or empty, and the key is there: restore the file from a backup, or
    /// start anew, see [`Directory::anew`](crate::environment::Directory::anew).
    #[error(
        "{} is missing or empty, and this device's key is there: what the home held is lost, its \
         workspaces and open requests too; restore the file from a backup, or start anew with this \
         key",
        store.display()
    )]
    StoreMissing {
        /// The file.
        store: PathBuf,
    },
    /// The key is missing, and the store is there: restore the file from a backup, or start anew
    /// as another device, see [`Directory::anew`](crate::environment::Directory::anew).
    #[error(
        "{} is missing, and the home's store is there: without that key this device is a new one, and \
         no member of its workspaces; restore the file from a backup, or start anew as a new device",
        key.display()
    )]
    KeyMissing {
        /// The file.
        key: PathBuf,
    },
    /// Somebody else may have had a hand in it: change the owner or the permissions, or take
    /// another home.
    #[error("{}", why.of(path))]
    Exposed {
        /// The directory, or a file in it.
        path: PathBuf,
        /// The exposure.
        why: Exposure,
    },
    /// The home's file could not be opened.
    #[error("{0}")]
    Store(#[source] StoreError),
    /// The content of the home's file can't be read.
    #[error("{0}")]
    Restore(#[source] RestoreError),
    /// No socket could be had at that address: choose another.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The process or its runtime ended before the home was open.
    #[error("interrupted while the home was opened")]
    Interrupted,
    /// A fault in this program: report what it says.
    #[error("a fault in rejoinder while the home was opened, please report it: {0}")]
    Failed(String),
}

/// The way in which somebody else could change a home.
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

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl Exposure {
    fn of(self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::Owner(user) => format!(
                "{path} belongs to another user ({user}); take a home of your own, or run this as \
                 that user"
            ),
            Self::Writable(mode) => format!(
                "others may write to {path} (mode {mode:04o}); if you trust what is in it: \
                 chmod go-w {path}"
            ),
            Self::NoFile => format!(
                "{path} is no file of its own; a home's files lie in the home, and are not links"
            ),
        }
    }
}

/// The reason why a home is closed: nothing more can be done through its handles.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Closed {
    /// It was closed or dropped, its runtime ended, or the thing is no more.
    #[error("the home was closed")]
    Ended,
    /// A fault in this program ended it: report what it says, and open the home again. What was
    /// called saved is on its disk.
    #[error(
        "a fault in rejoinder closed the home, please report it: {0}; what was saved is on its disk, \
         start again"
    )]
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

/// The reason why a call changed nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotDone {
    /// It may not be done so, and why.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The home is closed.
    #[error(transparent)]
    Closed(#[from] Closed),
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
