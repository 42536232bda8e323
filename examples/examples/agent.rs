//! An agent that asks: it hands out a ticket, waits for the outcome, and is done.
//!
//! `cargo run -p rejoinder-examples --example agent [HOME]`, and in another terminal the example
//! `answerer` or `rejoinder join` with the ticket that it prints.
//!
//! With a home it may be stopped and started again: it then waits for the request that it has
//! asked already.

use std::{env, error::Error, path::Path};

use rejoinder::{Asked, ChatInputRequest, Home, Host, Invite, Outcome, Ticket};
use serde_json::json;

const REQUEST: &str = "deploy-1.4";

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what this program is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let home = env::args_os().nth(1).unwrap_or_else(|| scratch.path().into());
    let outcome = ask(home.as_ref(), |ticket| println!("{ticket}")).await?;
    match outcome {
        Outcome::Accepted(answers) => {
            for (question, answer) in &answers {
                println!("{question}: {}", rejoinder::form::answer_to_json(answer));
            }
        }
        other @ (Outcome::Declined
        | Outcome::Cancelled
        | Outcome::Ended(_)
        | Outcome::Suspended
        | Outcome::Interrupted) => println!("{other:?}"),
    }
    Ok(())
}

/// Asks, and waits for what becomes of it. `hand_out` shows the ticket to whoever shall answer.
pub(crate) async fn ask(
    home: &Path,
    hand_out: impl FnOnce(&Ticket),
) -> Result<Outcome, Box<dyn Error>> {
    let home = Home::options().name("the agent").open(home).await?;
    let (host, asked) = asked_before_or_now(&home).await?;
    hand_out(&host.ticket(Invite { seats: 8, ..Invite::default() }).await?);
    // A program that must not lose it stores `told.outcome()` first: what was taken is told no more.
    let told = asked.outcome().await;
    let outcome = told.taken().await?;
    if let Some(turn) = host.active_turn().await? {
        turn.complete().await?;
    }
    // Those who are linked hear the decision before this ends.
    home.close().await;
    Ok(outcome)
}

async fn asked_before_or_now(home: &Home) -> Result<(Host, Asked), Box<dyn Error>> {
    let host = match home.workspaces().await?.first() {
        Some(workspace) => home.host(workspace.id()).await?,
        None => home.create_workspace("release train").await?,
    };
    if let Some(asked) = host.asked(REQUEST).await? {
        return Ok((host, asked));
    }
    let turn = match host.active_turn().await? {
        Some(turn) => turn,
        None => host.start_turn("Deploy 1.4").await?,
    };
    let asked = turn.ask(form()?).await?;
    Ok((host, asked))
}

fn form() -> Result<ChatInputRequest, serde_json::Error> {
    serde_json::from_value(json!({
        "id": REQUEST,
        "message": "Deploy 1.4?",
        "questions": [
            { "kind": "single-select", "id": "env", "message": "Where to?", "required": true,
              "options": [{ "id": "staging", "label": "Staging", "recommended": true },
                          { "id": "prod", "label": "Production" }] },
            { "kind": "boolean", "id": "notify", "message": "Tell everybody?" },
            { "kind": "text", "id": "notes", "message": "Anything to know?" },
        ],
    }))
}
