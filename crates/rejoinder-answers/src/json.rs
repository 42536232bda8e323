//! Answers as JSON in the one spelling that is the same on every peer: keys sorted, whole numbers
//! without a fraction, -0 as 0. Nothing that is hashed or signed is made from it elsewhere.

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputSelectedAnswerValue,
    ChatInputSelectedManyAnswerValue, ChatInputSkipped,
};
use serde_json::{Map, Number, Value, json};

use crate::{form::Question, validity::WHOLE};

/// A text that is not an AHP answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not an answer: {0}")]
pub struct UnreadableAnswer(String);

/// An answer in its canonical spelling.
pub fn answer_to_json(answer: &ChatInputAnswer) -> Value {
    match answer {
        ChatInputAnswer::Draft(draft) => {
            json!({ "state": "draft", "value": value_to_json(&draft.value) })
        }
        ChatInputAnswer::Submitted(submitted) => {
            json!({ "state": "submitted", "value": value_to_json(&submitted.value) })
        }
        ChatInputAnswer::Skipped(skipped) => {
            let mut json = Map::new();
            json.insert("state".to_owned(), "skipped".into());
            insert_freeform(&mut json, skipped.freeform_values.as_deref());
            Value::Object(json)
        }
    }
}

/// Reads an answer, in any spelling.
///
/// # Errors
///
/// It is no JSON, or has no state that AHP knows.
pub fn answer_from_json(text: &str) -> Result<ChatInputAnswer, UnreadableAnswer> {
    serde_json::from_str(text).map_err(|error| UnreadableAnswer(error.to_string()))
}

pub(crate) fn value_to_json(value: &ChatInputAnswerValue) -> Value {
    match value {
        ChatInputAnswerValue::Text(text) => json!({ "kind": "text", "value": text.value }),
        ChatInputAnswerValue::Number(number) => {
            json!({ "kind": "number", "value": number_to_json(number.value) })
        }
        ChatInputAnswerValue::Boolean(boolean) => {
            json!({ "kind": "boolean", "value": boolean.value })
        }
        ChatInputAnswerValue::Selected(selected) => {
            select_to_json("selected", json!(selected.value), selected.freeform_values.as_deref())
        }
        ChatInputAnswerValue::SelectedMany(selected) => select_to_json(
            "selected-many",
            json!(selected.value),
            selected.freeform_values.as_deref(),
        ),
        ChatInputAnswerValue::Unknown(raw) => raw.clone(),
    }
}

fn select_to_json(kind: &str, value: Value, freeform: Option<&[String]>) -> Value {
    let mut json = Map::new();
    json.insert("kind".to_owned(), kind.into());
    json.insert("value".to_owned(), value);
    insert_freeform(&mut json, freeform);
    Value::Object(json)
}

/// An empty list of freeform values and no list are the same.
fn insert_freeform(json: &mut Map<String, Value>, freeform: Option<&[String]>) {
    if let Some(freeform) = freeform.filter(|values| !values.is_empty()) {
        json.insert("freeformValues".to_owned(), json!(freeform));
    }
}

/// Whole numbers are integers as far as JSON can tell them apart. What is not finite is null, as
/// serde_json prints it; no document holds such a number.
pub(crate) fn number_to_json(number: f64) -> Value {
    match whole(number) {
        Some(whole) => whole.into(),
        None => Number::from_f64(number).map_or(Value::Null, Value::Number),
    }
}

/// The integer that a number is.
pub(crate) fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
    (number.fract() == 0.0 && number.abs() < WHOLE).then_some(number as i64)
}

impl Question {
    /// The same value in the spelling in which equal ones are equal: -0 is 0, options in the
    /// request's order and once each, no empty list of freeform values.
    pub(crate) fn normal(&self, value: &ChatInputAnswerValue) -> ChatInputAnswerValue {
        match value {
            ChatInputAnswerValue::Number(number) => {
                let mut number = number.clone();
                // Adding zero turns -0 into 0 and nothing else into anything else.
                number.value += 0.0;
                ChatInputAnswerValue::Number(number)
            }
            ChatInputAnswerValue::Selected(selected) => {
                ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                    value: selected.value.clone(),
                    freeform_values: normal_freeform(selected.freeform_values.as_ref()),
                })
            }
            ChatInputAnswerValue::SelectedMany(selected) => {
                ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
                    value: self.in_order(&selected.value),
                    freeform_values: normal_freeform(selected.freeform_values.as_ref()),
                })
            }
            ChatInputAnswerValue::Text(_)
            | ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Unknown(_) => value.clone(),
        }
    }

    /// An answer in the spelling in which equal ones are equal.
    pub(crate) fn normal_answer(&self, answer: &ChatInputAnswer) -> ChatInputAnswer {
        let answered = |answered: &ChatInputAnswered| ChatInputAnswered {
            value: self.normal(&answered.value),
        };
        match answer {
            ChatInputAnswer::Draft(draft) => ChatInputAnswer::Draft(answered(draft)),
            ChatInputAnswer::Submitted(given) => ChatInputAnswer::Submitted(answered(given)),
            ChatInputAnswer::Skipped(skipped) => ChatInputAnswer::Skipped(ChatInputSkipped {
                freeform_values: normal_freeform(skipped.freeform_values.as_ref()),
            }),
        }
    }

    /// The request's options first, by its order; then those that it does not have.
    fn in_order(&self, chosen: &[String]) -> Vec<String> {
        let mut rest: std::collections::BTreeSet<&str> =
            chosen.iter().map(String::as_str).collect();
        let mut ordered: Vec<String> = self
            .options()
            .iter()
            .filter(|option| rest.remove(option.as_str()))
            .map(|option| option.0.clone())
            .collect();
        ordered.extend(rest.into_iter().map(str::to_owned));
        ordered
    }
}

fn normal_freeform(values: Option<&Vec<String>>) -> Option<Vec<String>> {
    values.filter(|values| !values.is_empty()).cloned()
}
