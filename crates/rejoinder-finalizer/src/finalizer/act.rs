//! The acts of the host program itself. AHP forbids it things too.

use ahp_types::{actions::StateAction, state::ResponsePart};
use rejoinder_identity::{OpeningId, Timestamp, TurnId};
use serde_json::json;

use super::{Finalizer, OnBehalf, member_action::Said, turn::parsed};
use crate::{
    checked::Checked,
    fold::may_be_published,
    log::Log,
    proposal::StartTurn,
    record::{Body, InviteIssued, Record},
    refusal::{BadCall, HostCannot, Refusal},
    request::TurnEnd,
    settle::Settle,
    state::State,
};

/// An act of the host program, requests apart: those are raised by [`Finalizer::raise`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostAction {
    /// Starts a turn, with a message of any origin.
    StartTurn(StartTurn),
    /// Appends a response part to the active turn: AHP's `ResponsePart` as JSON.
    AddPart {
        /// The part.
        part: String,
    },
    /// Appends text to a markdown or reasoning part of the active turn.
    AppendText {
        /// The part's id.
        part: String,
        /// The text.
        text: String,
    },
    /// Publishes any other AHP action as it is: tool calls, activity, marks.
    Publish {
        /// AHP's URI of the chat or session.
        channel: String,
        /// The action's JSON.
        action: String,
    },
    /// The active turn is done.
    CompleteTurn,
    /// The active turn is called off.
    CancelTurn,
    /// The time for an answer ran out: the turn of that request is cancelled, and says why.
    Expire {
        /// The request.
        opening: OpeningId,
    },
    /// The active turn failed.
    FailTurn {
        /// AHP's identifier of the kind of error.
        error_type: String,
        /// For people.
        message: String,
        /// Whether the turn can be resumed.
        resumable: bool,
    },
    /// Removes what follows a turn, and the active turn.
    Truncate {
        /// The last turn to keep; `None` removes all.
        turn: Option<TurnId>,
    },
    /// Resumes a turn that failed. With it the host program waits for its requests again.
    ResumeTurn {
        /// The turn.
        turn: TurnId,
    },
    /// Lets a ticket be used.
    IssueInvite(InviteIssued),
    /// Names the workspace.
    SetTitle {
        /// The name.
        title: String,
    },
}

impl Finalizer {
    /// Makes the record by which the host program does that.
    ///
    /// # Errors
    ///
    /// AHP forbids it as things stand, or it does not fit in a record.
    pub fn act(
        &self,
        log: &Log,
        now: Timestamp,
        action: HostAction,
        settle: &dyn Settle,
    ) -> Result<Checked<Record>, Refusal> {
        let body = log.state().act(now, action, settle)?;
        self.write(log, now, body)
    }
}

impl State {
    fn act(
        &self,
        now: Timestamp,
        action: HostAction,
        settle: &dyn Settle,
    ) -> Result<Body, Refusal> {
        let on_behalf = OnBehalf::default();
        match action {
            HostAction::StartTurn(start) => self.start_turn(now, &start, on_behalf),
            HostAction::AddPart { part } => self.add_part(&part),
            HostAction::AppendText { part, text } => self.append_text(&part, &text),
            HostAction::Publish { channel, action } => self.publish(&channel, &action),
            HostAction::CompleteTurn => {
                let action = self.end_action("chat/turnComplete", &self.active()?, now);
                Ok(self.end_turn(&action, TurnEnd::Completed, settle, on_behalf))
            }
            HostAction::CancelTurn => self.cancel_turn(now, &self.active()?, settle, on_behalf),
            HostAction::Expire { opening } => self.expire(now, &opening, settle),
            HostAction::FailTurn { error_type, message, resumable } => {
                let mut action = self.end_action("chat/error", &self.active()?, now);
                action["part"] = json!({
                    "kind": "error",
                    "error": { "errorType": error_type, "message": message },
                    "resumable": resumable,
                });
                Ok(self.end_turn(&action, TurnEnd::Failed, settle, on_behalf))
            }
            HostAction::Truncate { turn } => self.truncate(turn.as_ref(), settle, on_behalf),
            HostAction::ResumeTurn { turn } => self.resume_turn(&turn, &|_| true, on_behalf),
            HostAction::IssueInvite(issued) => issue(issued),
            HostAction::SetTitle { title } => {
                let action = json!({ "type": "session/titleChanged", "title": title });
                self.publish(&self.session_uri(), &action.to_string())
            }
        }
    }

    fn expire(
        &self,
        now: Timestamp,
        opening: &OpeningId,
        settle: &dyn Settle,
    ) -> Result<Body, Refusal> {
        self.open(opening)?;
        let action = self.end_action("chat/turnCancelled", &self.active()?, now);
        Ok(self.end_turn(&action, TurnEnd::Expired, settle, OnBehalf::default()))
    }

    fn add_part(&self, part: &str) -> Result<Body, Refusal> {
        let turn = self.active()?;
        let read: ResponsePart = serde_json::from_str(part).map_err(|error| {
            Refusal::Caller(BadCall::Malformed { why: format!("the part: {error}") })
        })?;
        match read {
            ResponsePart::InputRequest(_) => Err(Refusal::Host(HostCannot::Unsupported {
                what: "a request as a plain part: raise it".into(),
            })),
            ResponsePart::Error(_) => Err(Refusal::Host(HostCannot::Unsupported {
                what: "an error as a plain part: fail the turn".into(),
            })),
            ResponsePart::Markdown(_)
            | ResponsePart::ContentRef(_)
            | ResponsePart::ToolCall(_)
            | ResponsePart::Reasoning(_)
            | ResponsePart::SystemNotification(_)
            | ResponsePart::Unknown(_) => {
                let action = json!({
                    "type": "chat/responsePart", "turnId": turn, "part": parsed("the part", part)?,
                });
                Ok(self.publish_on_chat(&action, OnBehalf::default()))
            }
        }
    }

    fn append_text(&self, part: &str, text: &str) -> Result<Body, Refusal> {
        let turn = self.active()?;
        let parts = self.chat().active_turn.iter().flat_map(|turn| &turn.response_parts);
        let kind = parts.into_iter().find_map(|found| match found {
            ResponsePart::Markdown(markdown) if markdown.id == part => Some("chat/delta"),
            ResponsePart::Reasoning(reasoning) if reasoning.id == part => Some("chat/reasoning"),
            ResponsePart::Markdown(_)
            | ResponsePart::Reasoning(_)
            | ResponsePart::ContentRef(_)
            | ResponsePart::ToolCall(_)
            | ResponsePart::SystemNotification(_)
            | ResponsePart::InputRequest(_)
            | ResponsePart::Error(_)
            | ResponsePart::Unknown(_) => None,
        });
        let Some(kind) = kind else {
            return Err(Refusal::Caller(BadCall::NoEffect { action: "chat/delta".to_owned() }));
        };
        let action = json!({ "type": kind, "turnId": turn, "partId": part, "content": text });
        Ok(self.publish_on_chat(&action, OnBehalf::default()))
    }

    fn publish(&self, channel: &str, json: &str) -> Result<Body, Refusal> {
        let said = Said::read(json)?;
        let of_its_own =
            matches!(said.action, StateAction::ChatTurnStarted(_) | StateAction::ChatTurnResume(_));
        if of_its_own || !may_be_published(&said.action) {
            return Err(Refusal::Host(HostCannot::Unsupported {
                what: format!("{:?} as a plain action", said.kind),
            }));
        }
        said.publish(self, channel, OnBehalf::default())
    }
}

fn issue(issued: InviteIssued) -> Result<Body, Refusal> {
    if issued.seats == 0 {
        return Err(Refusal::Caller(BadCall::Malformed {
            why: "an invite without seats".to_owned(),
        }));
    }
    Ok(Body::InviteIssued(issued))
}
