//! The request in the form: which one is chosen, and its state.

use rejoinder::{NotDone, OpeningId, Request, RequestStatus, RequestView, States};

use super::{FormOnTerminal, Next};
use crate::{failure::Failure, prompt::Input, shown, view};

/// A request in the list of the workspace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    opening: OpeningId,
    is_open: bool,
}

/// The request that the form shows.
pub(super) struct Shown {
    pub(super) request: Request,
    status: RequestStatus,
    /// The stream of its states; `None` once the request no longer exists.
    states: Option<States<RequestView>>,
}

/// The part of the form's state that may be out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stale {
    Nothing,
    /// The request in the form. An edit outdates no more: reading every request of the workspace
    /// after each key would take longer the more there are.
    Request,
    /// The members, and the list of requests.
    Workspace,
}

impl FormOnTerminal<'_> {
    pub(super) fn is_open(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.status == RequestStatus::Open)
    }

    pub(super) fn outdate(&mut self, stale: Stale) {
        self.stale = self.stale.max(stale);
    }

    /// Reads the members and the list of requests.
    pub(super) async fn look_at_workspace(&mut self) -> Result<(), Failure> {
        let view = self.joined.workspace.view().await?;
        let names = shown::names(self.joined.home.me(), &view.members);
        if names != self.joined.console.names() {
            self.joined.console.set_names(names.clone());
            self.tell(Input::Names(names));
        }
        let listed = |view: &RequestView| Listed {
            opening: view.opening,
            is_open: view.status == RequestStatus::Open,
        };
        self.listed = view.requests.iter().map(listed).collect();
        Ok(())
    }

    /// Shows the form the present state of its request.
    pub(super) async fn show(&mut self) -> Result<Next, Failure> {
        let chosen = self.choose();
        let others = self.listed.iter().filter(|one| one.is_open && Some(one.opening) != chosen);
        let others = others.count();
        self.tell(Input::Others(others));
        let Some(opening) = chosen else {
            if self.shown.is_some() {
                self.tell_typed().await?;
                self.shown = None;
                self.tell(Input::Request(None));
            }
            return Ok(Next::On);
        };
        if self.opening() != Some(opening) && !self.turn_to(opening).await? {
            return Ok(Next::On);
        }
        let Some(shown) = &mut self.shown else { return Ok(Next::On) };
        let view = match shown.request.view().await {
            Ok(view) => view,
            Err(NotDone::Closed(closed)) => return Err(closed.into()),
            // The request no longer exists. The workspace is asked for the others.
            Err(NotDone::Refused(_)) => {
                self.outdate(Stale::Workspace);
                self.listed.retain(|one| one.opening != opening);
                return Ok(Next::On);
            }
        };
        let (status, over) = (view.status.clone(), view::is_over(&view.status));
        let before = std::mem::replace(&mut shown.status, status);
        self.tell(Input::Request(Some(Box::new(view))));
        if over && before == RequestStatus::Open {
            // The next open request, if there is one, comes after the person has seen how this one
            // ended.
            self.outdate(Stale::Workspace);
            if self.joined.join.once {
                return Ok(Next::Done);
            }
        }
        Ok(Next::On)
    }

    /// Chooses the request to show: the open one in the form, or else the next open one. A request
    /// that has ended stays until there is another, and its end is shown first.
    fn choose(&self) -> Option<OpeningId> {
        let shown = self.opening();
        let of_form = self.listed.iter().find(|one| Some(one.opening) == shown);
        if self.is_open() && of_form.is_some() {
            return shown;
        }
        let open = || self.listed.iter().find(|one| one.is_open);
        let chosen = of_form.filter(|one| one.is_open).or_else(open).or(of_form);
        chosen.map(|one| one.opening)
    }

    /// Turns to the next open request after the one in the form; after the last comes the first.
    pub(super) async fn next(&mut self) -> Result<(), Failure> {
        self.look_at_workspace().await?;
        let shown = self.opening();
        let at = self.listed.iter().position(|one| Some(one.opening) == shown);
        let (before, after) = self.listed.split_at(at.map_or(0, |at| at + 1));
        let mut others = after.iter().chain(before);
        let open = |one: &&Listed| one.is_open && Some(one.opening) != shown;
        if let Some(opening) = others.find(open).map(|one| one.opening) {
            self.turn_to(opening).await?;
        }
        Ok(())
    }

    /// Shows another request from here on. What was typed into the one before is saved first.
    async fn turn_to(&mut self, opening: OpeningId) -> Result<bool, Failure> {
        let request = self.joined.workspace.request_opened(opening).await?;
        let Some(request) = request else { return Ok(false) };
        self.tell_typed().await?;
        // The new request may have the id of the last; this keeps the form from treating them as
        // the same.
        self.tell(Input::Request(None));
        self.proposed = None;
        let states = Some(request.watch());
        self.shown = Some(Shown { request, status: RequestStatus::Open, states });
        Ok(true)
    }

    fn opening(&self) -> Option<OpeningId> {
        self.shown.as_ref().map(|shown| shown.request.opening())
    }
}

/// Waits until the request in the form changes; without one, forever. Returns what is out of date
/// then.
pub(super) async fn changed(shown: &mut Option<Shown>) -> Stale {
    let Some(states) = shown.as_mut().and_then(|shown| shown.states.as_mut()) else {
        return std::future::pending().await;
    };
    if states.next().await.is_some() {
        return Stale::Request;
    }
    // The request no longer exists. Its stream would report that again and again.
    shown.iter_mut().for_each(|shown| shown.states = None);
    Stale::Workspace
}
