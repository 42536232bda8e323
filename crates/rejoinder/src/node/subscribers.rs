//! Those who are told that something changed: listeners get events, watchers a counter to move.

use std::sync::{Arc, Weak};

use rejoinder_replica::{Event, Replica, Subject};
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
    /// Damage that was found in this run, most of it before anybody could listen.
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

/// True if those who begin to listen later are to hear of it.
fn is_kept(event: &Event) -> bool {
    matches!(
        event,
        Event::Damaged { .. } | Event::Salvaged(_) | Event::OwnMissing { .. } | Event::OwnCopy
    )
}

/// True if a watcher of that topic may see a difference. One too many is woken in vain, and that
/// is all: so an event wakes those of its subject, except where no state has it.
fn concerns(event: &Event, topic: &Topic) -> bool {
    if let Event::JoinWaits { .. } | Event::Unreadable { .. } = event {
        return false;
    }
    let subject = event.subject();
    if subject.workspace().is_some_and(|workspace| *topic == Topic::Workspace(workspace)) {
        return true;
    }
    match subject {
        Subject::Home => false,
        Subject::Workspace(_) => *topic == Topic::Workspaces && decides_on_join(event),
        Subject::Request(workspace, opening) => {
            *topic == Topic::Request(workspace, opening)
                || *topic == Topic::Status(workspace, opening) && !is_of_an_answer(event)
        }
        Subject::Proposal(workspace, proposal) => *topic == Topic::Proposal(workspace, proposal),
    }
}

fn decides_on_join(event: &Event) -> bool {
    matches!(event, Event::Joined(_) | Event::JoinRefused { .. })
}

/// True if only the answers of a request have changed.
fn is_of_an_answer(event: &Event) -> bool {
    matches!(event, Event::Answer { .. } | Event::NotIncluded { .. })
}
