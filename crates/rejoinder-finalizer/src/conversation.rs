//! The chat and the session as AHP's reducers make them of the log's actions.
//!
//! Open parts carry no answers here: those are in documents, which this crate does not know.
//! Nothing outside this file calls the reducers.

use ahp::reducers::{ReduceOutcome, apply_action_to_chat, apply_action_to_session};
use ahp_types::{
    actions::{
        ChatTurnCompleteAction, ChatTurnStartedAction, PartialChatSummary,
        SessionChatUpdatedAction, SessionInputNeededRemovedAction, SessionInputNeededSetAction,
        StateAction,
    },
    state::{
        ChatInputRequest, ChatState, ChatSummary, InputRequestResponsePart, ResponsePart,
        SessionChatInputRequest, SessionInputRequest, SessionLifecycle, SessionState,
        SessionStatus, Turn, TurnState,
    },
};
use rejoinder_identity::{OpeningId, Timestamp, TurnId, WorkspaceId};
use serde_json::Value;

/// The bits of a status that tell the activity; the others are marks that people set.
const ACTIVITY: u32 = 0x1f;

/// The one chat of a workspace, in its one session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conversation {
    pub(crate) chat: ChatState,
    pub(crate) session: SessionState,
}

/// The channel of an action: the chat or the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Chat,
    Session,
}

/// The state of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Active,
    Finished { resumable: bool },
    Gone,
}

/// Reads an action. A type that the protocol's crate does not know is an error here: the reducers
/// would ignore it.
pub(crate) fn read_action(json: &str) -> Result<StateAction, String> {
    let action: StateAction = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let StateAction::Unknown(raw) = action else { return Ok(action) };
    Err(match raw.get("type").and_then(Value::as_str) {
        Some(kind) => format!("an action {kind:?} that is unknown or lacks something"),
        None => "an action without a type".to_owned(),
    })
}

impl Conversation {
    pub(crate) fn new(workspace: &WorkspaceId) -> Self {
        let chat = empty_chat(format!("ahp-chat:/{workspace}"));
        let session = empty_session(&chat);
        Self { chat, session }
    }

    /// The session's URI; the chat's is `chat.resource`.
    pub(crate) fn session_uri(workspace: &WorkspaceId) -> String {
        format!("ahp-session:/{workspace}")
    }

    /// The id under which the session mirrors an open request.
    pub(crate) fn mirror_id(chat: &ChatState, opening: &OpeningId) -> String {
        format!("{}#{opening}", chat.resource)
    }

    /// Applies one action by AHP's reducers, and nothing else.
    pub(crate) fn reduce(&mut self, channel: Channel, action: &StateAction) -> ReduceOutcome {
        match channel {
            Channel::Chat => apply_action_to_chat(&mut self.chat, action),
            Channel::Session => apply_action_to_session(&mut self.session, action),
        }
    }

    pub(crate) fn standing(&self, turn: &TurnId) -> Standing {
        let active = self.chat.active_turn.as_ref();
        if active.is_some_and(|active| active.id == turn.0) {
            return Standing::Active;
        }
        match self.chat.turns.iter().rposition(|finished| finished.id == turn.0) {
            None => Standing::Gone,
            Some(index) => {
                let last = active.is_none() && index + 1 == self.chat.turns.len();
                Standing::Finished { resumable: last && failed_resumably(&self.chat.turns[index]) }
            }
        }
    }

    /// Whether a turn failed in a way that lets it be resumed once it is the last.
    pub(crate) fn failed_resumably(&self, turn: &TurnId) -> bool {
        self.chat.turns.iter().rfind(|finished| finished.id == turn.0).is_some_and(failed_resumably)
    }

    /// Whether AHP's reducers will be able to end a turn that starts like this: a start time that
    /// they can't read would leave it active forever.
    pub(crate) fn may_start(&self, start: &ChatTurnStartedAction) -> bool {
        if self.standing(&TurnId(start.turn_id.clone())) != Standing::Gone
            || self.chat.active_turn.is_some()
        {
            return false;
        }
        let mut trial = empty_chat(String::new());
        let turn_id = start.turn_id.clone();
        apply_action_to_chat(&mut trial, &StateAction::ChatTurnStarted(start.clone()));
        let end = ChatTurnCompleteAction { turn_id, duration: 0, meta: None };
        apply_action_to_chat(&mut trial, &StateAction::ChatTurnComplete(end))
            == ReduceOutcome::Applied
    }

    /// The input request at that place of the turn's stream, if it is one.
    pub(crate) fn part(
        &mut self,
        turn: &TurnId,
        index: usize,
    ) -> Option<&mut InputRequestResponsePart> {
        let parts = match &mut self.chat.active_turn {
            Some(active) if active.id == turn.0 => &mut active.response_parts,
            Some(_) | None => {
                let finished =
                    self.chat.turns.iter_mut().rfind(|finished| finished.id == turn.0)?;
                &mut finished.response_parts
            }
        };
        match parts.get_mut(index)? {
            ResponsePart::InputRequest(part) => Some(part),
            ResponsePart::Markdown(_)
            | ResponsePart::ContentRef(_)
            | ResponsePart::ToolCall(_)
            | ResponsePart::Reasoning(_)
            | ResponsePart::SystemNotification(_)
            | ResponsePart::Error(_)
            | ResponsePart::Unknown(_) => None,
        }
    }

    /// Brings the session in line with its chat: AHP's reducers leave that to the host.
    ///
    /// `open` are the requests that wait for people, with the text to mirror.
    pub(crate) fn mirror(&mut self, open: &[(OpeningId, ChatInputRequest)]) {
        self.mirror_requests(open);
        let updated = SessionChatUpdatedAction {
            chat: self.chat.resource.clone(),
            changes: PartialChatSummary {
                title: Some(self.session.title.clone()),
                status: Some(self.chat.status),
                activity: self.chat.activity.clone(),
                modified_at: Some(self.chat.modified_at.clone()),
                ..PartialChatSummary::default()
            },
        };
        self.reduce(Channel::Session, &StateAction::SessionChatUpdated(updated));
        self.chat.title.clone_from(&self.session.title);
        let waits = self.session.input_needed.iter().flatten().any(awaits_people);
        let activity =
            if waits { SessionStatus::InputNeeded.bits() } else { self.chat.status & ACTIVITY };
        self.session.status = self.session.status & !ACTIVITY | activity;
    }

    fn mirror_requests(&mut self, open: &[(OpeningId, ChatInputRequest)]) {
        let wanted: Vec<_> = open
            .iter()
            .map(|(opening, request)| {
                SessionInputRequest::ChatInput(SessionChatInputRequest {
                    id: Self::mirror_id(&self.chat, opening),
                    chat: self.chat.resource.clone(),
                    request: request.clone(),
                })
            })
            .collect();
        let held = self.session.input_needed.clone().unwrap_or_default();
        let over = held.iter().filter_map(|entry| match entry {
            SessionInputRequest::ChatInput(chat) => {
                let kept = wanted.iter().any(|wanted| mirrored_id(wanted) == Some(&chat.id));
                (!kept).then(|| chat.id.clone())
            }
            SessionInputRequest::ToolConfirmation(_)
            | SessionInputRequest::ToolClientExecution(_)
            | SessionInputRequest::ToolAuthentication(_)
            | SessionInputRequest::Unknown(_) => None,
        });
        for id in over {
            let removed = SessionInputNeededRemovedAction { id };
            self.reduce(Channel::Session, &StateAction::SessionInputNeededRemoved(removed));
        }
        for request in wanted.into_iter().filter(|wanted| !held.contains(wanted)) {
            let set = Box::new(SessionInputNeededSetAction { request });
            self.reduce(Channel::Session, &StateAction::SessionInputNeededSet(set));
        }
    }
}

fn failed_resumably(turn: &Turn) -> bool {
    turn.state == TurnState::Error
        && matches!(
            turn.response_parts.last(),
            Some(ResponsePart::Error(error)) if error.resumable == Some(true)
        )
}

fn mirrored_id(entry: &SessionInputRequest) -> Option<&String> {
    match entry {
        SessionInputRequest::ChatInput(chat) => Some(&chat.id),
        SessionInputRequest::ToolConfirmation(_)
        | SessionInputRequest::ToolClientExecution(_)
        | SessionInputRequest::ToolAuthentication(_)
        | SessionInputRequest::Unknown(_) => None,
    }
}

/// A tool that runs at a client waits for a program, not for people.
fn awaits_people(entry: &SessionInputRequest) -> bool {
    !matches!(entry, SessionInputRequest::ToolClientExecution(_))
}

fn empty_chat(resource: String) -> ChatState {
    ChatState {
        resource,
        title: String::new(),
        status: SessionStatus::Idle.bits(),
        activity: None,
        modified_at: Timestamp::default().to_rfc3339(),
        changes: None,
        origin: None,
        movable: None,
        interactivity: None,
        working_directories: None,
        changesets: None,
        background_work: None,
        canvases: None,
        turns: Vec::new(),
        turns_next_cursor: None,
        active_turn: None,
        steering_message: None,
        queued_messages: None,
        draft: None,
        meta: None,
    }
}

fn empty_session(chat: &ChatState) -> SessionState {
    let summary = ChatSummary {
        resource: chat.resource.clone(),
        title: chat.title.clone(),
        status: chat.status,
        activity: None,
        modified_at: chat.modified_at.clone(),
        changes: None,
        origin: None,
        movable: None,
        interactivity: None,
        working_directories: None,
    };
    SessionState {
        provider: "rejoinder".to_owned(),
        title: String::new(),
        status: SessionStatus::Idle.bits(),
        activity: None,
        origin: None,
        project: None,
        working_directories: None,
        annotations: None,
        lifecycle: SessionLifecycle::Ready,
        creation_error: None,
        server_tools: None,
        active_clients: Vec::new(),
        chats: vec![summary],
        default_chat: Some(chat.resource.clone()),
        config: None,
        customizations: None,
        changesets: None,
        input_needed: None,
        meta: None,
    }
}

#[cfg(test)]
mod fixtures;
