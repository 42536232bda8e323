//! Why a home can't be opened: it is a host's, and damaged where a host can't go on.

use std::fmt;

use rejoinder_finalizer::LogError;
use rejoinder_identity::WorkspaceId;

/// A host's home is damaged. It is left as it is.
#[derive(Debug)]
pub enum RestoreError {
    /// The log of a workspace that this home hosts is not whole: it could decide again what it
    /// has decided already.
    Record {
        /// Whose log.
        workspace: WorkspaceId,
        /// The first place that is not in order.
        place: u64,
        /// Why not.
        why: Broken,
    },
    /// The root key of a workspace that this home hosted is lost.
    RootKey {
        /// Which.
        workspace: WorkspaceId,
    },
}

/// What is wrong with a place of a log.
#[derive(Debug)]
pub enum Broken {
    /// Its row is not what was written.
    Damaged,
    /// There is no row, but one behind it or a trace of one.
    Missing,
    /// The record does not follow the one before it.
    NotFollowing(LogError),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the home is damaged: ")?;
        match self {
            Self::Record { workspace, place, why } => {
                write!(f, "record {place} of workspace {workspace}, which it hosts: ")?;
                match why {
                    Broken::Damaged => f.write_str("it is not what was written")?,
                    Broken::Missing => f.write_str("it is missing")?,
                    Broken::NotFollowing(error) => error.fmt(f)?,
                }
            }
            Self::RootKey { workspace } => {
                write!(f, "the root key of workspace {workspace}, which it hosted, is lost")?;
            }
        }
        f.write_str("; restore the home from its newest backup")
    }
}

impl std::error::Error for RestoreError {}
