//! The names that Automerge has for what we name otherwise: actors, changes, objects.

use automerge::ObjId;
use rejoinder_identity::{ActorId, ChangeHash};

/// Automerge's name for an actor.
pub(crate) fn automerge_actor(actor: &ActorId) -> automerge::ActorId {
    automerge::ActorId::from(&actor.0[..])
}

/// Automerge's names for the changes at which a document is read.
pub(crate) fn heads(hashes: &[ChangeHash]) -> Vec<automerge::ChangeHash> {
    hashes.iter().map(|hash| automerge::ChangeHash(hash.0)).collect()
}

/// Automerge's name for an object that an operation made.
pub(crate) fn object_id(counter: u64, actor: &ActorId) -> ObjId {
    // The last number is a hint where to find the actor; Automerge looks again when it is wrong.
    ObjId::Id(counter, automerge_actor(actor), 0)
}
