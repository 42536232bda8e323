//! The list of devices that may link, as handshakes ask it: the node's answer of a moment ago. The
//! node asks the replica again before there is a link.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rejoinder_identity::PeerId;

/// The devices that may link. All clones share one list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Door {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    shut: bool,
    members: BTreeSet<PeerId>,
}

impl Door {
    fn state(&self) -> MutexGuard<'_, State> {
        // No invariant spans the two fields.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lets_in(&self, peer: &PeerId) -> bool {
        let state = self.state();
        !state.shut && state.members.contains(peer)
    }

    pub(crate) fn is_shut(&self) -> bool {
        self.state().shut
    }

    pub(crate) fn shut(&self, shut: bool) {
        self.state().shut = shut;
    }

    pub(crate) fn set_members(&self, members: BTreeSet<PeerId>) {
        self.state().members = members;
    }
}
