//! The check that every command is answered. While a disk refuses writes, new commands must be told
//! so at once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use rejoinder::{Event, HomeEvent};
use tokio::time::{Instant, timeout};

use super::{Swarm, liveness::REST};
use crate::{lock::lock, peer::Peer};

/// The longest time until a command is refused, if its disk was refusing writes before it came. A
/// read may have to wait for the next attempt, and for the end of a round that stalls: until then
/// nobody knows the result of that round.
const REFUSED_IN: Duration = Duration::from_secs(15);
/// The time between two checks.
const LOOK: Duration = Duration::from_secs(2);

/// The commands that wait for an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    number: u64,
    waiting: BTreeMap<u64, Waiting>,
    /// The time since which each of these peers' disks refuses writes.
    failing: BTreeMap<String, Instant>,
}

#[derive(Debug)]
struct Waiting {
    peer: String,
    what: &'static str,
    since: Instant,
    /// The time since which its disk has been answering.
    served: Instant,
}

/// A command that waits for an answer, until this is dropped.
#[derive(Debug)]
pub(super) struct Call {
    calls: Calls,
    number: u64,
}

impl Drop for Call {
    fn drop(&mut self) {
        lock(&self.calls.0).waiting.remove(&self.number);
    }
}

impl Calls {
    pub(super) fn event(&self, peer: &str, event: &HomeEvent) {
        let mut inner = lock(&self.0);
        if let HomeEvent::Plain(Event::DiskFailing(_)) = event {
            inner.failing.entry(peer.to_owned()).or_insert_with(Instant::now);
        }
        if let HomeEvent::Plain(Event::DiskRecovered) = event {
            inner.failing.remove(peer);
        }
    }

    /// Forgets the disk's state, since the process that knew it has ended.
    pub(super) fn crashed(&self, peer: &str) {
        lock(&self.0).failing.remove(peer);
    }

    /// Notes that somebody at a peer begins a command.
    pub(super) fn begin(&self, peer: &Peer, what: &'static str) -> Call {
        let mut inner = lock(&self.0);
        inner.number += 1;
        let number = inner.number;
        let since = Instant::now();
        let waiting = Waiting { peer: peer.name().to_owned(), what, since, served: since };
        inner.waiting.insert(number, waiting);
        Call { calls: self.clone(), number }
    }

    /// Returns the waiting commands, in words.
    fn waiting(&self) -> Vec<String> {
        let now = Instant::now();
        let inner = lock(&self.0);
        let line = |Waiting { peer, what, since, served: _ }: &Waiting| {
            format!("{peer} {what}, for {:?}", now - *since)
        };
        inner.waiting.values().map(line).collect()
    }

    /// Notes that a peer's disk stalls: a command that waits for it is not answered sooner.
    fn stalls(&self, peer: &Peer) {
        let (now, mut inner) = (Instant::now(), lock(&self.0));
        for call in inner.waiting.values_mut().filter(|call| call.peer == peer.name()) {
            call.served = now;
        }
    }

    /// Returns a command that came after its disk had failed and was not told so.
    fn not_refused(&self) -> Option<String> {
        let (now, inner) = (Instant::now(), lock(&self.0));
        let waits = inner.waiting.values().find(|call| {
            let failing = inner.failing.get(&call.peer);
            failing.is_some_and(|since| *since < call.since) && now - call.served > REFUSED_IN
        });
        waits.map(|Waiting { peer, what, since, served: _ }| {
            format!(
                "{peer} {what}, its disk refuses writes, and nobody has said so for {:?}",
                now - *since
            )
        })
    }
}

impl Swarm {
    /// Watches the waiting commands for as long as things break.
    pub(super) async fn watch_calls(self) {
        while self.pause(LOOK).await {
            for peer in self.0.world.peers().iter().filter(|peer| peer.disk().stalls()) {
                self.0.calls.stalls(peer);
            }
            if let Some(why) = self.0.calls.not_refused() {
                self.0.world.fail(why);
            }
        }
    }

    /// Checks that every command that was begun ends: nothing is broken that an answer would have
    /// to wait for.
    pub(super) async fn all_is_answered(&self) {
        let mut everybody = std::mem::take(&mut *lock(&self.0.everybody));
        let all = async {
            while let Some(ended) = everybody.join_next().await {
                ended.expect("what people do does not panic");
            }
        };
        if timeout(REST, all).await.is_err() {
            panic!(
                "{REST:?} after the heal these wait for an answer: {:?}",
                self.0.calls.waiting()
            );
        }
    }
}
