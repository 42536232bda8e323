//! The lines of `--json`: one object a line, named by its `event`.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind;
use rejoinder::TurnEnd;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::{outcome::Outcome, plain};

/// Something that happened, or that is so. Peers are full peer ids.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Event {
    /// The node accepts links here.
    Listening {
        /// Address and port.
        address: String,
    },
    /// The ticket for the others.
    Ticket {
        /// It.
        ticket: String,
    },
    /// A link came up or went down.
    Link {
        /// To whom.
        peer: String,
        /// Which.
        state: LinkState,
        /// The reason why it went down, if that is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Nothing goes on before somebody does something.
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
        /// What it says; empty if it only has questions or a URL.
        message: String,
        /// What is to be opened or reviewed.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// The host that the URL asks, in ASCII; none if the URL may not be opened.
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// What an accept sends for the questions that nobody touches.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        defaults: BTreeMap<String, Value>,
    },
    /// The answer to a question as it stands now.
    Answer {
        /// The request's id.
        request: String,
        /// The question's id.
        question: String,
        /// Which it is.
        #[serde(flatten)]
        given: Given,
        /// What others say at the same time.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        conflict: Vec<Given>,
    },
    /// The fate of a proposal of this device.
    Fate {
        /// Its id.
        proposal: String,
        /// How far it came.
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
        /// What was sent for the questions that nobody touched.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        defaults: BTreeMap<String, Value>,
        /// The member who proposed it.
        by: String,
    },
    /// The turn ended before a decision.
    Ended {
        /// The request's id.
        request: String,
        /// The end.
        #[serde(serialize_with = "code")]
        how: TurnEnd,
    },
    /// An answer came too late for the decision. It is kept.
    NotIncluded {
        /// The request's id.
        request: String,
        /// The question's id.
        question: String,
        /// Its author.
        by: String,
    },
    /// A workspace of this home; `show` prints it before its members and requests.
    Workspace {
        /// Its id.
        workspace: String,
        /// Its name.
        title: String,
        /// The device that decides.
        #[serde(skip_serializing_if = "Option::is_none")]
        host: Option<String>,
        /// What this device wrote and nobody else is known to have stored.
        not_carried: usize,
    },
    /// This device.
    Id {
        /// Its peer id.
        peer: String,
    },
    /// Equal with every linked peer, and all that was written here is stored by one of them.
    Synced,
    /// The answer to a command on stdin.
    Reply(Reply),
    /// What `ask` ends with.
    Result(Outcome),
    /// Something failed.
    Error {
        /// A word for it.
        error: String,
        /// A sentence about it.
        message: String,
    },
}

/// The condition that is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "for", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Waiting {
    /// That somebody can be reached. It is tried again.
    Answer {
        /// Who.
        peer: String,
        /// The end that came instead of an answer.
        reason: String,
    },
    /// That the host lets this device in.
    LetIn {
        /// The member that has the join, or the host.
        peer: String,
    },
}

/// True if a link is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LinkState {
    /// Keys are checked, and hellos exchanged.
    Up,
    /// It is gone.
    Down,
}

/// One answer, and whose it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Given {
    /// Draft, submitted, skipped, or none.
    pub state: AnswerState,
    /// Its value, AHP-shaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Its author; of several, the first.
    pub by: String,
    /// All its authors, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<String>,
}

/// AHP's states of an answer, and the absence of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum AnswerState {
    /// There is no answer any more.
    None,
    /// Being written.
    Draft,
    /// Given.
    Submitted,
    /// Left out on purpose.
    Skipped,
}

/// How far a proposal came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Fate {
    /// It is on this disk.
    Saved,
    /// Peers have it on theirs.
    Carried {
        /// How many.
        count: u32,
    },
    /// The host has it on its disk.
    Received,
    /// The host decided so.
    Decided {
        /// The author of the proposal that was granted.
        by: String,
    },
    /// The host said no.
    Refused {
        /// A word for why: `required-unanswered`, `already-decided` …
        reason: String,
        /// The questions it is about.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        questions: Vec<String>,
        /// Who was first, if that is why.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
}

/// The answer to one line of stdin, in the order of the lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Reply {
    /// The line, from 1.
    pub line: u64,
    /// Its first word.
    pub command: String,
    /// True if it was done.
    pub ok: bool,
    /// What it was about: a question, a request, a state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The proposal that it made, whose fate follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
    /// A word for why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A sentence about why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The questions that are why not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
}

impl Reply {
    /// It was done.
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

    /// It was not done.
    pub(crate) fn refused(line: u64, command: &str, error: &str) -> Self {
        Self { ok: false, error: Some(error.to_owned()), ..Self::done(line, command, None) }
    }

    /// The same, with a sentence about why.
    #[must_use]
    pub(crate) fn because(mut self, message: impl ToString) -> Self {
        self.message = Some(message.to_string());
        self
    }

    /// The same, naming questions.
    #[must_use]
    pub(crate) fn about(mut self, questions: Vec<String>) -> Self {
        self.questions = questions;
        self
    }
}

impl Event {
    /// The line, without its end.
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
