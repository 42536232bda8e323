//! The ground of a world: what its peers stand on and are watched from. It knows no peer but by
//! name.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use rejoinder::{HomeEvent, WorkspaceView};
use tokio::sync::Notify;

use crate::{
    draws::Draws,
    fault::Fired,
    lines,
    lock::lock,
    moment::{Moment, Work},
    network::Network,
    safety::Safety,
    told::Told,
    trace::Trace,
};

/// The real time that a story may take by default.
const PATIENCE: Duration = Duration::from_secs(120);

/// Everything of a world but its peers.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) seed: u64,
    pub(crate) trace: Trace,
    pub(crate) fired: Fired,
    pub(crate) network: Network,
    pub(crate) draws: Mutex<Draws>,
    safety: Mutex<Safety>,
    pub(crate) told: Mutex<Told>,
    moment: Mutex<Moment>,
    observers: Mutex<Observers>,
    broken: Mutex<Option<String>>,
    breaks: Notify,
    pub(crate) patience: Mutex<Duration>,
    #[cfg(rejoinder_mutants)]
    pub(crate) mutant: Mutex<&'static str>,
}

/// Those who hear every event.
#[derive(Default)]
struct Observers(Vec<Observer>);

type Observer = Box<dyn FnMut(&str, &HomeEvent) + Send>;

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} observers", self.0.len())
    }
}

impl Ground {
    pub(crate) fn new(seed: u64) -> Arc<Self> {
        let (trace, fired) = (Trace::default(), Fired::default());
        Arc::new(Self {
            seed,
            network: Network::new(seed, trace.clone(), fired.clone()),
            trace,
            fired,
            draws: Mutex::new(Draws::new(seed, "world")),
            safety: Mutex::default(),
            told: Mutex::default(),
            moment: Mutex::default(),
            observers: Mutex::default(),
            broken: Mutex::default(),
            breaks: Notify::new(),
            patience: Mutex::new(PATIENCE),
            #[cfg(rejoinder_mutants)]
            mutant: Mutex::default(),
        })
    }

    /// Says that a promise was broken: the run fails.
    pub(crate) fn fail(&self, why: impl Into<String>) {
        let why = why.into();
        self.trace.event("", "", "", format_args!("BROKEN: {why}"));
        lock(&self.broken).get_or_insert(why);
        self.breaks.notify_one();
    }

    pub(crate) fn broken(&self) -> Option<String> {
        lock(&self.broken).clone()
    }

    pub(crate) async fn breaks(&self) {
        self.breaks.notified().await;
    }

    pub(crate) fn observe(&self, observer: impl FnMut(&str, &HomeEvent) + Send + 'static) {
        lock(&self.observers).0.push(Box::new(observer));
    }

    pub(crate) fn forget_observers(&self) {
        lock(&self.observers).0.clear();
    }

    /// Notes an event that a peer's listener heard.
    pub(crate) fn heard(&self, peer: &str, event: &HomeEvent) {
        let (link, request, what) = lines::of(event);
        self.trace.event(peer, &link, &request, what);
        self.works(peer, Work::Events);
        lock(&self.told).event(peer, event);
        self.check(|safety| safety.event(peer, event));
        for observer in &mut lock(&self.observers).0 {
            observer(peer, event);
        }
    }

    /// A home was opened: its listeners know nothing yet.
    pub(crate) fn begins(&self, peer: &str) {
        lock(&self.told).begin(peer);
    }

    /// Notes that a peer does something at this moment.
    pub(crate) fn works(&self, peer: &str, work: Work) {
        if let Err(why) = lock(&self.moment).count(peer, work) {
            self.fail(why);
        }
    }

    pub(crate) fn seen(&self, peer: &str, view: &WorkspaceView) {
        self.check(|safety| safety.workspace(peer, view));
    }

    pub(crate) fn check(&self, check: impl FnOnce(&mut Safety) -> Result<(), String>) {
        let checked = check(&mut lock(&self.safety));
        if let Err(why) = checked {
            self.fail(why);
        }
    }
}
