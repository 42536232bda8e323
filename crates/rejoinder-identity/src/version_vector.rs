//! Version vectors: how far each actor of a document has come.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{ActorId, ChangeHash};

/// An actor's last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tip {
    /// Its number, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: ChangeHash,
}

/// The last change of every actor of a document, skeletons not counted: those come with the log.
pub type VersionVector = BTreeMap<ActorId, Tip>;

/// Whether a peer at this version vector has the change `seq` of `actor`.
pub fn covers(version_vector: &VersionVector, actor: &ActorId, seq: u64) -> bool {
    version_vector.get(actor).is_some_and(|tip| tip.seq >= seq)
}
