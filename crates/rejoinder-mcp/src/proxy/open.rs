//! Elicitations that wait for people, and where their answers go.

use std::collections::BTreeSet;

use rejoinder_identity::{RequestId, Timestamp};

use super::{Effect, Proxy, Unasked, Withdrawn, calls::RoundKind};
use crate::{
    elicitation::Elicitation,
    message::{Id, error, notification, response},
};

/// The answer of an elicitation that nobody answers.
pub(super) const CANCEL: &str = r#"{"action":"cancel"}"#;

/// JSON-RPC's code for parameters that can't be used.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// JSON-RPC's code for a failure of whoever was asked.
const INTERNAL_ERROR: i32 = -32603;

/// An elicitation that waits for people.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) elicitation: Elicitation,
    pub(super) reply: Reply,
    /// The client's calls that were under way when it came. It ends with the last of them; one
    /// that came when there were none, or for a task, ends with none.
    pub(super) calls: BTreeSet<Id>,
    /// True if the client shows it too.
    pub(super) at_client: bool,
}

/// Where the answer goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reply {
    /// To the server's request.
    Request(Id),
    /// To the task that the server polls.
    Task(String),
    /// Into a call that is made again.
    Round { call: Id, key: String },
}

impl Open {
    pub(super) fn is_request(&self, id: &RequestId) -> bool {
        self.elicitation.request().id == id.as_str()
    }
}

impl Proxy {
    pub(super) fn reply(
        &mut self,
        open: Open,
        result: &str,
        accepted: bool,
        now: Timestamp,
    ) -> Vec<Effect> {
        match open.reply {
            Reply::Request(id) => {
                let mut effects = vec![Effect::ToServer(response(&id, result))];
                if open.at_client {
                    effects.push(self.dismiss_at_client(id));
                }
                effects
            }
            Reply::Task(task) => self.finish_task(&task, Ok(result), now),
            Reply::Round { call, key } => self.fill(&call, &key, result, accepted),
        }
    }

    pub(super) fn reply_unasked(
        &mut self,
        open: Open,
        why: &Unasked,
        now: Timestamp,
    ) -> Vec<Effect> {
        let (code, words) = match why {
            Unasked::Refused(words) => (INVALID_PARAMS, words),
            Unasked::Failed(words) => (INTERNAL_ERROR, words),
        };
        match open.reply {
            // The client can still answer it.
            Reply::Request(_) if open.at_client => Vec::new(),
            Reply::Request(id) => vec![Effect::ToServer(error(&id, code, words))],
            Reply::Task(task) => self.finish_task(&task, Err((code, words)), now),
            // There is no place for an error in a round.
            Reply::Round { call, key } => self.fill(&call, &key, CANCEL, false),
        }
    }

    fn dismiss_at_client(&mut self, id: Id) -> Effect {
        let params = format!(r#"{{"requestId":{},"reason":"answered elsewhere"}}"#, id.json());
        self.late_at_client.insert(id);
        Effect::ToClient(notification("notifications/cancelled", &params))
    }

    /// Notes a result that a call needs, and makes the call again when it has them all.
    pub(super) fn fill(&mut self, id: &Id, key: &str, result: &str, accepted: bool) -> Vec<Effect> {
        let Some(call) = self.calls.get_mut(id) else { return Vec::new() };
        let Some(mut round) = call.round.take() else { return Vec::new() };
        for (needed, slot) in &mut round.needed {
            if needed == key {
                *slot = Some(result.to_owned());
            }
        }
        let urls = match &round.kind {
            RoundKind::Urls { error } => Some(error.clone()),
            RoundKind::Input { .. } => None,
        };
        if let (Some(error), false) = (urls, accepted) {
            // Somebody said no: the client hears what it would have heard without a proxy.
            let mut effects = self.end_call(id, Withdrawn::CallEnded);
            effects.push(Effect::ToClient(error));
            return effects;
        }
        if round.needed.iter().any(|(_, slot)| slot.is_none()) {
            call.round = Some(round);
            return Vec::new();
        }
        let again = Id::Text(format!("rejoinder-{}", self.next()));
        self.retries.insert(again.clone(), id.clone());
        let call = self.calls.get_mut(id);
        call.map(|call| Effect::ToServer(call.again(again, round))).into_iter().collect()
    }

    /// The call is over: so is what was asked in it alone.
    pub(super) fn end_call(&mut self, id: &Id, why: Withdrawn) -> Vec<Effect> {
        if let Some(call) = self.calls.remove(id)
            && let Some(at_server) = call.at_server
        {
            self.retries.remove(&at_server);
        }
        let mut over = Vec::new();
        for (key, open) in &mut self.open {
            if open.calls.remove(id) && open.calls.is_empty() {
                over.push(*key);
            }
        }
        let mut effects = Vec::new();
        for key in over {
            let Some(open) = self.open.remove(&key) else { continue };
            effects.push(Effect::Withdraw(key, why.clone()));
            match open.reply {
                Reply::Request(id) => {
                    // A server that still waits must hear something.
                    effects.push(Effect::ToServer(response(&id, CANCEL)));
                    if open.at_client {
                        effects.push(self.dismiss_at_client(id));
                    }
                }
                Reply::Task(_) | Reply::Round { .. } => {}
            }
        }
        effects
    }
}
