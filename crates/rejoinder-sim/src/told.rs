//! Checks that all changes are reported: to a listener that only folds the events of a home, and to
//! a watcher of a workspace. A check needs two looks in a row with the same view: then both have
//! had enough time to hear of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use rejoinder::{
    Event, Fate, HomeEvent, OpeningId, PeerId, ProposalId, RequestStatus, RequestView, WorkspaceId,
};
use rejoinder::{Workspace, WorkspaceView};
use tokio::time::sleep;

use crate::lock::lock;

/// The time that a watcher pauses after each state: it may miss some, but not the last.
const LOOKS_AWAY: Duration = Duration::from_millis(500);

/// The knowledge of the listeners and watchers at every peer.
#[derive(Debug, Default)]
pub(crate) struct Told(BTreeMap<String, BTreeMap<WorkspaceId, Listener>>);

/// A listener to a workspace, and its watcher, during one run of a home.
#[derive(Debug, Default)]
struct Listener {
    /// The folded events; `None` until the first look, which gives the state at the start, and
    /// after missed events.
    folded: Option<Folded>,
    /// The requests that events of this run have reported with their answers. For the others no
    /// event says when their answers have been read from the disk.
    heard: BTreeSet<OpeningId>,
    in_sync: bool,
    last: Option<Shown>,
    watched: Arc<Mutex<Option<Shown>>>,
    /// A state of the watcher that was out of date at the last look.
    late: Option<Shown>,
    watches: bool,
}

/// The state of a workspace, as events tell it.
#[derive(Debug, Clone, Default)]
struct Folded {
    requests: BTreeMap<OpeningId, Line>,
    members: BTreeSet<PeerId>,
    member: bool,
    uncarried: u64,
    settled: BTreeSet<ProposalId>,
}

/// A view, without the parts that are not reported.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    requests: BTreeMap<OpeningId, Line>,
    more: BTreeMap<OpeningId, String>,
    members: BTreeSet<PeerId>,
    member: bool,
    waiting: BTreeMap<ProposalId, Fate>,
    uncarried: u64,
}

impl Shown {
    fn of(view: &WorkspaceView) -> Self {
        let more = |view: &RequestView| {
            let (passed, late) = (&view.passed_over, &view.not_included);
            let shown = !passed.is_empty() || !late.is_empty();
            shown.then(|| (view.opening, format!("{passed:?} {late:?}")))
        };
        Self {
            requests: view.requests.iter().map(|view| (view.opening, line(view))).collect(),
            more: view.requests.iter().filter_map(more).collect(),
            members: view.members.iter().map(|member| member.device).collect(),
            member: view.member,
            waiting: view.waiting.clone(),
            uncarried: view.uncarried,
        }
    }

    /// Returns a difference from another view, in words.
    fn differs(&self, other: &Self) -> String {
        let Self { requests, more, members, member, waiting, uncarried } = self;
        if let Some(line) = other.requests.iter().find(|(id, line)| requests.get(id) != Some(line))
        {
            return format!("{line:?}, but {:?}", requests.get(line.0));
        }
        if let Some(line) = other.more.iter().find(|(id, line)| more.get(id) != Some(line)) {
            return format!("{line:?}, but {:?}", more.get(line.0));
        }
        if *requests != other.requests || *more != other.more {
            return "a request is no more".to_owned();
        }
        let (here, there) = ((members, member), (&other.members, &other.member));
        let (of, to) = ((waiting, uncarried), (&other.waiting, &other.uncarried));
        format!("{here:?} is {there:?}; waiting and not carried {of:?} is {to:?}")
    }

    fn folded(&self) -> Folded {
        let Self { requests, members, member, uncarried, .. } = self.clone();
        Folded { requests, members, member, uncarried, settled: BTreeSet::new() }
    }
}

/// The parts of a request that a listener must know: its status and its answers.
type Line = (String, String);

fn line(view: &RequestView) -> Line {
    let RequestView { revision, status, projection, .. } = view;
    (format!("revision {revision}, {status:?}"), projection.to_json().to_string())
}

impl Told {
    /// Forgets a peer, since a run of its home begins or ends.
    pub(crate) fn begin(&mut self, peer: &str) {
        self.0.remove(peer);
    }

    pub(crate) fn event(&mut self, peer: &str, event: &HomeEvent) {
        let workspaces = self.0.entry(peer.to_owned()).or_default();
        if matches!(event, HomeEvent::Missed(_)) {
            workspaces.values_mut().for_each(|listener| listener.folded = None);
        }
        let Some(workspace) = event.subject().workspace() else { return };
        let listener = workspaces.entry(workspace).or_default();
        if let HomeEvent::Plain(Event::InSync { yes, .. }) = event {
            listener.in_sync = *yes;
        }
        if let Some(view) = event.request() {
            // The answers of an open request are shown once its document has been read.
            if view.here || view.status != RequestStatus::Open {
                listener.heard.insert(view.opening);
            } else {
                listener.heard.remove(&view.opening);
            }
        }
        if let Some(folded) = &mut listener.folded {
            folded.take(event);
        }
    }

    /// Compares with a new view.
    pub(crate) fn look(&mut self, peer: &str, view: &WorkspaceView) -> Result<(), String> {
        let listeners = self.0.entry(peer.to_owned()).or_default();
        let listener = listeners.entry(view.id).or_default();
        let shown = Shown::of(view);
        let stood = listener.last.as_ref() == Some(&shown);
        listener.last = Some(shown.clone());
        let folded = listener.folded.get_or_insert_with(|| shown.folded());
        if !stood {
            return Ok(());
        }
        for (opening, (_, answers)) in &mut folded.requests {
            if let Some((_, read)) = shown.requests.get(opening)
                && !listener.heard.contains(opening)
            {
                answers.clone_from(read);
            }
        }
        if let Some(why) = folded.differs(&shown) {
            return Err(format!("{peer} was not told by events: {why}"));
        }
        let watched = lock(&listener.watched).clone();
        let Some(watched) = watched.filter(|watched| *watched != shown) else {
            listener.late = None;
            return Ok(());
        };
        // The watcher may be pausing now, after a state that lasted only between two looks.
        let late = listener.late.replace(watched.clone());
        if late.as_ref() == Some(&watched) {
            return Err(format!("{peer}: who watches was not told: {}", watched.differs(&shown)));
        }
        Ok(())
    }

    /// True if events said that a workspace is in sync.
    pub(crate) fn in_sync(&self, peer: &str, workspace: &WorkspaceId) -> bool {
        let listeners = self.0.get(peer);
        listeners.and_then(|of| of.get(workspace)).is_some_and(|listener| listener.in_sync)
    }

    /// Returns a watcher for this run, if there is none yet.
    pub(crate) fn watcher(&mut self, peer: &str, workspace: WorkspaceId) -> Option<Watcher> {
        let listeners = self.0.entry(peer.to_owned()).or_default();
        let listener = listeners.entry(workspace).or_default();
        if std::mem::replace(&mut listener.watches, true) {
            return None;
        }
        Some(Watcher(Arc::clone(&listener.watched)))
    }
}

/// A watcher of a workspace.
pub(crate) struct Watcher(Arc<Mutex<Option<Shown>>>);

impl Watcher {
    /// Watches until the home is closed.
    pub(crate) async fn watch(self, workspace: Workspace) {
        let mut states = workspace.watch();
        while let Some(view) = states.next().await {
            *lock(&self.0) = Some(Shown::of(&view));
            sleep(LOOKS_AWAY).await;
        }
    }
}

impl Folded {
    fn take(&mut self, event: &HomeEvent) {
        if let Some(view) = event.request() {
            self.requests.insert(view.opening, line(view));
        }
        if let HomeEvent::Member { member, .. } = event {
            self.members.insert(member.device);
        }
        let Some(event) = event.event() else { return };
        if let Event::Joined(_) = event {
            self.member = true;
        }
        if let Event::Uncarried { count, .. } = event {
            self.uncarried = *count;
        }
        if let Event::Void { opening, .. } = event {
            self.requests.remove(opening);
        }
        if let Event::Fate { proposal, fate: Fate::Granted | Fate::Refused(_), .. } = event {
            self.settled.insert(*proposal);
        }
    }

    /// Returns a difference from a view, in words. It may know more requests than the view has:
    /// when a turn is removed with its requests, only the event of the chat tells of it.
    fn differs(&self, shown: &Shown) -> Option<String> {
        for (opening, line) in &shown.requests {
            match self.requests.get(opening) {
                None => return Some(format!("request {opening} is there: {line:?}")),
                Some(folded) if folded != line => {
                    return Some(format!("request {opening} was {folded:?}, and is {line:?}"));
                }
                Some(_) => {}
            }
        }
        if self.members != shown.members {
            return Some(format!("the members are {:?}", shown.members));
        }
        if self.member != shown.member {
            return Some("it was let in".to_owned());
        }
        if self.uncarried != shown.uncarried {
            return Some(format!(
                "{} changes are not carried, and it knows of {}",
                shown.uncarried, self.uncarried
            ));
        }
        let settled = self.settled.iter().find(|id| shown.waiting.contains_key(*id));
        settled.map(|id| format!("proposal {id} waits, which was answered"))
    }
}
