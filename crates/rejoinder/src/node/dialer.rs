//! Whom to dial, where and when. Members that are not linked, each with a backoff of its own; and
//! those who could let us into a workspace, until one has.

use std::{collections::BTreeMap, net::SocketAddr};

use rand_chacha::ChaCha8Rng;
use rejoinder_identity::{PeerId, Timestamp, WorkspaceId};

use super::backoff::Backoff;
use crate::limits;

/// What a dial is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Aim {
    /// A link with a member.
    Link(PeerId),
    /// To be let into a workspace by a member.
    Join(WorkspaceId, PeerId),
}

impl Aim {
    pub(crate) fn peer(&self) -> &PeerId {
        match self {
            Self::Link(peer) | Self::Join(_, peer) => peer,
        }
    }
}

#[derive(Debug)]
struct Target {
    addresses: Vec<SocketAddr>,
    backoff: Backoff,
    /// Until when another move does not make it due at once.
    settling: Timestamp,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Dialling,
    Reached,
}

/// Whom to dial.
#[derive(Debug)]
pub(crate) struct Dialer {
    targets: BTreeMap<Aim, Target>,
    random: ChaCha8Rng,
}

impl Dialer {
    pub(crate) fn new(random: ChaCha8Rng) -> Self {
        Self { targets: BTreeMap::new(), random }
    }

    /// Whom to reach, and where. New ones are due at once, and those who have moved: but one that
    /// moves again within [`limits::MOVED`] of that waits for its next turn.
    pub(crate) fn aim(&mut self, now: Timestamp, wanted: BTreeMap<Aim, Vec<SocketAddr>>) {
        self.targets.retain(|aim, _| wanted.contains_key(aim));
        for (aim, addresses) in wanted {
            let last = match aim {
                Aim::Link(_) => limits::DIAL_LAST,
                Aim::Join(..) => limits::ASK_LAST,
            };
            let target = self.targets.entry(aim).or_insert_with(|| Target {
                addresses: addresses.clone(),
                backoff: Backoff::new(now, limits::DIAL_FIRST, last),
                settling: now,
                state: State::Waiting,
            });
            if target.addresses != addresses {
                target.addresses = addresses;
                if target.settling <= now {
                    target.settling = now.after(limits::MOVED);
                    target.backoff.at_once(now);
                }
            }
        }
    }

    /// The dials to begin now.
    pub(crate) fn due(&mut self, now: Timestamp) -> Vec<(Aim, Vec<SocketAddr>)> {
        let running = self.targets.values().filter(|target| target.state == State::Dialling);
        let free = limits::DIALS.saturating_sub(running.count());
        let mut due: Vec<_> = self
            .targets
            .iter_mut()
            .filter(|(_, target)| target.is_waiting() && target.backoff.due_at() <= now)
            .collect();
        // Who has waited longest first, or the first in the order of their ids would keep all
        // places.
        due.sort_by_key(|(_, target)| target.backoff.due_at());
        let begin = due.into_iter().take(free).map(|(aim, target)| {
            target.state = State::Dialling;
            (*aim, target.addresses.clone())
        });
        begin.collect()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Timestamp> {
        let waiting = self.targets.values().filter(|target| target.is_waiting());
        let running = self.targets.values().filter(|target| target.state == State::Dialling);
        // With all places taken, the end of a dial is what to wait for.
        (running.count() < limits::DIALS)
            .then(|| waiting.map(|target| target.backoff.due_at()).min())
            .flatten()
    }

    /// A dial led to nothing, or an ask not yet to an entry.
    pub(crate) fn failed(&mut self, now: Timestamp, aim: &Aim) {
        if rejoinder_identity::mutant!("mutant-failed-dial-not-retried")
            && matches!(aim, Aim::Link(_))
        {
            return;
        }
        if let Some(target) = self.targets.get_mut(aim)
            && target.state == State::Dialling
        {
            target.state = State::Waiting;
            target.backoff.failed(now, &mut self.random);
        }
    }

    /// There is a link, whoever dialled.
    pub(crate) fn linked(&mut self, peer: &PeerId) {
        if let Some(target) = self.targets.get_mut(&Aim::Link(*peer)) {
            target.state = State::Reached;
        }
    }

    /// The last link to that peer is gone.
    pub(crate) fn unlinked(&mut self, now: Timestamp, peer: &PeerId) {
        if rejoinder_identity::mutant!("mutant-cut-link-not-retried") {
            return;
        }
        if let Some(target) = self.targets.get_mut(&Aim::Link(*peer)) {
            target.state = State::Waiting;
            target.backoff.restart(now, &mut self.random);
        }
    }

    /// That peer has no room for another run of this device: it is tried again as after a dial that
    /// failed, or a copy of a home would be turned away several times a second for ever.
    pub(crate) fn turned_away(&mut self, now: Timestamp, peer: &PeerId) {
        if let Some(target) = self.targets.get_mut(&Aim::Link(*peer)) {
            target.state = State::Waiting;
            target.backoff.failed(now, &mut self.random);
        }
    }

    /// Those who are asked to let us in are dialled at once.
    pub(crate) fn link_with_asked(&mut self, now: Timestamp) {
        let asked: Vec<_> = self
            .targets
            .keys()
            .filter(|aim| matches!(aim, Aim::Join(..)))
            .map(|aim| Aim::Link(*aim.peer()))
            .collect();
        for aim in asked {
            if let Some(target) = self.targets.get_mut(&aim) {
                target.backoff.at_once(now);
            }
        }
    }

    /// The network is another one, or the machine was asleep.
    pub(crate) fn all_at_once(&mut self, now: Timestamp) {
        for target in self.targets.values_mut() {
            target.backoff.at_once(now);
        }
    }

    /// Every dial was stopped.
    pub(crate) fn stopped(&mut self) {
        for target in self.targets.values_mut() {
            target.state = State::Waiting;
        }
    }
}

impl Target {
    /// A target without an address is waited for: it may dial us.
    fn is_waiting(&self) -> bool {
        self.state == State::Waiting && !self.addresses.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rand_core::SeedableRng;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn address(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    fn dialer(peers: u8) -> Dialer {
        let mut dialer = Dialer::new(ChaCha8Rng::seed_from_u64(1));
        dialer.aim(at(0), aims(peers));
        dialer
    }

    fn aims(peers: u8) -> BTreeMap<Aim, Vec<SocketAddr>> {
        (0..peers).map(|n| (Aim::Link(PeerId([n; 32])), vec![address(1)])).collect()
    }

    #[test]
    fn a_lost_link_is_dialled_soon_a_failed_dial_ever_later() {
        let mut dialer = dialer(1);
        let peer = PeerId([0; 32]);
        let aim = Aim::Link(peer);
        assert_eq!(dialer.due(at(0)), vec![(aim, vec![address(1)])]);
        assert_eq!(dialer.due(at(0)), vec![], "it is being dialled");
        assert_eq!(dialer.poll_timeout(), None);
        for _ in 0..20 {
            dialer.failed(at(0), &aim);
            let due = dialer.poll_timeout().unwrap();
            assert!(due > at(0) && due <= at(0).after(limits::DIAL_LAST));
            assert_eq!(dialer.due(due).len(), 1);
        }
        dialer.linked(&peer);
        assert_eq!(dialer.poll_timeout(), None);
        dialer.failed(at(0), &aim);
        assert_eq!(dialer.poll_timeout(), None, "a late failure of a linked peer");
        dialer.unlinked(at(9), &peer);
        assert!(dialer.poll_timeout().unwrap() <= at(9).after(limits::DIAL_FIRST));
    }

    #[test]
    fn news_is_acted_on_at_once() {
        let mut dialer = dialer(1);
        dialer.due(at(0));
        dialer.failed(at(0), &Aim::Link(PeerId([0; 32])));
        dialer.aim(at(1), aims(1));
        assert!(dialer.poll_timeout() > Some(at(1)), "nothing is new");
        dialer.aim(at(1), BTreeMap::from([(Aim::Link(PeerId([0; 32])), vec![address(2)])]));
        assert_eq!(dialer.poll_timeout(), Some(at(1)), "it has moved");
        dialer.due(at(1));
        dialer.failed(at(1), &Aim::Link(PeerId([0; 32])));
        dialer.all_at_once(at(2));
        assert_eq!(dialer.poll_timeout(), Some(at(2)));
        dialer.aim(at(2), BTreeMap::new());
        assert_eq!(dialer.poll_timeout(), None, "nobody is wanted");
    }

    #[test]
    fn a_peer_that_keeps_moving_is_not_dialled_faster() {
        let aim = Aim::Link(PeerId([0; 32]));
        let moved = |port| BTreeMap::from([(aim, vec![address(port)])]);
        let mut dialer = dialer(1);
        let (mut dials, mut last) = (0, 0);
        for second in 0..60 {
            let now = at(second * 1_000);
            // A new address each second, none of which answers.
            dialer.aim(now, moved(u16::try_from(second).unwrap() + 2));
            for (aim, addresses) in dialer.due(now) {
                (dials, last) = (dials + 1, addresses[0].port());
                dialer.failed(now, &aim);
            }
        }
        // As many as a backoff makes that begins anew twice, each time where it is by then.
        assert!((4..20).contains(&dials), "{dials} dials");
        assert!(last > 30, "{last}");
    }

    #[test]
    fn everybody_gets_a_turn() {
        let mut dialer = dialer(200);
        let mut dialled = std::collections::BTreeSet::new();
        let mut now = at(0);
        for _ in 0..20 {
            let due = dialer.due(now);
            assert!(due.len() <= limits::DIALS);
            for (aim, _) in due {
                dialled.insert(aim);
                dialer.failed(now, &aim);
            }
            now = now.after(Duration::from_millis(50));
        }
        assert_eq!(dialled.len(), 200);
    }
}
