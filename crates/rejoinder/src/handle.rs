//! The way to a running node, for everything in the public API. A handle doesn't keep the node
//! alive: only the [`Home`](crate::Home) does.

use std::{
    fmt,
    net::SocketAddr,
    sync::{Arc, Weak},
};

use rejoinder_identity::{OpeningId, ProposalId, Timestamp, WorkspaceId};
use rejoinder_replica::{Command, Refused, Replica, Reply};
use tokio::sync::{mpsc, oneshot};

use crate::{
    error::{Closed, NotDone},
    events::{Events, HomeEvent},
    fault::Fault,
    links::LinkView,
    notifier::Notifier,
};

/// Calls of the API to the node. Each caller waits for the answer, so this queue is as long as
/// there are callers.
pub(crate) enum Call {
    /// A command, and where its reply goes.
    Command(Box<Command>, oneshot::Sender<Result<Reply, Refused>>),
    /// A look at the replica. The box sends the answer itself.
    Read(Box<dyn FnOnce(&Replica) + Send>),
    /// A look at the replica after each thing that happens, until the box says that it is done.
    Until(Look),
    /// Bump this counter whenever something of that topic changes, until nobody holds it.
    Watch(Topic, Weak<Notifier>),
    /// Send events here.
    Listen(mpsc::Sender<HomeEvent>),
    /// The current time.
    Now(oneshot::Sender<Timestamp>),
    /// The addresses at which this home can be reached.
    Addresses(oneshot::Sender<Vec<SocketAddr>>),
    /// The links.
    Links(oneshot::Sender<Vec<LinkView>>),
    /// Say goodbye on all links and make no new ones.
    Offline(oneshot::Sender<()>),
    /// Make links again.
    Online(oneshot::Sender<()>),
    /// Hand over what is here, say goodbye, write, end.
    Close,
}

/// Looks at the replica; says when it need not look again.
pub(crate) type Look = Box<dyn FnMut(&Replica) -> bool + Send>;

/// The subject of a watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// The list of workspaces.
    Workspaces,
    /// Anything in a workspace.
    Workspace(WorkspaceId),
    /// Anything about a request.
    Request(WorkspaceId, OpeningId),
    /// The status of a request.
    Status(WorkspaceId, OpeningId),
    /// The fate of a proposal of this device.
    Proposal(WorkspaceId, ProposalId),
    /// The links.
    Links,
}

/// The way to a running node.
#[derive(Clone)]
pub(crate) struct Handle {
    calls: mpsc::UnboundedSender<Call>,
    fault: Fault,
}

impl Handle {
    pub(crate) fn new(fault: Fault) -> (Self, mpsc::UnboundedReceiver<Call>) {
        let (calls, called) = mpsc::unbounded_channel();
        (Self { calls, fault }, called)
    }

    /// The reason why the home is closed, if it is.
    pub(crate) fn closed(&self) -> Closed {
        self.fault.closed()
    }

    /// A new feed of events.
    pub(crate) fn events(&self) -> Result<Events, Closed> {
        let (listener, events) = Events::new(self.fault.clone());
        self.call(Call::Listen(listener))?;
        Ok(events)
    }

    pub(crate) async fn command(&self, command: Command) -> Result<Reply, NotDone> {
        let (reply, replied) = oneshot::channel();
        self.call(Call::Command(Box::new(command), reply))?;
        Ok(self.answer(replied).await??)
    }

    /// For commands whose success says nothing more.
    pub(crate) async fn order(&self, command: Command) -> Result<(), NotDone> {
        self.command(command).await.map(drop)
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Replica) -> T + Send + 'static,
    ) -> Result<T, Closed> {
        let (answer, answered) = oneshot::channel();
        self.call(Call::Read(Box::new(move |replica| {
            let _gave_up = answer.send(read(replica));
        })))?;
        self.answer(answered).await
    }

    /// Waits until `look` finds something.
    pub(crate) async fn until<T: Send + 'static>(
        &self,
        mut look: impl FnMut(&Replica) -> Option<T> + Send + 'static,
    ) -> Result<T, Closed> {
        let (answer, answered) = oneshot::channel();
        let mut answer = Some(answer);
        self.call(Call::Until(Box::new(move |replica| {
            if answer.as_ref().is_none_or(oneshot::Sender::is_closed) {
                return true;
            }
            let Some(found) = look(replica) else { return false };
            if let Some(answer) = answer.take() {
                let _gave_up = answer.send(found);
            }
            true
        })))?;
        self.answer(answered).await
    }

    pub(crate) fn watch(&self, topic: Topic) -> Result<Arc<Notifier>, Closed> {
        let notifier = Arc::new(Notifier::default());
        self.call(Call::Watch(topic, Arc::downgrade(&notifier)))?;
        Ok(notifier)
    }

    /// Calls that are answered by the node itself.
    pub(crate) async fn ask<T>(
        &self,
        call: impl FnOnce(oneshot::Sender<T>) -> Call,
    ) -> Result<T, Closed> {
        let (answer, answered) = oneshot::channel();
        self.call(call(answer))?;
        self.answer(answered).await
    }

    pub(crate) fn call(&self, call: Call) -> Result<(), Closed> {
        self.calls.send(call).map_err(|_| self.closed())
    }

    /// The answer of a call. What would have sent it may be gone a moment before the node is, and
    /// the node says why then.
    async fn answer<T>(&self, answered: oneshot::Receiver<T>) -> Result<T, Closed> {
        if let Ok(answer) = answered.await {
            return Ok(answer);
        }
        self.gone().await;
        Err(self.closed())
    }

    /// Waits until the node is gone.
    pub(crate) async fn gone(&self) {
        self.calls.closed().await;
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle").field("open", &!self.calls.is_closed()).finish()
    }
}
