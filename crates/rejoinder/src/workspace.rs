//! A workspace as any member sees it.

use rejoinder_identity::{OpeningId, ProposalId, RequestId, TurnId, WorkspaceId};
use rejoinder_replica::{
    ChatView, Command, Fate, MemberView, ProposalKind, Replica, RequestStatus, RequestView,
    WorkspaceView,
};

use crate::{
    error::{Closed, NotDone},
    handle::{Handle, Topic},
    proposal::Proposal,
    request::Request,
    states::States,
};

/// A workspace of a home.
#[derive(Debug, Clone)]
pub struct Workspace {
    handle: Handle,
    id: WorkspaceId,
}

impl Workspace {
    pub(crate) fn new(handle: Handle, id: WorkspaceId) -> Self {
        Self { handle, id }
    }

    /// Its id.
    pub fn id(&self) -> WorkspaceId {
        self.id
    }

    /// Everything about it.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn view(&self) -> Result<WorkspaceView, Closed> {
        let id = self.id;
        // A workspace stays in its home for as long as that is open.
        self.handle
            .read(move |replica| replica.workspace(&id))
            .await?
            .ok_or_else(|| self.handle.closed())
    }

    /// Everything about it, and how it changes.
    pub fn watch(&self) -> States<WorkspaceView> {
        self.states(move |replica, id| replica.workspace(id))
    }

    /// Its members.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn members(&self) -> Result<Vec<MemberView>, Closed> {
        let id = self.id;
        self.handle.read(move |replica| replica.members(&id)).await
    }

    /// Its requests, open or not, in the order in which they were raised, and how they change.
    pub fn requests(&self) -> States<Vec<RequestView>> {
        self.states(|replica, id| replica.workspace(id).map(|workspace| workspace.requests))
    }

    /// Its chat, with the answers in their parts.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn chat(&self) -> Result<ChatView, Closed> {
        let id = self.id;
        self.handle
            .read(move |replica| replica.chat(&id))
            .await?
            .ok_or_else(|| self.handle.closed())
    }

    /// Its chat, and how it changes.
    pub fn watch_chat(&self) -> States<ChatView> {
        self.states(|replica, id| replica.chat(id))
    }

    fn states<T: Send + 'static>(
        &self,
        read: impl Fn(&Replica, &WorkspaceId) -> Option<T> + Send + Sync + 'static,
    ) -> States<T> {
        let id = self.id;
        States::new(&self.handle, Topic::Workspace(id), move |replica| read(replica, &id))
    }

    /// The request that the agent gave this id; of several, the open one, else the newest.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn request(&self, id: impl Into<RequestId>) -> Result<Option<Request>, Closed> {
        let id = id.into();
        let mut same = self.view().await?.requests;
        same.retain(|request| request.id == id);
        let open = same.iter().position(|request| request.status == RequestStatus::Open);
        let found = open.map(|place| same.swap_remove(place));
        Ok(found.or_else(|| same.pop()).map(|view| self.handle_of(&view)))
    }

    /// That request.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn request_opened(&self, opening: OpeningId) -> Result<Option<Request>, Closed> {
        let id = self.id;
        let view = self.handle.read(move |replica| replica.request(&id, &opening)).await?;
        Ok(view.map(|view| self.handle_of(&view)))
    }

    /// Waits until a request is open; returns the one that has been for longest.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn open_request(&self) -> Result<Request, Closed> {
        let open = |requests: Vec<RequestView>| {
            requests.into_iter().find(|request| request.status == RequestStatus::Open)
        };
        let view = self.requests().find(open).await?;
        Ok(self.handle_of(&view))
    }

    fn handle_of(&self, view: &RequestView) -> Request {
        Request::new(self.handle.clone(), view)
    }

    /// Waits until this device has been let in.
    ///
    /// # Errors
    ///
    /// The home was closed. A host that won't let it in says so by an event,
    /// [`JoinRefused`](crate::Event::JoinRefused); another ticket may work.
    pub async fn joined(&self) -> Result<(), Closed> {
        self.watch().find(|workspace| workspace.member.then_some(())).await
    }

    /// Waits until at least one link is up, all linked members hold the same, and one of them has
    /// everything of this device on its disk.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn synced(&self) -> Result<(), Closed> {
        let id = self.id;
        self.handle.until(move |replica| replica.synced(&id).then_some(())).await
    }

    /// Waits until every linked member has the whole log on its disk.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn delivered(&self) -> Result<(), Closed> {
        let id = self.id;
        self.handle.until(move |replica| replica.delivered(&id).then_some(())).await
    }

    /// Proposes to start a turn with what its user said.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn start_turn(&self, text: impl Into<String>) -> Result<Proposal, NotDone> {
        let reply = self.handle.command(Command::ProposeTurn(self.id, text.into())).await?;
        Ok(Proposal::of_reply(&self.handle, self.id, reply))
    }

    /// Proposes to cancel the active turn.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn cancel_turn(&self, turn: TurnId) -> Result<Proposal, NotDone> {
        self.propose(ProposalKind::CancelTurn { turn }).await
    }

    /// Proposes to resume a turn that failed.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn resume_turn(&self, turn: TurnId) -> Result<Proposal, NotDone> {
        self.propose(ProposalKind::ResumeTurn { turn }).await
    }

    /// Proposes anything to the host. Returns when the proposal is saved.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn propose(&self, kind: ProposalKind) -> Result<Proposal, NotDone> {
        let reply = self.handle.command(Command::Propose(self.id, kind)).await?;
        Ok(Proposal::of_reply(&self.handle, self.id, reply))
    }

    /// The fate of a proposal of this device, if it is known.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn fate(&self, proposal: ProposalId) -> Result<Option<Fate>, Closed> {
        let id = self.id;
        self.handle.read(move |replica| replica.fate(&id, &proposal)).await
    }

    /// The own proposals that wait for the host, as they were saved.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn waiting(&self) -> Result<Vec<Proposal>, Closed> {
        let waiting = self.view().await?.waiting;
        let proposal = |id| Proposal::new(self.handle.clone(), self.id, id);
        Ok(waiting.into_keys().map(proposal).collect())
    }
}
