//! A value as it was typed, and its meaning for a question of a known kind.

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputBooleanAnswerValue, ChatInputNumberAnswerValue, ChatInputOption,
    ChatInputQuestion, ChatInputSelectedAnswerValue, ChatInputSelectedManyAnswerValue,
    ChatInputTextAnswerValue,
};
use serde_json::Value;

/// A value as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RawValue(String);

/// A value that its question can't take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueError {
    /// Not a JSON number.
    #[error("{0:?} is no number")]
    NotANumber(String),
    /// Neither `true` nor `false`.
    #[error("{0:?} is neither true nor false")]
    NotABoolean(String),
    /// Neither an option's id nor a JSON string or array of ids.
    #[error("{typed:?} is no option; there are {}", options.join(", "))]
    NotAnOption {
        /// The text that was typed instead.
        typed: String,
        /// The options of the question.
        options: Vec<String>,
    },
    /// A complete AHP value, but of a kind that the question does not take.
    #[error("the question takes a value of kind {takes:?}")]
    OtherKind {
        /// The kind that the question takes.
        takes: &'static str,
    },
    /// A question of a kind that only a newer release knows.
    #[error("the question is of a kind that is not known here")]
    UnknownQuestion,
}

impl RawValue {
    /// Keeps the text after a question, exactly.
    pub(crate) fn new(typed: impl Into<String>) -> Self {
        Self(typed.into())
    }

    /// Returns the value's meaning as an answer to `question`. The engine decides if that answer is
    /// valid (long enough, not too large).
    pub(crate) fn for_question(
        &self,
        question: &ChatInputQuestion,
    ) -> Result<ChatInputAnswerValue, ValueError> {
        let json = serde_json::from_str::<Value>(&self.0).ok();
        if let Some(whole) = json.as_ref().and_then(whole_value) {
            return fitting(question, whole);
        }
        match question {
            ChatInputQuestion::Text(_) => Ok(text(self.string().unwrap_or_else(|| self.0.clone()))),
            ChatInputQuestion::Number(_) | ChatInputQuestion::Integer(_) => json
                .and_then(|json| json.as_f64())
                .map(number)
                .ok_or_else(|| ValueError::NotANumber(self.typed())),
            ChatInputQuestion::Boolean(_) => json
                .and_then(|json| json.as_bool())
                .map(boolean)
                .ok_or_else(|| ValueError::NotABoolean(self.typed())),
            ChatInputQuestion::SingleSelect(question) => {
                self.option(&question.options).map(selected)
            }
            ChatInputQuestion::MultiSelect(question) => self.many(&question.options),
            ChatInputQuestion::Unknown(_) => Err(ValueError::UnknownQuestion),
        }
    }

    fn typed(&self) -> String {
        self.0.trim().to_owned()
    }

    /// Returns the content, if the text is a JSON string and nothing else.
    fn string(&self) -> Option<String> {
        serde_json::from_str(&self.0).ok()
    }

    /// Returns an option's id, bare or as a JSON string. A bare id that is also valid JSON (`1`,
    /// `true`) is the id.
    fn option(&self, options: &[ChatInputOption]) -> Result<String, ValueError> {
        let known = |id: &String| options.iter().any(|option| option.id == *id);
        self.string()
            .filter(known)
            .or_else(|| Some(self.typed()).filter(known))
            .ok_or_else(|| self.not_an_option(options))
    }

    fn many(&self, options: &[ChatInputOption]) -> Result<ChatInputAnswerValue, ValueError> {
        let ids = match serde_json::from_str::<Vec<String>>(&self.0) {
            Ok(ids) => ids,
            Err(_) => vec![self.option(options)?],
        };
        match ids.iter().find(|id| !options.iter().any(|option| option.id == **id)) {
            None => Ok(selected_many(ids)),
            Some(unknown) => Err(Self::new(unknown).not_an_option(options)),
        }
    }

    fn not_an_option(&self, options: &[ChatInputOption]) -> ValueError {
        ValueError::NotAnOption {
            typed: self.typed(),
            options: options.iter().map(|option| option.id.clone()).collect(),
        }
    }
}

/// Returns the AHP value that `json` spells out in full, with its `kind`, if it does.
fn whole_value(json: &Value) -> Option<ChatInputAnswerValue> {
    match serde_json::from_value(json.clone()) {
        Ok(ChatInputAnswerValue::Unknown(_)) | Err(_) => None,
        Ok(
            value @ (ChatInputAnswerValue::Text(_)
            | ChatInputAnswerValue::Number(_)
            | ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Selected(_)
            | ChatInputAnswerValue::SelectedMany(_)),
        ) => Some(value),
    }
}

fn fitting(
    question: &ChatInputQuestion,
    value: ChatInputAnswerValue,
) -> Result<ChatInputAnswerValue, ValueError> {
    let (fits, takes) = match question {
        ChatInputQuestion::Text(_) => (matches!(value, ChatInputAnswerValue::Text(_)), "text"),
        ChatInputQuestion::Number(_) | ChatInputQuestion::Integer(_) => {
            (matches!(value, ChatInputAnswerValue::Number(_)), "number")
        }
        ChatInputQuestion::Boolean(_) => {
            (matches!(value, ChatInputAnswerValue::Boolean(_)), "boolean")
        }
        ChatInputQuestion::SingleSelect(_) => {
            (matches!(value, ChatInputAnswerValue::Selected(_)), "selected")
        }
        ChatInputQuestion::MultiSelect(_) => {
            (matches!(value, ChatInputAnswerValue::SelectedMany(_)), "selected-many")
        }
        ChatInputQuestion::Unknown(_) => return Err(ValueError::UnknownQuestion),
    };
    if fits { Ok(value) } else { Err(ValueError::OtherKind { takes }) }
}

/// Makes a text value.
pub(crate) fn text(value: String) -> ChatInputAnswerValue {
    ChatInputAnswerValue::Text(ChatInputTextAnswerValue { value })
}

/// Makes a number value.
pub(crate) fn number(value: f64) -> ChatInputAnswerValue {
    ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value })
}

/// Makes a boolean value.
pub(crate) fn boolean(value: bool) -> ChatInputAnswerValue {
    ChatInputAnswerValue::Boolean(ChatInputBooleanAnswerValue { value })
}

/// Makes a value with one option.
pub(crate) fn selected(value: String) -> ChatInputAnswerValue {
    let freeform_values = None;
    ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue { value, freeform_values })
}

/// Makes a value with several options.
pub(crate) fn selected_many(value: Vec<String>) -> ChatInputAnswerValue {
    let freeform_values = None;
    ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue { value, freeform_values })
}

impl ValueError {
    /// Returns the word for the error in a reply's `error`.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::UnknownQuestion => "unknown-kind",
            Self::NotANumber(_)
            | Self::NotABoolean(_)
            | Self::NotAnOption { .. }
            | Self::OtherKind { .. } => "wrong-value",
        }
    }
}
