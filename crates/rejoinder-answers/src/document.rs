//! The document of one opening: Automerge's, with what Automerge does not tell kept beside it.

use std::fmt;

use automerge::{Automerge, TextEncoding};
use rejoinder_identity::{ActorId, ChangeHash, DocumentId, PeerId, Tip, VersionVector, hash};

use crate::{
    automerge_names::automerge_actor,
    graph::{Graph, Inserted, NewChange},
    parse::Parsed,
    structure::Structure,
};

/// The answers of one opening.
///
/// It is a view of changes that are kept elsewhere: with all of them it can be built again.
#[derive(Clone)]
pub struct Document {
    id: DocumentId,
    pub(crate) automerge: Automerge,
    pub(crate) graph: Graph,
    pub(crate) structure: Structure,
    pub(crate) skeletons: Vec<ChangeHash>,
    version_vector: VersionVector,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Answers don't belong in logs.
        f.debug_struct("Document").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Document {
    /// An empty document. The first skeleton makes it one that can be written in.
    pub fn new(id: DocumentId) -> Self {
        Self {
            id,
            automerge: empty_automerge(&id),
            graph: Graph::default(),
            structure: Structure::default(),
            skeletons: Vec::new(),
            version_vector: VersionVector::new(),
        }
    }

    /// Its id.
    pub fn id(&self) -> DocumentId {
        self.id
    }

    /// The last change of every actor, skeletons not counted.
    pub fn version_vector(&self) -> &VersionVector {
        &self.version_vector
    }

    /// The number of revisions of the request whose structure is here.
    pub fn revisions(&self) -> usize {
        self.skeletons.len()
    }

    /// Whether a change is part of it.
    pub fn contains(&self, change: &ChangeHash) -> bool {
        self.graph.contains(change)
    }

    /// Adds a change that passed every check; `next` is Automerge's document with it.
    pub(crate) fn add(
        &mut self,
        next: Automerge,
        change: &Parsed<'_>,
        author: PeerId,
        inserted: Vec<Inserted>,
    ) {
        self.automerge = next;
        self.graph.add(NewChange {
            actor: change.actor(),
            author,
            hash: change.hash,
            first_op: change.start_op,
            end_op: change.end_op(),
            deps: &change.deps,
            inserted,
        });
        if !self.skeletons.contains(&change.hash) {
            self.version_vector.insert(change.actor(), Tip { seq: change.seq, hash: change.hash });
        }
    }
}

/// An empty document of Automerge's. It draws a random actor, which must not stay: the one it gets
/// here never writes.
pub(crate) fn empty_automerge(id: &DocumentId) -> Automerge {
    let reader = ActorId(hash("reader", &[&id.0]).first_half());
    Automerge::new_with_encoding(TextEncoding::UnicodeCodePoint)
        .with_actor(automerge_actor(&reader))
}
