//! What the form is told, and what it wants done.

use ahp_types::state::{ChatInputAnswerValue, ChatInputResponseKind};
use crossterm::event::KeyEvent;

use rejoinder::RequestView;

use crate::{event::Fate, names::Names};

/// The event.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has this size now.
    Size {
        /// Its width.
        columns: u16,
        /// Its height.
        rows: u16,
    },
    /// The request as it stands; `None` while there is none.
    Request(Option<Box<RequestView>>),
    /// The names of the members now.
    Names(Names),
    /// What became of the last completion that was proposed here.
    Fate(Fate),
    /// So many other requests are open.
    Others(usize),
    /// Something to tell the person now: a refusal, a link that is down.
    Said(String),
    /// The engine did not take what was typed into that question: it stays in its field.
    NotTaken(String),
    /// The form goes away, or to another request: what was typed is told now or never.
    Leaving,
    /// The disk refuses writes, and why; or takes them again.
    Disk(Option<String>),
    /// Only time passed.
    Tick,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Make this the draft. It is made on what the form shows
    /// ([`Prompt::seen`](super::Prompt::seen)), as every edit: a text that others changed meanwhile
    /// merges.
    Draft {
        /// The question.
        question: String,
        /// The draft.
        value: ChatInputAnswerValue,
    },
    /// Submit this answer.
    Submit {
        /// The question.
        question: String,
        /// The answer.
        value: ChatInputAnswerValue,
    },
    /// Skip the question.
    Skip {
        /// Which.
        question: String,
    },
    /// Remove the answer.
    Clear {
        /// Of which question.
        question: String,
    },
    /// Submit another's answer from a conflict.
    Take {
        /// The question.
        question: String,
        /// The author: a full peer id.
        peer: String,
    },
    /// Show the next of the open requests.
    Next,
    /// Propose to complete the request.
    Complete(ChatInputResponseKind),
    /// Stop the process, until the shell lets it go on.
    Stop,
    /// Leave. The request stays open.
    Quit,
}
