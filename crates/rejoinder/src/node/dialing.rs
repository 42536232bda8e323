//! Targets of a node and their times: dials, going offline and coming back, a network that has
//! changed around it.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use rejoinder_identity::{Hint, PeerId, Timestamp};
use rejoinder_quic::CloseCode;
use rejoinder_replica::Command;

use super::{
    Node,
    dialer::Target,
    network::own_addresses,
    reach::{self, Words},
};
use crate::{events::HomeEvent, limits};

impl Node {
    /// Whoever was asked to let us in may just have done so.
    pub(super) fn peers_changed(&mut self) {
        self.update_targets();
        self.network.dialer.link_with_asked(self.clock.now());
    }

    /// Updates whom to link with, whom to ask to be let in, and who may link with us.
    pub(super) fn update_targets(&mut self) {
        let (me, peers) = (self.replica.me(), self.replica.peers());
        let network = &mut self.network;
        let may_link = |peer: &PeerId| *peer != me && network.may_reach(peer);
        let members: BTreeSet<_> = peers
            .keys()
            .filter(|peer| may_link(peer) && self.replica.may_link(peer))
            .copied()
            .collect();
        let forbidden = network.links.forbidden(|peer| {
            may_link(peer) && (members.contains(peer) || peers.contains_key(peer))
        });
        let mut aims: BTreeMap<_, _> = peers
            .iter()
            .filter(|(peer, _)| may_link(peer))
            .map(|(peer, addresses)| (Target::Link(*peer), addresses.clone()))
            .collect();
        for workspace in self.replica.workspaces() {
            let ask =
                self.replica.join_ask(&workspace).filter(|_| !network.refused.contains(&workspace));
            let hints = ask.into_iter().flat_map(|(_, hints)| hints);
            aims.extend(
                hints
                    .filter(|hint| hint.device != me)
                    .map(|hint| (Target::Join(workspace, hint.device), places(hint, &peers))),
            );
        }
        network.door.set_members(members);
        network.dialer.set_targets(self.clock.now(), aims);
        for link in forbidden {
            let closed = self.network.links.close(link, CloseCode::NotAMember, "");
            self.parted(closed);
        }
    }

    /// Begins the dials that are due.
    pub(super) fn reach_out(&mut self) {
        if self.network.door.is_shut() {
            return;
        }
        for (target, addresses) in self.network.dialer.due(self.clock.now()) {
            self.dial(target, addresses);
        }
    }

    fn dial(&mut self, target: Target, addresses: Vec<SocketAddr>) {
        let Self { replica, network, .. } = self;
        let (endpoint, arrivals) = (network.endpoint.clone(), network.arrivals.clone());
        match target {
            Target::Link(peer) => {
                let words = Words {
                    hello: replica.hello(&peer).to_bytes(),
                    introductions: replica.introductions(&peer),
                };
                network.reaching.spawn(reach::dial(endpoint, peer, addresses, words, arrivals));
            }
            Target::Join(workspace, _) => {
                if let Some((ask, _)) = replica.join_ask(&workspace) {
                    network.reaching.spawn(reach::ask(endpoint, target, addresses, ask, arrivals));
                }
            }
        }
    }

    pub(super) fn dial_all_at_once(&mut self) {
        self.network.dialer.all_at_once(self.clock.now());
    }

    pub(super) fn go_offline(&mut self) {
        self.network.door.shut(true);
        self.network.reaching.abort_all();
        self.network.dialer.stopped();
        for parted in self.network.links.close_all(CloseCode::Goodbye, "") {
            self.parted(Some(parted));
        }
    }

    pub(super) fn go_online(&mut self) {
        self.network.door.shut(false);
        self.dial_all_at_once();
    }

    pub(super) fn network_timeout(&self) -> Option<Timestamp> {
        let dials =
            if self.network.door.is_shut() { None } else { self.network.dialer.poll_timeout() };
        [Some(self.network.look_around), self.network.links.poll_timeout(), dials]
            .into_iter()
            .flatten()
            .min()
    }

    pub(super) fn network_time_has_come(&mut self, now: Timestamp) {
        for silent in self.network.links.close_silent(now) {
            self.parted(Some(silent));
        }
        if self.network.look_around <= now {
            self.network.look_around = now.after(limits::LOOK_AROUND);
            self.tell_of_those_that_did_not_come();
            self.look_around();
        }
    }

    /// Notices a new network and a wake from sleep.
    fn look_around(&mut self) {
        let slept = self.clock.slept();
        let woke = slept > std::mem::replace(&mut self.network.slept, slept);
        let addresses =
            own_addresses(self.network.endpoint.local_address(), &*self.network.sockets);
        let moved = addresses != self.network.addresses;
        if moved {
            tracing::info!(?addresses, "this device can be reached elsewhere now");
            self.subscribers.tell(HomeEvent::Listening { addresses: addresses.clone() });
            self.network.addresses.clone_from(&addresses);
            self.command(Command::Addresses(addresses));
        }
        if woke || moved {
            // A link that died meanwhile would pass for a living one until QUIC gives it up, and
            // nobody dials a peer that is reached.
            self.network.links.doubt_all(self.clock.now());
            self.dial_all_at_once();
        }
    }
}

/// The addresses of a device that a ticket names: it may have moved since, and its card, which
/// another workspace has brought, says where to.
fn places(hint: Hint, cards: &BTreeMap<PeerId, Vec<SocketAddr>>) -> Vec<SocketAddr> {
    let mut places = cards.get(&hint.device).cloned().unwrap_or_default();
    let older: Vec<_> = hint.addresses.into_iter().filter(|one| !places.contains(one)).collect();
    places.extend(older);
    places
}
