//! The roster of links, and the rule by which one stays when there are several to one device.
//!
//! A link belongs to (device, incarnation). Two devices that dial each other at once make two
//! links of one run: the device with the smaller id keeps the newest and closes the others, its
//! peer bears with both until then; if each closed one, both might be gone. Links of another run
//! of a device are closed only if they don't answer: a cloned home is two runs that both live.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{Incarnation, PeerId};
use rejoinder_replica::LinkId;

use crate::limits;

/// The links.
#[derive(Debug)]
pub(crate) struct Roster {
    me: PeerId,
    runs: BTreeMap<LinkId, Run>,
}

/// The device and run that a link belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Run {
    pub(crate) peer: PeerId,
    pub(crate) incarnation: Incarnation,
}

/// The effect of a new link on the others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Met {
    /// True if the new one may stay.
    pub(crate) stays: bool,
    /// Those that it replaces.
    pub(crate) superseded: Vec<LinkId>,
    /// Those that must show that they live.
    pub(crate) doubted: Vec<LinkId>,
}

impl Roster {
    pub(crate) fn new(me: PeerId) -> Self {
        Self { me, runs: BTreeMap::new() }
    }

    /// A link is there. Link ids grow, so the newest has the highest.
    pub(crate) fn meet(&mut self, link: LinkId, run: Run) -> Met {
        let (same, doubted): (Vec<_>, Vec<_>) =
            self.of(&run.peer).partition(|(_, other)| *other == run);
        let others: BTreeSet<_> = doubted.iter().map(|(_, run)| run.incarnation).collect();
        let stays = others.len() < limits::RUNS_A_DEVICE;
        let superseded = if !stays {
            0
        } else if self.me < run.peer {
            same.len()
        } else {
            (same.len() + 1).saturating_sub(limits::LINKS_A_RUN)
        };
        if stays {
            self.runs.insert(link, run);
        }
        Met {
            stays,
            superseded: same.into_iter().take(superseded).map(|(link, _)| link).collect(),
            doubted: doubted.into_iter().map(|(link, _)| link).collect(),
        }
    }

    /// A link is gone. Whose it was, and whether another link to that device is left.
    pub(crate) fn part(&mut self, link: LinkId) -> Option<(Run, bool)> {
        let run = self.runs.remove(&link)?;
        Some((run, self.is_linked(&run.peer)))
    }

    pub(crate) fn is_linked(&self, peer: &PeerId) -> bool {
        self.of(peer).next().is_some()
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = (LinkId, Run)> + '_ {
        self.runs.iter().map(|(link, run)| (*link, *run))
    }

    /// Oldest first.
    fn of<'a>(&'a self, peer: &'a PeerId) -> impl Iterator<Item = (LinkId, Run)> + 'a {
        self.links().filter(|(_, run)| run.peer == *peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: PeerId = PeerId([1; 32]);
    const LARGE: PeerId = PeerId([2; 32]);

    fn run(peer: PeerId, incarnation: u8) -> Run {
        Run { peer, incarnation: Incarnation([incarnation; 16]) }
    }

    fn met(superseded: &[u64], doubted: &[u64]) -> Met {
        let links = |ids: &[u64]| ids.iter().map(|id| LinkId(*id)).collect();
        Met { stays: true, superseded: links(superseded), doubted: links(doubted) }
    }

    #[test]
    fn of_two_links_of_one_run_the_smaller_id_keeps_the_newest() {
        let mut roster = Roster::new(SMALL);
        assert_eq!(roster.meet(LinkId(1), run(LARGE, 1)), met(&[], &[]));
        assert_eq!(roster.meet(LinkId(2), run(LARGE, 1)), met(&[1], &[]));
        assert_eq!(roster.part(LinkId(1)), Some((run(LARGE, 1), true)));
        assert_eq!(roster.part(LinkId(1)), None);
        assert_eq!(roster.part(LinkId(2)), Some((run(LARGE, 1), false)));
    }

    #[test]
    fn the_larger_id_bears_with_two_but_not_with_any_number() {
        let mut roster = Roster::new(LARGE);
        for link in 1..=4 {
            assert_eq!(roster.meet(LinkId(link), run(SMALL, 1)), met(&[], &[]));
        }
        assert_eq!(roster.meet(LinkId(5), run(SMALL, 1)), met(&[1], &[]));
    }

    #[test]
    fn another_run_is_doubted_and_a_third_does_not_come_in() {
        for me in [SMALL, LARGE] {
            let peer = if me == SMALL { LARGE } else { SMALL };
            let mut roster = Roster::new(me);
            assert_eq!(roster.meet(LinkId(1), run(peer, 1)), met(&[], &[]));
            assert_eq!(roster.meet(LinkId(2), run(peer, 2)), met(&[], &[1]));
            let third = roster.meet(LinkId(3), run(peer, 3));
            assert_eq!(third, Met { stays: false, ..met(&[], &[1, 2]) });
            roster.part(LinkId(1));
            assert_eq!(roster.meet(LinkId(4), run(peer, 3)), met(&[], &[2]));
        }
    }
}
