//! The form on a terminal: keys in, actions to the engine, states back.

mod act;
mod changes;
mod keyboard;
mod raw;

use std::{io, time::Instant};

use rejoinder::{
    Event, Events, HomeEvent, OpeningId, PeerId, ProposalId, Request, RequestStatus, RequestView,
};

use super::Joined;
use crate::{
    damage,
    failure::Failure,
    log,
    outcome::Exit,
    prompt::{Action, Input, Prompt, Screen},
    shown,
    signals::Signals,
    view::Status,
};
use changes::{Change, Changes};
use raw::Raw;

/// Shows the form until the person leaves.
pub(super) async fn run(
    joined: &Joined<'_>,
    events: Events,
    signals: &mut Signals,
) -> Result<Exit, Failure> {
    let mut changes = Changes::listen().map_err(failed)?;
    let raw = Raw::enter().map_err(failed)?;
    let (columns, rows) = crossterm::terminal::size().map_err(failed)?;
    let mut form = FormOnTerminal {
        joined,
        prompt: Prompt::new(joined.console.names(), columns, rows),
        screen: Screen::new(log::colours_wanted(), reflows()),
        started: Instant::now(),
        shown: None,
        stale: true,
        proposed: None,
        refused: false,
        events,
        disk_fails: false,
        stopped: false,
    };
    form.greet().await?;
    let ended = form.run(signals, &mut changes, &raw).await;
    let told = tokio::select! {
        biased;
        // A disk that hangs must not hold whoever asks a second time.
        _ = signals.next() => Ok(()),
        told = form.tell_typed() => told,
    };
    // It may be gone, and with it whoever would have seen the form go.
    let _gone = form.leave();
    drop(raw);
    for line in form.prompt.untaken() {
        joined.console.say(&line);
    }
    if form.disk_fails {
        joined.console.say("the disk refuses writes: what you wrote since then is not saved here");
    } else if form.is_open() {
        joined.console.say(
            "the request stays open, what you wrote is kept: `rejoinder join` goes on with it",
        );
    }
    let exit = ended?;
    told?;
    Ok(exit)
}

struct FormOnTerminal<'a> {
    joined: &'a Joined<'a>,
    prompt: Prompt,
    screen: Screen,
    started: Instant,
    /// The request that the form shows.
    shown: Option<(Request, Status)>,
    /// Whether that may stand otherwise by now.
    stale: bool,
    /// The last completion that was proposed here.
    proposed: Option<ProposalId>,
    /// Whether anything was refused.
    refused: bool,
    events: Events,
    disk_fails: bool,
    /// It stopped itself, and has not heard yet that it goes on.
    stopped: bool,
}

/// Whether it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    /// The person leaves.
    Leave,
    /// The person stops the process for now.
    Stop,
    /// With `--once`, the request has ended.
    Done,
}

impl FormOnTerminal<'_> {
    async fn run(
        &mut self,
        signals: &mut Signals,
        changes: &mut Changes,
        raw: &Raw,
    ) -> Result<Exit, Failure> {
        let mut keys = keyboard::inputs();
        let mut states = self.joined.workspace.watch();
        loop {
            let timeout = self.prompt.poll_timeout().map(|at| at.saturating_sub(self.now()));
            tokio::select! {
                biased;
                exit = signals.next() => return Ok(exit),
                change = changes.next() => match change {
                    Change::Continued => self.goes_on(raw).map_err(failed)?,
                    Change::Resized => self.look_at_size().map_err(failed)?,
                },
                input = keys.recv() => match input {
                    Some(input) => self.input(input).map_err(failed)?,
                    // A terminal that can't be read any more is gone.
                    None => return Ok(Exit::HungUp),
                },
                event = self.events.next() => match event {
                    Some(event) => self.event(event).await?,
                    None => return Err(self.events.closed().into()),
                },
                // What the stream has read may be older than what was done here since.
                state = states.next() => self.stale |= state.is_some(),
                () = after(timeout) => self.tell(Input::Tick),
            }
            let mut next = self.settle().await?;
            while next == Next::Stop {
                self.stop(raw).map_err(failed)?;
                next = self.settle().await?;
            }
            if self.draw().is_err() {
                // Nor is one that can't be written to there any more.
                return Ok(Exit::HungUp);
            }
            if next == Next::Leave && self.is_open() {
                return Ok(Exit::Interrupted);
            }
            if next != Next::On {
                let refused = self.joined.join.strict && self.refused;
                return Ok(if refused { Exit::Failed } else { Exit::Done });
            }
        }
    }

    /// Makes drafts of what stands typed in the form, however this ends. They are on the disk then.
    async fn tell_typed(&mut self) -> Result<(), Failure> {
        self.tell(Input::Leaving);
        while let Some(action) = self.prompt.poll_action() {
            self.stale = true;
            self.act(action).await?;
        }
        Ok(())
    }

    async fn greet(&mut self) -> Result<(), Failure> {
        if !self.joined.workspace.view().await?.member {
            self.tell(Input::Said("waiting to be let in by the host".to_owned()));
        }
        self.draw().map_err(failed)
    }

    fn is_open(&self) -> bool {
        self.shown.as_ref().is_some_and(|(_, status)| *status == Status::Open)
    }

    /// Milliseconds since the form came up.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn tell(&mut self, input: Input) {
        self.prompt.handle(self.now(), input);
    }

    fn stop(&mut self, raw: &Raw) -> io::Result<()> {
        self.screen.clear(&mut io::stderr())?;
        self.stopped = true;
        raw.stop()?;
        self.look_at_size()
    }

    /// The process goes on. Whoever stopped it from outside left the form where it was, and what
    /// the shell has printed since stands below it.
    fn goes_on(&mut self, raw: &Raw) -> io::Result<()> {
        if std::mem::take(&mut self.stopped) {
            return Ok(());
        }
        raw.again()?;
        self.screen.forget();
        self.look_at_size()
    }

    fn look_at_size(&mut self) -> io::Result<()> {
        let (columns, rows) = crossterm::terminal::size()?;
        self.input(Input::Size { columns, rows })
    }

    fn input(&mut self, input: Input) -> io::Result<()> {
        if let Input::Size { columns, .. } = input {
            self.screen.resized(columns.into(), &mut io::stderr())?;
        }
        self.tell(input);
        Ok(())
    }

    /// Does what the form wants done, and shows it how things stand, until neither is left. Every
    /// action is done before the form is shown the next state: one that was read before would
    /// undo on the screen what was typed.
    async fn settle(&mut self) -> Result<Next, Failure> {
        loop {
            while let Some(action) = self.prompt.poll_action() {
                match action {
                    Action::Quit => return Ok(Next::Leave),
                    Action::Stop => return Ok(Next::Stop),
                    Action::Draft { .. }
                    | Action::Submit { .. }
                    | Action::Skip { .. }
                    | Action::Clear { .. }
                    | Action::Take { .. }
                    | Action::Next
                    | Action::Complete(_) => {}
                }
                self.stale = true;
                if action == Action::Next {
                    self.next().await?;
                } else {
                    self.act(action).await?;
                }
            }
            if !std::mem::take(&mut self.stale) {
                return Ok(Next::On);
            }
            let view = self.joined.workspace.view().await?;
            let names = shown::names(self.joined.home.me(), &view.members);
            if names != self.joined.console.names() {
                self.joined.console.set_names(names.clone());
                self.tell(Input::Names(names));
                self.stale = true;
            } else if self.show(&view.requests).await? == Next::Done {
                return Ok(Next::Done);
            }
        }
    }

    /// Shows the form its request as it stands.
    async fn show(&mut self, requests: &[RequestView]) -> Result<Next, Failure> {
        let open = requests.iter().filter(|view| view.status == RequestStatus::Open);
        let shown = self.choose(requests).map(|view| view.opening);
        let others = open.filter(|view| Some(view.opening) != shown).count();
        self.tell(Input::Others(others));
        let Some(view) = self.choose(requests) else {
            if self.shown.is_some() {
                self.tell_typed().await?;
                self.shown = None;
                self.tell(Input::Request(None));
            }
            return Ok(Next::On);
        };
        if self.opening() != Some(view.opening) && !self.turn_to(view.opening).await? {
            return Ok(Next::On);
        }
        let shown = shown::request(view);
        let status = shown.status.clone();
        self.tell(Input::Request(Some(Box::new(shown))));
        let over = match status {
            Status::Open | Status::Suspended => false,
            Status::Decided { .. } | Status::Ended(_) => true,
        };
        // The next open request, if there is one, comes once it was seen how this one ended.
        self.stale |= over && self.is_open();
        let before = self.shown.as_mut().map(|(_, before)| std::mem::replace(before, status));
        let ends = over && self.joined.join.once && before == Some(Status::Open);
        Ok(if ends { Next::Done } else { Next::On })
    }

    /// The open request that is shown, else the next one; one that has ended stays until then, and
    /// that it has is shown first.
    fn choose<'v>(&self, requests: &'v [RequestView]) -> Option<&'v RequestView> {
        let shown = self.opening();
        let of_form = requests.iter().find(|request| Some(request.opening) == shown);
        let open = |request: &&RequestView| request.status == RequestStatus::Open;
        if self.is_open() && of_form.is_some() {
            return of_form;
        }
        of_form.filter(open).or_else(|| requests.iter().find(open)).or(of_form)
    }

    /// Turns to the open request that comes after the one that is shown, or to the first.
    async fn next(&mut self) -> Result<(), Failure> {
        let requests = self.joined.workspace.view().await?.requests;
        let shown = self.opening();
        let at = requests.iter().position(|view| Some(view.opening) == shown);
        let (before, after) = requests.split_at(at.map_or(0, |at| at + 1));
        let mut others = after.iter().chain(before);
        let open =
            |view: &&RequestView| view.status == RequestStatus::Open && Some(view.opening) != shown;
        if let Some(view) = others.find(open) {
            self.turn_to(view.opening).await?;
        }
        Ok(())
    }

    /// The form shows another request from here on. What was typed into the one before is told.
    async fn turn_to(&mut self, opening: OpeningId) -> Result<bool, Failure> {
        let request = self.joined.workspace.request_opened(opening).await?;
        let Some(request) = request else { return Ok(false) };
        self.tell_typed().await?;
        // The same id may have been asked anew: the form tells requests apart by it.
        self.tell(Input::Request(None));
        self.proposed = None;
        self.shown = Some((request, Status::Open));
        Ok(true)
    }

    fn opening(&self) -> Option<OpeningId> {
        self.shown.as_ref().map(|(request, _)| request.opening())
    }

    async fn event(&mut self, event: HomeEvent) -> Result<(), Failure> {
        if let Some(event) = event.event() {
            self.react(event).await?;
        }
        if let Some(news) = self.news(&event) {
            self.tell(Input::Said(news));
        }
        Ok(())
    }

    /// What the form does about an event, besides telling of it.
    async fn react(&mut self, event: &Event) -> Result<(), Failure> {
        if let Event::Fate { proposal, fate, .. } = event
            && self.proposed == Some(*proposal)
        {
            let fate = shown::fate(fate, self.joined.home.me());
            self.refused |= matches!(fate, crate::event::Fate::Refused { .. });
            self.tell(Input::Fate(fate));
        }
        if let Event::JoinRefused { why, .. } = event
            && !self.joined.workspace.view().await?.member
        {
            let message = format!("the host does not let this device in: {why}");
            return Err(Failure::new("join-refused", message));
        }
        if let Event::DiskFailing(why) = event {
            self.disk_fails = true;
            self.tell(Input::Disk(Some(why.clone())));
        }
        if let Event::DiskRecovered = event {
            self.disk_fails = false;
            self.tell(Input::Disk(None));
        }
        Ok(())
    }

    /// The line of news that an event is worth. How requests stand is seen in the form itself.
    #[expect(clippy::wildcard_enum_match_arm, reason = "few events are news")]
    fn news(&self, event: &HomeEvent) -> Option<String> {
        let name = |peer: &PeerId| self.joined.console.names().show(&peer.to_string());
        Some(match event {
            HomeEvent::LinkUp { peer } => format!("link to {} up", name(peer)),
            HomeEvent::LinkDown { peer, .. } => {
                format!("link to {} down; what you write is saved here", name(peer))
            }
            HomeEvent::NotReached { peer, .. } => {
                format!("{} does not answer; what you write is saved here", name(peer))
            }
            HomeEvent::Plain(Event::Unreadable { why, .. }) => {
                format!("the answers of a request can't be read: {why}")
            }
            HomeEvent::Plain(Event::DiskRecovered) => "the disk takes writes again".to_owned(),
            HomeEvent::Plain(Event::Joined(_)) => "the host has let you in".to_owned(),
            HomeEvent::Plain(event) => damage::said(event)?.1,
            _ => return None,
        })
    }

    fn draw(&mut self) -> io::Result<()> {
        let mut out = io::stderr();
        for line in log::take() {
            self.screen.leave(&crate::plain::line(&line), &mut out)?;
        }
        while let Some(notice) = self.prompt.poll_notice() {
            self.screen.leave(&notice, &mut out)?;
        }
        self.screen.show(&self.prompt.frame(), &mut out)
    }

    fn leave(&mut self) -> io::Result<()> {
        self.screen.clear(&mut io::stderr())
    }
}

/// Whether the terminal breaks its lines anew when it gets narrower. Most do; these two cut them.
fn reflows() -> bool {
    let is_console = std::env::var_os("TERM").is_some_and(|term| term == "linux");
    !is_console && std::env::var_os("XTERM_VERSION").is_none()
}

fn failed(error: io::Error) -> Failure {
    Failure::new("terminal", format!("the terminal: {error}"))
}

async fn after(milliseconds: Option<u64>) {
    match milliseconds {
        Some(milliseconds) => {
            tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
        }
        None => std::future::pending().await,
    }
}
