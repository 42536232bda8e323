//! A proxy between an MCP client and a server: the server's elicitations become requests to
//! people, whatever the client can show; all other traffic passes unchanged and in order.
//!
//! It is told each line and what became of each request, and says what to send, raise and
//! withdraw. It reads no clock and no stream. It holds what one connection needs: what outlives
//! that is the caller's to keep.
//!
//! An elicitation ends by its answer, by the server's `notifications/cancelled`, or with the calls
//! that were under way when it came: a server that has answered these waits for nothing any more.
//! Sections: MCP 2025-11-25 and 2026-07-28, "Elicitation", "Tasks", "Cancellation", "Multi Round-Trip
//! Requests".

mod calls;
mod capabilities;
mod client;
mod open;
mod server;
mod tasks;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder_identity::{QuestionId, Timestamp};

use crate::{elicitation::Elicitation, message::Id};
use calls::Call;
use capabilities::Modes;
use open::Open;
use tasks::Task;

/// An elicitation of one connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElicitationKey(u64);

/// What a proxy wants done, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// The line that came goes on to the other side as it is.
    Forward,
    /// A line for the client, without its end.
    ToClient(String),
    /// A line for the server, without its end.
    ToServer(String),
    /// People are to be asked. [`Proxy::settled`] or [`Proxy::unasked`] follows.
    Raise(Box<Raise>),
    /// A request is not wanted any more. What becomes of it need not be told.
    Withdraw(ElicitationKey, Withdrawn),
    /// The server says that what the URL of a request was for is done: it counts as accepted.
    Done(ElicitationKey),
}

/// An elicitation to raise.
#[derive(Debug, Clone, PartialEq)]
pub struct Raise {
    /// Its key.
    pub key: ElicitationKey,
    /// The elicitation, whose request names the server.
    pub elicitation: Elicitation,
    /// Its parameters as the server spelled them.
    pub params: String,
    /// Who asks, as people are told: the server, and the tool if that is known.
    pub asker: String,
    /// How long the server keeps the task of it, in milliseconds, if it said so.
    pub ttl: Option<u64>,
    /// True if the answer is good for a later connection too: the client calls again, and the
    /// server, which holds nothing open, needs the same. Otherwise it waits in this one alone.
    pub lasts: bool,
}

/// Why a request is not wanted any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withdrawn {
    /// The server cancelled it: its own time for an answer was over, for example.
    Cancelled {
        /// The server's words.
        reason: Option<String>,
    },
    /// The call in which it was asked has ended.
    CallEnded,
    /// The client cancelled that call.
    CallCancelled,
    /// Somebody answered it at the client itself.
    AnsweredAtClient,
    /// The connection is closed.
    Closed,
}

impl fmt::Display for Withdrawn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled { reason: None } => f.write_str("the server cancelled it"),
            Self::Cancelled { reason: Some(reason) } => {
                write!(f, "the server cancelled it: {reason}")
            }
            Self::CallEnded => f.write_str("the call in which it was asked has ended"),
            Self::CallCancelled => {
                f.write_str("the agent cancelled the call in which it was asked")
            }
            Self::AnsweredAtClient => f.write_str("it was answered at the agent's own client"),
            Self::Closed => f.write_str("the agent's connection is closed"),
        }
    }
}

/// Why people could not be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unasked {
    /// The elicitation itself can't be asked: the server hears -32602.
    Refused(String),
    /// Something failed here: the server hears -32603.
    Failed(String),
}

/// A proxy of one connection.
#[derive(Debug, Default)]
pub struct Proxy {
    also_client: bool,
    server: Option<String>,
    initializing: Option<Id>,
    /// The kinds of elicitations that the client can show itself.
    modes: Modes,
    /// True if the client keeps tasks of its own.
    client_keeps_tasks: bool,
    /// Calls in which a server may ask, by the client's ids.
    calls: BTreeMap<Id, Call>,
    /// The client's ids of calls that were made again, by the ids that the server knows.
    retries: BTreeMap<Id, Id>,
    open: BTreeMap<ElicitationKey, Open>,
    tasks: BTreeMap<String, Task>,
    /// Requests that were answered here while the client had them too: its answer comes too late.
    late_at_client: BTreeSet<Id>,
    next: u64,
}

impl Proxy {
    /// A new connection. With `also_client`, a client that can show an elicitation gets it too,
    /// and whoever answers first decides.
    pub fn new(also_client: bool) -> Self {
        Self { also_client, ..Self::default() }
    }

    /// What a request ended with. `answers` are those of the response part, drafts included.
    pub fn settled(
        &mut self,
        key: ElicitationKey,
        response: Option<ChatInputResponseKind>,
        answers: &BTreeMap<QuestionId, ChatInputAnswer>,
        now: Timestamp,
    ) -> Vec<Effect> {
        let Some(open) = self.open.remove(&key) else { return Vec::new() };
        let result = open.elicitation.result(response, answers);
        let accepted = response == Some(ChatInputResponseKind::Accept);
        self.reply(open, &result.to_string(), accepted, now)
    }

    /// People could not be asked.
    pub fn unasked(&mut self, key: ElicitationKey, why: &Unasked, now: Timestamp) -> Vec<Effect> {
        let Some(open) = self.open.remove(&key) else { return Vec::new() };
        self.reply_unasked(open, why, now)
    }

    /// Tells the client of each call in which people are asked that they still are, where it
    /// listens to that: many clients give up a call that says nothing for a minute.
    pub fn progress(&mut self, said: impl Fn(ElicitationKey) -> String) -> Vec<Effect> {
        let open = &self.open;
        let told = self.calls.iter_mut().filter_map(|(id, call)| {
            let (key, _) = open.iter().find(|(_, open)| open.calls.contains(id))?;
            call.progress(&said(*key)).map(Effect::ToClient)
        });
        told.collect()
    }

    /// The keys of the elicitations that wait for people.
    pub fn open(&self) -> impl Iterator<Item = ElicitationKey> {
        self.open.keys().copied()
    }

    /// The connection is closed: nothing that is open is wanted any more.
    pub fn close(&mut self) -> Vec<Effect> {
        self.calls.clear();
        let open = std::mem::take(&mut self.open);
        open.into_keys().map(|key| Effect::Withdraw(key, Withdrawn::Closed)).collect()
    }

    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

#[cfg(test)]
mod tests;
