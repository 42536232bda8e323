//! Devices that listeners were told to wait for. Dials and asks are repeated; the wait is told
//! once.

use std::collections::BTreeSet;

use rejoinder_identity::{PeerId, WorkspaceId};

/// The devices that listeners were told to wait for.
#[derive(Debug, Default)]
pub(super) struct Waits {
    /// Did not answer when it was dialled last.
    silent: BTreeSet<PeerId>,
    /// Has our request to be let in.
    asked: BTreeSet<(WorkspaceId, PeerId)>,
}

impl Waits {
    /// Nothing came back; says whether that is new.
    pub(super) fn not_reached(&mut self, peer: PeerId) -> bool {
        self.asked.retain(|(_, at)| *at != peer);
        self.silent.insert(peer)
    }

    /// It is linked, or answered otherwise.
    pub(super) fn reached(&mut self, peer: &PeerId) {
        self.silent.remove(peer);
    }

    /// Notes that it has our request to be let in. Returns whether that is new.
    pub(super) fn answered(&mut self, workspace: WorkspaceId, peer: PeerId) -> bool {
        self.silent.remove(&peer);
        self.asked.insert((workspace, peer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_is_said_once() {
        let (peer, workspace) = (PeerId([1; 32]), WorkspaceId([2; 32]));
        let mut waits = Waits::default();
        assert!(waits.not_reached(peer));
        assert!(!waits.not_reached(peer));
        assert!(waits.answered(workspace, peer));
        assert!(!waits.answered(workspace, peer));
        assert!(waits.not_reached(peer), "it is away again");
        assert!(waits.answered(workspace, peer), "and back");
        assert!(waits.not_reached(peer));
        waits.reached(&peer);
        assert!(waits.not_reached(peer));
    }
}
