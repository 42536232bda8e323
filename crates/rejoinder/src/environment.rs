//! Everything that a node is given from outside, so that production and simulation run the same
//! code: the network, quinn's runtime, randomness, the wall clock, the cryptography, how the disk
//! is driven, and the [`Place`] where the home is kept; and what a simulation measures.
//!
//! A program that opens a home on the real network and disk needs [`Directory`] at most.

use std::{
    fmt, io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use socket2::{Domain, Protocol, Socket, Type};

pub use rejoinder_replica::{Backlog, Work};
pub use rejoinder_storage::Backend;

pub use crate::{
    clock::{SystemClock, WallClock},
    error::Exposure,
    place::{Directory, Place, StoreAt, Taken},
};

/// The source of sockets.
pub trait Network: fmt::Debug + Send + Sync {
    /// Binds a UDP socket.
    ///
    /// # Errors
    ///
    /// As the operating system has them; `AddrInUse` means that another port may work.
    fn bind(&self, address: SocketAddr) -> io::Result<Arc<dyn quinn::AsyncUdpSocket>>;

    /// The addresses of this machine, without ports, as others might reach it.
    fn interfaces(&self) -> Vec<IpAddr>;
}

/// The way in which the disk is driven.
#[derive(Debug, Clone)]
pub enum DiskDriver {
    /// By a thread of its own: a write never holds up the runtime.
    Thread,
    /// By a task of the runtime: for a simulated disk, which takes as long as it is told to.
    Task(Arc<dyn DiskLatency>),
}

/// The latency of a simulated disk. A process may die in either half.
pub trait DiskLatency: fmt::Debug + Send + Sync {
    /// From when something is asked until it is done.
    fn until_done(&self) -> Duration;

    /// From then until whoever asked hears of it.
    fn until_heard(&self) -> Duration;
}

/// Everything that a node is given from outside. It serves one run: the incarnation is drawn from
/// the seed.
#[derive(Debug)]
pub struct Environment {
    /// Sockets.
    pub network: Arc<dyn Network>,
    /// quinn's timers and tasks.
    pub runtime: Arc<dyn quinn::Runtime>,
    /// All randomness of this run, secret keys included. Never to be used for another run.
    pub seed: [u8; 32],
    /// The wall clock.
    pub clock: Arc<dyn WallClock>,
    /// The cryptography below TLS; none is rustls' ring. A simulation that compares packets byte
    /// for byte gives one with seeded randomness.
    pub crypto: Option<Arc<rustls::crypto::CryptoProvider>>,
    /// The way in which the disk is driven.
    pub disk: DiskDriver,
}

impl Environment {
    /// The real one.
    ///
    /// # Panics
    ///
    /// When the operating system has no randomness: without it no key is a secret.
    pub fn real() -> Self {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).expect("the operating system gives randomness");
        Self {
            network: Arc::new(UdpNetwork),
            runtime: Arc::new(quinn::TokioRuntime),
            seed,
            clock: Arc::new(SystemClock),
            crypto: None,
            disk: DiskDriver::Thread,
        }
    }
}

/// The operating system's sockets, on tokio.
#[derive(Debug, Clone, Copy)]
pub struct UdpNetwork;

impl Network for UdpNetwork {
    fn bind(&self, address: SocketAddr) -> io::Result<Arc<dyn quinn::AsyncUdpSocket>> {
        let socket = match bind(address) {
            // A machine without IPv6 has IPv4's "all addresses" still.
            Err(error)
                if address.ip() == Ipv6Addr::UNSPECIFIED
                    && error.kind() != io::ErrorKind::AddrInUse =>
            {
                bind((Ipv4Addr::UNSPECIFIED, address.port()).into())?
            }
            bound => bound?,
        };
        quinn::Runtime::wrap_udp_socket(&quinn::TokioRuntime, socket)
    }

    fn interfaces(&self) -> Vec<IpAddr> {
        let interfaces = if_addrs::get_if_addrs().unwrap_or_else(|error| {
            tracing::warn!(%error, "the interfaces of this machine can't be listed");
            Vec::new()
        });
        let mut addresses: Vec<IpAddr> = interfaces
            .into_iter()
            .filter(|interface| !interface.is_link_local())
            .map(|interface| interface.ip())
            .collect();
        // IPv4 first, as more networks pass it on; always in the same order, so that a change is
        // a change.
        addresses.sort_by_key(|address| (address.is_loopback(), address.is_ipv6(), *address));
        addresses.dedup();
        addresses
    }
}

fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(address.ip() != Ipv6Addr::UNSPECIFIED)?;
    }
    socket.bind(&address.into())?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn all_addresses_are_reached_by_ipv4() {
        let socket = UdpNetwork.bind((Ipv6Addr::UNSPECIFIED, 0).into()).unwrap();
        let port = socket.local_addr().unwrap().port();
        let taken = UdpNetwork.bind((Ipv4Addr::UNSPECIFIED, port).into()).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse, "so IPv4 is ours too");
    }

    #[test]
    fn interfaces_are_listed_loopback_last() {
        let interfaces = UdpNetwork.interfaces();
        assert!(interfaces.is_sorted_by_key(IpAddr::is_loopback), "{interfaces:?}");
        assert!(interfaces.contains(&Ipv4Addr::LOCALHOST.into()), "{interfaces:?}");
    }
}
