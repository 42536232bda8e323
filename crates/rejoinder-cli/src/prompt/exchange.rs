//! The inputs of the form, and the actions that it wants.

use ahp_types::state::{ChatInputAnswerValue, ChatInputResponseKind};
use crossterm::event::KeyEvent;

use rejoinder::RequestView;

use crate::{event::Fate, names::Names};

/// An input.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The terminal has a new size.
    Size {
        /// Its width.
        columns: u16,
        /// Its height.
        rows: u16,
    },
    /// The present state of the request; `None` while there is none.
    Request(Option<Box<RequestView>>),
    /// The present names of the members.
    Names(Names),
    /// The fate of the last proposal made here to complete the request.
    Fate(Fate),
    /// The number of other open requests.
    Others(usize),
    /// A message for the person: a refusal, a link that is down.
    Said(String),
    /// The engine did not take the text typed into that question: it stays in its field.
    NotTaken(String),
    /// The form goes away, or turns to another request: typed text is made a draft now or never.
    Leaving,
    /// The disk refuses writes, for this reason; with `None`, it takes them again.
    Disk(Option<String>),
    /// Time has passed.
    Tick,
}

/// An action.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Make this the draft. Like every edit, it applies to the version that the form shows
    /// ([`Prompt::seen`](super::Prompt::seen)): a text that others have changed since is merged.
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
        /// The author: a full peer id.
        peer: String,
    },
    /// Show the next of the open requests.
    Next,
    /// Propose to complete the request.
    Complete(ChatInputResponseKind),
    /// Stop the process, until the shell lets it continue.
    Stop,
    /// Leave. The request stays open.
    Quit,
}
