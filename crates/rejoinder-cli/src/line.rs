//! The language of `join`'s stdin: one command a line.
//!
//! A question is a bare word or a JSON string, so that `"two words"`, `""` and `"#1"` are ids too.
//! The meaning of a value depends on its question, so it stays a [`RawValue`] until the question is
//! known.

mod error;
mod value;
mod words;

use std::time::Duration;

pub(crate) use error::{LineError, LineProblem};
pub(crate) use value::RawValue;
pub(crate) use value::{boolean, number, selected, text};

use crate::limits;
use words::Words;

/// One command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Line {
    /// Print the state.
    Show,
    /// Apply the commands from here on to this request.
    Use {
        /// The request's id.
        request: String,
    },
    /// Leave. The request stays open.
    Quit,
    /// Write a draft; on a submitted answer, take it back.
    Draft {
        /// The question.
        question: String,
        /// The draft.
        value: RawValue,
    },
    /// Submit an answer to one question.
    Submit {
        /// The question.
        question: String,
        /// The answer, or `None` for the draft as it stands.
        value: Option<RawValue>,
    },
    /// Skip a question.
    Skip {
        /// The question.
        question: String,
    },
    /// Remove the answer.
    Clear {
        /// The question.
        question: String,
    },
    /// Submit another's answer from a conflict.
    Take {
        /// The question.
        question: String,
        /// The author of the answer: a peer id, the start of one, or a name.
        peer: String,
    },
    /// Propose to complete the request with its answers.
    Accept,
    /// Propose to complete the request with a no.
    Decline,
    /// Propose to complete the request without a choice.
    Cancel,
    /// Say goodbye on all links; dial and accept no more.
    Offline,
    /// Undo `offline`.
    Online,
    /// Wait for a state; returns at once if it holds already.
    Wait {
        /// The state.
        until: Until,
        /// The longest time to wait.
        within: Duration,
    },
}

/// A condition that `wait` can wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// A request is open.
    Open,
    /// All linked peers, at least one, hold the same as this device, and one of them has stored
    /// everything written here.
    Synced,
    /// The request has a decision, or its turn has ended.
    Decided,
}

/// The names of all commands, as an error lists them.
const COMMANDS: &str = "show, use, quit, draft, submit, skip, clear, take, accept, decline, \
                        cancel, offline, online, wait";

impl Line {
    /// Reads one line, without its end. `None` if there is nothing to do: the line is empty or a
    /// comment.
    pub(crate) fn parse(line: &str) -> Result<Option<Self>, LineError> {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let mut words = Words::new(line);
        let Some(command) = words.bare() else { return Ok(None) };
        if command.starts_with('#') {
            return Ok(None);
        }
        match Self::of_command(command, &mut words) {
            Ok(line) => Ok(Some(line)),
            Err(problem) => Err(LineError { command: command.to_owned(), problem }),
        }
    }

    /// Reads one line as it came from stdin. It may not be text, and may be far too long.
    pub(crate) fn from_bytes(line: &[u8]) -> Result<Option<Self>, LineError> {
        let unreadable = |problem| LineError { command: String::new(), problem };
        if line.len() > limits::STDIN_LINE {
            return Err(unreadable(LineProblem::TooLong));
        }
        let line = std::str::from_utf8(line)
            .map_err(|error| unreadable(LineProblem::NotUtf8 { byte: error.valid_up_to() + 1 }))?;
        Self::parse(line)
    }

    fn of_command(command: &str, words: &mut Words<'_>) -> Result<Self, LineProblem> {
        let line = match command {
            "draft" => {
                let question = words.id("a question and a value")?;
                let value = words.rest().ok_or(LineProblem::Missing("a value"))?;
                return Ok(Self::Draft { question, value: RawValue::new(value) });
            }
            "submit" => {
                let question = words.id("a question")?;
                return Ok(Self::Submit { question, value: words.rest().map(RawValue::new) });
            }
            "show" => Self::Show,
            "quit" => Self::Quit,
            "use" => Self::Use { request: words.id("a request id")? },
            "skip" => Self::Skip { question: words.id("a question")? },
            "clear" => Self::Clear { question: words.id("a question")? },
            "take" => Self::Take {
                question: words.id("a question and a peer")?,
                peer: words.id("a peer")?,
            },
            "accept" => Self::Accept,
            "decline" => Self::Decline,
            "cancel" => Self::Cancel,
            "offline" => Self::Offline,
            "online" => Self::Online,
            "wait" => wait(words)?,
            _ => return Err(LineProblem::UnknownCommand { known: COMMANDS }),
        };
        match words.rest() {
            Some(rest) if !rest.trim().is_empty() => {
                Err(LineProblem::TooMuch(rest.trim().to_owned()))
            }
            Some(_) | None => Ok(line),
        }
    }

    /// Returns the command's word, as replies repeat it.
    pub(crate) fn command(&self) -> &'static str {
        match self {
            Self::Show => "show",
            Self::Use { .. } => "use",
            Self::Quit => "quit",
            Self::Draft { .. } => "draft",
            Self::Submit { .. } => "submit",
            Self::Skip { .. } => "skip",
            Self::Clear { .. } => "clear",
            Self::Take { .. } => "take",
            Self::Accept => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
            Self::Offline => "offline",
            Self::Online => "online",
            Self::Wait { .. } => "wait",
        }
    }

    /// Returns the command's subject, as replies repeat it: `ok submit env`, `ok wait synced`.
    pub(crate) fn subject(&self) -> Option<&str> {
        match self {
            Self::Use { request } => Some(request),
            Self::Draft { question, .. }
            | Self::Submit { question, .. }
            | Self::Skip { question }
            | Self::Clear { question }
            | Self::Take { question, .. } => Some(question),
            Self::Wait { until, .. } => Some(until.word()),
            Self::Show
            | Self::Quit
            | Self::Accept
            | Self::Decline
            | Self::Cancel
            | Self::Offline
            | Self::Online => None,
        }
    }
}

impl Until {
    /// Returns the state's word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Synced => "synced",
            Self::Decided => "decided",
        }
    }
}

fn wait(words: &mut Words<'_>) -> Result<Line, LineProblem> {
    let until = match words.bare() {
        Some("open") => Until::Open,
        Some("synced") => Until::Synced,
        Some("decided") => Until::Decided,
        Some(other) => return Err(LineProblem::UnknownState(other.to_owned())),
        None => return Err(LineProblem::Missing("open, synced or decided")),
    };
    let seconds = match words.bare() {
        None => limits::WAIT_SECONDS,
        Some(text) => text
            .parse()
            .ok()
            .filter(|seconds| (0.0..=limits::WAIT_SECONDS_MAX).contains(seconds))
            .ok_or_else(|| LineProblem::NotSeconds(text.to_owned()))?,
    };
    Ok(Line::Wait { until, within: Duration::from_secs_f64(seconds) })
}

#[cfg(test)]
mod tests;
