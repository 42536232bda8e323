//! A request with a question of every kind, for tests.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Held, RequestView, Status};

/// The ids of its questions, in order: `env`, `notes`, `count`, `go`, `areas`, `rate`.
pub(crate) fn request() -> RequestView {
    view(json!({"id": "r1", "message": "Deploy 1.4?", "questions": [
        {"kind": "single-select", "id": "env", "title": "Environment", "message": "Where to?",
         "required": true, "options": [{"id": "staging", "label": "Staging"},
                                       {"id": "prod", "label": "Production"}]},
        {"kind": "text", "id": "notes", "title": "Notes", "message": "Anything to know?", "max": 200},
        {"kind": "integer", "id": "count", "title": "Replicas", "message": "How many replicas?",
         "min": 1, "max": 9},
        {"kind": "boolean", "id": "go", "title": "Go", "message": "Are you sure?"},
        {"kind": "multi-select", "id": "areas", "title": "Areas", "message": "Which areas?",
         "min": 1, "allowFreeformInput": true,
         "options": [{"id": "eu", "label": "Europe"}, {"id": "us", "label": "America"},
                     {"id": "ap", "label": "Asia"}]},
        {"kind": "number", "id": "rate", "title": "Rate", "message": "At which rate?"},
    ]}))
}

pub(crate) fn view(request: Value) -> RequestView {
    RequestView {
        rules: Default::default(),
        request: serde_json::from_value(request).unwrap(),
        answers: BTreeMap::new(),
        conflicts: BTreeMap::new(),
        not_included: BTreeMap::new(),
        status: Status::Open,
        seen: Some(Default::default()),
    }
}

/// An answer, written as in AHP's JSON.
pub(crate) fn held(answer: Value, by: &[&str]) -> Held {
    Held {
        answer: serde_json::from_value(answer).unwrap(),
        by: by.iter().map(|peer| (*peer).to_owned()).collect(),
    }
}

pub(crate) fn text(state: &str, value: &str, by: &str) -> Held {
    held(json!({"state": state, "value": {"kind": "text", "value": value}}), &[by])
}

pub(crate) fn selected(state: &str, value: &str, by: &str) -> Held {
    held(json!({"state": state, "value": {"kind": "selected", "value": value}}), &[by])
}
