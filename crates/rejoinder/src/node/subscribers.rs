//! Those who are told that something changed: listeners get events, watchers a counter to move.

use std::sync::{Arc, Weak};

use rejoinder_replica::{Event, Replica};
use tokio::sync::mpsc;

use crate::{
    events::{HomeEvent, Listener},
    handle::Topic,
    limits,
    notifier::Notifier,
};

/// Those who are told.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    listeners: Vec<Listener>,
    watchers: Vec<(Topic, Weak<Notifier>)>,
    /// What was found damaged in this run: most of it before anybody could listen.
    damage: Vec<HomeEvent>,
}

impl Subscribers {
    /// A new listener, with what it is told first.
    pub(crate) fn listen(
        &mut self,
        sender: mpsc::Sender<HomeEvent>,
        first: impl IntoIterator<Item = HomeEvent>,
    ) {
        let mut listener = Listener::new(sender);
        if first.into_iter().chain(self.damage.iter().cloned()).all(|event| listener.tell(event)) {
            self.listeners.push(listener);
        }
    }

    pub(crate) fn watch(&mut self, topic: Topic, notifier: Weak<Notifier>) {
        self.watchers.retain(|(_, notifier)| notifier.strong_count() > 0);
        self.watchers.push((topic, notifier));
    }

    /// The replica told something.
    pub(crate) fn event(&mut self, replica: &Replica, event: Event) {
        let kept = is_kept(&event);
        // Nobody pays for the state that nobody reads.
        if (kept || !self.listeners.is_empty())
            && let Some(event) = HomeEvent::told(replica, event.clone())
        {
            if kept && self.damage.len() < limits::DAMAGE_KEPT {
                self.damage.push(event.clone());
            }
            self.tell(event);
        }
        // Whoever waits for a state finds its event told.
        self.bump(|topic| concerns(&event, topic));
    }

    /// The node has something to tell.
    pub(crate) fn tell(&mut self, event: HomeEvent) {
        self.listeners.retain_mut(|listener| listener.tell(event.clone()));
    }

    /// The node tells nothing after this. Watchers look once more, and find it gone.
    pub(crate) fn tell_last(&mut self, event: HomeEvent) {
        for listener in self.listeners.drain(..) {
            listener.tell_last(event.clone());
        }
        self.bump(|_| true);
    }

    pub(crate) fn bump(&self, concerned: impl Fn(&Topic) -> bool) {
        self.watchers
            .iter()
            .filter(|(topic, _)| concerned(topic))
            .filter_map(|(_, notifier)| notifier.upgrade())
            .for_each(|notifier: Arc<Notifier>| notifier.bump());
    }
}

/// Whether those who begin to listen later are to hear of it.
fn is_kept(event: &Event) -> bool {
    match event {
        Event::Damaged { .. } | Event::Salvaged(_) | Event::OwnMissing { .. } | Event::OwnCopy => {
            true
        }
        Event::PeersChanged
        | Event::NotAdmitted { .. }
        | Event::Unreadable { .. }
        | Event::DiskFailing(_)
        | Event::DiskRecovered
        | Event::Joined(_)
        | Event::JoinRefused { .. }
        | Event::JoinWaits { .. }
        | Event::ApprovalNeeded { .. }
        | Event::Member { .. }
        | Event::InSync { .. }
        | Event::Uncarried { .. }
        | Event::Chat(_)
        | Event::Fate { .. }
        | Event::Answer { .. }
        | Event::NotIncluded { .. }
        | Event::Opened { .. }
        | Event::Decided { .. }
        | Event::Ended { .. }
        | Event::Resumed { .. }
        | Event::Void { .. } => false,
    }
}

/// Whether a watcher of that topic may see a difference.
fn concerns(event: &Event, topic: &Topic) -> bool {
    match event {
        Event::PeersChanged
        | Event::NotAdmitted { .. }
        | Event::Unreadable { .. }
        | Event::DiskFailing(_)
        | Event::DiskRecovered
        | Event::JoinWaits { .. }
        | Event::Damaged { .. }
        | Event::Salvaged(_)
        | Event::OwnCopy
        | Event::OwnMissing { .. } => false,
        Event::Joined(workspace) | Event::JoinRefused { workspace, .. } => {
            *topic == Topic::Workspaces || *topic == Topic::Workspace(*workspace)
        }
        Event::ApprovalNeeded { workspace, .. }
        | Event::Member { workspace, .. }
        | Event::InSync { workspace, .. }
        | Event::Uncarried { workspace, .. }
        | Event::Chat(workspace) => *topic == Topic::Workspace(*workspace),
        Event::Fate { workspace, proposal, .. } => {
            *topic == Topic::Workspace(*workspace)
                || *topic == Topic::Proposal(*workspace, *proposal)
        }
        Event::Answer { workspace, opening, .. }
        | Event::NotIncluded { workspace, opening, .. } => {
            *topic == Topic::Workspace(*workspace) || *topic == Topic::Request(*workspace, *opening)
        }
        Event::Opened { workspace, opening }
        | Event::Decided { workspace, opening }
        | Event::Ended { workspace, opening }
        | Event::Resumed { workspace, opening }
        | Event::Void { workspace, opening } => {
            *topic == Topic::Workspace(*workspace)
                || *topic == Topic::Request(*workspace, *opening)
                || *topic == Topic::Status(*workspace, *opening)
        }
    }
}
