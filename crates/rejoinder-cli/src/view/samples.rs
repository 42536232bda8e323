//! A request with a question of every kind, for tests.

use ahp_types::state::ChatInputResponseKind;
use rejoinder::{
    ActorId, Answer, Conflict, DocumentId, NotIncluded, OpeningId, PeerId, ProposalId,
    RequestStatus, RequestView, WorkspaceId,
};
use serde_json::{Value, json};

use super::Held;
use crate::event::Given;

/// Returns a request; the ids of its questions, in order, are `env`, `notes`, `count`, `go`,
/// `areas`, `rate`.
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
    let id = request["id"].as_str().unwrap().into();
    RequestView {
        workspace: WorkspaceId([1; 32]),
        opening: OpeningId([2; 32]),
        id,
        document: DocumentId([3; 32]),
        turn: "t".into(),
        revision: 1,
        request: serde_json::from_value(request).unwrap(),
        rules: Default::default(),
        status: RequestStatus::Open,
        here: true,
        projection: Default::default(),
        seen: Some(Default::default()),
        passed_over: Default::default(),
        not_included: Vec::new(),
    }
}

/// Returns the peer with that name.
pub(crate) fn peer(name: &str) -> PeerId {
    let mut id = [0; 32];
    id[..name.len()].copy_from_slice(name.as_bytes());
    PeerId(id)
}

pub(crate) fn decided(response: ChatInputResponseKind, by: &str) -> RequestStatus {
    RequestStatus::Decided { response, by: peer(by), proposal: ProposalId([4; 32]) }
}

/// Returns an answer that is written as in AHP's JSON.
pub(crate) fn held(answer: Value, by: &[&str]) -> Answer {
    Answer {
        answer: serde_json::from_value(answer).unwrap(),
        authors: by.iter().map(|name| peer(name)).collect(),
    }
}

pub(crate) fn text(state: &str, value: &str, by: &str) -> Answer {
    held(json!({"state": state, "value": {"kind": "text", "value": value}}), &[by])
}

pub(crate) fn selected(state: &str, value: &str, by: &str) -> Answer {
    held(json!({"state": state, "value": {"kind": "selected", "value": value}}), &[by])
}

/// Returns the same answer in conflict with another one.
pub(crate) fn conflict(Answer { answer, authors }: Answer) -> Conflict {
    Conflict { answer, authors }
}

/// Returns the same answer, too late for the decision, once for each of its authors.
pub(crate) fn late(question: &str, Answer { answer, authors }: Answer) -> Vec<NotIncluded> {
    let late = |author| NotIncluded {
        question: question.into(),
        author,
        actor: ActorId([5; 16]),
        seq: 1,
        answer: answer.clone(),
    };
    authors.into_iter().map(late).collect()
}

/// Returns the same answer as events spell it.
pub(crate) fn given(Answer { answer, authors }: &Answer) -> Given {
    Held { answer, by: authors }.given()
}
