//! A network in memory and virtual time, just large enough for the tests of this crate.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    io::{self, IoSliceMut},
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll, Waker},
    time::Duration,
};

use quinn::{
    AsyncTimer, AsyncUdpSocket, Runtime, UdpPoller,
    udp::{RecvMeta, Transmit},
};
use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// One packet as it was sent: when, from, to, how long.
pub(crate) type Sent = (Duration, SocketAddr, SocketAddr, usize);

/// All sockets that can reach each other.
#[derive(Debug, Clone)]
pub(crate) struct Net(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    flying: Notify,
}

#[derive(Debug)]
struct State {
    start: Instant,
    rng: ChaCha8Rng,
    /// Lost in a thousand.
    loss: u32,
    flying: BTreeMap<(Instant, u64), Packet>,
    sent: Vec<Sent>,
    ports: BTreeMap<SocketAddr, Port>,
    /// Nothing reaches these.
    deaf: BTreeSet<SocketAddr>,
}

#[derive(Debug)]
struct Packet {
    from: SocketAddr,
    to: SocketAddr,
    bytes: Vec<u8>,
}

#[derive(Debug, Default)]
struct Port {
    /// The owner of this socket: one that was bound before is cut off.
    owner: u64,
    arrived: VecDeque<Packet>,
    waker: Option<Waker>,
}

impl Net {
    /// A network without packets; it ends with the runtime that it was made on.
    pub(crate) fn new(seed: u64, loss: u32) -> Self {
        let state = State {
            start: Instant::now(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            loss,
            flying: BTreeMap::new(),
            sent: Vec::new(),
            ports: BTreeMap::new(),
            deaf: BTreeSet::new(),
        };
        let net = Self(Arc::new(Shared { state: Mutex::new(state), flying: Notify::new() }));
        tokio::spawn(net.clone().fly());
        net
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap()
    }

    pub(crate) fn bind(&self, address: &str) -> Arc<Socket> {
        let address = address.parse().unwrap();
        let mut state = self.lock();
        let owner = state.ports.get(&address).map_or(0, |port| port.owner + 1);
        state.ports.insert(address, Port { owner, ..Port::default() });
        Arc::new(Socket { net: self.clone(), address, owner })
    }

    pub(crate) fn set_deaf(&self, address: SocketAddr, deaf: bool) {
        let mut state = self.lock();
        if deaf {
            state.deaf.insert(address)
        } else {
            state.deaf.remove(&address)
        };
    }

    pub(crate) fn sent(&self) -> Vec<Sent> {
        self.lock().sent.clone()
    }

    async fn fly(self) {
        loop {
            let next = self.lock().flying.keys().next().map(|(at, _)| *at);
            tokio::select! {
                biased;
                () = self.0.flying.notified() => {}
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => self.land(),
            }
        }
    }

    fn land(&self) {
        let mut state = self.lock();
        let now = Instant::now();
        while let Some(first) = state.flying.first_entry().filter(|first| first.key().0 <= now) {
            let packet = first.remove();
            if state.deaf.contains(&packet.to) {
                continue;
            }
            if let Some(port) = state.ports.get_mut(&packet.to) {
                port.arrived.push_back(packet);
                if let Some(waker) = port.waker.take() {
                    waker.wake();
                }
            }
        }
    }
}

impl State {
    fn send(&mut self, packet: Packet) {
        let now = Instant::now();
        self.sent.push((now - self.start, packet.from, packet.to, packet.bytes.len()));
        let (lost, jitter) = (self.rng.next_u32() % 1000, self.rng.next_u32() % 3);
        if lost < self.loss {
            return;
        }
        let at = now + Duration::from_millis(20 + u64::from(jitter));
        let number = self.sent.len() as u64;
        self.flying.insert((at, number), packet);
    }
}

/// A socket on it.
#[derive(Debug)]
pub(crate) struct Socket {
    net: Net,
    address: SocketAddr,
    owner: u64,
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(AlwaysReady)
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let mut state = self.net.lock();
        if state.ports[&self.address].owner != self.owner {
            return Ok(());
        }
        let size = transmit.segment_size.unwrap_or(transmit.contents.len());
        for bytes in transmit.contents.chunks(size) {
            let (from, to) = (self.address, transmit.destination);
            state.send(Packet { from, to, bytes: bytes.to_vec() });
        }
        self.net.0.flying.notify_one();
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.net.lock();
        let port = state.ports.get_mut(&self.address).unwrap();
        if port.owner != self.owner {
            return Poll::Pending;
        }
        let Some(packet) = port.arrived.pop_front() else {
            port.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        let len = packet.bytes.len();
        bufs[0][..len].copy_from_slice(&packet.bytes);
        meta[0] = RecvMeta { addr: packet.from, len, stride: len, ..RecvMeta::default() };
        Poll::Ready(Ok(1))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

#[derive(Debug)]
struct AlwaysReady;

impl UdpPoller for AlwaysReady {
    fn poll_writable(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Runs quinn on tokio's clock.
#[derive(Debug)]
pub(crate) struct VirtualTime;

impl Runtime for VirtualTime {
    fn new_timer(&self, at: std::time::Instant) -> Pin<Box<dyn AsyncTimer>> {
        Box::pin(sleep_until(at.into()))
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        tokio::spawn(future);
    }

    fn wrap_udp_socket(&self, _: std::net::UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}
