//! One change of a document as it travels: what its author signs.

use rejoinder_identity::{ActorId, DocumentId, Incarnation, Kind, PeerId, Signable};
use serde::{Deserialize, Serialize};

/// One Automerge change and its author. The change itself has its number and predecessors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// The document that it changes.
    pub document: DocumentId,
    /// The author. A reader checks that the author signed the envelope.
    pub author: PeerId,
    /// The run of the author's home in which it was written.
    pub incarnation: Incarnation,
    /// The change, as Automerge encodes it.
    pub change: Vec<u8>,
}

impl Envelope {
    /// Returns the only actor whose changes this envelope may carry.
    pub fn actor(&self) -> ActorId {
        ActorId::of_author(&self.author, &self.document, &self.incarnation)
    }
}

impl Signable for Envelope {
    const KIND: Kind = Kind::Envelope;
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::to_bytes;

    use super::*;

    #[test]
    fn golden() {
        let envelope = Envelope {
            document: DocumentId([1; 32]),
            author: PeerId([2; 32]),
            incarnation: Incarnation([3; 16]),
            change: vec![4, 5],
        };
        let expected = [&[1; 32][..], &[2; 32], &[3; 16], &[2, 4, 5]].concat();
        assert_eq!(to_bytes(&envelope), expected);
        assert_eq!(
            envelope.actor(),
            ActorId::of_author(&PeerId([2; 32]), &DocumentId([1; 32]), &Incarnation([3; 16]))
        );
    }
}
