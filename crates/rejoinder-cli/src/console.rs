//! Output of the process: results on stdout, messages for people on stderr; with `--json`, events
//! on stdout.

use std::{
    io::{self, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rejoinder::RequestView;

use crate::{
    event::{Event, Reply},
    failure::Failure,
    names::Names,
    outcome::Outcome,
    plain, report, shown,
};

/// Prints events, replies and results. If nobody reads them any more, the work goes on, and the
/// failure is reported at the end ([`whole`](Self::whole)).
#[derive(Debug)]
pub(crate) struct Console {
    json: bool,
    state: Mutex<State>,
    stdout: Stdout,
}

/// Stdout, until a write to it fails. Nothing is written after that: a line that follows half a
/// line can't be read.
#[derive(Debug, Default)]
struct Stdout {
    failed: Mutex<Option<String>>,
}

impl Stdout {
    fn line(&self, line: &str) {
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed.is_none() {
            let mut out = io::stdout().lock();
            let written = writeln!(out, "{}", plain::leaving(line)).and_then(|()| out.flush());
            *failed = written.err().map(|why| why.to_string());
        }
    }

    fn whole(&self) -> Result<(), Failure> {
        match &*self.failed.lock().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(()),
            Some(why) => Err(Failure::new("stdout", format!("cannot write to stdout: {why}"))),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    names: Names,
    /// Events held back until a reply is printed.
    held: Option<Vec<Event>>,
}

impl Console {
    /// Makes a console that knows no names yet.
    pub(crate) fn new(json: bool) -> Self {
        Self { json, state: Mutex::default(), stdout: Stdout::default() }
    }

    /// True if a program reads the output.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Sets the names by which members are shown from now on.
    pub(crate) fn set_names(&self, names: Names) {
        self.state().names = names;
    }

    /// The names of the members.
    pub(crate) fn names(&self) -> Names {
        self.state().names.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints an event, or holds it back.
    pub(crate) fn event(&self, event: Event) {
        let mut state = self.state();
        if let Event::Member { peer, name, .. } = &event {
            state.names.set(peer, name);
        }
        match &mut state.held {
            Some(held) => held.push(event),
            None => self.print(&event, &state.names),
        }
    }

    fn print(&self, event: &Event, names: &Names) {
        if self.json {
            self.stdout.line(&event.json());
        } else {
            err(&report::event(event, names));
        }
    }

    /// Holds events back until [`release`](Self::release), so that what a command causes is printed
    /// after its reply.
    pub(crate) fn hold(&self) {
        self.state().held.get_or_insert_default();
    }

    /// Prints the events held back, and later ones at once.
    pub(crate) fn release(&self) {
        let mut state = self.state();
        for event in state.held.take().unwrap_or_default() {
            self.print(&event, &state.names);
        }
    }

    /// Prints the reply to a line of stdin.
    pub(crate) fn reply(&self, reply: Reply) {
        let line = if self.json { Event::Reply(reply).json() } else { report::reply(&reply) };
        self.stdout.line(&line);
    }

    /// Prints a request that somebody asked to see.
    pub(crate) fn show(&self, request: &RequestView) {
        if self.json {
            shown::request::events(request)
                .iter()
                .for_each(|event| self.stdout.line(&event.json()));
        } else {
            report::request(request, &self.names()).iter().for_each(|line| self.stdout.line(line));
        }
    }

    /// Prints the outcome of `ask` or `demo`. Returns when it is written and flushed.
    ///
    /// # Errors
    ///
    /// The outcome, or something before it, could not be written.
    pub(crate) fn result(&self, outcome: Outcome) -> Result<(), Failure> {
        let line = if self.json { Event::Result(outcome).json() } else { outcome.line() };
        self.stdout.line(&line);
        self.whole()
    }

    /// Checks that everything for stdout was written.
    ///
    /// # Errors
    ///
    /// A write failed; nothing was written after it.
    pub(crate) fn whole(&self) -> Result<(), Failure> {
        self.stdout.whole()
    }

    /// Prints what a command was asked for, on stdout: these events for programs, these lines for
    /// people.
    pub(crate) fn answer(&self, events: &[Event], lines: &[String]) {
        if self.json {
            events.iter().for_each(|event| self.stdout.line(&event.json()));
        } else {
            lines.iter().for_each(|line| self.stdout.line(line));
        }
    }

    /// Prints a message for people alone.
    pub(crate) fn say(&self, text: &str) {
        err(text);
    }

    /// Prints the reason why the command failed.
    pub(crate) fn failed(&self, failure: &Failure) {
        if self.json {
            let Failure { error, message, .. } = failure.clone();
            self.stdout.line(&Event::Error { error, message }.json());
        }
        err(&format!("rejoinder: {}", plain::lines(&failure.message).join("\n")));
    }
}

fn err(line: &str) {
    let _nobody_reads = writeln!(io::stderr().lock(), "{}", plain::leaving(line));
}
