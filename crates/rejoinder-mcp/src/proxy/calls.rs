//! Calls of the client in which a server may ask something, and calls that are made again once
//! people have answered.

use std::collections::BTreeSet;

use crate::{
    members::Members,
    message::{Id, notification, quoted},
};

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) method: String,
    /// The tool's or prompt's name.
    pub(super) name: Option<String>,
    /// Its parameters as the server got them first.
    pub(super) params: String,
    /// The id that the server knows; none while people answer what it needs first.
    pub(super) at_server: Option<Id>,
    /// What the server needs before the call is made again.
    pub(super) round: Option<Round>,
    /// How often the server needed something.
    pub(super) rounds: usize,
    /// The URLs that people were asked to open for it.
    pub(super) urls: BTreeSet<String>,
    /// The token by which the client listens to progress, as JSON.
    token: Option<String>,
    /// The last progress that the client was told.
    progress: f64,
}

/// What a server needs before a call can go on.
#[derive(Debug)]
pub(super) struct Round {
    /// What is needed, by the server's keys, and the result as JSON once it is there.
    pub(super) needed: Vec<(String, Option<String>)>,
    pub(super) kind: RoundKind,
}

/// The two ways in which servers say that they need something first.
#[derive(Debug)]
pub(super) enum RoundKind {
    /// 2026-07-28: `input_required`. The results go with the next call, and this state as it came.
    Input { state: Option<String> },
    /// 2025-11-25: -32042. The call is made again, or ends with this error.
    Urls { error: String },
}

impl Call {
    /// A call of these methods, and no other, may be answered by a question.
    pub(super) fn new(id: &Id, method: &str, params: &str) -> Option<Self> {
        let asks = ["tools/call", "prompts/get", "resources/read", "tasks/result"];
        if !asks.contains(&method) {
            return None;
        }
        let members = Members::read(params).unwrap_or_default();
        Some(Self {
            method: method.to_owned(),
            name: members.text("name"),
            params: params.to_owned(),
            at_server: Some(id.clone()),
            round: None,
            rounds: 0,
            urls: BTreeSet::new(),
            token: members.object("_meta").get("progressToken").map(str::to_owned),
            progress: 0.0,
        })
    }

    /// A notification that says that the call is still under way, if the client listens to that.
    pub(super) fn progress(&mut self, said: &str) -> Option<String> {
        let token = self.token.as_ref()?;
        // It must grow, and the server may count too: this is less than any step of a server.
        self.progress += 1e-6 * self.progress.abs().max(1.0);
        let progress = serde_json::Value::from(self.progress);
        let params = format!(
            r#"{{"progressToken":{token},"progress":{progress},"message":{}}}"#,
            quoted(said)
        );
        Some(notification("notifications/progress", &params))
    }

    /// The server has said how far it is.
    pub(super) fn note_progress(&mut self, token: &str, progress: f64) {
        if self.token.as_deref() == Some(token) {
            self.progress = self.progress.max(progress);
        }
    }

    /// The line that makes the call again, once nothing is missing.
    pub(super) fn again(&mut self, id: Id, round: Round) -> String {
        let mut params = Members::read(&self.params).unwrap_or_default();
        params.remove("inputResponses");
        params.remove("requestState");
        match round.kind {
            RoundKind::Input { state } => {
                let results = round.needed.iter().filter_map(|(key, result)| {
                    result.as_ref().map(|result| format!("{}:{result}", quoted(key)))
                });
                let results = results.collect::<Vec<_>>().join(",");
                params.set("inputResponses", format!("{{{results}}}"));
                if let Some(state) = state {
                    params.set("requestState", state);
                }
            }
            RoundKind::Urls { .. } => {}
        }
        let (method, params) = (quoted(&self.method), params.json());
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":{},"method":{method},"params":{params}}}"#,
            id.json()
        );
        self.at_server = Some(id);
        line
    }
}
