//! JSON as it is printed: keys sorted, integers without `.0`.

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue};
use serde_json::{Map, Value};

/// The largest integer that every JSON reader keeps exactly: 2^53 - 1.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Returns an answer as it is printed.
pub(crate) fn answer(answer: &ChatInputAnswer) -> Value {
    printed(answer)
}

/// Returns a value as it is printed.
pub(crate) fn value(value: &ChatInputAnswerValue) -> Value {
    printed(value)
}

/// Returns a number as it is printed: `7`, not `7.0`; -0 is 0.
pub(crate) fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= LARGEST_INTEGER {
        #[expect(clippy::cast_possible_truncation, reason = "just checked to be whole and small")]
        let whole = number as i64;
        return Value::from(whole);
    }
    Value::from(number)
}

fn printed(value: &impl serde::Serialize) -> Value {
    canonical(serde_json::to_value(value).expect("AHP's types have string keys alone"))
}

fn canonical(value: Value) -> Value {
    match value {
        Value::Number(json) => json.as_f64().map_or(Value::Number(json), number),
        Value::Array(items) => items.into_iter().map(canonical).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, canonical(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}
