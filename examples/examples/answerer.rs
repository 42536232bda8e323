//! A peer that answers whatever it is asked, and accepts.
//!
//! `cargo run -p rejoinder-examples --example answerer TICKET [HOME]`, with the ticket of the
//! example `agent` or of `rejoinder ask`.

use std::{env, error::Error, path::Path};

use rejoinder::{ChatInputQuestion, Fate, Home, Request, Ticket, Value};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "it is what this program is for")]
async fn main() -> Result<(), Box<dyn Error>> {
    let ticket = env::args().nth(1).ok_or("usage: answerer TICKET [HOME]")?;
    let scratch = tempfile::tempdir()?;
    let home = env::args_os().nth(2).unwrap_or_else(|| scratch.path().into());
    match answer(home.as_ref(), ticket.parse()?).await? {
        Fate::Refused(why) => println!("refused: {why}"),
        fate @ (Fate::Saved | Fate::Carried(_) | Fate::Received | Fate::Granted) => {
            println!("{fate:?}");
        }
    }
    Ok(())
}

/// Joins, answers the first request that is open, proposes that it be accepted, and waits for what
/// the host says to that.
pub(crate) async fn answer(home: &Path, ticket: Ticket) -> Result<Fate, Box<dyn Error>> {
    let home = Home::options().name("the answerer").open(home).await?;
    let workspace = home.join(ticket).await?;
    let request = workspace.open_request().await?;
    answer_each(&request).await?;
    let fate = request.accept().await?.decided().await?;
    home.close().await;
    Ok(fate)
}

async fn answer_each(request: &Request) -> Result<(), Box<dyn Error>> {
    let questions = request.view().await?.request.questions.unwrap_or_default();
    for (question, value) in questions.iter().filter_map(answer_to) {
        request.submit(question, value).await?;
    }
    Ok(())
}

/// What this peer answers: it likes what is recommended, and says yes.
fn answer_to(question: &ChatInputQuestion) -> Option<(&str, Value)> {
    match question {
        ChatInputQuestion::Text(text) => Some((&text.id, "Go ahead.".into())),
        ChatInputQuestion::Number(number) | ChatInputQuestion::Integer(number) => {
            let value = number.default_value.or(number.min).unwrap_or_default();
            Some((&number.id, value.into()))
        }
        ChatInputQuestion::Boolean(boolean) => Some((&boolean.id, true.into())),
        ChatInputQuestion::SingleSelect(select) => {
            let recommended = select.options.iter().find(|one| one.recommended == Some(true));
            let option = recommended.or(select.options.first())?;
            Some((&select.id, option.id.as_str().into()))
        }
        ChatInputQuestion::MultiSelect(select) => {
            let first = select.options.first()?;
            Some((&select.id, [first.id.as_str()].into()))
        }
        // Of a kind that this release doesn't know: nobody can answer it.
        ChatInputQuestion::Unknown(_) => None,
    }
}
