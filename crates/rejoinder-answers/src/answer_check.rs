//! Checks of an answer that need no document: its kind, and the limits that it keeps however it
//! comes. What makes it valid is in `validity`.

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue};
use rejoinder_identity::QuestionId;

use crate::{
    edit::EditRefused,
    form::{Kind, Question},
    json::value_to_json,
    limits, schema,
    validity::Invalid,
};

pub(crate) fn check_fits(
    question: &Question,
    value: &ChatInputAnswerValue,
) -> Result<(), EditRefused> {
    let takes_numbers = matches!(question.kind(), Kind::Number { .. } | Kind::Integer { .. });
    match value {
        _ if question.fits(value) => Ok(()),
        ChatInputAnswerValue::Number(_) if takes_numbers => {
            let why = Invalid::NotFinite;
            Err(EditRefused::Invalid { question: question.id().clone(), why })
        }
        ChatInputAnswerValue::Number(_)
        | ChatInputAnswerValue::Text(_)
        | ChatInputAnswerValue::Boolean(_)
        | ChatInputAnswerValue::Selected(_)
        | ChatInputAnswerValue::SelectedMany(_)
        | ChatInputAnswerValue::Unknown(_) => Err(wrong_kind(question)),
    }
}

pub(crate) fn wrong_kind(question: &Question) -> EditRefused {
    EditRefused::WrongKind { question: question.id().clone(), takes: question.takes() }
}

pub(crate) fn check_freeform(question: &QuestionId, values: &[String]) -> Result<(), EditRefused> {
    let question = question.clone();
    if values.len() > limits::FREEFORM_VALUES {
        return Err(EditRefused::TooManyFreeform { question, count: values.len() });
    }
    let longest = values.iter().map(String::len).max().unwrap_or(0);
    if longest > limits::FREEFORM_VALUE {
        return Err(EditRefused::FreeformTooLong { question, bytes: longest });
    }
    check_length(&question, schema::freeform_to_text(values).len(), limits::ANSWER)
}

/// The limits that an answer keeps however it comes: as an edit, or with the request.
pub(crate) fn check_limits(
    question: &QuestionId,
    answer: &ChatInputAnswer,
) -> Result<(), EditRefused> {
    let value = match answer {
        ChatInputAnswer::Skipped(skipped) => {
            return check_freeform(
                question,
                skipped.freeform_values.as_deref().unwrap_or_default(),
            );
        }
        ChatInputAnswer::Draft(draft) => &draft.value,
        ChatInputAnswer::Submitted(submitted) => {
            check_length(
                question,
                value_to_json(&submitted.value).to_string().len(),
                limits::ANSWER,
            )?;
            &submitted.value
        }
    };
    match value {
        ChatInputAnswerValue::Text(text) if text.value.len() > limits::TEXT => {
            let (question, bytes) = (question.clone(), text.value.len());
            Err(EditRefused::TextTooLong { question, bytes })
        }
        ChatInputAnswerValue::Selected(selected) => {
            check_length(question, selected.value.len(), limits::FREEFORM_VALUE)?;
            check_freeform(question, selected.freeform_values.as_deref().unwrap_or_default())
        }
        ChatInputAnswerValue::SelectedMany(selected) => {
            check_freeform(question, selected.freeform_values.as_deref().unwrap_or_default())
        }
        ChatInputAnswerValue::Text(_)
        | ChatInputAnswerValue::Number(_)
        | ChatInputAnswerValue::Boolean(_)
        | ChatInputAnswerValue::Unknown(_) => Ok(()),
    }
}

pub(crate) fn check_length(
    question: &QuestionId,
    bytes: usize,
    limit: usize,
) -> Result<(), EditRefused> {
    if bytes > limit {
        return Err(EditRefused::AnswerTooLong { question: question.clone(), bytes });
    }
    Ok(())
}
