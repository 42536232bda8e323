//! The simulated network: packets that fly between sockets in virtual time.
//!
//! A link has its own latency, a little jitter, and keeps its packets in order; a rare packet is
//! late. (A new latency for each packet would look like heavy loss to QUIC.) Each packet takes a
//! fixed number of draws, so that a change for one does not shift the others.

mod cuts;
mod link;
mod socket;

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Waker,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

pub use self::link::LinkQuality;
use self::{cuts::Cuts, link::BusyLink, socket::Socket};
pub(crate) use self::{
    cuts::Pairs,
    socket::{Machine, VirtualTime},
};
use crate::{
    draws::Draws,
    fault::{Fired, Mishap},
    trace::Trace,
};

/// All sockets of a world.
#[derive(Debug, Clone)]
pub(crate) struct Network(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    sent: Notify,
}

#[derive(Debug)]
struct State {
    draws: Draws,
    trace: Trace,
    fired: Fired,
    number: u64,
    flying: BTreeMap<(Instant, u64), Packet>,
    /// The sockets by machine, not by address: the machine stays the same, the address may change.
    ports: BTreeMap<(IpAddr, u16), Port>,
    owners: u64,
    /// The addresses of machines that have moved.
    moved: BTreeMap<IpAddr, IpAddr>,
    /// The link between pairs for which none was set.
    usual: LinkQuality,
    wires: BTreeMap<(IpAddr, IpAddr), BusyLink>,
    cuts: Cuts,
    most_in_flight: usize,
}

#[derive(Debug, Clone)]
struct Packet {
    /// The machine of the sender, wherever that is now.
    machine: IpAddr,
    from: SocketAddr,
    to: SocketAddr,
    bytes: Arc<[u8]>,
}

#[derive(Debug, Default)]
struct Port {
    /// The number of the socket's owner. A socket of an older owner is deaf and mute.
    owner: u64,
    arrived: VecDeque<Packet>,
    waker: Option<Waker>,
}

/// The number of packets that can wait for a reader. More are lost, as on a real socket.
const WAITING: usize = 2_000;
/// The largest packet that a link carries.
const LARGEST: usize = 1_500 - 28;

impl Network {
    pub(crate) fn new(seed: u64, trace: Trace, fired: Fired) -> Self {
        let state = State {
            draws: Draws::new(seed, "network"),
            trace,
            fired,
            number: 0,
            flying: BTreeMap::new(),
            ports: BTreeMap::new(),
            owners: 0,
            moved: BTreeMap::new(),
            usual: LinkQuality::default(),
            wires: BTreeMap::new(),
            cuts: Cuts::default(),
            most_in_flight: 0,
        };
        Self(Arc::new(Shared { state: Mutex::new(state), sent: Notify::new() }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Binds a socket on a machine; port 0 is the first free one.
    fn bind(&self, ip: IpAddr, port: u16) -> io::Result<Arc<Socket>> {
        let mut state = self.lock();
        let free = |port: &u16| !state.ports.contains_key(&(ip, *port));
        let port = match port {
            0 => (7000..8000).find(free),
            port => Some(port).filter(free),
        };
        let place = (ip, port.ok_or(io::ErrorKind::AddrInUse)?);
        state.owners += 1;
        let owner = state.owners;
        state.ports.insert(place, Port { owner, ..Port::default() });
        Ok(Arc::new(Socket { network: self.clone(), place, owner }))
    }

    /// Returns the present address of a machine.
    pub(crate) fn address(&self, machine: IpAddr) -> IpAddr {
        self.lock().address(machine)
    }

    /// Gives a machine another address. Its sockets go with it, and packets to the old address
    /// reach nobody.
    pub(crate) fn move_to(&self, machine: IpAddr, address: IpAddr) {
        self.lock().moved.insert(machine, address);
    }

    /// Kills the sockets of a machine at once: its tasks can send nothing more.
    pub(crate) fn kill(&self, ip: IpAddr) {
        self.lock().ports.retain(|(machine, _), _| *machine != ip);
    }

    pub(crate) fn set_usual(&self, link: LinkQuality) {
        self.lock().usual = link;
    }

    pub(crate) fn set_link(&self, from: IpAddr, to: IpAddr, link: LinkQuality) {
        self.lock().wires.insert((from, to), BusyLink::new(link));
    }

    pub(crate) fn cut(&self, name: &str, pairs: Pairs) {
        self.lock().cuts.cut(name, pairs);
    }

    pub(crate) fn mend(&self, name: &str) {
        self.lock().cuts.mend(name);
    }

    pub(crate) fn heal(&self) {
        self.lock().cuts = Cuts::default();
    }

    /// Returns the highest number of packets that were under way at once.
    pub(crate) fn most_in_flight(&self) -> usize {
        self.lock().most_in_flight
    }

    /// Delivers packets when their time has come, for as long as the world lasts.
    pub(crate) async fn fly(self) {
        loop {
            let next = self.lock().flying.keys().next().map(|(at, _)| *at);
            tokio::select! {
                biased;
                () = self.0.sent.notified() => {}
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {
                    self.lock().land();
                }
            }
        }
    }
}

impl State {
    fn address(&self, machine: IpAddr) -> IpAddr {
        self.moved.get(&machine).copied().unwrap_or(machine)
    }

    /// Returns the machine that has this address.
    fn machine(&self, address: IpAddr) -> Option<IpAddr> {
        let moved = self.moved.iter().find(|(_, at)| **at == address);
        let stays = (!self.moved.contains_key(&address)).then_some(address);
        moved.map(|(machine, _)| *machine).or(stays)
    }

    fn send(&mut self, place: (IpAddr, u16), to: SocketAddr, bytes: &[u8]) {
        let from = SocketAddr::new(self.address(place.0), place.1);
        self.trace.packet(from, to, bytes);
        // A packet to an address that nobody has travels on a link of its own.
        let way = (place.0, self.machine(to.ip()).unwrap_or(to.ip()));
        let usual = self.usual;
        let wire = self.wires.entry(way).or_insert_with(|| BusyLink::new(usual));
        let fate = wire.draw(&mut self.draws, Instant::now(), bytes.len());
        if let Some(mishap) = fate.mishap {
            self.fired.count(mishap);
        }
        if self.cuts.cuts(way) {
            return self.fired.count(Mishap::Cut);
        }
        if bytes.len() > LARGEST {
            return;
        }
        let packet = Packet { machine: place.0, from, to, bytes: bytes.into() };
        for at in fate.arrivals.into_iter().flatten() {
            self.number += 1;
            self.flying.insert((at, self.number), packet.clone());
        }
        self.most_in_flight = self.most_in_flight.max(self.flying.len());
    }

    fn land(&mut self) {
        let now = Instant::now();
        while let Some(first) = self.flying.first_entry().filter(|first| first.key().0 <= now) {
            let packet = first.remove();
            let Some(to) = self.machine(packet.to.ip()) else {
                self.fired.count(Mishap::MovedAway);
                continue;
            };
            if self.cuts.cuts((packet.machine, to)) {
                self.fired.count(Mishap::Cut);
                continue;
            }
            let Some(port) = self.ports.get_mut(&(to, packet.to.port())) else { continue };
            if port.arrived.len() < WAITING {
                port.arrived.push_back(packet);
            }
            if let Some(waker) = port.waker.take() {
                waker.wake();
            }
        }
    }
}
