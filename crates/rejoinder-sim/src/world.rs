//! A world: peers, the network between them, and those who watch it.

use std::{
    collections::BTreeMap,
    net::{IpAddr, Ipv4Addr},
    sync::{Arc, Mutex},
    time::Duration,
};

use rejoinder::HomeEvent;
use tokio::time::sleep;

use crate::{
    disk::Disk, fault::Happening, ground::Ground, lock::lock, network::LinkQuality, peer::Peer,
    safety,
};

/// A world that follows from its seed. [`World::run`] tells a story in it.
#[derive(Debug, Clone)]
pub struct World {
    pub(crate) ground: Arc<Ground>,
    peers: Arc<Mutex<BTreeMap<String, Peer>>>,
}

/// The time between two looks at every peer.
const LOOK: Duration = Duration::from_secs(2);

impl World {
    /// Returns an empty world, with good links, sound disks and right clocks.
    pub fn new(seed: u64) -> Self {
        Self { ground: Ground::new(seed), peers: Arc::default() }
    }

    /// Sets the real time that the story may take. Virtual time stands still while a task is busy,
    /// so only real time can end it.
    #[must_use]
    pub fn patience(self, real: Duration) -> Self {
        *lock(&self.ground.patience) = real;
        self
    }

    /// Brings a known fault back: see `rejoinder_identity::mutant`.
    #[cfg(rejoinder_mutants)]
    #[must_use]
    pub fn with_mutant(self, name: &'static str) -> Self {
        *lock(&self.ground.mutant) = name;
        self
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.ground.seed
    }

    /// Returns the virtual time that has passed.
    pub fn elapsed(&self) -> Duration {
        self.ground.trace.elapsed()
    }

    /// Returns a hash of all packets and events so far: the same for the same seed and story.
    pub fn trace_hash(&self) -> u64 {
        self.ground.trace.hash()
    }

    /// Returns the trace so far: a line for each event.
    pub fn trace(&self) -> Vec<String> {
        self.ground.trace.lines()
    }

    /// Returns the number of packets that were sent so far.
    pub fn packets(&self) -> u64 {
        self.ground.trace.packets()
    }

    /// Returns the number of times that each fault, mishap and deed has happened so far.
    pub fn faults(&self) -> BTreeMap<Happening, u64> {
        self.ground.fired.counts()
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
        let mut peers = lock(&self.peers);
        let number = u8::try_from(peers.len() + 1).expect("a world has fewer than 256 peers");
        let ip = IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let peer = Peer::new(Arc::clone(&self.ground), name, ip, disk);
        let before = peers.insert(name.to_owned(), peer.clone());
        assert!(before.is_none(), "there are two peers named {name}");
        peer
    }

    /// Sets the link of all pairs for which none is set.
    pub fn set_links(&self, link: LinkQuality) {
        self.ground.network.set_usual(link);
    }

    /// Sets the link from one peer to another, in that direction.
    pub fn set_link(&self, from: &Peer, to: &Peer, link: LinkQuality) {
        self.ground.network.set_link(from.ip(), to.ip(), link);
    }

    /// Adds a line to the trace that says what the story does.
    pub fn note(&self, what: &str) {
        self.ground.trace.event("", "", "", what);
    }

    /// Fails the run, since a promise was broken.
    pub fn fail(&self, why: impl Into<String>) {
        self.ground.fail(why);
    }

    /// Adds an observer. It gets each event of each peer, with the peer's name.
    pub fn observe(&self, observer: impl FnMut(&str, &HomeEvent) + Send + 'static) {
        self.ground.observe(observer);
    }

    /// Drops the peers and observers. They hold their world, which would otherwise never be freed.
    pub(crate) fn ends(&self) {
        lock(&self.peers).clear();
        self.ground.forget_observers();
    }

    /// Returns all peers, by name.
    pub fn peers(&self) -> Vec<Peer> {
        lock(&self.peers).values().cloned().collect()
    }

    /// Looks at every peer again and again: some promises can't be checked from events alone.
    pub(crate) async fn look_around(self) {
        loop {
            sleep(LOOK).await;
            for peer in self.peers() {
                let (Some(life), Some(home)) = (peer.life(), peer.try_home()) else { continue };
                let Some(Ok(workspaces)) = life.within(home.workspaces()).await else { continue };
                if let Some(Ok(backlog)) = life.within(home.backlog()).await {
                    self.ground.check(|_| safety::bounded(peer.name(), &backlog));
                }
                if let Some(Ok(work)) = life.within(home.work()).await {
                    self.ground.check(|_| safety::computed(peer.name(), &work));
                }
                drop(home);
                for workspace in workspaces {
                    let watcher = lock(&self.ground.told).watcher(peer.name(), workspace.id());
                    if let Some(watcher) = watcher {
                        tokio::spawn(watcher.watch(workspace.clone()));
                    }
                    if let Some(Ok(view)) = life.within(workspace.view()).await {
                        self.ground.seen(peer.name(), &view);
                        let told = lock(&self.ground.told).look(peer.name(), &view);
                        if let Err(why) = told {
                            self.ground.fail(why);
                        }
                    }
                }
            }
        }
    }
}
