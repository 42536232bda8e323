//! Corrections of what is claimed to be held, after a document was read from a damaged disk.

use rejoinder_identity::{ActorId, DocumentId, Timestamp, VersionVector};

use crate::{Sync, key::Key, link::Link};

impl Sync {
    /// Returns the version vector that is claimed for a document.
    pub fn version_vector(&self, document: &DocumentId) -> VersionVector {
        self.held.version_vector(document)
    }

    /// Replaces the version vector of a document by the real one, all of it on the disk. It is less
    /// than was claimed if envelopes are damaged, and more if only the summary rows are. A
    /// comparison with every peer soon finds out what to send again, and to whom.
    pub fn correct_document(&mut self, now: Timestamp, document: DocumentId, held: &VersionVector) {
        self.now = now;
        let said = self.held.version_vector(&document);
        self.held.forget_document(&document);
        self.held.restore_document(document, held);
        let seq = |actor: &ActorId| held.get(actor).map_or(0, |tip| tip.seq);
        for link in self.links.values_mut() {
            for actor in said.keys().filter(|actor| said.get(*actor) != held.get(*actor)) {
                link.correct(document, *actor, seq(actor));
            }
            link.talk.compare_soon(now);
        }
        self.held_changed();
    }
}

impl Link {
    /// Nothing beyond that number is to be sent, and nothing of it to be called stored.
    fn correct(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        self.forget(Key::Envelopes(document, actor));
        let place = (document, actor);
        if let Some(stored) = self.acknowledging.envelopes.remove(&place)
            && seq > 0
        {
            self.acknowledging.envelopes.insert(place, stored.min(seq));
        }
    }
}
