//! The state of a workspace: its log, folded.

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{
    ChatInputAnswer, ChatState, ResponsePart, SessionInputRequest, SessionState,
};
use rejoinder_identity::{
    Incarnation, OpeningId, PeerId, ProposalId, QuestionId, RecordId, RequestId, Role, Timestamp,
    TurnId, WorkspaceId,
};

use crate::{
    conversation::{Channel, Conversation},
    refusal::Refusal,
    request::{Request, Status},
};

/// A workspace as its log tells it. The same log gives the same state on every peer.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub(crate) workspace: WorkspaceId,
    pub(crate) epoch: u64,
    pub(crate) host: Option<(PeerId, Incarnation)>,
    pub(crate) members: BTreeMap<PeerId, Member>,
    pub(crate) invites: BTreeMap<PeerId, Invite>,
    pub(crate) conversation: Conversation,
    pub(crate) starts: BTreeMap<TurnId, Timestamp>,
    pub(crate) requests: BTreeMap<OpeningId, Request>,
    pub(crate) order: Vec<OpeningId>,
    /// Requests that may still change: open, or of a turn that failed and can be resumed.
    pub(crate) unsettled: BTreeSet<OpeningId>,
    pub(crate) answered: BTreeMap<ProposalId, Answered>,
}

/// A device that belongs to the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name to show beside it.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The place of the record that says so.
    pub(crate) since: u64,
}

/// A ticket's public half.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invite {
    /// The number of devices that it may bring in.
    pub seats: u16,
    /// The number that it has brought in.
    pub taken: u16,
    /// The time at which the host stops honouring it, by the host's clock.
    pub expires: Timestamp,
    /// The role of those who join.
    pub role: Role,
    /// Whether a person is asked about each of them.
    pub approve: bool,
}

/// The answer to a proposal or a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The one record that answers it.
    pub record: RecordId,
    /// The ruling.
    pub ruling: Ruling,
}

/// The host's ruling on a proposal or a join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It was done.
    Granted,
    /// It decided that request.
    Decided(OpeningId),
    /// The host said no.
    Refused(Refusal),
}

impl State {
    pub(crate) fn new(workspace: WorkspaceId) -> Self {
        Self {
            workspace,
            epoch: 0,
            host: None,
            members: BTreeMap::new(),
            invites: BTreeMap::new(),
            conversation: Conversation::new(&workspace),
            starts: BTreeMap::new(),
            requests: BTreeMap::new(),
            order: Vec::new(),
            unsettled: BTreeSet::new(),
            answered: BTreeMap::new(),
        }
    }

    /// The workspace's name.
    pub fn title(&self) -> &str {
        &self.conversation.session.title
    }

    /// The current epoch, from 1; 0 while the log is empty.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The device whose epoch is current.
    pub fn host(&self) -> Option<PeerId> {
        self.host.map(|(device, _)| device)
    }

    /// The run of the host that the current epoch belongs to.
    pub fn incarnation(&self) -> Option<Incarnation> {
        self.host.map(|(_, incarnation)| incarnation)
    }

    /// Everybody, the host among them.
    pub fn members(&self) -> &BTreeMap<PeerId, Member> {
        &self.members
    }

    /// Every invite ever issued, by its public key.
    pub fn invites(&self) -> &BTreeMap<PeerId, Invite> {
        &self.invites
    }

    /// One request.
    pub fn request(&self, opening: &OpeningId) -> Option<&Request> {
        self.requests.get(opening)
    }

    /// All requests, in the order in which they were opened.
    pub fn requests(&self) -> impl DoubleEndedIterator<Item = &Request> {
        self.order.iter().map(|opening| {
            self.requests.get(opening).expect("an opening in the order is a request")
        })
    }

    /// The open requests, in the order of their parts.
    pub fn open_requests(&self) -> Vec<&Request> {
        let mut open: Vec<_> = self
            .unsettled
            .iter()
            .filter_map(|opening| self.requests.get(opening))
            .filter(|request| request.is_open())
            .collect();
        open.sort_by_key(|request| request.index);
        open
    }

    /// The open request with AHP's id: at most one, as all open requests are of the active turn.
    pub fn open_request(&self, id: &RequestId) -> Option<&Request> {
        self.open_requests().into_iter().find(|request| request.id() == id)
    }

    /// Requests whose turn would open them again if it were resumed.
    pub fn suspended_requests(&self) -> impl Iterator<Item = &Request> {
        self.unsettled
            .iter()
            .filter_map(|opening| self.requests.get(opening))
            .filter(|request| matches!(request.status, Status::Suspended(_)))
    }

    /// The record that answered a proposal or a join, with its ruling.
    pub fn answered(&self, proposal: &ProposalId) -> Option<&Answered> {
        self.answered.get(proposal)
    }

    /// The active turn.
    pub fn active_turn(&self) -> Option<TurnId> {
        self.conversation.chat.active_turn.as_ref().map(|turn| TurnId(turn.id.clone()))
    }

    /// AHP's URI of the chat.
    pub fn chat_uri(&self) -> &str {
        &self.conversation.chat.resource
    }

    /// AHP's URI of the session.
    pub fn session_uri(&self) -> String {
        Conversation::session_uri(&self.workspace)
    }

    pub(crate) fn channel(&self, uri: &str) -> Option<Channel> {
        if uri == self.chat_uri() {
            Some(Channel::Chat)
        } else if uri == self.session_uri() {
            Some(Channel::Session)
        } else {
            None
        }
    }

    /// The chat. Decided and ended parts show what their records embed; open parts have no answers.
    pub fn chat(&self) -> &ChatState {
        &self.conversation.chat
    }

    /// The session. The open requests that it mirrors have no answers.
    pub fn session(&self) -> &SessionState {
        &self.conversation.session
    }

    /// The chat and the session with the answers of the open requests, as the documents have them.
    pub fn shown(
        &self,
        mut answers: impl FnMut(&Request) -> BTreeMap<QuestionId, ChatInputAnswer>,
    ) -> (ChatState, SessionState) {
        let Conversation { mut chat, mut session } = self.conversation.clone();
        for request in self.open_requests() {
            let answers: Vec<_> = answers(request).into_iter().map(|(id, a)| (id.0, a)).collect();
            if answers.is_empty() {
                continue;
            }
            let part = chat
                .active_turn
                .as_mut()
                .and_then(|turn| turn.response_parts.get_mut(request.index));
            if let Some(ResponsePart::InputRequest(part)) = part {
                part.request.answers = Some(answers.iter().cloned().collect());
            }
            let mirrored = Conversation::mirror_id(&self.conversation.chat, &request.opening);
            for entry in session.input_needed.iter_mut().flatten() {
                if let SessionInputRequest::ChatInput(entry) = entry
                    && entry.id == mirrored
                {
                    entry.request.answers = Some(answers.iter().cloned().collect());
                }
            }
        }
        (chat, session)
    }
}
