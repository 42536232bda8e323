//! AHP actions that a member may have published as they are: pending messages, marks, the title.

use ahp::reducers::ReduceOutcome;
use ahp_types::{actions::StateAction, state::MessageKind};

use super::{OnBehalf, turn::parsed};
use crate::{
    conversation::read_action,
    record::{Body, Published},
    refusal::{BadCall, HostCannot, Refusal},
    state::State,
};

/// The one who may have an action published.
enum Sayer {
    Member,
    /// A member, by a proposal of another kind.
    Otherwise,
    /// AHP lets clients send it, but this host does not do it.
    Nobody,
    Host,
}

pub(super) fn publish(
    state: &State,
    channel: &str,
    json: &str,
    on_behalf: OnBehalf,
) -> Result<Body, Refusal> {
    let said = Said::read(json)?;
    match sayer(&said.action) {
        Sayer::Member => {}
        Sayer::Otherwise => {
            return Err(Refusal::Host(HostCannot::Unsupported {
                what: format!("{:?} as a plain action: it has a proposal of its own", said.kind),
            }));
        }
        Sayer::Nobody => {
            return Err(Refusal::Host(HostCannot::Unsupported {
                what: format!("{:?}", said.kind),
            }));
        }
        Sayer::Host => return Err(Refusal::Caller(BadCall::HostOnly { action: said.kind })),
    }
    if let StateAction::ChatPendingMessageSet(set) = &said.action
        && set.message.origin.kind != MessageKind::User
    {
        return Err(Refusal::Caller(BadCall::OriginNotUser));
    }
    said.publish(state, channel, on_behalf)
}

/// An action as it came.
pub(super) struct Said<'a> {
    json: &'a str,
    pub(super) kind: String,
    pub(super) action: StateAction,
}

impl<'a> Said<'a> {
    pub(super) fn read(json: &'a str) -> Result<Self, Refusal> {
        let kind = parsed("the action", json)?["type"].as_str().unwrap_or_default().to_owned();
        let action =
            read_action(json).map_err(|why| Refusal::Caller(BadCall::Malformed { why }))?;
        Ok(Self { json, kind, action })
    }

    /// Publishes it if AHP's reducers find something to do.
    pub(super) fn publish(
        self,
        state: &State,
        channel: &str,
        on_behalf: OnBehalf,
    ) -> Result<Body, Refusal> {
        let Some(target) = state.channel(channel) else {
            return Err(Refusal::Caller(BadCall::NoSuchChannel { channel: channel.to_owned() }));
        };
        let mut trial = state.conversation.clone();
        match trial.reduce(target, &self.action) {
            ReduceOutcome::Applied => Ok(Body::Published(Published {
                channel: channel.to_owned(),
                action: self.json.to_owned(),
                origin: on_behalf.origin,
                grants: on_behalf.grants,
            })),
            ReduceOutcome::NoOp | ReduceOutcome::OutOfScope => {
                Err(Refusal::Caller(BadCall::NoEffect { action: self.kind }))
            }
            ReduceOutcome::Invalid(error) => {
                Err(Refusal::Caller(BadCall::Malformed { why: error.to_string() }))
            }
        }
    }
}

fn sayer(action: &StateAction) -> Sayer {
    #[expect(clippy::wildcard_enum_match_arm, reason = "what AHP adds is the host's until decided")]
    match action {
        StateAction::ChatPendingMessageSet(_)
        | StateAction::ChatPendingMessageRemoved(_)
        | StateAction::ChatQueuedMessagesReordered(_)
        | StateAction::ChatDraftChanged(_)
        | StateAction::ChatIsReadChanged(_)
        | StateAction::ChatIsArchivedChanged(_)
        | StateAction::SessionTitleChanged(_)
        | StateAction::SessionIsReadChanged(_)
        | StateAction::SessionIsArchivedChanged(_) => Sayer::Member,
        StateAction::ChatTurnStarted(_)
        | StateAction::ChatTurnCancelled(_)
        | StateAction::ChatTurnResume(_)
        | StateAction::ChatTruncated(_)
        | StateAction::ChatInputCompleted(_)
        | StateAction::ChatInputAnswerChanged(_) => Sayer::Otherwise,
        StateAction::ChatToolCallConfirmed(_)
        | StateAction::ChatToolCallResultConfirmed(_)
        | StateAction::ChatToolCallComplete(_)
        | StateAction::ChatToolCallContentChanged(_)
        | StateAction::ChatWorkingDirectorySet(_)
        | StateAction::ChatWorkingDirectoryRemoved(_)
        | StateAction::SessionConfigChanged(_)
        | StateAction::SessionActiveClientSet(_)
        | StateAction::SessionActiveClientRemoved(_)
        | StateAction::SessionDefaultChatChanged(_)
        | StateAction::SessionWorkingDirectorySet(_)
        | StateAction::SessionWorkingDirectoryRemoved(_)
        | StateAction::SessionWorkingDirectoryReplaced(_)
        | StateAction::SessionCustomizationToggled(_)
        | StateAction::SessionMcpServerStartRequested(_)
        | StateAction::SessionMcpServerStopRequested(_)
        | StateAction::SessionMcpServerBackgroundRequested(_)
        | StateAction::RootConfigChanged(_) => Sayer::Nobody,
        _ => Sayer::Host,
    }
}
