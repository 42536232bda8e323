//! The examples run to their end, and the README shows the one that it says it does.

use std::{fs, path::Path, time::Duration};

use rejoinder::{Fate, Outcome};

#[path = "../../examples/examples/agent.rs"]
#[expect(dead_code, reason = "main is for the program; the tests run what it runs")]
mod agent;
#[path = "../../examples/examples/answerer.rs"]
#[expect(dead_code, reason = "main is for the program; the tests run what it runs")]
mod answerer;
#[path = "../../examples/examples/both.rs"]
#[expect(dead_code, reason = "main is for the program; the tests run what it runs")]
mod both;

/// Far longer than any of them takes.
const PATIENCE: Duration = Duration::from_secs(60);

async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let came = tokio::time::timeout(PATIENCE, future).await;
    came.unwrap_or_else(|_| panic!("{what} did not end"))
}

#[tokio::test(flavor = "multi_thread")]
async fn both_in_one_program() {
    let homes = tempfile::tempdir().unwrap();
    let answer = soon("the example", both::both(homes.path())).await.unwrap();
    let json = rejoinder::form::answer_to_json(&answer);
    assert_eq!(json["state"], "submitted");
    assert_eq!(json["value"]["value"], "Not on a Friday.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_asks_and_a_peer_answers() {
    let homes = tempfile::tempdir().unwrap();
    let (at_agent, at_peer) = (homes.path().join("agent"), homes.path().join("peer"));
    let (hand_out, ticket) = tokio::sync::oneshot::channel();
    let agent = agent::ask(&at_agent, |ticket| hand_out.send(ticket.to_string()).unwrap());
    let peer = async {
        let ticket = ticket.await.unwrap().parse().unwrap();
        answerer::answer(&at_peer, ticket).await.unwrap()
    };
    let (outcome, fate) = soon("the pair", async { tokio::join!(agent, peer) }).await;
    assert_eq!(fate, Fate::Granted);
    let Outcome::Accepted(answers) = outcome.unwrap() else { panic!("not accepted") };
    let values: Vec<_> = answers
        .iter()
        .map(|(id, answer)| {
            (id.as_str(), rejoinder::form::answer_to_json(answer)["value"]["value"].clone())
        })
        .collect();
    let expected =
        [("env", "staging".into()), ("notes", "Go ahead.".into()), ("notify", true.into())];
    assert_eq!(values, expected);
}

#[test]
fn the_readme_shows_what_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let source = fs::read_to_string(root.join("examples/examples/both.rs")).unwrap();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let shown = between(
        &source,
        "// In the README from here on; the tests compare.\n",
        "// In the README up to here.",
    );
    assert_eq!(between(&readme, "```rust\n", "```\n"), shown);
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.split_once(start).unwrap_or_else(|| panic!("no {start:?}")).1;
    from.split_once(end).unwrap_or_else(|| panic!("no {end:?}")).0
}
