//! The links of a workspace: who is linked, and what each has of it.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::PeerId;
use rejoinder_sync::LinkId;

/// The links to members.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    links: BTreeMap<LinkId, PeerId>,
    /// The links whose other side has all that is here, and nothing else.
    in_sync: BTreeSet<LinkId>,
    /// Length of the log that each has on its disk.
    log_acknowledged: BTreeMap<LinkId, u64>,
}

impl Peers {
    pub(crate) fn insert(&mut self, link: LinkId, peer: PeerId) {
        self.links.insert(link, peer);
    }

    /// Removes a link. Returns who was at its other end.
    pub(crate) fn remove(&mut self, link: LinkId) -> Option<PeerId> {
        self.log_acknowledged.remove(&link);
        self.in_sync.remove(&link);
        self.links.remove(&link)
    }

    pub(crate) fn peer(&self, link: LinkId) -> Option<PeerId> {
        self.links.get(&link).copied()
    }

    pub(crate) fn contains(&self, link: LinkId) -> bool {
        self.links.contains_key(&link)
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len()
    }

    /// The links to devices of which that is true.
    pub(crate) fn links_to(&self, is: impl Fn(&PeerId) -> bool) -> Vec<LinkId> {
        self.links.iter().filter(|(_, peer)| is(peer)).map(|(link, _)| *link).collect()
    }

    /// Notes whether the other side of a link has the same as this replica.
    pub(crate) fn set_in_sync(&mut self, link: LinkId, yes: bool) {
        if yes {
            self.in_sync.insert(link);
        } else {
            self.in_sync.remove(&link);
        }
    }

    /// Notes that the other side has that much of the log on its disk.
    pub(crate) fn log_acknowledged(&mut self, link: LinkId, length: u64) {
        let known = self.log_acknowledged.entry(link).or_default();
        *known = (*known).max(length);
    }

    /// Notes that the other side has all of the log on its disk, which may be shorter now than what
    /// it had of one that was cut.
    pub(crate) fn whole_log_acknowledged(&mut self, link: LinkId, length: u64) {
        self.log_acknowledged.insert(link, length);
    }

    /// True if at least one link is up and every linked member has the same as this replica.
    pub(crate) fn all_in_sync(&self) -> bool {
        !self.links.is_empty() && self.links.keys().all(|link| self.in_sync.contains(link))
    }

    /// True if every linked member has that much of the log on its disk.
    pub(crate) fn all_have_log(&self, length: u64) -> bool {
        let has = |link| self.log_acknowledged.get(link).is_some_and(|has| *has >= length);
        self.links.keys().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANA: PeerId = PeerId([1; 32]);
    const BEN: PeerId = PeerId([2; 32]);

    #[test]
    fn all_are_in_sync_when_somebody_is_linked_and_nobody_differs() {
        let mut peers = Peers::default();
        assert!(!peers.all_in_sync(), "alone");
        peers.insert(LinkId(1), ANA);
        peers.insert(LinkId(2), BEN);
        peers.set_in_sync(LinkId(1), true);
        assert!(!peers.all_in_sync());
        peers.set_in_sync(LinkId(2), true);
        assert!(peers.all_in_sync());
        peers.set_in_sync(LinkId(1), false);
        assert!(!peers.all_in_sync());
        assert_eq!(peers.remove(LinkId(1)), Some(ANA));
        assert!(peers.all_in_sync());
    }

    #[test]
    fn a_link_that_is_gone_says_nothing_of_the_next() {
        let mut peers = Peers::default();
        peers.insert(LinkId(1), ANA);
        peers.log_acknowledged(LinkId(1), 5);
        peers.log_acknowledged(LinkId(1), 3);
        assert!(peers.all_have_log(5) && !peers.all_have_log(6));
        // The log was cut, and is shorter now.
        peers.whole_log_acknowledged(LinkId(1), 2);
        assert!(!peers.all_have_log(3));
        peers.remove(LinkId(1));
        assert_eq!(peers.remove(LinkId(1)), None);
        peers.insert(LinkId(1), ANA);
        assert!(!peers.all_have_log(1) && !peers.all_in_sync());
        assert_eq!(peers.links_to(|peer| *peer == BEN), []);
    }
}
