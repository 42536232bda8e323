//! A workspace for the program that hosts it: it starts turns, asks, and lets people in.

use std::{collections::BTreeMap, time::Duration};

use ahp_types::state::ChatInputRequest;
use rejoinder_identity::{
    Hint, OpeningId, PeerId, QuestionId, RequestId, Role, Ticket, TurnId, WorkspaceId,
};
use rejoinder_replica::{Command, HostAct, Refused, Reply, Rules};

use crate::{
    asked::Asked,
    error::{Closed, NotDone},
    handle::{Call, Handle},
    request::Request,
    workspace::Workspace,
};

/// A workspace that this device hosts.
#[derive(Debug, Clone)]
pub struct Host {
    handle: Handle,
    me: PeerId,
    workspace: Workspace,
}

/// The terms of an invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invite {
    /// The number of devices that it may bring in.
    pub seats: u16,
    /// For how long it is good.
    pub valid_for: Duration,
    /// The role of those who come in.
    pub role: Role,
    /// True if a person must let each of them in: see [`Host::approve`].
    pub approve: bool,
}

impl Default for Invite {
    /// One device, within a quarter of an hour.
    fn default() -> Self {
        let valid_for = Duration::from_secs(15 * 60);
        Self { seats: 1, valid_for, role: Role::Collaborator, approve: false }
    }
}

impl Host {
    pub(crate) fn new(handle: Handle, me: PeerId, workspace: WorkspaceId) -> Self {
        let workspace = Workspace::new(handle.clone(), workspace);
        Self { handle, me, workspace }
    }

    /// The workspace as any member sees it.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    async fn act(&self, act: HostAct) -> Result<Reply, NotDone> {
        self.handle.command(Command::HostAct(self.workspace.id(), act)).await
    }

    /// Issues an invite and makes a ticket of it, with this device's addresses in it and those of
    /// two other members.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn ticket(&self, invite: Invite) -> Result<Ticket, NotDone> {
        let Invite { seats, valid_for, role, approve } = invite;
        let expires = self.handle.ask(Call::Now).await?.after(valid_for);
        let invite = HostAct::Invite { seats, expires, role, approve };
        let Reply::Invited(mut ticket) = self.act(invite).await? else {
            unreachable!("a ticket is the reply to an invite");
        };
        ticket.hints = self.hints().await?;
        Ok(*ticket)
    }

    /// Linked members first: those can be reached by somebody at least.
    async fn hints(&self) -> Result<Vec<Hint>, Closed> {
        let own = Hint { device: self.me, addresses: self.handle.ask(Call::Addresses).await? };
        let linked = self.handle.ask(Call::Links).await?;
        let members = self.workspace.members().await?;
        let peers = self.handle.read(|replica| replica.peers()).await?;
        let mut others: Vec<_> = peers
            .into_iter()
            .filter(|(peer, addresses)| {
                !addresses.is_empty() && members.iter().any(|member| member.device == *peer)
            })
            .map(|(device, mut addresses)| {
                addresses.truncate(rejoinder_identity::limits::HINT_ADDRESSES);
                Hint { device, addresses }
            })
            .collect();
        others.sort_by_key(|hint| !linked.iter().any(|link| link.peer == hint.device));
        let hints = std::iter::once(own).chain(others);
        Ok(hints.take(rejoinder_identity::limits::HINTS).collect())
    }

    /// Lets in a device that waits for a person's approval, or doesn't.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn approve(&self, device: PeerId, yes: bool) -> Result<(), NotDone> {
        self.act(HostAct::Approve { device, yes }).await.map(drop)
    }

    /// Starts a turn with what its user said.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn start_turn(&self, text: impl Into<String>) -> Result<Turn, NotDone> {
        let Reply::Turn(id) = self.act(HostAct::StartTurn { text: text.into() }).await? else {
            unreachable!("a turn is the reply to its start");
        };
        Ok(self.turn(id))
    }

    /// The turn of that id.
    pub fn turn(&self, id: TurnId) -> Turn {
        Turn { host: self.clone(), id }
    }

    /// The active turn.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn active_turn(&self) -> Result<Option<Turn>, Closed> {
        let chat = self.workspace.chat().await?.chat;
        Ok(chat.active_turn.map(|turn| self.turn(turn.id.into())))
    }

    /// Finds a request of that id whose outcome was not taken yet, after a restart for example,
    /// and takes it up: this program waits for its outcome again, or has it at once. What became of
    /// its turn meanwhile, and of the requests it shares that with, makes no difference.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn asked(&self, id: impl Into<RequestId>) -> Result<Option<Asked>, NotDone> {
        let id = id.into();
        let untold = self.untold().await?;
        let requests = self.workspace.view().await?.requests;
        let found =
            requests.into_iter().rfind(|view| view.id == id && untold.contains(&view.opening));
        let Some(view) = found else { return Ok(None) };
        match self.act(HostAct::TakeUp(view.opening)).await {
            Ok(_) | Err(NotDone::Refused(Refused::NotOpen)) => {}
            Err(other) => return Err(other),
        }
        Ok(Some(Asked::new(Request::new(self.handle.clone(), &view))))
    }

    /// The requests whose outcomes were not taken yet.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn untold(&self) -> Result<Vec<OpeningId>, Closed> {
        let workspace = self.workspace.id();
        self.handle.read(move |replica| replica.untold(&workspace)).await
    }

    /// Notes that the program has what became of a request: see
    /// [`Told::taken`](crate::Told::taken).
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn handed_over(&self, opening: OpeningId) -> Result<(), NotDone> {
        let workspace = self.workspace.id();
        self.handle.order(Command::HandedOver { workspace, opening }).await
    }

    async fn ask(
        &self,
        request: ChatInputRequest,
        rules: BTreeMap<QuestionId, Rules>,
        strict: bool,
    ) -> Result<Asked, NotDone> {
        let ask = HostAct::Ask { request: Box::new(request), rules, strict };
        let Reply::Asked(opening) = self.act(ask).await? else {
            unreachable!("a request is the reply to an ask");
        };
        let request = self.workspace.request_opened(opening).await?;
        let request = request.ok_or(Refused::NoRequest)?;
        Ok(Asked::new(request))
    }

    /// Ends a request's turn because the time that was set for an answer is over.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn expire(&self, opening: OpeningId) -> Result<(), NotDone> {
        self.act(HostAct::Expire(opening)).await.map(drop)
    }

    /// Takes up a turn that failed.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn resume(&self, turn: TurnId) -> Result<(), NotDone> {
        self.act(HostAct::ResumeTurn(turn)).await.map(drop)
    }

    /// Removes what follows a turn; all turns if there is none.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn truncate(&self, turn: Option<TurnId>) -> Result<(), NotDone> {
        self.act(HostAct::Truncate(turn)).await.map(drop)
    }
}

/// A turn of a workspace that this device hosts.
#[derive(Debug, Clone)]
pub struct Turn {
    host: Host,
    id: TurnId,
}

impl Turn {
    /// Its id.
    pub fn id(&self) -> &TurnId {
        &self.id
    }

    /// Asks the members something. The same id again, while it is open, asks its next revision.
    /// Returns when the request is on this disk.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn ask(&self, request: ChatInputRequest) -> Result<Asked, NotDone> {
        self.host.ask(request, BTreeMap::new(), false).await
    }

    /// As [`ask`](Self::ask), with rules for the answers for which AHP has no word. An accept with
    /// an answer that breaks one is refused, as with any other rule.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn ask_keeping(
        &self,
        request: ChatInputRequest,
        rules: BTreeMap<QuestionId, Rules>,
    ) -> Result<Asked, NotDone> {
        self.host.ask(request, rules, false).await
    }

    /// As [`ask`](Self::ask); an accept that would displace an answer that its author had not seen
    /// is refused.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn ask_strictly(&self, request: ChatInputRequest) -> Result<Asked, NotDone> {
        self.host.ask(request, BTreeMap::new(), true).await
    }

    /// Shows Markdown in the turn.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn say(&self, text: impl Into<String>) -> Result<(), NotDone> {
        self.host.act(HostAct::Say { text: text.into() }).await.map(drop)
    }

    /// The turn is done. Requests that are open in it end without a response.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn complete(self) -> Result<(), NotDone> {
        self.host.act(HostAct::CompleteTurn(self.id.clone())).await.map(drop)
    }

    /// The turn is over without being done.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn cancel(self) -> Result<(), NotDone> {
        self.host.act(HostAct::CancelTurn(self.id.clone())).await.map(drop)
    }

    /// The turn failed. If it may be resumed, its open requests are suspended.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn fail(
        self,
        error_type: impl Into<String>,
        message: impl Into<String>,
        resumable: bool,
    ) -> Result<(), NotDone> {
        let (error_type, message) = (error_type.into(), message.into());
        let turn = self.id.clone();
        self.host.act(HostAct::FailTurn { turn, error_type, message, resumable }).await.map(drop)
    }
}
