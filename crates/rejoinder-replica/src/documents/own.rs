//! This device's own changes: how many of them are on no peer's disk, without counting them all
//! each time that somebody wants to know.

use std::collections::BTreeMap;

use rejoinder_identity::{ActorId, DocumentId};

/// Progress of each actor of this device.
#[derive(Debug, Default)]
pub(super) struct OwnChanges {
    of: BTreeMap<(DocumentId, ActorId), Own>,
    unacknowledged: u64,
}

/// Progress of one actor of this device: the last number, and the last that a peer has on its
/// disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Own {
    written: u64,
    acknowledged: u64,
}

impl Own {
    fn unacknowledged(self) -> u64 {
        self.written.saturating_sub(self.acknowledged)
    }
}

impl OwnChanges {
    /// The number that are on no peer's disk, as far as this run knows.
    pub(super) fn unacknowledged(&self) -> u64 {
        self.unacknowledged
    }

    /// An actor of this device wrote up to that number.
    pub(super) fn written(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        let own = self.of.entry((document, actor)).or_default();
        let before = own.unacknowledged();
        own.written = own.written.max(seq);
        self.unacknowledged = self.unacknowledged - before + own.unacknowledged();
    }

    /// A peer has on its disk what an actor wrote up to that number, if it is one of this device.
    pub(super) fn acknowledged(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        let Some(own) = self.of.get_mut(&(document, actor)) else { return };
        let before = own.unacknowledged();
        own.acknowledged = own.acknowledged.max(seq.min(own.written));
        self.unacknowledged = self.unacknowledged - before + own.unacknowledged();
    }

    /// A peer has all of them on its disk.
    pub(super) fn all_acknowledged(&mut self) {
        if self.unacknowledged > 0 {
            self.of.values_mut().for_each(|own| own.acknowledged = own.written);
            self.unacknowledged = 0;
        }
    }

    /// A document holds no more than `held` of each actor. How many are not there any more that no
    /// peer was known to have.
    pub(super) fn cut(&mut self, document: &DocumentId, held: impl Fn(&ActorId) -> u64) -> u64 {
        let mut missing = 0;
        let of_it = self.of.iter_mut().filter(|((of, _), _)| of == document);
        for ((_, actor), own) in of_it {
            let (before, written) = (own.unacknowledged(), held(actor));
            missing += own.written.saturating_sub(own.acknowledged.max(written));
            own.written = own.written.min(written);
            own.acknowledged = own.acknowledged.min(written);
            self.unacknowledged = self.unacknowledged - before + own.unacknowledged();
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_acknowledged_is_what_each_actor_lacks() {
        let (one, two) = (DocumentId([1; 32]), DocumentId([2; 32]));
        let actor = ActorId([3; 16]);
        let mut own = OwnChanges::default();
        own.written(one, actor, 5);
        own.written(two, actor, 2);
        own.written(one, actor, 3);
        assert_eq!(own.unacknowledged(), 7);
        own.acknowledged(one, actor, 4);
        own.acknowledged(one, actor, 2);
        own.acknowledged(two, ActorId([4; 16]), 9);
        assert_eq!(own.unacknowledged(), 3);
        own.acknowledged(one, actor, 9);
        assert_eq!(own.unacknowledged(), 2);
        assert_eq!(own.cut(&two, |_| 1), 1);
        assert_eq!(own.unacknowledged(), 1);
        own.all_acknowledged();
        assert_eq!(own.unacknowledged(), 0);
        own.written(two, actor, 2);
        assert_eq!(own.unacknowledged(), 1);
    }
}
