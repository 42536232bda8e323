//! This device's own changes: how many of them are on no peer's disk, without counting them all
//! each time that somebody wants to know.

use std::collections::BTreeMap;

use rejoinder_identity::{ActorId, DocumentId};

/// How far each actor of this device has come.
#[derive(Debug, Default)]
pub(crate) struct OwnChanges {
    of: BTreeMap<(DocumentId, ActorId), Own>,
    uncarried: u64,
}

/// How far an actor of this device has come: the last number, and the last that a peer has on its
/// disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Own {
    written: u64,
    carried: u64,
}

impl Own {
    fn uncarried(self) -> u64 {
        self.written.saturating_sub(self.carried)
    }
}

impl OwnChanges {
    /// How many are on no peer's disk, as far as this run knows.
    pub(crate) fn uncarried(&self) -> u64 {
        self.uncarried
    }

    /// An actor of this device wrote up to that number.
    pub(crate) fn written(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        let own = self.of.entry((document, actor)).or_default();
        let before = own.uncarried();
        own.written = own.written.max(seq);
        self.uncarried = self.uncarried - before + own.uncarried();
    }

    /// A peer has on its disk what an actor wrote up to that number, if it is one of this device.
    pub(crate) fn carried(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        let Some(own) = self.of.get_mut(&(document, actor)) else { return };
        let before = own.uncarried();
        own.carried = own.carried.max(seq.min(own.written));
        self.uncarried = self.uncarried - before + own.uncarried();
    }

    /// A peer has all of them on its disk.
    pub(crate) fn all_carried(&mut self) {
        if self.uncarried > 0 {
            self.of.values_mut().for_each(|own| own.carried = own.written);
            self.uncarried = 0;
        }
    }

    /// A document holds no more than `held` of each actor. How many are not there any more that no
    /// peer was known to have.
    pub(crate) fn cut(&mut self, document: &DocumentId, held: impl Fn(&ActorId) -> u64) -> u64 {
        let mut missing = 0;
        let of_it = self.of.iter_mut().filter(|((of, _), _)| of == document);
        for ((_, actor), own) in of_it {
            let (before, written) = (own.uncarried(), held(actor));
            missing += own.written.saturating_sub(own.carried.max(written));
            own.written = own.written.min(written);
            own.carried = own.carried.min(written);
            self.uncarried = self.uncarried - before + own.uncarried();
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_carried_is_what_each_actor_lacks() {
        let (one, two) = (DocumentId([1; 32]), DocumentId([2; 32]));
        let actor = ActorId([3; 16]);
        let mut own = OwnChanges::default();
        own.written(one, actor, 5);
        own.written(two, actor, 2);
        own.written(one, actor, 3);
        assert_eq!(own.uncarried(), 7);
        own.carried(one, actor, 4);
        own.carried(one, actor, 2);
        own.carried(two, ActorId([4; 16]), 9);
        assert_eq!(own.uncarried(), 3);
        own.carried(one, actor, 9);
        assert_eq!(own.uncarried(), 2);
        assert_eq!(own.cut(&two, |_| 1), 1);
        assert_eq!(own.uncarried(), 1);
        own.all_carried();
        assert_eq!(own.uncarried(), 0);
        own.written(two, actor, 2);
        assert_eq!(own.uncarried(), 1);
    }
}
