//! Turns: their start, and their end, which settles every open request.

use ahp_types::state::{Message, MessageKind};
use rejoinder_identity::{OpeningId, RequestId, Timestamp, TurnId};
use serde_json::{Value, json};

use super::{OnBehalf, fit::fit};
use crate::{
    conversation::Standing,
    limits,
    proposal::StartTurn,
    record::{Body, EndedRequest, Published, TurnEnded},
    refusal::{BadCall, HostCannot, Over, Refusal},
    request::TurnEnd,
    settle::{Embedded, Settle},
    state::State,
};

impl State {
    pub(super) fn start_turn(
        &self,
        now: Timestamp,
        start: &StartTurn,
        on_behalf: OnBehalf,
    ) -> Result<Body, Refusal> {
        if self.conversation.standing(&start.turn) != Standing::Gone {
            return Err(Refusal::Nobody(Over::AlreadyStarted { turn: start.turn.clone() }));
        }
        if let Some(turn) = self.active_turn() {
            return Err(Refusal::Caller(BadCall::TurnActive { turn }));
        }
        let message: Message = serde_json::from_str(&start.message).map_err(|error| {
            Refusal::Caller(BadCall::Malformed { why: format!("the message: {error}") })
        })?;
        if on_behalf.origin.is_some() && message.origin.kind != MessageKind::User {
            return Err(Refusal::Caller(BadCall::OriginNotUser));
        }
        let mut action = json!({
            "type": "chat/turnStarted",
            "turnId": start.turn,
            "startedAt": ahp_time(now).to_rfc3339(),
            "message": parsed("the message", &start.message)?,
        });
        if let Some(queued) = &start.queued {
            action["queuedMessageId"] = json!(queued);
        }
        Ok(self.publish_on_chat(&action, on_behalf))
    }

    pub(super) fn resume_turn(
        &self,
        turn: &TurnId,
        taken_up: &dyn Fn(&OpeningId) -> bool,
        on_behalf: OnBehalf,
    ) -> Result<Body, Refusal> {
        if self.conversation.standing(turn) != (Standing::Finished { resumable: true }) {
            return Err(Refusal::Caller(BadCall::NotResumable { turn: turn.clone() }));
        }
        let left: Vec<RequestId> = self
            .suspended_requests()
            .filter(|request| !taken_up(&request.opening()))
            .map(|request| request.id().clone())
            .collect();
        if !left.is_empty() {
            return Err(Refusal::Host(HostCannot::NotTakenUp { requests: left }));
        }
        let action = json!({ "type": "chat/turnResume", "turnId": turn });
        Ok(self.publish_on_chat(&action, on_behalf))
    }

    pub(super) fn publish_on_chat(&self, action: &Value, on_behalf: OnBehalf) -> Body {
        Body::Published(Published {
            channel: self.chat_uri().to_owned(),
            action: action.to_string(),
            origin: on_behalf.origin,
            grants: on_behalf.grants,
        })
    }

    pub(super) fn cancel_turn(
        &self,
        now: Timestamp,
        turn: &TurnId,
        settle: &dyn Settle,
        on_behalf: OnBehalf,
    ) -> Result<Body, Refusal> {
        let active = self.active()?;
        if active != *turn {
            return Err(Refusal::Caller(BadCall::OtherTurn { active }));
        }
        let action = self.end_action("chat/turnCancelled", &active, now);
        Ok(self.end_turn(&action, TurnEnd::Cancelled, settle, on_behalf))
    }

    pub(super) fn truncate(
        &self,
        turn: Option<&TurnId>,
        settle: &dyn Settle,
        on_behalf: OnBehalf,
    ) -> Result<Body, Refusal> {
        let mut action = json!({ "type": "chat/truncated" });
        if let Some(turn) = turn {
            match self.conversation.standing(turn) {
                Standing::Active => {
                    return Err(Refusal::Caller(BadCall::TurnActive { turn: turn.clone() }));
                }
                Standing::Gone => {
                    return Err(Refusal::Caller(BadCall::NoSuchTurn { turn: turn.clone() }));
                }
                Standing::Finished { .. } => action["turnId"] = json!(turn),
            }
        }
        Ok(self.end_turn(&action, TurnEnd::Truncated, settle, on_behalf))
    }

    pub(super) fn active(&self) -> Result<TurnId, Refusal> {
        self.active_turn().ok_or(Refusal::Caller(BadCall::NoActiveTurn))
    }

    /// The action that ends a turn now. The duration is by the host's clock.
    pub(super) fn end_action(&self, kind: &str, turn: &TurnId, now: Timestamp) -> Value {
        let started = self.starts.get(turn).copied().unwrap_or(now);
        let duration = ahp_time(now).since(ahp_time(started)).as_millis();
        let duration = i64::try_from(duration).unwrap_or(i64::MAX);
        json!({ "type": kind, "turnId": turn, "duration": duration })
    }

    /// Every end of a turn settles the requests that are open.
    pub(super) fn end_turn(
        &self,
        action: &Value,
        how: TurnEnd,
        settle: &dyn Settle,
        on_behalf: OnBehalf,
    ) -> Body {
        let open = self.open_requests();
        let mut requests: Vec<EndedRequest> = open
            .iter()
            .map(|request| {
                let settled = settle.end(&request.opening());
                let embedded = Embedded {
                    answers: settled.answers,
                    version_vector: settled.version_vector,
                    left_out: Vec::new(),
                };
                EndedRequest { opening: request.opening(), embedded }
            })
            .collect();
        let mut embedded: Vec<_> =
            requests.iter_mut().map(|request| &mut request.embedded).collect();
        // An end is never refused because of what people wrote.
        let beside = action.to_string().len();
        fit(&mut embedded, limits::LARGE_RECORD.saturating_sub(beside));
        Body::TurnEnded(TurnEnded {
            channel: self.chat_uri().to_owned(),
            action: action.to_string(),
            how,
            requests,
            origin: on_behalf.origin,
            grants: on_behalf.grants,
        })
    }
}

/// A time that AHP's reducers can add a duration to. A host's clock may be wrong by years, and a
/// turn whose end can't be computed would stay active forever.
fn ahp_time(now: Timestamp) -> Timestamp {
    // 9998-12-31T23:59:59.999Z: the reducers' last instant is a year later.
    const LAST: i64 = 253_370_764_799_999;
    Timestamp::from_millis(now.as_millis().clamp(0, LAST))
}

/// As it was written, with the keys that this release does not know. Typed reading skips over what
/// it does not know, so it may accept what this refuses: a number out of range, for one.
pub(super) fn parsed(what: &str, json: &str) -> Result<Value, Refusal> {
    serde_json::from_str(json)
        .map_err(|error| Refusal::Caller(BadCall::Malformed { why: format!("{what}: {error}") }))
}
