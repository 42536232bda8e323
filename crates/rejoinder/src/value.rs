//! Answers, written as one would write them in Rust: text, a number, a bool, a list.
//! The AHP type depends on the kind of the question.

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputBooleanAnswerValue, ChatInputNumberAnswerValue,
    ChatInputQuestion, ChatInputSelectedAnswerValue, ChatInputSelectedManyAnswerValue,
    ChatInputTextAnswerValue,
};

/// A value for an answer. Whether it fits the question is for the question to say.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text; the id of an option where one is to be chosen.
    Text(String),
    /// A number.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// The ids of several options.
    Many(Vec<String>),
    /// As AHP has it.
    Ahp(ChatInputAnswerValue),
}

impl Value {
    /// As AHP has it, for that question.
    pub fn answering(self, question: Option<&ChatInputQuestion>) -> ChatInputAnswerValue {
        match self {
            Self::Text(text) => text_for(text, question),
            Self::Number(value) => {
                ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value })
            }
            Self::Boolean(value) => {
                ChatInputAnswerValue::Boolean(ChatInputBooleanAnswerValue { value })
            }
            Self::Many(value) => many(value),
            Self::Ahp(value) => value,
        }
    }
}

fn text_for(text: String, question: Option<&ChatInputQuestion>) -> ChatInputAnswerValue {
    match question {
        Some(ChatInputQuestion::SingleSelect(_)) => {
            ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                value: text,
                freeform_values: None,
            })
        }
        Some(ChatInputQuestion::MultiSelect(_)) => many(vec![text]),
        Some(
            ChatInputQuestion::Text(_)
            | ChatInputQuestion::Number(_)
            | ChatInputQuestion::Integer(_)
            | ChatInputQuestion::Boolean(_)
            | ChatInputQuestion::Unknown(_),
        )
        | None => ChatInputAnswerValue::Text(ChatInputTextAnswerValue { value: text }),
    }
}

fn many(value: Vec<String>) -> ChatInputAnswerValue {
    ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
        value,
        freeform_values: None,
    })
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Self::Number(value.into())
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

/// AHP's numbers are `f64`: beyond 2⁵³ the nearest is meant.
impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<Vec<String>> for Value {
    fn from(options: Vec<String>) -> Self {
        Self::Many(options)
    }
}

impl From<Vec<&str>> for Value {
    fn from(options: Vec<&str>) -> Self {
        Self::Many(options.into_iter().map(str::to_owned).collect())
    }
}

impl<const N: usize> From<[&str; N]> for Value {
    fn from(options: [&str; N]) -> Self {
        Self::Many(options.into_iter().map(str::to_owned).collect())
    }
}

impl From<ChatInputAnswerValue> for Value {
    fn from(value: ChatInputAnswerValue) -> Self {
        Self::Ahp(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: impl Into<Value>, question: &str, expected: &str) {
        let question: ChatInputQuestion = serde_json::from_str(question).unwrap();
        let value = value.into().answering(Some(&question));
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(serde_json::to_value(value).unwrap(), expected);
    }

    #[test]
    fn a_value_is_what_the_question_makes_of_it() {
        let text = r#"{"kind":"text","id":"q","message":"?"}"#;
        let select = r#"{"kind":"single-select","id":"q","message":"?","options":[]}"#;
        let multi = r#"{"kind":"multi-select","id":"q","message":"?","options":[]}"#;
        let number = r#"{"kind":"number","id":"q","message":"?"}"#;
        check("a", text, r#"{"kind":"text","value":"a"}"#);
        check("a", select, r#"{"kind":"selected","value":"a"}"#);
        check("a", multi, r#"{"kind":"selected-many","value":["a"]}"#);
        check(["a", "b"], multi, r#"{"kind":"selected-many","value":["a","b"]}"#);
        check(2.5, number, r#"{"kind":"number","value":2.5}"#);
        check(true, text, r#"{"kind":"boolean","value":true}"#);
    }
}
