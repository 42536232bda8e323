//! A world: peers, the network between them, and those who watch it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rejoinder::{HomeEvent, WorkspaceView};
use tokio::{sync::Notify, time::sleep};

use crate::{
    disk::Disk,
    draws::Draws,
    fault::{Fired, Happening},
    moment::{Moment, Work},
    network::{Link, Network},
    peer::Peer,
    safety::{self, Safety},
    told::Told,
    trace::Trace,
};

/// A world that follows from its seed. [`World::run`] tells a story in it.
#[derive(Debug, Clone)]
pub struct World {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) seed: u64,
    pub(crate) trace: Trace,
    pub(crate) fired: Fired,
    pub(crate) network: Network,
    pub(crate) draws: Mutex<Draws>,
    pub(crate) peers: Mutex<BTreeMap<String, Peer>>,
    safety: Mutex<Safety>,
    pub(crate) told: Mutex<Told>,
    pub(crate) moment: Mutex<Moment>,
    observers: Mutex<Observers>,
    broken: Mutex<Option<String>>,
    breaks: Notify,
    pub(crate) patience: Mutex<Duration>,
    #[cfg(rejoinder_mutants)]
    pub(crate) mutant: Mutex<&'static str>,
}

/// The observers, which hear every event.
#[derive(Default)]
struct Observers(Vec<Observer>);

type Observer = Box<dyn FnMut(&str, &HomeEvent) + Send>;

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} observers", self.0.len())
    }
}

/// The time between two looks at every peer.
const LOOK: Duration = Duration::from_secs(2);
/// The real time that a story may take by default.
const PATIENCE: Duration = Duration::from_secs(120);

impl World {
    /// Returns an empty world, with good links, sound disks and right clocks.
    pub fn new(seed: u64) -> Self {
        let (trace, fired) = (Trace::default(), Fired::default());
        let inner = Inner {
            seed,
            network: Network::new(seed, trace.clone(), fired.clone()),
            trace,
            fired,
            draws: Mutex::new(Draws::new(seed, "world")),
            peers: Mutex::default(),
            safety: Mutex::default(),
            told: Mutex::default(),
            moment: Mutex::default(),
            observers: Mutex::default(),
            broken: Mutex::default(),
            breaks: Notify::new(),
            patience: Mutex::new(PATIENCE),
            #[cfg(rejoinder_mutants)]
            mutant: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Sets the real time that the story may take. Virtual time stands still while a task is busy,
    /// so only real time can end it.
    #[must_use]
    pub fn patience(self, real: Duration) -> Self {
        *lock(&self.inner.patience) = real;
        self
    }

    /// Brings a known fault back: see `rejoinder_identity::mutant`.
    #[cfg(rejoinder_mutants)]
    #[must_use]
    pub fn with_mutant(self, name: &'static str) -> Self {
        *lock(&self.inner.mutant) = name;
        self
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.inner.seed
    }

    /// Returns the virtual time that has passed.
    pub fn elapsed(&self) -> Duration {
        self.inner.trace.elapsed()
    }

    /// Returns a hash of all packets and events so far: the same for the same seed and story.
    pub fn trace_hash(&self) -> u64 {
        self.inner.trace.hash()
    }

    /// Returns the trace so far: a line for each event.
    pub fn trace(&self) -> Vec<String> {
        self.inner.trace.lines()
    }

    /// Returns the number of packets that were sent so far.
    pub fn packets(&self) -> u64 {
        self.inner.trace.packets()
    }

    /// Returns the number of times that each fault, mishap and deed has happened so far.
    pub fn faults(&self) -> BTreeMap<Happening, u64> {
        self.inner.fired.counts()
    }

    /// Returns a new device with that name, whose home is open.
    ///
    /// # Panics
    ///
    /// Panics if there is a peer with that name already.
    pub async fn peer(&self, name: &str) -> Peer {
        let peer = self.add(name, Disk::default());
        peer.start().await.expect("a home can be opened on a sound disk");
        peer
    }

    /// Returns another machine with a copy of a peer's home, in its durable state. The machine is
    /// down.
    ///
    /// # Panics
    ///
    /// Panics if there is a peer with that name already.
    pub fn clone_home(&self, of: &Peer, name: &str) -> Peer {
        self.add(name, of.disk().copy())
    }

    fn add(&self, name: &str, disk: Disk) -> Peer {
        let mut peers = lock(&self.inner.peers);
        let number = u8::try_from(peers.len() + 1).expect("a world has fewer than 256 peers");
        let ip = IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let peer = Peer::new(self.clone(), name, ip, disk);
        let before = peers.insert(name.to_owned(), peer.clone());
        assert!(before.is_none(), "there are two peers named {name}");
        peer
    }

    /// Sets the link of all pairs for which none is set.
    pub fn set_links(&self, link: Link) {
        self.inner.network.set_usual(link);
    }

    /// Sets the link from one peer to another, in that direction.
    pub fn set_link(&self, from: &Peer, to: &Peer, link: Link) {
        self.inner.network.set_link(from.ip(), to.ip(), link);
    }

    /// Adds a line to the trace that says what the story does.
    pub fn note(&self, what: &str) {
        self.inner.trace.event("", "", "", what);
    }

    /// Fails the run, since a promise was broken.
    pub fn fail(&self, why: impl Into<String>) {
        let why = why.into();
        self.inner.trace.event("", "", "", format_args!("BROKEN: {why}"));
        lock(&self.inner.broken).get_or_insert(why);
        self.inner.breaks.notify_one();
    }

    /// Adds an observer. It gets each event of each peer, with the peer's name.
    pub fn observe(&self, observer: impl FnMut(&str, &HomeEvent) + Send + 'static) {
        lock(&self.inner.observers).0.push(Box::new(observer));
    }

    /// Drops the peers and observers. They hold their world, which would otherwise never be freed.
    pub(crate) fn ends(&self) {
        lock(&self.inner.peers).clear();
        lock(&self.inner.observers).0.clear();
    }

    pub(crate) fn broken(&self) -> Option<String> {
        lock(&self.inner.broken).clone()
    }

    pub(crate) async fn breaks(&self) {
        self.inner.breaks.notified().await;
    }

    /// Returns all peers, by name.
    pub fn peers(&self) -> Vec<Peer> {
        lock(&self.inner.peers).values().cloned().collect()
    }

    /// Passes an event on to the observers.
    pub(crate) fn heard(&self, peer: &Peer, event: &HomeEvent) {
        peer.trace(event);
        self.works(peer, Work::Events);
        lock(&self.inner.told).event(peer.name(), event);
        self.check(|safety| safety.event(peer.name(), event));
        for observer in &mut lock(&self.inner.observers).0 {
            observer(peer.name(), event);
        }
    }

    /// Marks the opening of a home: its listeners know nothing yet.
    pub(crate) fn begins(&self, peer: &Peer) {
        lock(&self.inner.told).begin(peer.name());
    }

    pub(crate) fn works(&self, peer: &Peer, work: Work) {
        if let Err(why) = lock(&self.inner.moment).count(peer.name(), work) {
            self.fail(why);
        }
    }

    pub(crate) fn seen(&self, peer: &Peer, view: &WorkspaceView) {
        self.check(|safety| safety.workspace(peer.name(), view));
    }

    /// Looks at every peer again and again: some promises can't be checked from events alone.
    pub(crate) async fn look_around(self) {
        loop {
            sleep(LOOK).await;
            for peer in self.peers() {
                let (Some(life), Some(home)) = (peer.life(), peer.try_home()) else { continue };
                let Some(Ok(workspaces)) = life.within(home.workspaces()).await else { continue };
                if let Some(Ok(backlog)) = life.within(home.backlog()).await {
                    self.check(|_| safety::bounded(peer.name(), &backlog));
                }
                if let Some(Ok(work)) = life.within(home.work()).await {
                    self.check(|_| safety::computed(peer.name(), &work));
                }
                drop(home);
                for workspace in workspaces {
                    let watcher = lock(&self.inner.told).watcher(peer.name(), workspace.id());
                    if let Some(watcher) = watcher {
                        tokio::spawn(watcher.watch(workspace.clone()));
                    }
                    if let Some(Ok(view)) = life.within(workspace.view()).await {
                        self.seen(&peer, &view);
                        let told = lock(&self.inner.told).look(peer.name(), &view);
                        if let Err(why) = told {
                            self.fail(why);
                        }
                    }
                }
            }
        }
    }

    fn check(&self, check: impl FnOnce(&mut Safety) -> Result<(), String>) {
        let checked = check(&mut lock(&self.inner.safety));
        if let Err(why) = checked {
            self.fail(why);
        }
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
