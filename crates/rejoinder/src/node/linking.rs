//! Arrivals at a node: letting in, linking, reading, parting.

use rejoinder_identity::PeerId;
use rejoinder_quic::{CloseCode, Closed, DialError, Link, PendingLink};
use rejoinder_replica::{Hello, Input};
use tokio::sync::mpsc;
use tracing::Instrument;

use super::{
    Node,
    dialer::Target,
    links::{Joined, Parted},
    reach::{self, Arrival},
    roster::Run,
};
use crate::{events::HomeEvent, handle::Topic};

impl Node {
    pub(super) fn arrived(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Knock(pending) => self.greet(pending),
            Arrival::JoinAsk(ask) if self.network.door.is_shut() => drop(ask),
            Arrival::JoinAsk(ask) => {
                let input = self.asks.asked(self.clock.now(), ask);
                self.handle(input);
            }
            Arrival::Met { link, hello } => self.met(link, hello),
            Arrival::NotReached { target, error } => {
                tracing::debug!(peer = %target.peer().short(), %error, "not reached");
                self.network.dialer.failed(self.clock.now(), &target);
                self.not_reached(&target, &error);
            }
            Arrival::JoinAnswered { target, answer } => self.join_answered(target, answer),
            // What is left of a link that was closed here counts no more.
            Arrival::Frame(link, bytes) if self.network.links.has(link) => {
                self.handle(Input::Frame { link, bytes });
            }
            Arrival::Frame(..) => {}
            Arrival::Deaf => self.network.deaf = true,
            Arrival::Pong(link) => self.network.links.pong(link),
            Arrival::Down(link, closed) => {
                let parted = self.network.links.part(link, closed);
                self.parted(parted);
            }
        }
    }

    fn greet(&mut self, pending: PendingLink) {
        if !self.network.door.lets_in(&pending.peer()) {
            return pending.refuse(CloseCode::NotAMember, "");
        }
        let hello = self.replica.hello(&pending.peer()).to_bytes();
        self.network.reaching.spawn(reach::greet(pending, hello, self.network.arrivals.clone()));
    }

    fn met(&mut self, link: Link, hello: Vec<u8>) {
        let (now, peer) = (self.clock.now(), link.peer());
        if self.network.door.is_shut() {
            return link.close(CloseCode::Goodbye, "offline");
        }
        if !self.network.may_reach(&peer) || !self.knows(&peer) {
            return link.close(CloseCode::NotAMember, "");
        }
        let incarnation = match Hello::from_bytes(&hello) {
            Ok(hello) => hello.incarnation,
            Err(error) => {
                tracing::warn!(peer = %peer.short(), %error, "no link");
                self.network.dialer.failed(now, &Target::Link(peer));
                return link.close(CloseCode::Misbehaved, &error.to_string());
            }
        };
        let Some(joined) = self.network.links.meet(now, link, Run { peer, incarnation }) else {
            return self.network.dialer.failed(now, &Target::Link(peer));
        };
        self.linked(peer, hello, joined);
    }

    fn knows(&self, peer: &PeerId) -> bool {
        self.replica.may_link(peer) || self.replica.peers().contains_key(peer)
    }

    fn linked(&mut self, peer: PeerId, hello: Vec<u8>, joined: Joined) {
        let Joined { link, sender, receiver, superseded } = joined;
        let span = tracing::info_span!("link", peer = %peer.short(), id = link.0);
        span.in_scope(|| tracing::info!(address = %sender.remote_address(), "up"));
        self.network.dialer.linked(&peer);
        self.network.waits.reached(&peer);
        self.handle(Input::LinkUp { link, peer, hello });
        let reader = reach::read(link, sender, receiver, self.network.arrivals.clone());
        let reader = self.network.tasks.spawn(reader.instrument(span));
        self.network.links.read_by(link, reader);
        self.subscribers.bump(|topic| *topic == Topic::Links);
        if self.network.shown.insert(peer, None).is_none() {
            self.subscribers.tell(HomeEvent::LinkUp { peer });
        }
        for older in superseded {
            self.parted(Some(older));
        }
    }

    pub(super) fn parted(&mut self, parted: Option<Parted>) {
        let Some(Parted { link, peer, closed, last }) = parted else { return };
        tracing::info!(peer = %peer.short(), id = link.0, %closed, "link down");
        self.handle(Input::LinkDown { link });
        self.subscribers.bump(|topic| *topic == Topic::Links);
        if !last {
            return;
        }
        let now = self.clock.now();
        if matches!(closed, Closed::There { code: CloseCode::Busy, .. }) {
            self.network.dialer.turned_away(now, &peer);
        } else {
            self.network.dialer.unlinked(now, &peer);
        }
        if matches!(closed, Closed::There { code: CloseCode::Superseded, .. }) {
            // The link that took its place is about to be here: to people they are one.
            self.network.shown.insert(peer, Some(closed));
        } else {
            self.network.shown.remove(&peer);
            self.subscribers.tell(HomeEvent::LinkDown { peer, closed });
        }
    }

    /// Links that were to take another's place and did not come.
    pub(super) fn tell_of_those_that_did_not_come(&mut self) {
        let Self { network, subscribers, .. } = self;
        network.shown.retain(|peer, replaced| {
            let Some(closed) = replaced.take_if(|_| !network.links.is_linked(peer)) else {
                return true;
            };
            subscribers.tell(HomeEvent::LinkDown { peer: *peer, closed });
            false
        });
    }

    /// With a link, who else is away is nothing to wait for. Who does not know this device yet did
    /// answer.
    fn not_reached(&mut self, target: &Target, error: &DialError) {
        if matches!(error, DialError::NotAMember | DialError::Own) {
            return;
        }
        let waits = match target {
            Target::Join(..) => true,
            Target::Link(_) => self.network.shown.is_empty(),
        };
        let peer = *target.peer();
        if waits && self.network.waits.not_reached(peer) {
            self.subscribers.tell(HomeEvent::NotReached { peer, why: error.to_string() });
        }
    }

    fn join_answered(&mut self, target: Target, bytes: Vec<u8>) {
        self.network.waits.reached(target.peer());
        if let Target::Join(workspace, by) = target {
            self.handle(Input::JoinAnswered { by, bytes, workspace });
        }
        // Unless it let us in, which ends the asking, the answer was: not yet.
        self.network.dialer.failed(self.clock.now(), &target);
    }

    /// A listener is told first where the home can be reached and who is linked.
    pub(super) fn listen(&mut self, listener: mpsc::Sender<HomeEvent>) {
        let listening = HomeEvent::Listening { addresses: self.network.addresses.clone() };
        let linked = self.network.shown.keys().map(|peer| HomeEvent::LinkUp { peer: *peer });
        self.subscribers.listen(listener, std::iter::once(listening).chain(linked));
    }
}
