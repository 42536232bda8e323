//! One question or answer of a form file. `ahp-types` keeps a question that it can't read as an
//! unknown one, as a peer must; the author of a form file wants to hear why it can't be read.

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputBooleanQuestion,
    ChatInputMultiSelectQuestion, ChatInputNumberQuestion, ChatInputQuestion,
    ChatInputSingleSelectQuestion, ChatInputSkipped, ChatInputTextQuestion,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{FormProblem, keys, shape};

/// Returns the id of a question, if we know its kind.
pub(super) fn id(question: &ChatInputQuestion) -> Option<&String> {
    match question {
        ChatInputQuestion::Text(question) => Some(&question.id),
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            Some(&question.id)
        }
        ChatInputQuestion::Boolean(question) => Some(&question.id),
        ChatInputQuestion::SingleSelect(question) => Some(&question.id),
        ChatInputQuestion::MultiSelect(question) => Some(&question.id),
        ChatInputQuestion::Unknown(_) => None,
    }
}

pub(super) fn read(at: usize, json: &Value) -> Result<ChatInputQuestion, FormProblem> {
    // The place is named by the question's id if it has one, else by its number.
    let place = match json.get("id").and_then(Value::as_str) {
        Some(id) => format!("question {id:?}"),
        None => format!("question {} of the form", at + 1),
    };
    let wrong = |what: String| shape(Some(place.clone()), what);
    let object = json.as_object().ok_or_else(|| wrong("must be an object".to_owned()))?;
    let kind = match object.get("kind") {
        Some(Value::String(kind)) => kind.as_str(),
        Some(_) => return Err(wrong("\"kind\" must be a string".to_owned())),
        None => return Err(wrong(format!("has no \"kind\"; {KINDS}"))),
    };
    let known =
        keys::of_kind(kind).ok_or_else(|| wrong(format!("unknown kind {kind:?}; {KINDS}")))?;
    keys::check(object, known, || Some(place.clone()))?;
    options(object, &place)?;
    let json = json.clone();
    match kind {
        "text" => decode::<ChatInputTextQuestion>(json).map(ChatInputQuestion::Text),
        "number" => decode::<ChatInputNumberQuestion>(json).map(ChatInputQuestion::Number),
        "integer" => decode::<ChatInputNumberQuestion>(json).map(ChatInputQuestion::Integer),
        "boolean" => decode::<ChatInputBooleanQuestion>(json).map(ChatInputQuestion::Boolean),
        "single-select" => {
            decode::<ChatInputSingleSelectQuestion>(json).map(ChatInputQuestion::SingleSelect)
        }
        _ => decode::<ChatInputMultiSelectQuestion>(json).map(ChatInputQuestion::MultiSelect),
    }
    .map_err(wrong)
}

const KINDS: &str = "known are text, number, integer, boolean, single-select, multi-select";

fn options(question: &Map<String, Value>, place: &str) -> Result<(), FormProblem> {
    let options = question.get("options").and_then(Value::as_array);
    for (at, option) in options.into_iter().flatten().enumerate() {
        let place = match option.get("id").and_then(Value::as_str) {
            Some(id) => format!("{place}, option {id:?}"),
            None => format!("{place}, option {}", at + 1),
        };
        let object = option
            .as_object()
            .ok_or_else(|| shape(Some(place.clone()), "must be an object".to_owned()))?;
        keys::check(object, keys::OPTION, || Some(place.clone()))?;
    }
    Ok(())
}

pub(super) fn answer(question: &str, json: &Value) -> Result<ChatInputAnswer, FormProblem> {
    let place = format!("the answer of {question:?}");
    let wrong = |what: String| shape(Some(place.clone()), what);
    let object = json.as_object().ok_or_else(|| wrong("must be an object".to_owned()))?;
    let state = object.get("state").and_then(Value::as_str);
    let check = |known| keys::check(object, known, || Some(place.clone()));
    match state {
        Some("draft") => {
            check(keys::ANSWERED)?;
            value(object, &place).map(ChatInputAnswer::Draft)
        }
        Some("submitted") => {
            check(keys::ANSWERED)?;
            value(object, &place).map(ChatInputAnswer::Submitted)
        }
        Some("skipped") => {
            check(keys::SKIPPED)?;
            decode::<ChatInputSkipped>(json.clone()).map(ChatInputAnswer::Skipped).map_err(wrong)
        }
        Some(_) | None => Err(wrong("\"state\" must be draft, submitted or skipped".to_owned())),
    }
}

fn value(answer: &Map<String, Value>, place: &str) -> Result<ChatInputAnswered, FormProblem> {
    let wrong = |what: &str| shape(Some(place.to_owned()), what.to_owned());
    let json = answer.get("value").ok_or_else(|| wrong("has no \"value\""))?;
    let object = json.as_object().ok_or_else(|| wrong("\"value\" must be an object"))?;
    let known = match object.get("kind").and_then(Value::as_str) {
        Some("text" | "number" | "boolean") => keys::VALUE,
        Some("selected" | "selected-many") => keys::SELECTED,
        Some(_) | None => {
            return Err(wrong("\"kind\" must be text, number, boolean, selected or selected-many"));
        }
    };
    keys::check(object, known, || Some(place.to_owned()))?;
    match decode::<ChatInputAnswerValue>(json.clone()) {
        Ok(ChatInputAnswerValue::Unknown(_)) | Err(_) => {
            Err(wrong("\"value\" does not fit its \"kind\""))
        }
        Ok(
            value @ (ChatInputAnswerValue::Text(_)
            | ChatInputAnswerValue::Number(_)
            | ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Selected(_)
            | ChatInputAnswerValue::SelectedMany(_)),
        ) => Ok(ChatInputAnswered { value }),
    }
}

fn decode<T: DeserializeOwned>(json: Value) -> Result<T, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}
