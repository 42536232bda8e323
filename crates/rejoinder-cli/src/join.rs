//! `join`: answer a request, by commands on stdin or by the form on a terminal.

mod commands;
mod follow;
mod pick;
mod terminal;
mod ticket;

use std::{
    env,
    io::{self, IsTerminal},
};

use rejoinder::{Events, Home, Ticket, Workspace};

use crate::{
    args::{Common, Join},
    ask::clock,
    console::Console,
    failure::Failure,
    feed::Feed,
    home,
    outcome::Exit,
    plain, shown,
    signals::Signals,
};

/// Runs the command.
pub(crate) async fn run(join: &Join, common: &Common, console: &Console) -> Result<Exit, Failure> {
    // Read before signals are caught, so that Ctrl-C still ends the read of a ticket.
    let ticket = join.ticket.as_deref().map(ticket::read).transpose()?;
    let expires = ticket.as_ref().map(|ticket| ticket.expires);
    let mut signals = Signals::listen()?;
    let opens = match ticket {
        Some(_) => home::Opens::making(join.new),
        // Without a ticket there is nothing to answer in a home that was never in a workspace.
        None if join.new => home::Opens::New,
        None => home::Opens::Existing,
    };
    let home = home::open(common, opens, &join.network, join.name.as_deref()).await?;
    let events = home.events()?;
    let workspace = workspace(&home, ticket, join.workspace.as_deref()).await?;
    // A member does not need a valid ticket. For a device that is not one, the host decides, by its
    // own clock.
    if let Some(expires) = expires.filter(|expires| clock::is_past(*expires))
        && !workspace.view().await?.member
    {
        console.say(&format!(
            "by this machine's clock the ticket expired at {expires}; ask for another one"
        ));
    }
    let joined = Joined { home, workspace, join, console };
    let ended = joined.run(events, &mut signals).await;
    signals.close(joined.home).await;
    ended
}

async fn workspace(
    home: &Home,
    ticket: Option<Ticket>,
    named: Option<&str>,
) -> Result<Workspace, Failure> {
    if let Some(ticket) = ticket {
        return Ok(home.join(ticket).await?);
    }
    home::workspace(home, named, |_| true).await?.ok_or_else(|| {
        let message = match named {
            Some(name) => format!("this home is in no workspace called {}", plain::line(name)),
            None => "this home is in no workspace yet: `rejoinder join TICKET`, with the ticket \
                     that `rejoinder ask` printed"
                .to_owned(),
        };
        Failure::unreadable("no-workspace", message)
    })
}

/// True if the terminal can draw and not only print. One in an editor or a log can't.
fn draws() -> bool {
    env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// A device in a workspace, and the person in front of it.
struct Joined<'a> {
    home: Home,
    workspace: Workspace,
    join: &'a Join,
    console: &'a Console,
}

impl Joined<'_> {
    async fn run(&self, events: Events, signals: &mut Signals) -> Result<Exit, Failure> {
        let view = self.workspace.view().await?;
        self.console.set_names(shown::names(self.home.me(), &view.members));
        let for_people = io::stdin().is_terminal() && io::stderr().is_terminal();
        if for_people && !self.console.is_json() {
            if draws() {
                return terminal::run(self, events, signals).await;
            }
            self.console.say(
                "this terminal (TERM=dumb) can't show the form; commands are read, one a line: \
                 `show`, `submit QUESTION ANSWER`, `accept`, `quit`",
            );
        }
        let mut feed = Feed::new(self.home.me());
        let members = feed.know_members(&view.members);
        let requests = view.requests.iter().flat_map(|request| feed.know(request.clone()));
        members.into_iter().chain(requests).for_each(|event| self.console.event(event));
        let following = follow::Following::of(&view.requests);
        tokio::select! {
            biased;
            exit = signals.next() => Ok(exit),
            // Events come before commands: what has happened is printed before a reply that refers
            // to it.
            failure = following.run(self, events, feed) => Err(failure),
            ended = commands::run(self, &following) => ended,
        }
    }
}
