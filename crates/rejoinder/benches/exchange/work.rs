//! What is done again and again: a form, and answers of 60 bytes to its questions.

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputRequest, ChatInputSelectedAnswerValue,
    ChatInputTextAnswerValue,
};
use rejoinder::{Edit, Projection};
use serde_json::json;

/// The bytes of an answer.
const BYTES: usize = 60;

/// What is edited. A text merges character by character, so that a new one is a change of 121
/// operations; an option is one register, with its mark two operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Text,
    Option,
}

impl Work {
    pub(crate) fn question(self) -> &'static str {
        match self {
            Self::Text => "notes",
            Self::Option => "env",
        }
    }

    /// The answer of that turn: unlike the one before in its first and its last character, so that
    /// no end of it is kept.
    pub(crate) fn answer(self, turn: usize) -> String {
        match self {
            Self::Text => {
                let letter = char::from(b'a' + u8::try_from(turn % 26).expect("a letter"));
                let number = format!("{turn:08}");
                format!("{letter}{}{number}{letter}", "-".repeat(BYTES - number.len() - 2))
            }
            Self::Option => option(turn % 2),
        }
    }

    pub(crate) fn edit(self, turn: usize) -> Edit {
        let value = self.answer(turn);
        let value = match self {
            Self::Text => ChatInputAnswerValue::Text(ChatInputTextAnswerValue { value }),
            Self::Option => ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                value,
                freeform_values: None,
            }),
        };
        Edit::Submit { question: self.question().into(), value: Some(value) }
    }

    /// Whether that turn's answer is what is shown.
    pub(crate) fn is_shown(self, projection: &Projection, turn: usize) -> bool {
        let answer = projection.answers.get(self.question());
        match answer.map(|answer| &answer.answer) {
            Some(ChatInputAnswer::Submitted(answered)) => match &answered.value {
                ChatInputAnswerValue::Text(text) => text.value == self.answer(turn),
                ChatInputAnswerValue::Selected(selected) => selected.value == self.answer(turn),
                ChatInputAnswerValue::Number(_)
                | ChatInputAnswerValue::Boolean(_)
                | ChatInputAnswerValue::SelectedMany(_)
                | ChatInputAnswerValue::Unknown(_) => false,
            },
            Some(ChatInputAnswer::Draft(_) | ChatInputAnswer::Skipped(_)) | None => false,
        }
    }
}

fn option(number: usize) -> String {
    format!("{number}{}", "-".repeat(BYTES - 1))
}

pub(crate) fn form(id: &str) -> ChatInputRequest {
    let options: Vec<_> =
        (0..2).map(|number| json!({ "id": option(number), "label": "an option" })).collect();
    serde_json::from_value(json!({ "id": id, "questions": [
        { "kind": "text", "id": "notes", "message": "Anything to know?" },
        { "kind": "single-select", "id": "env", "message": "Where to?", "options": options },
    ] }))
    .expect("a form")
}
