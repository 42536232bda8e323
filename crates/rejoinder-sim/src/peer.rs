//! A peer: a machine with a disk, a clock and an address, where the engine runs or does not.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    time::Duration,
};

use rejoinder::{
    Events, Home, OpenError, PeerId,
    environment::{DiskDriver, Environment},
};
use tokio::sync::Notify;

use crate::{
    clock::SimClock,
    crypto,
    disk::{Disk, Paced},
    draws::Draws,
    ground::Ground,
    lock::lock,
    network::{Machine, VirtualTime},
};

/// A peer of a world.
#[derive(Clone)]
pub struct Peer(Arc<Inner>);

struct Inner {
    ground: Arc<Ground>,
    name: String,
    ip: IpAddr,
    disk: Disk,
    clock: Arc<SimClock>,
    moves: AtomicU16,
    now: Mutex<Now>,
}

#[derive(Default)]
struct Now {
    /// The number of times that the home has been opened.
    runs: u64,
    running: Option<Running>,
}

/// A process.
struct Running {
    home: Arc<Home>,
    runtime: Arc<VirtualTime>,
    life: Arc<Life>,
}

/// The runtime of a process. Its sockets and tasks end when this is dropped.
struct Ends {
    peer: Peer,
    runtime: Arc<VirtualTime>,
}

impl Drop for Ends {
    fn drop(&mut self) {
        self.peer.0.ground.network.kill(self.peer.ip());
        self.runtime.kill();
    }
}

/// The life of a process, which others can see end.
#[derive(Debug, Default)]
pub(crate) struct Life {
    over: AtomicBool,
    ends: Notify,
}

impl Life {
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
        self.ends.notify_waiters();
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Returns the result of `work`; `None` if the process ends first.
    pub(crate) async fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let ends = self.ends.notified();
        if self.is_over() {
            return None;
        }
        tokio::select! {
            biased;
            () = ends => None,
            done = work => Some(done),
        }
    }
}

impl Peer {
    pub(crate) fn new(ground: Arc<Ground>, name: &str, ip: IpAddr, disk: Disk) -> Self {
        let clock = Arc::new(SimClock::new(ground.trace.clone()));
        let (moves, now) = (AtomicU16::new(0), Mutex::default());
        Self(Arc::new(Inner { ground, name: name.to_owned(), ip, disk, clock, moves, now }))
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub(crate) fn ip(&self) -> IpAddr {
        self.0.ip
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.0.disk
    }

    /// Returns its home, to be used like any other.
    ///
    /// # Panics
    ///
    /// Panics if the peer is down.
    pub fn home(&self) -> Arc<Home> {
        self.try_home().unwrap_or_else(|| panic!("{} is down", self.name()))
    }

    /// Returns its home; `None` while the peer is down.
    pub fn try_home(&self) -> Option<Arc<Home>> {
        lock(&self.0.now).running.as_ref().map(|running| Arc::clone(&running.home))
    }

    /// Returns its device.
    ///
    /// # Panics
    ///
    /// Panics if the peer is down.
    pub fn device(&self) -> PeerId {
        self.home().me()
    }

    pub(crate) fn life(&self) -> Option<Arc<Life>> {
        lock(&self.0.now).running.as_ref().map(|running| Arc::clone(&running.life))
    }

    /// Opens the home, if it isn't open.
    ///
    /// # Errors
    ///
    /// The home could not be opened: see [`OpenError`].
    pub async fn start(&self) -> Result<(), OpenError> {
        let run = {
            let mut now = lock(&self.0.now);
            if now.running.is_some() {
                return Ok(());
            }
            now.runs += 1;
            now.runs
        };
        let runtime = Arc::new(VirtualTime::default());
        let options =
            Home::options().name(self.name()).environment(self.environment(run, &runtime));
        let opened = options.open_at(self.disk().place(self.0.ground.fired.clone())).await;
        let home = match opened {
            Ok(home) => home,
            Err(error) => {
                self.say(format_args!("not opened: {error}"));
                // It may have begun to listen, and the disk may be held for another moment.
                self.0.ground.network.kill(self.ip());
                runtime.kill();
                return Err(error);
            }
        };
        self.say(format_args!("up, run {run}"));
        let life = Arc::new(Life::default());
        self.0.ground.begins(self.name());
        let events = home.events().expect("a home that was just opened is open");
        tokio::spawn(listen(self.clone(), Arc::clone(&life), events));
        let home = Arc::new(home);
        lock(&self.0.now).running = Some(Running { home, runtime, life });
        Ok(())
    }

    fn environment(&self, run: u64, runtime: &Arc<VirtualTime>) -> Environment {
        let ground = &self.0.ground;
        let network = ground.network.clone();
        let purpose = format!("peer {} run {run}", self.name());
        Environment {
            network: Arc::new(Machine { network, ip: self.ip() }),
            runtime: Arc::clone(runtime) as Arc<dyn quinn::Runtime>,
            seed: Draws::new(ground.seed, &purpose).bytes(),
            clock: Arc::clone(&self.0.clock) as Arc<dyn rejoinder::environment::WallClock>,
            crypto: Some(crypto::provider()),
            disk: DiskDriver::Task(Arc::new(Paced {
                disk: self.disk().clone(),
                ground: Arc::clone(ground),
                peer: self.name().to_owned(),
            })),
        }
    }

    /// Kills the process: its sockets first, so that it says no goodbye. Unsynced writes may be
    /// lost or torn.
    pub async fn crash(&self) {
        if self.kill() {
            self.say("crash");
        }
        // Aborted tasks are gone once all others have had a turn.
        tokio::task::yield_now().await;
    }

    pub(crate) fn kill(&self) -> bool {
        let Some(running) = lock(&self.0.now).running.take() else { return false };
        let ground = &self.0.ground;
        ground.network.kill(self.ip());
        self.disk().crash(&mut lock(&ground.draws), &ground.fired);
        running.life.end();
        running.runtime.kill();
        // This aborts the node, unless a story still holds the home.
        drop(running.home);
        true
    }

    /// Closes the home in order. If the future is dropped, a dead process is left.
    pub async fn close(&self) {
        let Some(Running { home, runtime, life }) = lock(&self.0.now).running.take() else {
            return;
        };
        self.say("closes");
        life.end();
        let ends = Ends { peer: self.clone(), runtime };
        tokio::task::yield_now().await;
        // A story may hold the home for another moment: then it ends like a crash that loses
        // nothing.
        if let Ok(home) = Arc::try_unwrap(home) {
            home.close().await;
        }
        drop(ends);
        tokio::task::yield_now().await;
    }

    /// Sets the disk's latency: an operation is done after this time, and a quarter of it later the
    /// engine hears that. A new disk takes no time.
    pub fn set_disk_latency(&self, latency: Duration) {
        self.say(format_args!("the disk takes {latency:?}"));
        self.disk().set_latency(latency);
    }

    /// Makes every write fail because the disk is full, or lets writes succeed again.
    pub fn set_disk_full(&self, full: bool) {
        self.say(if full { "disk full" } else { "disk has room" });
        self.disk().set_full(full);
    }

    /// Makes every read fail, or lets reads succeed again.
    pub fn set_disk_unreadable(&self, unreadable: bool) {
        self.say(if unreadable { "reads fail" } else { "reads work" });
        self.disk().set_unreadable(unreadable);
    }

    /// Makes the next operation of the disk take longer by this time. All later ones wait for it.
    pub fn stall_disk(&self, longer: Duration) {
        self.say(format_args!("the disk stalls for {longer:?}"));
        self.disk().stall(longer);
    }

    /// Makes this many syncs fail.
    pub fn fail_syncs(&self, times: u32) {
        self.say(format_args!("{times} syncs will fail"));
        self.disk().fail_syncs(times);
    }

    /// Makes the process die in the middle of one of its next writes. Call [`crash`](Self::crash)
    /// then.
    pub fn die_in(&self, writes: u32) {
        self.disk().die_in(writes);
    }

    /// True if the process has died in a write.
    pub fn died(&self) -> bool {
        self.disk().died()
    }

    /// Flips a bit of the durable state.
    pub fn flip_bit(&self) {
        self.say("a bit flips");
        self.disk().flip_bit(&mut lock(&self.0.ground.draws));
    }

    /// Takes a snapshot of the durable state. Returns its number.
    pub fn snapshot(&self) -> usize {
        self.disk().snapshot()
    }

    /// Sets the disk of a peer that is down back to a snapshot.
    ///
    /// # Panics
    ///
    /// Panics if the peer is up or there is no such snapshot.
    pub fn restore(&self, snapshot: usize) {
        assert!(self.try_home().is_none(), "{} is up", self.name());
        self.say(format_args!("disk set back to snapshot {snapshot}"));
        self.disk().restore(snapshot);
    }

    /// Moves the machine into another network, where it has another address.
    pub fn move_away(&self) {
        let IpAddr::V4(machine) = self.ip() else { unreachable!("machines have IPv4 addresses") };
        let [.., last] = machine.octets();
        let moves = self.0.moves.fetch_add(1, Ordering::Relaxed) + 1;
        let [high, low] = moves.to_be_bytes();
        self.move_to(IpAddr::V4(Ipv4Addr::new(10, high + 1, low, last)));
    }

    /// Moves the machine back to its first address.
    pub fn move_back(&self) {
        self.move_to(self.ip());
    }

    fn move_to(&self, address: IpAddr) {
        self.say(format_args!("is at {address} now"));
        self.0.ground.network.move_to(self.ip(), address);
    }

    /// Returns the present address of the machine.
    pub fn address(&self) -> IpAddr {
        self.0.ground.network.address(self.ip())
    }

    /// Makes the wall clock jump by this many milliseconds.
    pub fn jump_clock(&self, millis: i64) {
        self.say(format_args!("clock jumps by {} s", millis / 1000));
        self.0.clock.jump(millis);
    }

    pub(crate) fn say(&self, what: impl fmt::Display) {
        self.0.ground.trace.event(self.name(), "", "", what);
    }
}

/// Passes on every event of a home. If the home ends by itself, the node has panicked.
async fn listen(peer: Peer, life: Arc<Life>, mut events: Events) {
    while let Some(event) = events.next().await {
        if life.is_over() {
            return;
        }
        peer.0.ground.heard(peer.name(), &event);
    }
    if !life.is_over() {
        peer.0.ground.fail(format!(
            "the node of {} ended by itself: {}",
            peer.name(),
            events.closed()
        ));
    }
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peer").field("name", &self.name()).field("ip", &self.0.ip).finish()
    }
}
