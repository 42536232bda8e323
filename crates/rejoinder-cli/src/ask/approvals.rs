//! `--approve`: a person at the terminal decides who may join.

use std::collections::VecDeque;

use rejoinder::{Event, HomeEvent, Host, NotDone, PeerId};
use tokio::sync::mpsc;

use crate::{console::Console, failure::Failure, plain, stdin};

/// The devices that wait, and the person who is asked about them.
pub(super) struct Approvals<'a> {
    host: &'a Host,
    console: &'a Console,
    waiting: VecDeque<(PeerId, String)>,
    /// Opened only once a device waits: until then something else may be reading stdin.
    answers: Option<mpsc::Receiver<Vec<u8>>>,
    at_end: bool,
}

impl<'a> Approvals<'a> {
    pub(super) fn new(host: &'a Host, console: &'a Console) -> Self {
        Self { host, console, waiting: VecDeque::new(), answers: None, at_end: false }
    }

    pub(super) fn take(&mut self, event: HomeEvent) {
        let HomeEvent::Plain(Event::ApprovalNeeded { device, name, .. }) = event else { return };
        if self.waiting.iter().any(|(waiting, _)| *waiting == device) {
            return;
        }
        self.waiting.push_back((device, name));
        if self.waiting.len() == 1 {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let Some((device, name)) = self.waiting.front() else { return };
        let (name, device) = (plain::name(name), device);
        self.console.say(&format!("{name} ({device}) wants to join: let them in? y or n"));
        self.answers.get_or_insert_with(stdin::lines);
    }

    /// Waits for a line from the person who is asked; `None` at the end of stdin. Cancel-safe.
    pub(super) async fn line(&mut self) -> Option<Vec<u8>> {
        match &mut self.answers {
            Some(answers) if !self.waiting.is_empty() && !self.at_end => answers.recv().await,
            Some(_) | None => std::future::pending().await,
        }
    }

    /// Does as the person answered.
    pub(super) async fn obey(&mut self, line: Option<Vec<u8>>) -> Result<(), Failure> {
        let Some(line) = line else {
            self.at_end = true;
            self.console.say("stdin is at its end: this run can let nobody in any more");
            return Ok(());
        };
        let Some(yes) = yes_or_no(&line) else {
            self.console.say("y lets them in, n does not");
            return Ok(());
        };
        let Some((device, _)) = self.waiting.pop_front() else { return Ok(()) };
        match self.host.approve(device, yes).await {
            Ok(()) => {}
            // It has become a member since, or its invite has ended.
            Err(NotDone::Refused(why)) => self.console.say(&why.to_string()),
            Err(NotDone::Closed(closed)) => return Err(closed.into()),
        }
        self.ask();
        Ok(())
    }
}

fn yes_or_no(line: &[u8]) -> Option<bool> {
    match line.trim_ascii() {
        b"y" | b"Y" | b"yes" => Some(true),
        b"n" | b"N" | b"no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        assert_eq!(yes_or_no(b"y\n"), Some(true));
        assert_eq!(yes_or_no(b" no \r\n"), Some(false));
        for unclear in [&b""[..], b"\n", b"maybe", b"yn"] {
            assert_eq!(yes_or_no(unclear), None);
        }
    }
}
