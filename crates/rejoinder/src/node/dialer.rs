//! The dialer: whom to dial, where and when. Members that are not linked, each with a backoff of
//! its own; and those who could let us into a workspace, until one has.

use std::{collections::BTreeMap, net::SocketAddr};

use rand_chacha::ChaCha8Rng;
use rejoinder_identity::{PeerId, Timestamp, WorkspaceId};

use super::backoff::Backoff;
use crate::limits;

/// The purpose of a dial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    /// A link with a member.
    Link(PeerId),
    /// To be let into a workspace by a member.
    Join(WorkspaceId, PeerId),
}

impl Target {
    pub(crate) fn peer(&self) -> &PeerId {
        match self {
            Self::Link(peer) | Self::Join(_, peer) => peer,
        }
    }
}

#[derive(Debug)]
struct Attempts {
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

/// The dialer's state.
#[derive(Debug)]
pub(crate) struct Dialer {
    attempts: BTreeMap<Target, Attempts>,
    random: ChaCha8Rng,
}

impl Dialer {
    pub(crate) fn new(random: ChaCha8Rng) -> Self {
        Self { attempts: BTreeMap::new(), random }
    }

    /// Sets whom to reach, and where. New ones are due at once, and those who have moved; but one
    /// that moves again within [`limits::MOVED`] of that waits for its next turn.
    pub(crate) fn set_targets(
        &mut self,
        now: Timestamp,
        wanted: BTreeMap<Target, Vec<SocketAddr>>,
    ) {
        self.attempts.retain(|target, _| wanted.contains_key(target));
        for (target, addresses) in wanted {
            let last = match target {
                Target::Link(_) => limits::DIAL_LAST,
                Target::Join(..) => limits::ASK_LAST,
            };
            let attempts = self.attempts.entry(target).or_insert_with(|| Attempts {
                addresses: addresses.clone(),
                backoff: Backoff::new(now, limits::DIAL_FIRST, last),
                settling: now,
                state: State::Waiting,
            });
            if attempts.addresses != addresses {
                attempts.addresses = addresses;
                if attempts.settling <= now {
                    attempts.settling = now.after(limits::MOVED);
                    attempts.backoff.at_once(now);
                }
            }
        }
    }

    /// The dials to begin now.
    pub(crate) fn due(&mut self, now: Timestamp) -> Vec<(Target, Vec<SocketAddr>)> {
        let running = self.attempts.values().filter(|attempts| attempts.state == State::Dialling);
        let free = limits::DIALS.saturating_sub(running.count());
        let mut due: Vec<_> = self
            .attempts
            .iter_mut()
            .filter(|(_, attempts)| attempts.is_waiting() && attempts.backoff.due_at() <= now)
            .collect();
        // Who has waited longest first, or the first in the order of their ids would keep all
        // places.
        due.sort_by_key(|(_, attempts)| attempts.backoff.due_at());
        let begin = due.into_iter().take(free).map(|(target, attempts)| {
            attempts.state = State::Dialling;
            (*target, attempts.addresses.clone())
        });
        begin.collect()
    }

    pub(crate) fn poll_timeout(&self) -> Option<Timestamp> {
        let waiting = self.attempts.values().filter(|attempts| attempts.is_waiting());
        let running = self.attempts.values().filter(|attempts| attempts.state == State::Dialling);
        // With all places taken, the end of a dial is what to wait for.
        (running.count() < limits::DIALS)
            .then(|| waiting.map(|attempts| attempts.backoff.due_at()).min())
            .flatten()
    }

    /// A dial led to nothing, or an ask not yet to an entry.
    pub(crate) fn failed(&mut self, now: Timestamp, target: &Target) {
        if rejoinder_identity::mutant!("mutant-failed-dial-not-retried")
            && matches!(target, Target::Link(_))
        {
            return;
        }
        if let Some(attempts) = self.attempts.get_mut(target)
            && attempts.state == State::Dialling
        {
            attempts.state = State::Waiting;
            attempts.backoff.failed(now, &mut self.random);
        }
    }

    /// There is a link, whoever dialled.
    pub(crate) fn linked(&mut self, peer: &PeerId) {
        if let Some(attempts) = self.attempts.get_mut(&Target::Link(*peer)) {
            attempts.state = State::Reached;
        }
    }

    /// The last link to that peer is gone.
    pub(crate) fn unlinked(&mut self, now: Timestamp, peer: &PeerId) {
        if rejoinder_identity::mutant!("mutant-cut-link-not-retried") {
            return;
        }
        if let Some(attempts) = self.attempts.get_mut(&Target::Link(*peer)) {
            attempts.state = State::Waiting;
            attempts.backoff.restart(now, &mut self.random);
        }
    }

    /// That peer has no room for another run of this device: it is tried again as after a dial that
    /// failed, or a copy of a home would be turned away several times a second for ever.
    pub(crate) fn turned_away(&mut self, now: Timestamp, peer: &PeerId) {
        if let Some(attempts) = self.attempts.get_mut(&Target::Link(*peer)) {
            attempts.state = State::Waiting;
            attempts.backoff.failed(now, &mut self.random);
        }
    }

    /// Those who are asked to let us in are dialled at once.
    pub(crate) fn link_with_asked(&mut self, now: Timestamp) {
        let asked: Vec<_> = self
            .attempts
            .keys()
            .filter(|target| matches!(target, Target::Join(..)))
            .map(|target| Target::Link(*target.peer()))
            .collect();
        for target in asked {
            if let Some(attempts) = self.attempts.get_mut(&target) {
                attempts.backoff.at_once(now);
            }
        }
    }

    /// The network is another one, or the machine was asleep.
    pub(crate) fn all_at_once(&mut self, now: Timestamp) {
        for attempts in self.attempts.values_mut() {
            attempts.backoff.at_once(now);
        }
    }

    /// Every dial was stopped.
    pub(crate) fn stopped(&mut self) {
        for attempts in self.attempts.values_mut() {
            attempts.state = State::Waiting;
        }
    }
}

impl Attempts {
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
        dialer.set_targets(at(0), wanted(peers));
        dialer
    }

    fn wanted(peers: u8) -> BTreeMap<Target, Vec<SocketAddr>> {
        (0..peers).map(|n| (Target::Link(PeerId([n; 32])), vec![address(1)])).collect()
    }

    #[test]
    fn a_lost_link_is_dialled_soon_a_failed_dial_ever_later() {
        let mut dialer = dialer(1);
        let peer = PeerId([0; 32]);
        let target = Target::Link(peer);
        assert_eq!(dialer.due(at(0)), vec![(target, vec![address(1)])]);
        assert_eq!(dialer.due(at(0)), vec![], "it is being dialled");
        assert_eq!(dialer.poll_timeout(), None);
        for _ in 0..20 {
            dialer.failed(at(0), &target);
            let due = dialer.poll_timeout().unwrap();
            assert!(due > at(0) && due <= at(0).after(limits::DIAL_LAST));
            assert_eq!(dialer.due(due).len(), 1);
        }
        dialer.linked(&peer);
        assert_eq!(dialer.poll_timeout(), None);
        dialer.failed(at(0), &target);
        assert_eq!(dialer.poll_timeout(), None, "a late failure of a linked peer");
        dialer.unlinked(at(9), &peer);
        assert!(dialer.poll_timeout().unwrap() <= at(9).after(limits::DIAL_FIRST));
    }

    #[test]
    fn news_is_acted_on_at_once() {
        let mut dialer = dialer(1);
        dialer.due(at(0));
        dialer.failed(at(0), &Target::Link(PeerId([0; 32])));
        dialer.set_targets(at(1), wanted(1));
        assert!(dialer.poll_timeout() > Some(at(1)), "nothing is new");
        dialer.set_targets(
            at(1),
            BTreeMap::from([(Target::Link(PeerId([0; 32])), vec![address(2)])]),
        );
        assert_eq!(dialer.poll_timeout(), Some(at(1)), "it has moved");
        dialer.due(at(1));
        dialer.failed(at(1), &Target::Link(PeerId([0; 32])));
        dialer.all_at_once(at(2));
        assert_eq!(dialer.poll_timeout(), Some(at(2)));
        dialer.set_targets(at(2), BTreeMap::new());
        assert_eq!(dialer.poll_timeout(), None, "nobody is wanted");
    }

    #[test]
    fn a_peer_that_keeps_moving_is_not_dialled_faster() {
        let target = Target::Link(PeerId([0; 32]));
        let moved = |port| BTreeMap::from([(target, vec![address(port)])]);
        let mut dialer = dialer(1);
        let (mut dials, mut last) = (0, 0);
        for second in 0..60 {
            let now = at(second * 1_000);
            // A new address each second, none of which answers.
            dialer.set_targets(now, moved(u16::try_from(second).unwrap() + 2));
            for (target, addresses) in dialer.due(now) {
                (dials, last) = (dials + 1, addresses[0].port());
                dialer.failed(now, &target);
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
            for (target, _) in due {
                dialled.insert(target);
                dialer.failed(now, &target);
            }
            now = now.after(Duration::from_millis(50));
        }
        assert_eq!(dialled.len(), 200);
    }
}
