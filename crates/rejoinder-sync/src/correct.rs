//! What was said to be held is not what is held: a document was read from a damaged disk.

use rejoinder_identity::{ActorId, DocumentId, Timestamp, VersionVector};

use crate::{Sync, key::Key, link::Link};

impl Sync {
    /// What is said to be held of a document.
    pub fn version_vector(&self, document: &DocumentId) -> VersionVector {
        self.held.version_vector(document)
    }

    /// What is really held of a document, all of it on the disk: less than was said where rows are
    /// damaged, or more where it was only the rows that say so. A comparison with everybody finds
    /// out soon what is to be sent again, and to whom.
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
