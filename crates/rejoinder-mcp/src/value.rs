//! Answers and defaults as MCP content: strings, numbers, booleans, arrays of strings; never null.
//! A value that does not fit its question is left out, never changed to one that does.

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputBooleanAnswerValue, ChatInputMultiSelectQuestion,
    ChatInputNumberAnswerValue, ChatInputNumberQuestion, ChatInputOption, ChatInputQuestion,
    ChatInputSelectedAnswerValue, ChatInputSelectedManyAnswerValue, ChatInputTextAnswerValue,
    ChatInputTextQuestion,
};
use serde_json::Value;

use crate::{json::Json, limits};

/// A submitted value as the server wants it.
pub(crate) fn content(question: &ChatInputQuestion, value: &ChatInputAnswerValue) -> Option<Value> {
    match (question, value) {
        (ChatInputQuestion::Text(question), ChatInputAnswerValue::Text(text)) => {
            text_content(question, &text.value)
        }
        (ChatInputQuestion::Number(question), ChatInputAnswerValue::Number(number)) => {
            number_content(question, number.value)
        }
        (ChatInputQuestion::Integer(question), ChatInputAnswerValue::Number(number)) => {
            let whole =
                number.value.fract() == 0.0 && number.value.abs() <= limits::LARGEST_INTEGER;
            whole.then(|| number_content(question, number.value)).flatten()
        }
        (ChatInputQuestion::Boolean(_), ChatInputAnswerValue::Boolean(boolean)) => {
            Some(Value::Bool(boolean.value))
        }
        (ChatInputQuestion::SingleSelect(question), ChatInputAnswerValue::Selected(selected)) => {
            let chosen = is_option(&question.options, &selected.value);
            (chosen && no_freeform(selected.freeform_values.as_deref()))
                .then(|| Value::String(selected.value.clone()))
        }
        (ChatInputQuestion::MultiSelect(question), ChatInputAnswerValue::SelectedMany(many)) => {
            no_freeform(many.freeform_values.as_deref())
                .then(|| many_content(question, &many.value))
                .flatten()
        }
        (
            ChatInputQuestion::Text(_)
            | ChatInputQuestion::Number(_)
            | ChatInputQuestion::Integer(_)
            | ChatInputQuestion::Boolean(_)
            | ChatInputQuestion::SingleSelect(_)
            | ChatInputQuestion::MultiSelect(_)
            | ChatInputQuestion::Unknown(_),
            ChatInputAnswerValue::Text(_)
            | ChatInputAnswerValue::Number(_)
            | ChatInputAnswerValue::Boolean(_)
            | ChatInputAnswerValue::Selected(_)
            | ChatInputAnswerValue::SelectedMany(_)
            | ChatInputAnswerValue::Unknown(_),
        ) => None,
    }
}

/// The default that is sent for a question that nobody touched, if it would pass as its answer. The
/// form that shows the question and the result that is sent both use it, so that they agree.
pub fn default_answer(question: &ChatInputQuestion) -> Option<ChatInputAnswerValue> {
    let number = |question: &ChatInputNumberQuestion| {
        let value = question.default_value?;
        Some(ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value }))
    };
    let recommended = |options: &[ChatInputOption]| -> Vec<String> {
        let chosen = options.iter().filter(|option| option.recommended == Some(true));
        chosen.map(|option| option.id.clone()).collect()
    };
    let value = match question {
        ChatInputQuestion::Text(text) => {
            let value = text.default_value.clone()?;
            ChatInputAnswerValue::Text(ChatInputTextAnswerValue { value })
        }
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            number(question)?
        }
        ChatInputQuestion::Boolean(boolean) => {
            let value = boolean.default_value?;
            ChatInputAnswerValue::Boolean(ChatInputBooleanAnswerValue { value })
        }
        ChatInputQuestion::SingleSelect(select) => {
            // With several recommended options there is no default.
            let [value] = <[String; 1]>::try_from(recommended(&select.options)).ok()?;
            ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                value,
                freeform_values: None,
            })
        }
        ChatInputQuestion::MultiSelect(select) => {
            let value = recommended(&select.options);
            if value.is_empty() {
                return None;
            }
            ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
                value,
                freeform_values: None,
            })
        }
        ChatInputQuestion::Unknown(_) => return None,
    };
    content(question, &value).is_some().then_some(value)
}

/// A schema's default as content, if it would pass as an answer.
pub(crate) fn default_content(question: &ChatInputQuestion, default: &Json) -> Option<Value> {
    let value = match default {
        Json::String(text) if matches!(question, ChatInputQuestion::SingleSelect(_)) => {
            ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                value: text.clone(),
                freeform_values: None,
            })
        }
        Json::String(text) => {
            ChatInputAnswerValue::Text(ChatInputTextAnswerValue { value: text.clone() })
        }
        Json::Number(number) => {
            ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value: *number })
        }
        Json::Bool(boolean) => {
            ChatInputAnswerValue::Boolean(ChatInputBooleanAnswerValue { value: *boolean })
        }
        Json::Array(items) => {
            let value = items.iter().map(|item| item.as_str().map(str::to_owned));
            ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
                value: value.collect::<Option<_>>()?,
                freeform_values: None,
            })
        }
        Json::Null | Json::Object(_) => return None,
    };
    content(question, &value)
}

fn text_content(question: &ChatInputTextQuestion, text: &str) -> Option<Value> {
    // Unicode code points, as JSON Schema counts.
    let length = i64::try_from(text.chars().count()).ok()?;
    let blank = text.is_empty() && question.format.is_some();
    (within(length, question.min, question.max) && !blank).then(|| Value::String(text.to_owned()))
}

fn number_content(question: &ChatInputNumberQuestion, number: f64) -> Option<Value> {
    let fits = number.is_finite()
        && question.min.is_none_or(|min| number >= min)
        && question.max.is_none_or(|max| number <= max);
    fits.then(|| token(number))
}

/// Whole numbers go out without `.0`: readers with an integer type refuse it. -0 is 0.
fn token(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= limits::LARGEST_INTEGER {
        #[expect(clippy::cast_possible_truncation, reason = "just checked to be whole and small")]
        let whole = number as i64;
        return Value::from(whole);
    }
    Value::from(number)
}

fn many_content(question: &ChatInputMultiSelectQuestion, chosen: &[String]) -> Option<Value> {
    if !chosen.iter().all(|id| is_option(&question.options, id)) {
        return None;
    }
    // In the order of the options, each once, and not in the order of ticking.
    let ids = question.options.iter().map(|option| &option.id).filter(|id| chosen.contains(id));
    let ids: Vec<Value> = ids.cloned().map(Value::String).collect();
    let count = i64::try_from(ids.len()).ok()?;
    within(count, question.min, question.max).then_some(Value::Array(ids))
}

fn is_option(options: &[ChatInputOption], id: &str) -> bool {
    options.iter().any(|option| option.id == id)
}

fn no_freeform(values: Option<&[String]>) -> bool {
    values.is_none_or(<[String]>::is_empty)
}

fn within(count: i64, min: Option<i64>, max: Option<i64>) -> bool {
    min.is_none_or(|min| count >= min) && max.is_none_or(|max| count <= max)
}
