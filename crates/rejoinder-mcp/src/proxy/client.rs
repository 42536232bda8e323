//! Lines of the client.

use super::{Effect, Proxy, Withdrawn, calls::Call, capabilities, capabilities::Initialize};
use crate::{
    members::Members,
    message::{Id, Message},
    proxy::open::Reply,
};

impl Proxy {
    /// A line of the client, without its end.
    pub fn from_client(&mut self, line: &str) -> Vec<Effect> {
        match Message::read(line) {
            Message::Request { id, method, params } => self.request(line, &id, &method, params),
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                self.cancelled_by_client(line, params.unwrap_or_default())
            }
            Message::Result { id, .. } => self.answered_at_client(&id, true),
            Message::Error { id, .. } => self.answered_at_client(&id, false),
            Message::Notification { .. } | Message::Other => vec![Effect::Forward],
        }
    }

    fn request(&mut self, line: &str, id: &Id, method: &str, params: Option<&str>) -> Vec<Effect> {
        let Some(params) = params else { return vec![Effect::Forward] };
        if method == "initialize" {
            return self.initialize(line, id, params);
        }
        let changed = capabilities::in_meta(params);
        let sent = changed.as_deref().unwrap_or(params);
        if let Some(call) = Call::new(id, method, sent) {
            self.calls.insert(id.clone(), call);
        }
        match changed {
            Some(params) => vec![Effect::ToServer(with(line, "params", params))],
            None => vec![Effect::Forward],
        }
    }

    fn initialize(&mut self, line: &str, id: &Id, params: &str) -> Vec<Effect> {
        let Some(initialize) = Initialize::read(params) else { return vec![Effect::Forward] };
        self.initializing = Some(id.clone());
        self.modes = initialize.modes;
        self.client_keeps_tasks = initialize.keeps_tasks;
        vec![Effect::ToServer(with(line, "params", initialize.params))]
    }

    fn cancelled_by_client(&mut self, line: &str, params: &str) -> Vec<Effect> {
        let params = Members::read(params).unwrap_or_default();
        let Some(id) = params.get("requestId").and_then(Id::read) else {
            return vec![Effect::Forward];
        };
        let Some(call) = self.calls.get(&id) else { return vec![Effect::Forward] };
        let forwarded = match &call.at_server {
            Some(at_server) if *at_server == id => Some(Effect::Forward),
            Some(again) => {
                let mut params = params.clone();
                params.set("requestId", again.json());
                Some(Effect::ToServer(with(line, "params", params.json())))
            }
            // The server has answered, and waits for nothing.
            None => None,
        };
        let mut effects: Vec<_> = forwarded.into_iter().collect();
        effects.extend(self.end_call(&id, Withdrawn::CallCancelled));
        effects
    }

    /// The client's answer to a request of the server. An error decides nothing: people still can.
    fn answered_at_client(&mut self, id: &Id, decides: bool) -> Vec<Effect> {
        if self.late_at_client.remove(id) {
            return Vec::new();
        }
        let at_client = self
            .open
            .iter()
            .find(|(_, open)| open.at_client && open.reply == Reply::Request(id.clone()));
        let Some(key) = at_client.map(|(key, _)| *key) else { return vec![Effect::Forward] };
        if !decides {
            if let Some(open) = self.open.get_mut(&key) {
                open.at_client = false;
            }
            return Vec::new();
        }
        self.open.remove(&key);
        vec![Effect::Withdraw(key, Withdrawn::AnsweredAtClient), Effect::Forward]
    }
}

/// The line with one member changed.
pub(super) fn with(line: &str, member: &str, json: String) -> String {
    let mut members = Members::read(line).unwrap_or_default();
    members.set(member, json);
    members.json()
}
