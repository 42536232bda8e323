//! An agent and a person in one program, on two homes, linked over QUIC: the whole of the main job.
//!
//! `cargo run -p rejoinder-examples --example both`

// In the README from here on; the tests compare.
use std::{error::Error, path::Path};

use rejoinder::{ChatInputAnswer, ChatInputRequest, Home, Invite, Outcome};

pub(crate) async fn both(homes: &Path) -> Result<ChatInputAnswer, Box<dyn Error>> {
    // The agent's program makes a workspace, lets one device in, and asks.
    let agent = Home::open(homes.join("agent")).await?;
    let host = agent.create_workspace("release train").await?;
    let ticket = host.ticket(Invite::default()).await?.to_string();
    let turn = host.start_turn("Deploy 1.4").await?;
    let form: ChatInputRequest = serde_json::from_str(
        r#"{ "id": "deploy-1.4", "questions": [
            { "kind": "text", "id": "notes", "message": "Anything to know?" } ] }"#,
    )?;
    let asked = turn.ask(form).await?; // on its disk: `host.asked("deploy-1.4")` after a restart

    // A person's program, as a rule on another machine, joins with the ticket and answers.
    let person = Home::open(homes.join("person")).await?;
    let workspace = person.join(ticket.parse()?).await?;
    let request = workspace.open_request().await?;
    request.submit("notes", "Not on a Friday.").await?;
    let proposal = request.accept().await?; // saved on this disk; the host decides
    proposal.decided().await?;

    // The agent has its answer and goes on.
    let told = asked.outcome().await; // told again after a restart, until it is taken
    let Outcome::Accepted(answers) = told.taken().await? else {
        return Err("the request was not accepted".into());
    };
    turn.complete().await?;
    person.close().await;
    agent.close().await;
    Ok(answers["notes"].clone())
}
// In the README up to here.

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what this program is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let homes = tempfile::tempdir()?;
    let answer = both(homes.path()).await?;
    println!("{}", rejoinder::form::answer_to_json(&answer));
    Ok(())
}
