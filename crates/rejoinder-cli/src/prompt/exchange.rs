//! What the form is told, and what it wants done.

use ahp_types::state::{ChatInputAnswerValue, ChatInputResponseKind};
use crossterm::event::KeyEvent;

use crate::{event::Fate, names::Names, view::RequestView};

/// What happened.
#[derive(Debug, Clone)]
pub enum Input {
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
    /// How the members are called now.
    Names(Names),
    /// What became of the last completion that was proposed here.
    Fate(Fate),
    /// Something to tell the person now: a refusal, a link that is down.
    Said(String),
    /// Only time passed.
    Tick,
}

/// What to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Text was typed: it was `base` when it was last equal to the shared text, and is `text` now.
    /// Where the shared text has gone on, [`rebase`](super::rebase) keeps both.
    Type {
        /// Which question.
        question: String,
        /// Before.
        base: String,
        /// After.
        text: String,
    },
    /// Make this the draft.
    Draft {
        /// Which question.
        question: String,
        /// The draft.
        value: ChatInputAnswerValue,
    },
    /// Submit this answer.
    Submit {
        /// Which question.
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
        /// Which question.
        question: String,
        /// Whose: a full peer id.
        peer: String,
    },
    /// Propose to complete the request.
    Complete(ChatInputResponseKind),
    /// Leave. The request stays open.
    Quit,
}
