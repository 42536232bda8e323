//! The choice of the request that a command applies to.

use std::time::Duration;

use rejoinder::{Closed, OpeningId, Request, RequestStatus, RequestView, Workspace};
use tokio::time::{Instant, timeout_at};

use crate::limits;

/// The requests of a workspace, and those that commands apply to.
#[derive(Debug)]
pub(super) struct Pick<'a> {
    workspace: &'a Workspace,
    /// The request chosen by `use`.
    used: Option<OpeningId>,
    /// The request answered last, until somebody has waited for its end.
    last: Option<OpeningId>,
}

/// The reason why a command applies to no request.
#[derive(Debug)]
pub(super) enum NotPicked {
    /// No request is open, and none was opened in time.
    NoRequest,
    /// No request is open, and none can be: this device has not been let in.
    NotLetIn,
    /// Several are open. These are their ids.
    Several(Vec<String>),
    /// The home is closed.
    Closed(Closed),
}

impl From<Closed> for NotPicked {
    fn from(closed: Closed) -> Self {
        Self::Closed(closed)
    }
}

impl<'a> Pick<'a> {
    pub(super) fn new(workspace: &'a Workspace) -> Self {
        Self { workspace, used: None, last: None }
    }

    /// Chooses the request with that id from here on: the open one or, if none or several are, the
    /// newest. Waits for one as all commands do.
    pub(super) async fn choose(&mut self, id: &str) -> Result<(), NotPicked> {
        let view = self
            .first(limits::WAIT, |views| {
                let mut same = views.iter().filter(|view| view.id.as_str() == id);
                let newest = same.clone().next_back();
                let found = same.rfind(|view| is_open(view)).or(newest);
                found.map(|view| Ok(view.clone()))
            })
            .await?;
        self.used = Some(view.opening);
        Ok(())
    }

    /// Returns the request to answer. Waits for one to be open.
    pub(super) async fn for_answer(&mut self) -> Result<Request, NotPicked> {
        let used = self.used;
        let view = self.first(limits::WAIT, |views| match used {
            Some(used) => views.iter().find(|view| view.opening == used).cloned().map(Ok),
            None => only_open(views),
        });
        let view = view.await?;
        self.last = Some(view.opening);
        self.request(&view).await
    }

    /// Returns the request to complete. It may have just ended: whoever comes second is then told
    /// who decided.
    pub(super) async fn for_completion(
        &mut self,
        ended: Option<OpeningId>,
    ) -> Result<Request, NotPicked> {
        let used = self.used.or(ended);
        let view = self.first(limits::WAIT, |views| {
            let of_used = || views.iter().find(|view| Some(view.opening) == used).cloned().map(Ok);
            match self.used {
                Some(_) => of_used(),
                None => only_open(views).or_else(of_used),
            }
        });
        let view = view.await?;
        self.last = Some(view.opening);
        self.request(&view).await
    }

    /// Returns the request to show: an open one, or else one that is over.
    pub(super) async fn for_show(&self) -> Result<RequestView, NotPicked> {
        let (used, last) = (self.used, self.last);
        let view = self.first(limits::WAIT, |views| {
            let of = |opening: Option<OpeningId>| {
                views.iter().find(|view| Some(view.opening) == opening)
            };
            let mut open = views.iter().filter(|view| is_open(view));
            let (first, another) = (open.next(), open.next());
            if used.is_none() && another.is_some() {
                return only_open(views);
            }
            of(used).or(first).or_else(|| of(last)).or(views.last()).cloned().map(Ok)
        });
        let view = view.await?;
        let request = self.request(&view).await?;
        Ok(request.read().await.unwrap_or(view))
    }

    async fn request(&self, view: &RequestView) -> Result<Request, NotPicked> {
        let request = self.workspace.request_opened(view.opening).await?;
        request.ok_or(NotPicked::NoRequest)
    }

    /// Waits until a request is open.
    pub(super) async fn open(&self, within: Duration) -> Result<(), NotPicked> {
        let open = |views: &[RequestView]| views.iter().any(is_open).then_some(Ok(()));
        self.first(within, open).await
    }

    /// Waits until the last request answered has ended, or else the open one. With none open, the
    /// newest must have ended.
    pub(super) async fn decided(&mut self, within: Duration) -> Result<(), NotPicked> {
        let mut meant = self.used.or(self.last);
        let mut decided = |views: &[RequestView]| {
            meant = meant.or_else(|| views.iter().find(|view| is_open(view)).map(|it| it.opening));
            let over = match meant {
                // A request that was removed is over too.
                Some(meant) => views.iter().find(|view| view.opening == meant).is_none_or(is_over),
                None => views.last().is_some_and(is_over),
            };
            over.then_some(Ok(()))
        };
        self.first(within, &mut decided).await?;
        self.last = None;
        Ok(())
    }

    /// Waits for the first state in which `look` finds something. The present state counts, however
    /// short the time is.
    async fn first<T>(
        &self,
        within: Duration,
        mut look: impl FnMut(&[RequestView]) -> Option<Result<T, NotPicked>>,
    ) -> Result<T, NotPicked> {
        let deadline = Instant::now() + within;
        let mut states = self.workspace.requests();
        let mut state = states.next().await;
        loop {
            let views = state.ok_or_else(|| states.closed())?;
            if let Some(found) = look(&views) {
                return found;
            }
            match timeout_at(deadline, states.next()).await {
                Ok(next) => state = next,
                Err(_) => return Err(self.none().await?),
            }
        }
    }

    /// Returns the reason why none was found.
    async fn none(&self) -> Result<NotPicked, Closed> {
        let member = self.workspace.view().await?.member;
        Ok(if member { NotPicked::NoRequest } else { NotPicked::NotLetIn })
    }
}

fn only_open(views: &[RequestView]) -> Option<Result<RequestView, NotPicked>> {
    let mut open = views.iter().filter(|view| is_open(view));
    match (open.next(), open.next()) {
        (None, _) => None,
        (Some(view), None) => Some(Ok(view.clone())),
        (Some(_), Some(_)) => {
            let open = views.iter().filter(|view| is_open(view));
            Some(Err(NotPicked::Several(open.map(|view| view.id.to_string()).collect())))
        }
    }
}

fn is_open(view: &RequestView) -> bool {
    view.status == RequestStatus::Open
}

fn is_over(view: &RequestView) -> bool {
    match view.status {
        RequestStatus::Open | RequestStatus::Suspended => false,
        RequestStatus::Decided { .. } | RequestStatus::Ended(_) => true,
    }
}
