//! `demo`: the main job in one process, over real links on loopback. Nothing is staged: the three
//! homes are used as in `ask` and `join`, and every step waits for the state it needs.

mod scratch;
mod timeline;

use std::net::{Ipv4Addr, SocketAddr};

use rejoinder::{
    ChatInputRequest, Fate, Home, Invite, Proposal, Request, RequestStatus, RequestView, Turn,
    Workspace, form::answer_to_json,
};
use tokio::time::{Duration, timeout};

use crate::{ask, console::Console, failure::Failure, outcome::Exit, shown, signals::Signals};
use scratch::Scratch;
use timeline::Timeline;

/// The agent's request.
const FORM: &str = r#"{ "id": "deploy", "message": "Deploy 1.4?", "questions": [
    { "kind": "single-select", "id": "env", "message": "Where to?", "required": true,
      "options": [{ "id": "staging", "label": "Staging" }, { "id": "prod", "label": "Production" }] },
    { "kind": "integer", "id": "replicas", "message": "How many replicas?", "min": 1, "max": 9 },
    { "kind": "text", "id": "notes", "message": "Anything to know?" } ] }"#;

/// The longest that the demo may run. A link that is not up by then will never come.
const LIMIT: Duration = Duration::from_secs(25);

/// Runs the command.
pub(crate) async fn run(console: &Console) -> Result<Exit, Failure> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        biased;
        exit = signals.next() => Ok(exit),
        ended = timeout(LIMIT, demo(console)) => ended.unwrap_or_else(|_| {
            let message = "the demo did not come to its end in time: is loopback UDP blocked?";
            Err(Failure::new("demo", message))
        }),
    }
}

/// A person with a device.
struct Person {
    name: &'static str,
    home: Home,
    workspace: Workspace,
}

async fn demo(console: &Console) -> Result<Exit, Failure> {
    let scratch = Scratch::make()?;
    let timeline = Timeline::start();
    let (agent, host) = {
        let home = open(&scratch, "agent").await?;
        let host = home.create_workspace("release train").await?;
        let workspace = host.workspace().clone();
        (Person { name: "agent", home, workspace }, host)
    };
    timeline.follow(agent.name, &agent.home)?;
    let turn = host.start_turn("Deploy 1.4").await?;
    let form: ChatInputRequest = serde_json::from_str(FORM).expect("the form above is one");
    let asked = turn.ask(form).await?.request().clone();
    timeline.say("agent", "asks \"Deploy 1.4?\" and hands out a ticket");
    let ticket = host.ticket(Invite { seats: 2, ..Invite::default() }).await?;
    let ana = join(&scratch, &timeline, "Ana", ticket.clone()).await?;
    let ben = join(&scratch, &timeline, "Ben", ticket).await?;
    for person in [&agent, &ana, &ben] {
        person.home.until_links(|links| links.len() == 2).await?;
    }
    timeline.say("", "everybody is linked with everybody");
    apart(&timeline, &ana, &ben).await?;
    together(&timeline, [&agent, &ana, &ben]).await?;
    accept(&timeline, &ben).await?;
    let exit = verdict(console, &timeline, &asked, [&agent, &ana, &ben]).await?;
    end(turn, [agent, ana, ben]).await?;
    Ok(exit)
}

async fn open(scratch: &Scratch, name: &str) -> Result<Home, Failure> {
    let loopback = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Ok(Home::options().name(name).listen(loopback).open(scratch.home(name)).await?)
}

async fn join(
    scratch: &Scratch,
    timeline: &Timeline,
    name: &'static str,
    ticket: rejoinder::Ticket,
) -> Result<Person, Failure> {
    let home = open(scratch, name).await?;
    timeline.follow(name, &home)?;
    let workspace = home.join(ticket).await?;
    workspace.joined().await?;
    workspace.open_request().await?;
    timeline.say(name, "has joined and sees the request");
    Ok(Person { name, home, workspace })
}

/// Has both answer while cut off from each other and from the host.
async fn apart(timeline: &Timeline, ana: &Person, ben: &Person) -> Result<(), Failure> {
    timeline.say("", "Ana and Ben go offline: links are closed, dials are refused");
    for person in [ana, ben] {
        person.home.offline().await?;
        person.home.until_links(<[_]>::is_empty).await?;
    }
    let request = ana.workspace.open_request().await?;
    request.submit("env", "prod").await?;
    timeline.say("Ana", "answers env: prod");
    request.draft("notes", "Mind the migration. ").await?;
    timeline.say("Ana", "drafts notes: \"Mind the migration. \"");
    let request = ben.workspace.open_request().await?;
    request.submit("replicas", 3.0).await?;
    timeline.say("Ben", "answers replicas: 3");
    request.draft("notes", "Not before noon. ").await?;
    timeline.say("Ben", "drafts notes: \"Not before noon. \"");
    for (person, theirs) in [(ana, "replicas"), (ben, "env")] {
        if view(&person.workspace).await?.projection.answers.contains_key(theirs) {
            let message = format!("{} saw the other's answer through no link", person.name);
            return Err(Failure::new("demo", message));
        }
    }
    timeline.say("", "neither sees what the other wrote");
    Ok(())
}

/// Heals the links, and waits until all have everything that was written.
async fn together(timeline: &Timeline, people: [&Person; 3]) -> Result<(), Failure> {
    timeline.say("", "the links heal");
    for person in people {
        person.home.online().await?;
    }
    for person in people {
        let request = person.workspace.open_request().await?;
        let mut states = request.watch();
        while let Some(view) = states.next().await {
            if ["env", "replicas", "notes"]
                .iter()
                .all(|question| view.projection.answers.contains_key(*question))
            {
                break;
            }
        }
        person.workspace.synced().await?;
        timeline.say(person.name, "sees all answers");
    }
    Ok(())
}

async fn accept(timeline: &Timeline, ben: &Person) -> Result<(), Failure> {
    let request = ben.workspace.open_request().await?;
    request.submit_draft("notes").await?;
    timeline.say("Ben", "submits notes, with the words of both");
    let proposal = request.accept().await?;
    timeline.say("Ben", "accepts");
    follow_fate(timeline, &proposal).await
}

async fn follow_fate(timeline: &Timeline, proposal: &Proposal) -> Result<(), Failure> {
    let mut fates = proposal.fate();
    while let Some(fate) = fates.next().await {
        match fate {
            Fate::Saved => timeline.say("Ben", "accept: saved here"),
            Fate::Carried(count) => timeline.say("Ben", &format!("accept: carried by {count}")),
            Fate::Received => timeline.say("Ben", "accept: received by the host"),
            Fate::Granted => {
                timeline.say("Ben", "accept: decided");
                return Ok(());
            }
            Fate::Refused(why) => {
                return Err(Failure::new("demo", format!("the accept was refused: {why}")));
            }
        }
    }
    Err(fates.closed().into())
}

/// Checks that all show the same decided part, and prints to stdout what `ask` would.
async fn verdict(
    console: &Console,
    timeline: &Timeline,
    asked: &Request,
    people: [&Person; 3],
) -> Result<Exit, Failure> {
    let decided = asked.settled().await?;
    let expected = part(&decided);
    for person in people {
        let request = person.workspace.request_opened(asked.opening()).await?;
        let request = request.ok_or_else(|| {
            Failure::new("demo", format!("{} does not have the request", person.name))
        })?;
        let shown = part(&request.settled().await?);
        if shown != expected {
            let message = format!("{} shows {shown}, the host {expected}", person.name);
            return Err(Failure::new("demo", message));
        }
        timeline.say(person.name, &format!("shows the decided part: {} bytes", shown.len()));
    }
    timeline.say("", "every peer shows the same decided part, byte for byte");
    let outcome = ask::outcome(&decided, &shown::answers(&decided));
    let exit = outcome.exit();
    console.result(outcome)?;
    Ok(exit)
}

/// Returns what a peer shows of a request that is over, with the authors, in canonical JSON.
fn part(view: &RequestView) -> String {
    let answers = view.projection.answers.iter().map(|(question, answer)| {
        let authors: Vec<String> = answer.authors.iter().map(ToString::to_string).collect();
        let answer = answer_to_json(&answer.answer);
        (question.to_string(), serde_json::json!({ "answer": answer, "authors": authors }))
    });
    let (response, by) = match view.status {
        RequestStatus::Decided { response, by, .. } => (Some(response), Some(by.to_string())),
        RequestStatus::Open | RequestStatus::Suspended | RequestStatus::Ended(_) => (None, None),
    };
    let answers: serde_json::Map<_, _> = answers.collect();
    let id = view.id.as_str();
    serde_json::json!({ "request": id, "response": response, "by": by, "answers": answers })
        .to_string()
}

async fn view(workspace: &Workspace) -> Result<RequestView, Failure> {
    Ok(workspace.open_request().await?.view().await?)
}

async fn end(turn: Turn, people: [Person; 3]) -> Result<(), Failure> {
    turn.complete().await?;
    for person in people {
        person.home.close().await;
    }
    Ok(())
}
