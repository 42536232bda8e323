//! What the stories have in common.

use std::{net::SocketAddr, path::Path, time::Duration};

use rejoinder::{ChatInputRequest, Home, Host, Invite, Options, Request, RequestView, Workspace};
use tempfile::TempDir;

/// Far longer than anything here takes: what is waited for must come, whenever it does.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits, but not for ever.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(came) => came,
        Err(_) => panic!("{what} did not come"),
    }
}

pub(crate) fn loopback() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

pub(crate) fn options(name: &str) -> Options {
    Home::options().name(name).listen(loopback())
}

pub(crate) async fn open(name: &str, directory: &Path) -> Home {
    soon("the home", options(name).open(directory)).await.unwrap()
}

/// A directory for each of some homes.
pub(crate) fn directories<const N: usize>() -> [TempDir; N] {
    std::array::from_fn(|_| tempfile::tempdir().unwrap())
}

/// Three questions, one of them required.
pub(crate) fn form(id: &str) -> ChatInputRequest {
    serde_json::from_value(serde_json::json!({
        "id": id,
        "message": "Deploy 1.4?",
        "questions": [
            { "kind": "single-select", "id": "env", "message": "Where?", "required": true,
              "options": [{ "id": "staging", "label": "Staging" }, { "id": "prod", "label": "Production" }] },
            { "kind": "text", "id": "notes", "message": "Notes?" },
            { "kind": "integer", "id": "replicas", "message": "How many?", "min": 1.0, "max": 9.0 },
        ],
    }))
    .unwrap()
}

pub(crate) fn seats(seats: u16) -> Invite {
    Invite { seats, ..Invite::default() }
}

/// Lets a home into a workspace.
pub(crate) async fn let_in(host: &Host, home: &Home) -> Workspace {
    let ticket = host.ticket(seats(1)).await.unwrap();
    let workspace = home.join(ticket).await.unwrap();
    soon("being let in", workspace.joined()).await.unwrap();
    workspace
}

/// The value that a question has in the answers, as JSON, with its state.
pub(crate) fn answer(view: &RequestView, question: &str) -> Option<(String, serde_json::Value)> {
    let answer = &view.projection.answers.get(question)?.answer;
    let json = rejoinder::form::answer_to_json(answer);
    let state = json["state"].as_str().unwrap().to_owned();
    Some((state, json["value"]["value"].clone()))
}

pub(crate) fn submitted(
    value: impl Into<serde_json::Value>,
) -> Option<(String, serde_json::Value)> {
    Some(("submitted".into(), value.into()))
}

/// Waits until a question has that answer.
pub(crate) async fn until_answer(
    request: &Request,
    question: &str,
    expected: Option<(String, serde_json::Value)>,
) -> RequestView {
    let mut states = request.watch();
    soon("the answer", async {
        loop {
            let view = states.next().await.expect("the request is there");
            if answer(&view, question) == expected {
                return view;
            }
        }
    })
    .await
}
