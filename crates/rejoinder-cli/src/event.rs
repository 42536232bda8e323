//! The lines of `--json`: one object a line, named by its `event`.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind;
use rejoinder::TurnEnd;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{outcome::Outcome, plain};

/// A fact or an event. Peers are full peer ids.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Event {
    /// The node accepts links here.
    Listening {
        /// Address and port.
        address: String,
    },
    /// The ticket to give to the others.
    Ticket {
        /// The ticket.
        ticket: String,
    },
    /// A link came up or went down.
    Link {
        /// The peer at the other end.
        peer: String,
        /// The new state.
        state: LinkState,
        /// The reason why it went down, if known.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The command can't go on until somebody else acts.
    Waiting(Waiting),
    /// A member was added or changed.
    Member {
        /// Its device.
        peer: String,
        /// The name that it gives itself.
        name: String,
        /// Its role.
        role: String,
    },
    /// A request is open.
    Opened {
        /// Its id.
        request: String,
        /// Its message; empty if it only has questions or a URL.
        message: String,
        /// The page to open or review.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The host in the URL, in ASCII; none if the URL may not be opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The values that an accept sends for questions that nobody touches.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        defaults: BTreeMap<String, Value>,
    },
    /// The answer to a question as it stands now.
    Answer {
        /// The request's id.
        request: String,
        /// The question's id.
        question: String,
        /// The answer.
        #[serde(flatten)]
        given: Given,
        /// Answers that others gave at the same time.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        conflict: Vec<Given>,
    },
    /// The fate of a proposal of this device.
    Fate {
        /// Its id.
        proposal: String,
        /// The stage that it has reached.
        #[serde(flatten)]
        fate: Fate,
    },
    /// The host decided.
    Decided {
        /// The request's id.
        request: String,
        /// The response.
        response: ChatInputResponseKind,
        /// The final answers, submitted and skipped ones.
        answers: BTreeMap<String, Value>,
        /// The values that were sent for questions that nobody touched.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        defaults: BTreeMap<String, Value>,
        /// The member who proposed it.
        by: String,
    },
    /// The turn ended before a decision.
    Ended {
        /// The request's id.
        request: String,
        /// The way in which it ended.
        #[serde(serialize_with = "code")]
        how: TurnEnd,
    },
    /// An answer came too late for the decision. It is kept.
    NotIncluded {
        /// The request's id.
        request: String,
        /// The question's id.
        question: String,
        /// The author of the answer.
        by: String,
    },
    /// A workspace of this home; `show` prints it before its members and requests.
    Workspace {
        /// Its id.
        workspace: String,
        /// Its name.
        title: String,
        /// The device of the host.
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// The number of edits and proposals of this device that no peer is known to have stored.
        not_carried: usize,
    },
    /// This device.
    Id {
        /// Its peer id.
        peer: String,
    },
    /// All linked peers hold the same as this device, and one of them has stored everything written
    /// here.
    Synced,
    /// The reply to a command on stdin.
    Reply(Reply),
    /// The outcome of `ask`.
    Result(Outcome),
    /// Something failed.
    Error {
        /// A word for the failure.
        error: String,
        /// A sentence about the failure.
        message: String,
    },
}

/// The condition that is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "for", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Waiting {
    /// A peer can't be reached. The dial is repeated.
    Answer {
        /// The peer.
        peer: String,
        /// The reason why it was not reached.
        reason: String,
    },
    /// The host has not let this device in yet.
    LetIn {
        /// The peer that has the join: the host, or a member that carries it to the host.
        peer: String,
    },
}

/// The state of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LinkState {
    /// Keys are checked and hellos exchanged.
    Up,
    /// The link is gone.
    Down,
}

/// One answer and its authors.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Given {
    /// The state: draft, submitted, skipped or none.
    pub state: AnswerState,
    /// The value, as AHP spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// The author; if there are several, the first.
    pub by: String,
    /// The authors, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
}

/// The states of an answer in AHP, and the absence of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AnswerState {
    /// There is no answer any more.
    None,
    /// An answer that is being written.
    Draft,
    /// An answer that was submitted.
    Submitted,
    /// A question that was left out on purpose.
    Skipped,
}

/// The fate of a proposal: how far it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Fate {
    /// The proposal is on this disk.
    Saved,
    /// Peers have it on their disks.
    Carried {
        /// The number of those peers.
        count: u32,
    },
    /// The host has it on its disk.
    Received,
    /// The host granted it.
    Decided {
        /// The author of the proposal that was granted.
        by: String,
    },
    /// The host refused it.
    Refused {
        /// A word for the reason: `required-unanswered`, `already-decided` …
        reason: String,
        /// The questions that the reason names.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        questions: Vec<String>,
        /// The peer whose proposal came first, if that is the reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// The reply to one line of stdin. Replies come in the order of the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reply {
    /// The number of the line, from 1.
    pub line: u64,
    /// The first word of the line.
    pub command: String,
    /// True if it was done.
    pub ok: bool,
    /// The subject of the command: a question, a request, a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The proposal that the command made. Its fate follows in events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// A word for the reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A sentence about that reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The questions that the reason names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
}

impl Reply {
    /// Makes the reply to a command that was done.
    pub(crate) fn done(line: u64, command: &str, subject: Option<&str>) -> Self {
        Self {
            line,
            command: command.to_owned(),
            ok: true,
            subject: subject.map(str::to_owned),
            proposal: None,
            error: None,
            message: None,
            questions: Vec::new(),
        }
    }

    /// Makes the reply to a command that was refused.
    pub(crate) fn refused(line: u64, command: &str, error: &str) -> Self {
        Self { ok: false, error: Some(error.to_owned()), ..Self::done(line, command, None) }
    }

    /// Adds a sentence about the reason.
    #[must_use]
    pub(crate) fn because(mut self, message: impl ToString) -> Self {
        self.message = Some(message.to_string());
        self
    }

    /// Adds the questions that the reason names.
    #[must_use]
    pub(crate) fn about(mut self, questions: Vec<String>) -> Self {
        self.questions = questions;
        self
    }
}

impl Event {
    /// Returns the JSON line, without its line end.
    pub(crate) fn json(&self) -> String {
        plain::json(&serde_json::to_string(self).expect("an event has string keys alone"))
    }
}

/// The end of a turn as its word.
fn code<S: Serializer>(how: &TurnEnd, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(how.code())
}

#[cfg(test)]
mod tests;
