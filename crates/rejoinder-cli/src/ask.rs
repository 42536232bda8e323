//! `ask`: host a request, hand out a ticket, wait, print how it ended.

mod approvals;
pub(crate) mod clock;
mod ticket_file;
mod turn;

use std::pin::pin;

use rejoinder::{
    Closed, Events, Home, Host, Invite, NotDone, Request, RequestStatus, RequestView, Role,
    TurnEnd, form::Form,
};

use crate::{
    args::{Ask, Common},
    console::Console,
    event::Event,
    failure::Failure,
    feed::Feed,
    form::FormFile,
    home,
    outcome::{Answers, Exit, Outcome},
    plain, shown,
    signals::Signals,
};
use approvals::Approvals;
use clock::Deadline;
use ticket_file::TicketFile;

/// The title of a workspace made on first use.
const TITLE: &str = "workspace";

/// Runs the command.
pub(crate) async fn run(ask: &Ask, common: &Common, console: &Console) -> Result<Exit, Failure> {
    if ask.approve && ask.form.as_os_str() == "-" {
        let message = "--approve asks on stdin, which is the form here; put the form in a file";
        return Err(Failure::unreadable("approve", message));
    }
    let form = FormFile::read(&ask.form, ask.id.as_deref())?;
    let form = form.checked(|request| Form::read(request).check())?;
    say_left_out(&form, console);
    // Not before the form is read: Ctrl-C ends a form that is typed.
    let mut signals = Signals::listen()?;
    let deadline = ask.until.map(Deadline::new);
    let ticket_file = ask.ticket_file.as_deref().map(TicketFile::prepare).transpose()?;
    let home = home::open(common, home::Opens::making(ask.new), &ask.network, None).await?;
    let events = home.events()?;
    let host = host(&home, ask.workspace.as_deref()).await?;
    console.set_names(shown::names(home.me(), &host.workspace().members().await?));
    let asking = Asking { ask, form, host, console, deadline };
    let ended = asking.run(&home, events, &mut signals, ticket_file).await;
    signals.close(home).await;
    ended
}

fn say_left_out(form: &FormFile, console: &Console) {
    for left_out in form.elicitation.iter().flat_map(|elicitation| elicitation.left_out()) {
        let (name, property) = (plain::line(&form.name), plain::name(&left_out.property));
        console.say(&format!("{name}: property {property} is left out: {}", left_out.why));
    }
    for (property, format) in
        form.elicitation.iter().flat_map(|elicitation| elicitation.unchecked())
    {
        let (name, property) = (plain::line(&form.name), plain::name(property));
        let format = plain::name(format);
        console.say(&format!(
            "{name}: property {property} has the format {format}, which is shown and not checked"
        ));
    }
}

/// The workspace to ask in, made if there is none.
async fn host(home: &Home, named: Option<&str>) -> Result<Host, Failure> {
    Ok(match home::workspace(home, named, |view| view.can_host).await? {
        Some(workspace) => home.host(workspace.id()).await?,
        None => home.create_workspace(named.unwrap_or(TITLE)).await?,
    })
}

struct Asking<'a> {
    ask: &'a Ask,
    form: FormFile,
    host: Host,
    console: &'a Console,
    deadline: Option<Deadline>,
}

/// The reason why the wait is over.
enum Over {
    Ended(Box<RequestView>),
    /// The request no longer exists.
    Gone,
    Signal(Exit),
}

impl Asking<'_> {
    async fn run(
        &self,
        home: &Home,
        events: Events,
        signals: &mut Signals,
        ticket_file: Option<TicketFile>,
    ) -> Result<Exit, Failure> {
        let request = match self.taken_up().await? {
            Some(request) => request,
            None => self.raise().await?,
        };
        let mut feed = Feed::new(home.me());
        let known = feed.know_members(&self.host.workspace().members().await?);
        let asked = feed.know(request.view().await?);
        known.into_iter().chain(asked).for_each(|event| self.console.event(event));
        self.hand_out(ticket_file).await?;
        match self.wait(&request, events, signals, feed).await? {
            Over::Signal(exit) => {
                self.say_open();
                Ok(exit)
            }
            Over::Gone => {
                let nothing = Answers::new();
                let gone = Outcome::ended(self.id(), TurnEnd::Truncated, &nothing);
                self.print(gone, &nothing)
            }
            Over::Ended(view) => {
                let answers = shown::answers(&view);
                let exit = self.print(outcome(&view, &answers), &answers)?;
                // A crash between these two has it printed again: once too often, but never lost.
                self.host.handed_over(view.opening).await?;
                self.complete(&view).await?;
                Ok(exit)
            }
        }
    }

    fn id(&self) -> &str {
        &self.form.request.id
    }

    async fn hand_out(&self, ticket_file: Option<TicketFile>) -> Result<(), Failure> {
        let Ask { seats, good_for, approve, .. } = *self.ask;
        let invite = Invite { seats, valid_for: good_for, role: Role::Collaborator, approve };
        let ticket = self.host.ticket(invite).await?.to_string();
        match ticket_file {
            Some(file) => file.publish(&ticket),
            None => {
                self.console.event(Event::Ticket { ticket });
                Ok(())
            }
        }
    }

    async fn wait(
        &self,
        request: &Request,
        mut events: Events,
        signals: &mut Signals,
        mut feed: Feed,
    ) -> Result<Over, Failure> {
        let mut approvals = Approvals::new(&self.host, self.console);
        let mut deadline = self.deadline;
        let mut settled = pin!(request.settled());
        loop {
            tokio::select! {
                biased;
                exit = signals.next() => return Ok(Over::Signal(exit)),
                settled = &mut settled => return over(request, settled).await,
                () = Deadline::wait(deadline) => {
                    deadline = None;
                    self.expire(request).await?;
                }
                line = approvals.line() => approvals.obey(line).await?,
                Some(event) = events.next() => {
                    feed.take(&event).into_iter().for_each(|event| self.console.event(event));
                    approvals.take(event);
                }
            }
        }
    }

    async fn expire(&self, request: &Request) -> Result<(), Failure> {
        match self.host.expire(request.opening()).await {
            Ok(()) => Ok(()),
            // It was decided at the same moment; the caller is told the decision.
            Err(NotDone::Refused(why)) => {
                tracing::debug!(%why, "too late to expire");
                Ok(())
            }
            Err(NotDone::Closed(closed)) => Err(closed.into()),
        }
    }

    /// Prints the outcome. If that fails, it was not handed over: the next `ask` prints it.
    fn print(&self, outcome: Outcome, answers: &Answers) -> Result<Exit, Failure> {
        let exit = outcome.exit();
        self.console.result(match &self.form.elicitation {
            Some(elicitation) => outcome.with_result(elicitation, answers),
            None => outcome,
        })?;
        Ok(exit)
    }

    fn say_open(&self) {
        let id = plain::name(self.id());
        let form = plain::line(&self.form.name);
        self.console.say(&format!(
            "request {id} stays open: `rejoinder ask` with the same form ({form}) and id takes it \
             up, `rejoinder withdraw` ends it"
        ));
    }
}

async fn over(request: &Request, settled: Result<RequestView, Closed>) -> Result<Over, Failure> {
    match settled {
        Ok(view) => Ok(Over::Ended(Box::new(view))),
        // Its home is closed, or the request no longer exists.
        Err(closed) => match request.view().await {
            Err(NotDone::Refused(_)) => Ok(Over::Gone),
            Ok(_) | Err(NotDone::Closed(_)) => Err(closed.into()),
        },
    }
}

/// Returns the outcome of a settled request.
pub(crate) fn outcome(view: &RequestView, answers: &Answers) -> Outcome {
    let id = view.id.as_str();
    match view.status {
        RequestStatus::Decided { response, by, .. } => {
            let questions = view.request.questions.as_deref().unwrap_or_default();
            Outcome::decided(id, response, answers, &by.to_string())
                .with_defaults(questions, answers)
        }
        RequestStatus::Ended(how) => Outcome::ended(id, how, answers),
        RequestStatus::Open | RequestStatus::Suspended => {
            unreachable!("whoever waits for the end gets a request that has one")
        }
    }
}
