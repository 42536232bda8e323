//! The trace of a world: a hash over every packet and every event, and one line per event.

use std::{
    fmt::Display,
    hash::{DefaultHasher, Hash, Hasher},
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// The trace of a world.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    start: Option<Instant>,
    /// SipHash with fixed keys, which gives the same hash in every process.
    hasher: DefaultHasher,
    packets: u64,
    lines: Vec<String>,
}

/// The number of trace lines that a failure shows.
const SHOWN: usize = 40;

impl Trace {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts virtual time.
    pub(crate) fn begin(&self) {
        self.lock().start = Some(Instant::now());
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.lock().start.map_or(Duration::ZERO, |start| start.elapsed())
    }

    pub(crate) fn packet(&self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        let at = self.elapsed();
        let mut inner = self.lock();
        inner.packets += 1;
        (at, from, to, bytes).hash(&mut inner.hasher);
    }

    /// Adds an event: the peer that it happened at, the other end of the link, the request, and the
    /// event.
    pub(crate) fn event(&self, peer: &str, link: &str, request: &str, what: impl Display) {
        let at = self.elapsed().as_secs_f64();
        let line = format!("{at:>9.3}  {peer:<8} {link:<8} {request:<8} {what}");
        let mut inner = self.lock();
        line.hash(&mut inner.hasher);
        inner.lines.push(line);
    }

    pub(crate) fn hash(&self) -> u64 {
        self.lock().hasher.finish()
    }

    pub(crate) fn packets(&self) -> u64 {
        self.lock().packets
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lock().lines.clone()
    }

    /// Returns the last lines.
    pub(crate) fn tail(&self) -> Vec<String> {
        let inner = self.lock();
        inner.lines[inner.lines.len().saturating_sub(SHOWN)..].to_vec()
    }
}
