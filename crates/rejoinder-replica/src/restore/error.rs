//! Why a home can't be opened: it is a host's, and damaged where a host can't go on.

use rejoinder_finalizer::LogError;
use rejoinder_identity::WorkspaceId;

/// A host's home is damaged. It is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The log of a workspace that this home hosts is not whole: it could decide again what it
    /// has decided already.
    #[error(
        "the home is damaged: record {place} of workspace {workspace}, which it hosts: {why}; restore \
         the home from its newest backup"
    )]
    Record {
        /// Whose log.
        workspace: WorkspaceId,
        /// The first place that is not in order.
        place: u64,
        /// Why not.
        why: Broken,
    },
    /// The root key of a workspace that this home hosted is lost.
    #[error(
        "the home is damaged: the root key of workspace {workspace}, which it hosted, is lost; restore \
         the home from its newest backup"
    )]
    RootKey {
        /// Which.
        workspace: WorkspaceId,
    },
}

/// What is wrong with a place of a log.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// Its row is not what was written.
    #[error("it is not what was written")]
    Damaged,
    /// There is no row, but one behind it or a trace of one.
    #[error("it is missing")]
    Missing,
    /// The record does not follow the one before it.
    #[error(transparent)]
    NotFollowing(LogError),
}
