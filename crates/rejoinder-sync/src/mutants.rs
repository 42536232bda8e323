//! Code that a known fault needs: see `rejoinder_identity::mutant`.

use rejoinder_identity::{PeerId, mutant};

use crate::{LinkId, sync::Sync};

/// Knowledge about a peer outlives its link.
const OUTLIVES: &str = "mutant-state-outlives-its-link";

impl Sync {
    /// A link to `peer` is about to go down.
    pub fn keep(&mut self, link: LinkId, peer: PeerId) {
        if mutant::is(OUTLIVES)
            && let Some(state) = self.links.remove(&link)
        {
            self.kept.insert(peer, state);
        }
    }

    /// A link to `peer` has just come up.
    pub fn take_up(&mut self, link: LinkId, peer: PeerId) {
        if mutant::is(OUTLIVES)
            && let Some(mut state) = self.kept.remove(&peer)
            && self.links.contains_key(&link)
        {
            state.queued = false;
            self.speakers.retain(|speaker| *speaker != link);
            self.links.insert(link, state);
            self.wake(link);
        }
    }
}
