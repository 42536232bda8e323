//! The demo's running account: who did what and when, and the links going down and up.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use rejoinder::{Closed, Home, HomeEvent, PeerId};

/// Prints lines with the time since the start.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    started: Instant,
    names: Arc<Mutex<BTreeMap<PeerId, &'static str>>>,
}

impl Timeline {
    pub(super) fn start() -> Self {
        Self { started: Instant::now(), names: Arc::default() }
    }

    /// Prints what somebody did; without a name, it concerns everybody.
    pub(super) fn say(&self, who: &str, what: &str) {
        let seconds = self.started.elapsed().as_secs_f64();
        let who = if who.is_empty() { "·" } else { who };
        let _nobody_reads = writeln!(io::stderr(), "{seconds:7.3}  {who:<6} {what}");
    }

    /// Prints the links of a home as they change from now on.
    pub(super) fn follow(&self, name: &'static str, home: &Home) -> Result<(), Closed> {
        self.names().insert(home.me(), name);
        let mut events = home.events()?;
        let timeline = self.clone();
        tokio::spawn(async move {
            while let Some(event) = events.next().await {
                timeline.tell(name, &event);
            }
        });
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the steps tell what else happens")]
    fn tell(&self, name: &str, event: &HomeEvent) {
        match event {
            HomeEvent::LinkUp { peer } => {
                self.say(name, &format!("link to {} up", self.name(peer)));
            }
            HomeEvent::LinkDown { peer, closed } => {
                self.say(name, &format!("link to {} down ({closed})", self.name(peer)));
            }
            _ => {}
        }
    }

    fn name(&self, peer: &PeerId) -> String {
        self.names().get(peer).map_or_else(|| peer.short(), |name| (*name).to_owned())
    }

    fn names(&self) -> std::sync::MutexGuard<'_, BTreeMap<PeerId, &'static str>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
