//! Lines of the server.

use std::collections::BTreeSet;

use rejoinder_identity::{RequestId, Timestamp};

use super::{
    Effect, ElicitationKey, Proxy, Raise, Withdrawn,
    calls::{Round, RoundKind},
    client::with,
    open::{CANCEL, INVALID_PARAMS, Open, Reply},
};
use crate::{
    elicitation::Elicitation,
    error::ElicitationError,
    limits,
    members::Members,
    message::{Id, Message, error},
    request_id::request_id,
};

/// MCP 2025-11-25: the call needs URLs to be opened first.
const URLS_REQUIRED: &str = "-32042";
/// The member of `_meta` that names the task that something belongs to.
pub(super) const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// What is known of an elicitation before its asker is.
struct Raised<'a> {
    key: ElicitationKey,
    params: &'a str,
    reply: Reply,
    calls: BTreeSet<Id>,
    at_client: bool,
}

impl Proxy {
    /// A line of the server, without its end.
    pub fn from_server(&mut self, line: &str, now: Timestamp) -> Vec<Effect> {
        match Message::read(line) {
            Message::Request { id, method, params } if method == "elicitation/create" => {
                self.elicit(line, id, params.unwrap_or("{}"), now)
            }
            Message::Request { id, method, params } => self
                .task_request(&id, &method, params.unwrap_or("{}"), now)
                .unwrap_or_else(|| vec![Effect::Forward]),
            Message::Notification { method, params } => {
                self.notified(&method, &Members::read(params.unwrap_or("{}")).unwrap_or_default())
            }
            Message::Result { id, result } => self.result(line, &id, result),
            Message::Error { id, error } => self.failed(line, &id, error),
            Message::Other => vec![Effect::Forward],
        }
    }

    fn elicit(&mut self, line: &str, id: Id, params: &str, now: Timestamp) -> Vec<Effect> {
        let members = Members::read(params).unwrap_or_default();
        let key = ElicitationKey(self.next());
        let elicitation = match self.read(params) {
            Ok(elicitation) => elicitation,
            Err(why) => {
                return vec![Effect::ToServer(error(&id, INVALID_PARAMS, &why.to_string()))];
            }
        };
        let url = members.text("mode").as_deref() == Some("url");
        let task = members.get("task").and_then(Members::read);
        let shows = if url { self.modes.url } else { self.modes.form };
        let at_client = self.also_client && shows && task.is_none();
        let for_task = members.object("_meta").get(RELATED_TASK).is_some();
        let calls = if for_task { BTreeSet::new() } else { self.under_way() };
        let mut effects = Vec::new();
        let mut ttl = None;
        let reply = match task {
            Some(task) => {
                ttl = task.get("ttl").and_then(|ttl| ttl.parse().ok());
                let (task, created) = self.create_task(key, &id, &task, now);
                effects.push(created);
                Reply::Task(task)
            }
            None => Reply::Request(id),
        };
        if at_client {
            effects.push(Effect::ToClient(line.to_owned()));
        }
        let mut raise = self.raise(Raised { key, params, reply, calls, at_client }, elicitation);
        raise.ttl = ttl;
        effects.push(Effect::Raise(raise));
        effects
    }

    /// Calls that the server has not answered.
    fn under_way(&self) -> BTreeSet<Id> {
        let under_way = self.calls.iter().filter(|(_, call)| call.at_server.is_some());
        under_way.map(|(id, _)| id.clone()).collect()
    }

    /// Reads an elicitation. Its request's id follows from who asks and what: after a restart, the
    /// same question is found again by it.
    fn read(&self, params: &str) -> Result<Elicitation, ElicitationError> {
        let mut asked = Members::read(params).ok_or(ElicitationError::NotAnObject)?;
        for changing in ["_meta", "task", "elicitationId"] {
            asked.remove(changing);
        }
        let server = self.server.as_deref().unwrap_or_default();
        let id = request_id(format!("{server}\0{}", asked.json()).as_bytes());
        let is_free = |id: &RequestId| self.open.values().all(|open| !open.is_request(id));
        let mut ids = std::iter::once(id.clone())
            .chain((2..).map(|number| RequestId(format!("{id}-{number}"))));
        Elicitation::read(params, ids.find(is_free).unwrap_or(id))
    }

    /// Notes an elicitation that people are asked, and says what to raise.
    fn raise(&mut self, raised: Raised<'_>, elicitation: Elicitation) -> Box<Raise> {
        let Raised { key, params, reply, calls, at_client } = raised;
        let asker = self.asker(&calls);
        let elicitation = elicitation.asked_by(&asker);
        let lasts = matches!(reply, Reply::Round { .. });
        let open = Open { elicitation: elicitation.clone(), reply, calls, at_client };
        self.open.insert(key, open);
        let params = params.to_owned();
        Box::new(Raise { key, elicitation, params, asker, ttl: None, lasts })
    }

    fn asker(&self, calls: &BTreeSet<Id>) -> String {
        let server = self.server.as_deref().unwrap_or("an MCP server");
        let mut calls = calls.iter().filter_map(|id| self.calls.get(id));
        match (calls.next(), calls.next()) {
            (Some(call), None) => match &call.name {
                Some(tool) => format!("{server} ({})", line_of(tool)),
                None => server.to_owned(),
            },
            (Some(_) | None, Some(_)) | (None, None) => server.to_owned(),
        }
    }

    fn notified(&mut self, method: &str, params: &Members<'_>) -> Vec<Effect> {
        match method {
            "notifications/cancelled" => {
                let id = params.get("requestId").and_then(Id::read);
                id.map_or_else(|| vec![Effect::Forward], |id| self.cancelled_by_server(id, params))
            }
            "notifications/elicitation/complete" => self.url_done(params),
            "notifications/progress" => {
                let progress = params.get("progress").and_then(|number| number.parse().ok());
                if let (Some(token), Some(progress)) = (params.get("progressToken"), progress) {
                    self.calls.values_mut().for_each(|call| call.note_progress(token, progress));
                }
                vec![Effect::Forward]
            }
            _ => vec![Effect::Forward],
        }
    }

    fn cancelled_by_server(&mut self, id: Id, params: &Members<'_>) -> Vec<Effect> {
        let reply = Reply::Request(id);
        let found = self.open.iter().find(|(_, open)| open.reply == reply).map(|(key, _)| *key);
        let Some(open) = found.and_then(|key| self.open.remove(&key).map(|open| (key, open)))
        else {
            return vec![Effect::Forward];
        };
        let (key, open) = open;
        let reason = params.text("reason").map(|reason| line_of(&reason));
        let mut effects = vec![Effect::Withdraw(key, Withdrawn::Cancelled { reason })];
        if open.at_client {
            effects.push(Effect::Forward);
        }
        effects
    }

    fn url_done(&self, params: &Members<'_>) -> Vec<Effect> {
        let Some(done) = params.text("elicitationId") else { return vec![Effect::Forward] };
        let mut of_it = self
            .open
            .iter()
            .filter(|(_, open)| open.elicitation.elicitation_id() == Some(done.as_str()));
        // A client that has not seen the elicitation knows no such id, and drops it.
        match of_it.next() {
            Some((key, open)) if open.at_client => vec![Effect::Done(*key), Effect::Forward],
            Some((key, _)) => vec![Effect::Done(*key)],
            None => vec![Effect::Forward],
        }
    }

    fn result(&mut self, line: &str, at_server: &Id, result: &str) -> Vec<Effect> {
        if self.initializing.as_ref() == Some(at_server) {
            self.initializing = None;
            self.learn_name(result);
            return vec![Effect::Forward];
        }
        let Some(id) = self.call_of(at_server) else { return vec![Effect::Forward] };
        let members = Members::read(result).unwrap_or_default();
        if members.text("resultType").as_deref() == Some("input_required")
            && let Some(effects) = self.input_required(&id, &members)
        {
            return effects;
        }
        if members.get("task").is_some() {
            // The work goes on, and so may what was asked for it.
            self.open.values_mut().filter(|open| open.calls.contains(&id)).for_each(|open| {
                open.calls.clear();
            });
        }
        self.hand_back(line, at_server, &id)
    }

    fn failed(&mut self, line: &str, at_server: &Id, error: &str) -> Vec<Effect> {
        let Some(id) = self.call_of(at_server) else { return vec![Effect::Forward] };
        let members = Members::read(error).unwrap_or_default();
        if members.get("code") == Some(URLS_REQUIRED)
            && let Some(effects) = self.urls_required(&id, line, &members)
        {
            return effects;
        }
        self.hand_back(line, at_server, &id)
    }

    /// The client's id of a call that the server has answered.
    fn call_of(&self, at_server: &Id) -> Option<Id> {
        if let Some(id) = self.retries.get(at_server) {
            return Some(id.clone());
        }
        let call = self.calls.get(at_server)?;
        (call.at_server.as_ref() == Some(at_server)).then(|| at_server.clone())
    }

    /// The call is over, and the client gets the answer under its own id.
    fn hand_back(&mut self, line: &str, at_server: &Id, id: &Id) -> Vec<Effect> {
        let answer = if at_server == id {
            Effect::Forward
        } else {
            Effect::ToClient(with(line, "id", id.json()))
        };
        let mut effects = self.end_call(id, Withdrawn::CallEnded);
        effects.push(answer);
        effects
    }

    fn learn_name(&mut self, result: &str) {
        let result = Members::read(result).unwrap_or_default();
        let server = result.object("serverInfo");
        let name = server.text("title").or_else(|| server.text("name"));
        self.server = name.map(|name| line_of(&name)).filter(|name| !name.is_empty());
    }

    /// A round of 2026-07-28. None of it is taken if a part is not for people.
    fn input_required(&mut self, id: &Id, result: &Members<'_>) -> Option<Vec<Effect>> {
        let requests = Members::read(result.get("inputRequests")?)?;
        let mut needed = Vec::new();
        for (key, request) in requests.iter() {
            let request = Members::read(request)?;
            if request.text("method").as_deref() != Some("elicitation/create") {
                return None;
            }
            needed.push((key.to_owned(), request.get("params")?.to_owned()));
        }
        let state = result.get("requestState").map(str::to_owned);
        self.begin_round(id, needed, RoundKind::Input { state })
    }

    /// -32042. The same URL twice means that opening it does not help.
    fn urls_required(&mut self, id: &Id, line: &str, error: &Members<'_>) -> Option<Vec<Effect>> {
        let data = error.object("data");
        let elicitations: Vec<&serde_json::value::RawValue> =
            serde_json::from_str(data.get("elicitations")?).ok()?;
        let mut needed = Vec::new();
        for (at, params) in elicitations.iter().enumerate() {
            let params = params.get();
            let url = Members::read(params)?.text("url")?;
            if !self.calls.get_mut(id)?.urls.insert(url) || self.read(params).is_err() {
                return None;
            }
            needed.push((at.to_string(), params.to_owned()));
        }
        let error = with(line, "id", id.json());
        self.begin_round(id, needed, RoundKind::Urls { error })
    }

    fn begin_round(
        &mut self,
        id: &Id,
        needed: Vec<(String, String)>,
        kind: RoundKind,
    ) -> Option<Vec<Effect>> {
        let call = self.calls.get_mut(id)?;
        if needed.is_empty() || call.rounds >= limits::ROUNDS {
            return None;
        }
        call.rounds += 1;
        if let Some(at_server) = call.at_server.take() {
            self.retries.remove(&at_server);
        }
        let keys = needed.iter().map(|(key, _)| (key.clone(), None)).collect();
        call.round = Some(Round { needed: keys, kind });
        let mut effects = Vec::new();
        for (key, params) in needed {
            effects.extend(self.need(id, key, &params));
        }
        Some(effects)
    }

    fn need(&mut self, call: &Id, key: String, params: &str) -> Vec<Effect> {
        match self.read(params) {
            Ok(elicitation) => {
                let reply = Reply::Round { call: call.clone(), key };
                let calls = BTreeSet::from([call.clone()]);
                let key = ElicitationKey(self.next());
                let raised = Raised { key, params, reply, calls, at_client: false };
                vec![Effect::Raise(self.raise(raised, elicitation))]
            }
            // There is no place for an error in a round: a cancel says that nobody chose.
            Err(_) => self.fill(call, &key, CANCEL, false),
        }
    }
}

/// A name that others chose, on one line and not longer than people read.
pub(super) fn line_of(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    printable.take(limits::NAME).collect::<String>().trim().to_owned()
}
