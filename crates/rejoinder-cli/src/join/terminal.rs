//! The form on a terminal: keys go in, actions go to the engine, new states come back.

mod act;
mod changes;
mod happened;
mod keyboard;
mod raw;
mod showing;

use std::{io, time::Instant};

use rejoinder::{Events, ProposalId};

use super::Joined;
use crate::{
    failure::Failure,
    log,
    outcome::Exit,
    prompt::{Action, Input, Prompt, Screen},
    signals::Signals,
};
use changes::{Change, Changes};
use raw::Raw;
use showing::{Listed, Shown, Stale, changed};

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
        listed: Vec::new(),
        shown: None,
        stale: Stale::Workspace,
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
        // A disk that hangs must not hold up a person who asks to leave a second time.
        _ = signals.next() => Ok(()),
        told = form.tell_typed() => told,
    };
    // The terminal may be gone, and with it anybody who would have seen the form removed.
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
    /// The requests of the workspace, in the order in which they were raised.
    listed: Vec<Listed>,
    /// The request that the form shows.
    shown: Option<Shown>,
    stale: Stale,
    /// The last proposal made here to complete the request.
    proposed: Option<ProposalId>,
    /// True if anything was refused.
    refused: bool,
    events: Events,
    disk_fails: bool,
    /// True if this process stopped itself and has not seen the signal to continue yet.
    stopped: bool,
}

/// The next thing that the loop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    On,
    /// Leave, as the person asked.
    Leave,
    /// Stop the process, as the person asked.
    Stop,
    /// End, since with `--once` the request has ended.
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
        loop {
            let timeout = match self.stale {
                Stale::Nothing => self.prompt.poll_timeout(),
                // Only at the start, before any event.
                Stale::Request | Stale::Workspace => Some(0),
            };
            let timeout = timeout.map(|at| at.saturating_sub(self.now()));
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
                // The state that the stream has read may be older than what was done here since.
                stale = changed(&mut self.shown) => self.outdate(stale),
                () = after(timeout) => self.tell(Input::Tick),
            }
            let mut next = self.catch_up().await?;
            while next == Next::Stop {
                self.stop(raw).map_err(failed)?;
                next = self.catch_up().await?;
            }
            if self.draw().is_err() {
                // A terminal that can't be written to any more is gone.
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

    /// Makes drafts of what is typed in the form, however this ends. They are then on the disk.
    async fn tell_typed(&mut self) -> Result<(), Failure> {
        self.tell(Input::Leaving);
        while let Some(action) = self.prompt.poll_action() {
            self.outdate(Stale::Request);
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

    /// Returns the milliseconds since the form came up.
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

    /// Continues after a stop. If somebody else stopped the process, the form was left where it
    /// was, and the shell's output stands below it.
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

    /// Does what the form wants, then shows it the new state, until nothing is left of either. All
    /// actions are done before the next state is shown: a state read earlier would undo on the
    /// screen what was typed.
    async fn catch_up(&mut self) -> Result<Next, Failure> {
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
                self.outdate(Stale::Request);
                if action == Action::Next {
                    self.next().await?;
                } else {
                    self.act(action).await?;
                }
            }
            match std::mem::replace(&mut self.stale, Stale::Nothing) {
                Stale::Nothing => return Ok(Next::On),
                Stale::Request => {}
                Stale::Workspace => self.look_at_workspace().await?,
            }
            if self.show().await? == Next::Done {
                return Ok(Next::Done);
            }
        }
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

/// True if the terminal rewraps its lines when it gets narrower. Most do; these two cut them.
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
