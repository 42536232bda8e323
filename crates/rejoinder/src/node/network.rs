//! The network of a node: its endpoint, its links, its dialer, and the tasks that
//! do so.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    panic::resume_unwind,
    sync::Arc,
    time::Duration,
};

use rejoinder_identity::{PeerId, Timestamp, WorkspaceId};
use rejoinder_quic::{Closed, Endpoint};
use tokio::{
    sync::mpsc,
    task::{JoinError, JoinSet},
};

use super::{
    dialer::Dialer,
    door::Door,
    links::Links,
    reach::{Arrival, Arrivals, accept},
    waits::Waits,
};
use crate::{environment, limits};

/// The network of a node.
pub(crate) struct Network {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) door: Door,
    pub(super) links: Links,
    pub(super) dialer: Dialer,
    /// The devices that listeners were told are linked; with how the last link ended, where that
    /// was for a newer one which is not here yet.
    pub(super) shown: BTreeMap<PeerId, Option<Closed>>,
    /// With whom alone to link.
    pub(super) only: Option<BTreeSet<PeerId>>,
    /// The devices that listeners were told to wait for.
    pub(super) waits: Waits,
    /// The workspaces whose host won't let us in.
    pub(super) refused: BTreeSet<WorkspaceId>,
    pub(super) addresses: Vec<SocketAddr>,
    pub(super) sockets: Arc<dyn environment::Network>,
    /// See [`Clock::slept`](crate::clock::Clock::slept), when it was looked at last.
    pub(super) slept: Duration,
    pub(super) look_around: Timestamp,
    /// True if nobody can arrive any more.
    pub(super) deaf: bool,
    pub(super) arrivals: Arrivals,
    arriving: mpsc::Receiver<Arrival>,
    /// The readers of the links, and who waits at the door.
    pub(super) tasks: JoinSet<()>,
    /// Dials and greetings, which end when the node goes offline.
    pub(super) reaching: JoinSet<()>,
}

/// The parts of a network.
pub(super) struct Parts {
    pub(super) me: PeerId,
    pub(super) endpoint: Endpoint,
    pub(super) door: Door,
    pub(super) dialer: Dialer,
    pub(super) only: Option<BTreeSet<PeerId>>,
    pub(super) sockets: Arc<dyn environment::Network>,
    pub(super) now: Timestamp,
    pub(super) slept: Duration,
}

impl Network {
    pub(super) fn start(parts: Parts) -> Self {
        let Parts { me, endpoint, door, dialer, only, sockets, now, slept } = parts;
        let endpoint = Arc::new(endpoint);
        let (arrivals, arriving) = mpsc::channel(limits::ARRIVALS);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(Arc::clone(&endpoint), arrivals.clone()));
        let addresses = own_addresses(endpoint.local_address(), &*sockets);
        Self {
            endpoint,
            door,
            links: Links::new(me),
            dialer,
            shown: BTreeMap::new(),
            only,
            waits: Waits::default(),
            refused: BTreeSet::new(),
            addresses,
            sockets,
            slept,
            look_around: now.after(limits::LOOK_AROUND),
            deaf: false,
            arrivals,
            arriving,
            tasks,
            reaching: JoinSet::new(),
        }
    }

    /// The next thing from outside; meanwhile, tasks that have ended are let go. Cancel-safe.
    pub(super) async fn next(&mut self) -> Arrival {
        loop {
            tokio::select! {
                biased;
                Some(ended) = self.tasks.join_next() => unwound(ended),
                Some(ended) = self.reaching.join_next() => unwound(ended),
                Some(arrival) = self.arriving.recv() => return arrival,
            }
        }
    }

    pub(super) fn try_next(&mut self) -> Option<Arrival> {
        self.arriving.try_recv().ok()
    }

    pub(super) fn may_reach(&self, peer: &PeerId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(peer))
    }
}

/// A panic in a task of the node is one of the node: its link would neither read nor end.
fn unwound(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        resume_unwind(error.into_panic());
    }
}

/// The addresses at which others may reach a socket.
pub(super) fn own_addresses(
    local: SocketAddr,
    sockets: &dyn environment::Network,
) -> Vec<SocketAddr> {
    if !local.ip().is_unspecified() {
        return vec![local];
    }
    let interfaces = sockets.interfaces();
    let (loopback, mut ips): (Vec<_>, Vec<_>) = interfaces
        .into_iter()
        .filter(|ip| local.is_ipv6() || ip.is_ipv4())
        .partition(std::net::IpAddr::is_loopback);
    // A machine without any network still has others on itself.
    if ips.is_empty() {
        ips = loopback;
    }
    ips.truncate(rejoinder_identity::limits::HINT_ADDRESSES);
    ips.into_iter().map(|ip| SocketAddr::new(ip, local.port())).collect()
}

#[cfg(test)]
mod tests {
    use std::{io, net::IpAddr};

    use super::*;

    #[derive(Debug)]
    struct Machine(&'static [&'static str]);

    impl environment::Network for Machine {
        fn bind(&self, _: SocketAddr) -> io::Result<Arc<dyn quinn::AsyncUdpSocket>> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn interfaces(&self) -> Vec<IpAddr> {
            self.0.iter().map(|ip| ip.parse().unwrap()).collect()
        }
    }

    fn check(local: &str, interfaces: &'static [&'static str], expected: &[&str]) {
        let own = own_addresses(local.parse().unwrap(), &Machine(interfaces));
        let expected: Vec<SocketAddr> = expected.iter().map(|one| one.parse().unwrap()).collect();
        assert_eq!(own, expected, "{local}");
    }

    #[test]
    fn loopback_is_an_address_when_it_was_asked_for_or_is_all_there_is() {
        let machine = &["10.0.0.7", "2001:db8::7", "127.0.0.1", "::1"];
        check("[::]:9", machine, &["10.0.0.7:9", "[2001:db8::7]:9"]);
        check("0.0.0.0:9", machine, &["10.0.0.7:9"]);
        check("127.0.0.1:9", machine, &["127.0.0.1:9"]);
        check("0.0.0.0:9", &["127.0.0.1", "::1"], &["127.0.0.1:9"]);
        check("0.0.0.0:9", &[], &[]);
    }
}
