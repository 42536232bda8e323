//! The smallest steps that make a question's content what a person wants it to be.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputAnswerValue;
use automerge::{ObjId, ReadDoc, ScalarValue};
use rejoinder_identity::{OptionId, QuestionId};

use crate::{
    answer_check::{check_fits, check_freeform, check_length, wrong_kind},
    document::Document,
    edit::EditRefused,
    form::{Kind, Question},
    json::whole,
    limits, schema,
    structure::Fields,
    typing::{self, Splice},
};

/// One thing to write.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Characters of the text go, others come.
    Splice { at: usize, delete: usize, insert: String },
    /// A register of the question.
    Put { field: &'static str, value: ScalarValue },
    /// An option.
    Tick { option: OptionId, on: bool },
}

impl Document {
    pub(crate) fn draft_steps(
        &self,
        question: &Question,
        fields: &Fields,
        value: &ChatInputAnswerValue,
    ) -> Result<Vec<Step>, EditRefused> {
        check_fits(question, value)?;
        if let ChatInputAnswerValue::Text(text) = value {
            self.check_text(fields, text.value.len(), || self.text(fields).len())?;
        }
        let steps = self.content_steps(question, fields, value)?;
        Ok(steps.into_iter().flat_map(|step| self.anew(fields, step)).collect())
    }

    /// Automerge drops a put of what is there already, and what was dropped stands against nothing
    /// that another puts at the same time. So a value that a person gives again is written again.
    fn anew(&self, fields: &Fields, step: Step) -> Vec<Step> {
        match step {
            Step::Put { field, ref value }
                if !value.is_null() && self.wins(&fields.map, field, value) =>
            {
                vec![Step::Put { field, value: ScalarValue::Null }, step]
            }
            Step::Put { .. } | Step::Splice { .. } | Step::Tick { .. } => vec![step],
        }
    }

    fn wins(&self, object: &ObjId, key: &str, value: &ScalarValue) -> bool {
        let live = self.automerge.get(object, key).ok().flatten();
        live.is_some_and(|(live, _)| live.as_scalar() == Some(value))
    }

    /// The steps that turn the content into that value, which fits its question.
    pub(crate) fn content_steps(
        &self,
        question: &Question,
        fields: &Fields,
        value: &ChatInputAnswerValue,
    ) -> Result<Vec<Step>, EditRefused> {
        match value {
            ChatInputAnswerValue::Text(text) => Ok(text_steps(&self.text(fields), &text.value)),
            ChatInputAnswerValue::Number(_) | ChatInputAnswerValue::Boolean(_) => {
                Ok(vec![Step::Put { field: schema::VALUE, value: register(question, value) }])
            }
            ChatInputAnswerValue::Selected(selected) => {
                check_length(&fields.id, selected.value.len(), limits::FREEFORM_VALUE)?;
                let value = register(question, value);
                let mut steps = vec![Step::Put { field: schema::VALUE, value }];
                steps.extend(freeform_step(&fields.id, selected.freeform_values.as_deref())?);
                Ok(steps)
            }
            ChatInputAnswerValue::SelectedMany(selected) => {
                let mut steps = ticks(question, fields, &selected.value)?;
                steps.extend(freeform_step(&fields.id, selected.freeform_values.as_deref())?);
                Ok(steps)
            }
            ChatInputAnswerValue::Unknown(_) => Err(wrong_kind(question)),
        }
    }

    pub(crate) fn typing(
        &self,
        question: &Question,
        fields: &Fields,
        at: usize,
        delete: usize,
        insert: &str,
    ) -> Result<Vec<Step>, EditRefused> {
        if !matches!(question.kind(), Kind::Text { .. }) {
            return Err(wrong_kind(question));
        }
        let length = self.automerge.length(&fields.text);
        let end = at.saturating_add(delete);
        if end > length {
            return Err(EditRefused::OutOfRange { question: fields.id.clone(), end, length });
        }
        // A character has at most four bytes: a text that can't be too long is not read.
        if (length + insert.len()).saturating_mul(4) > limits::TEXT {
            let text = self.text(fields);
            let gone: usize = text.chars().skip(at).take(delete).map(char::len_utf8).sum();
            self.check_text(fields, text.len() - gone + insert.len(), || text.len())?;
        }
        if delete == 0 && insert.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Step::Splice { at, delete, insert: insert.to_owned() }])
    }

    /// A merge may have made the text too long. Then edits may shorten it step by step.
    fn check_text(
        &self,
        fields: &Fields,
        bytes: usize,
        before: impl Fn() -> usize,
    ) -> Result<(), EditRefused> {
        if bytes > limits::TEXT && bytes >= before() {
            return Err(EditRefused::TextTooLong { question: fields.id.clone(), bytes });
        }
        Ok(())
    }

    pub(crate) fn toggle(
        &self,
        question: &Question,
        fields: &Fields,
        option: &OptionId,
        on: bool,
    ) -> Result<Vec<Step>, EditRefused> {
        let Kind::MultiSelect { options, .. } = question.kind() else {
            return Err(wrong_kind(question));
        };
        if !options.contains(option) || !fields.seeded.contains_key(option) {
            let (question, option) = (fields.id.clone(), option.clone());
            return Err(EditRefused::UnknownOption { question, option });
        }
        let tick = |on| Step::Tick { option: option.clone(), on };
        if self.wins(&fields.options, option.as_str(), &ScalarValue::Boolean(on)) {
            return Ok(vec![tick(!on), tick(on)]);
        }
        Ok(vec![tick(on)])
    }

    pub(crate) fn clearing(&self, fields: &Fields) -> Vec<Step> {
        let mut steps = Vec::new();
        let length = self.automerge.length(&fields.text);
        if length > 0 {
            steps.push(Step::Splice { at: 0, delete: length, insert: String::new() });
        }
        for field in [schema::VALUE, schema::FREEFORM] {
            steps.push(Step::Put { field, value: ScalarValue::Null });
        }
        let options = fields.seeded.keys();
        steps.extend(options.map(|option| Step::Tick { option: option.clone(), on: false }));
        steps
    }
}

/// The register's scalar for a value of that question. Null is no option; the empty string is one,
/// since an option may have it as its id.
pub(crate) fn register(question: &Question, value: &ChatInputAnswerValue) -> ScalarValue {
    match value {
        ChatInputAnswerValue::Number(number) => {
            whole(number.value).map_or(ScalarValue::F64(number.value), ScalarValue::Int)
        }
        ChatInputAnswerValue::Boolean(boolean) => ScalarValue::Boolean(boolean.value),
        ChatInputAnswerValue::Selected(selected) => {
            let is_option = question.options().iter().any(|id| id.0 == selected.value);
            if is_option || !selected.value.is_empty() {
                selected.value.as_str().into()
            } else {
                ScalarValue::Null
            }
        }
        ChatInputAnswerValue::SelectedMany(_)
        | ChatInputAnswerValue::Text(_)
        | ChatInputAnswerValue::Unknown(_) => ScalarValue::Null,
    }
}

/// Options that the request no longer has stay as they are.
fn ticks(
    question: &Question,
    fields: &Fields,
    chosen: &[String],
) -> Result<Vec<Step>, EditRefused> {
    let mut wanted: BTreeMap<&OptionId, bool> = question
        .options()
        .iter()
        .filter(|option| fields.seeded.contains_key(*option))
        .map(|option| (option, false))
        .collect();
    for id in chosen {
        let option = OptionId::from(id.as_str());
        match wanted.get_mut(&option) {
            Some(on) => *on = true,
            None => {
                return Err(EditRefused::UnknownOption { question: fields.id.clone(), option });
            }
        }
    }
    Ok(wanted.into_iter().map(|(option, on)| Step::Tick { option: option.clone(), on }).collect())
}

/// Values that are not mentioned stay: text of one's own is kept when an option is chosen.
fn freeform_step(
    question: &QuestionId,
    values: Option<&[String]>,
) -> Result<Option<Step>, EditRefused> {
    let Some(values) = values else { return Ok(None) };
    check_freeform(question, values)?;
    let value =
        if values.is_empty() { ScalarValue::Null } else { schema::freeform_to_text(values).into() };
    Ok(Some(Step::Put { field: schema::FREEFORM, value }))
}

/// The splices that turn `old` into `new`, from the back to the front, so that none moves the place
/// of the next.
fn text_steps(old: &str, new: &str) -> Vec<Step> {
    let splices = typing::splices(old, new).into_iter().rev();
    splices.map(|Splice { at, delete, insert }| Step::Splice { at, delete, insert }).collect()
}
