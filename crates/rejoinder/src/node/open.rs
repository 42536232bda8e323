//! Opens a home: takes it, restores the replica, binds the socket.

use std::{
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use rand_chacha::{ChaCha8Rng, ChaCha20Rng};
use rand_core::{Rng, SeedableRng};
use rejoinder_identity::{Incarnation, PeerId};
use rejoinder_quic::Endpoint;
use rejoinder_replica::{Command, Config, Replica};
use tokio::time::{Instant, sleep};

use super::{
    Node,
    asks::Asks,
    dialer::Dialer,
    disk::{self, Disk},
    door::Door,
    network::{Network, Parts},
    port::Kept,
    subscribers::Subscribers,
};
use crate::{
    clock::Clock,
    environment::{self, DiskDriver, Environment},
    error::OpenError,
    fault::{Fault, caught},
    handle::Handle,
    limits,
    options::Options,
    place::Place,
};

/// A home that was opened.
pub(crate) struct Opened {
    pub(crate) node: Node,
    pub(crate) handle: Handle,
    pub(crate) me: PeerId,
    pub(crate) incarnation: Incarnation,
}

/// Opens a home.
pub(crate) async fn open(options: Options, place: Box<dyn Place>) -> Result<Opened, OpenError> {
    let Options { name, listen, only, environment, keeps_port } = options;
    let Environment { network: sockets, runtime, seed, clock, crypto, disk: driver } =
        environment.unwrap_or_else(Environment::real);
    // Each draw is its own, whatever the others are used for.
    let mut random = ChaCha20Rng::from_seed(seed);
    let (fresh_key, replica_seed, endpoint_seed) =
        (draw(&mut random), draw(&mut random), draw(&mut random));
    let (dialer_seed, incarnation) = (draw(&mut random), Incarnation(draw(&mut random)));

    let incarnation = if rejoinder_identity::mutant!("mutant-actor-kept-across-restarts") {
        Incarnation([7; 16])
    } else {
        incarnation
    };

    let disk::OpenedDisk { disk, key, mut restored } = take(driver, place, fresh_key).await?;
    let kept = Kept::take(&mut restored);
    let kept_port = kept.port().filter(|_| keeps_port);
    let clock = Clock::start(clock);
    // A home that nobody has named is known by its key.
    let first_name = name.clone().unwrap_or_else(|| key.public().short());
    let config = Config { key: key.clone(), incarnation, name: first_name };
    let replica = Replica::new(config, replica_seed, restored).map_err(OpenError::Restore)?;
    let me = replica.me();

    let door = Door::default();
    let socket = bind(&*sockets, listen, kept_port)?;
    let endpoint = Endpoint::new(rejoinder_quic::Config {
        key,
        seed: endpoint_seed,
        socket,
        runtime,
        crypto,
        accepts: {
            let door = door.clone();
            Arc::new(move |peer| door.lets_in(peer))
        },
        time_source: Arc::new(TokenClock(clock.clone())),
    })
    .map_err(|source| OpenError::Listen { address: listen, source })?;
    let port = endpoint.local_address().port();
    if keeps_port && let Some(rows) = kept.keep(port) {
        disk.keep(rows);
    }

    let dialer = Dialer::new(ChaCha8Rng::from_seed(dialer_seed));
    let (now, slept) = (clock.now(), clock.slept());
    let parts = Parts { me, endpoint, door, dialer, only, sockets, now, slept };
    let fault = Fault::default();
    let (handle, calls) = Handle::new(fault.clone());
    let mut node = Node {
        clock,
        replica,
        disk,
        network: Network::start(parts),
        subscribers: Subscribers::default(),
        asks: Asks::default(),
        calls,
        replies: std::collections::BTreeMap::new(),
        next_command: 0,
        looks: Vec::new(),
        closing: None,
        fault,
    };
    if let Some(name) = name.filter(|name| name != node.replica.name()) {
        node.command(Command::Name(name));
    }
    node.command(Command::Addresses(node.network.addresses.clone()));
    node.update_targets();
    caught(node.read_first()).await.map_err(OpenError::Failed)?;
    Ok(Opened { node, handle, me, incarnation })
}

impl Node {
    /// Reads what the replica wants to have in memory from the start, so that what is shown first
    /// is whole.
    async fn read_first(&mut self) {
        self.perform_all();
        while self.disk.is_reading()
            && let Some(answer) = self.disk.answered().await
        {
            self.disk_answered(answer);
            self.perform_all();
        }
    }
}

fn draw<const N: usize>(random: &mut ChaCha20Rng) -> [u8; N] {
    let mut bytes = [0; N];
    random.fill_bytes(&mut bytes);
    bytes
}

/// A home that this very process has dropped is free once its last write has ended.
async fn take(
    driver: DiskDriver,
    mut place: Box<dyn Place>,
    fresh_key: [u8; 32],
) -> Result<disk::OpenedDisk, OpenError> {
    let give_up = Instant::now() + limits::STILL_CLOSING;
    loop {
        match Disk::open(driver.clone(), place, fresh_key).await {
            Err((OpenError::InUse { pid: Some(pid), .. }, Some(again)))
                if pid == std::process::id() && Instant::now() < give_up =>
            {
                place = again;
                sleep(limits::STILL_CLOSING_LOOK).await;
            }
            opened => return opened.map_err(|(error, _)| error),
        }
    }
}

fn bind(
    sockets: &dyn environment::Network,
    listen: SocketAddr,
    kept_port: Option<u16>,
) -> Result<Arc<dyn quinn::AsyncUdpSocket>, OpenError> {
    let kept = kept_port.filter(|_| listen.port() == 0);
    let wanted = SocketAddr::new(listen.ip(), kept.unwrap_or(listen.port()));
    let bound = match sockets.bind(wanted) {
        Err(error) if kept.is_some() && error.kind() == io::ErrorKind::AddrInUse => {
            tracing::warn!(port = wanted.port(), "this home's port is taken; another one is used");
            sockets.bind(listen)
        }
        bound => bound,
    };
    bound.map_err(|source| OpenError::Listen { address: wanted, source })
}

/// quinn dates the tokens with which an address is proven.
struct TokenClock(Clock);

impl quinn::TimeSource for TokenClock {
    fn now(&self) -> SystemTime {
        let millis = u64::try_from(self.0.now().as_millis()).unwrap_or(0);
        SystemTime::UNIX_EPOCH + Duration::from_millis(millis)
    }
}
