//! From what a person does to what is written: every check, and then the smallest steps.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue};
use automerge::{ObjId, ReadDoc, ScalarValue};
use rejoinder_identity::{OptionId, QuestionId};

use crate::{
    document::Document,
    edit::{Edit, EditRefused},
    form::{Form, Kind, Question},
    json::{answer_to_json, value_to_json, whole},
    limits, schema,
    schema::Mark,
    structure::Fields,
    validity::Invalid,
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

/// What an edit writes: the steps, and then the mark; no mark is null.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) question: QuestionId,
    pub(crate) takes: &'static str,
    pub(crate) steps: Vec<Step>,
    pub(crate) mark: Option<Mark>,
}

impl Document {
    /// What an edit will write.
    pub(crate) fn plan(&self, form: &Form, edit: &Edit) -> Result<Plan, EditRefused> {
        let id = edit.question();
        let unknown = || EditRefused::UnknownQuestion(id.clone());
        let question = form.question(id).ok_or_else(unknown)?;
        // Not here yet: the skeleton of the revision that brought it.
        let fields = self.structure.fields(id).ok_or_else(unknown)?;
        if *question.kind() == Kind::Unknown {
            return Err(EditRefused::NotAnswerable(id.clone()));
        }
        let draft = || Some(Mark::Draft { kind: Some(question.takes().to_owned()) });
        let (steps, mark) = match edit {
            Edit::Draft { value, .. } => (self.draft_steps(question, fields, value)?, draft()),
            Edit::Type { at, delete, insert, .. } => {
                (self.typing(question, fields, *at, *delete, insert)?, draft())
            }
            Edit::Toggle { option, on, .. } => {
                (self.toggle(question, fields, option, *on)?, draft())
            }
            Edit::Submit { value, .. } => {
                let value = self.submitted(form, question, value.as_ref())?;
                let steps = self.content_steps(question, fields, &value)?;
                (steps, Some(Mark::Submitted(value)))
            }
            Edit::Skip { freeform, .. } => {
                check_freeform(id, freeform)?;
                (Vec::new(), Some(Mark::Skipped(freeform.clone())))
            }
            Edit::Clear { .. } => (self.clearing(fields), None),
        };
        Ok(Plan { question: id.clone(), takes: question.takes(), steps, mark })
    }

    fn draft_steps(
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
    /// that another puts at the same time. So what a person says again is written anew.
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

    /// What makes the content be that value, which fits its question.
    fn content_steps(
        &self,
        question: &Question,
        fields: &Fields,
        value: &ChatInputAnswerValue,
    ) -> Result<Vec<Step>, EditRefused> {
        match value {
            ChatInputAnswerValue::Text(text) => {
                Ok(splice(&self.text(fields), &text.value).into_iter().collect())
            }
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

    fn typing(
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
        // Text that can't be too long whatever its characters is not worth reading.
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

    /// A merge may have made the text too long: then it can be shortened by and by.
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

    fn toggle(
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

    fn submitted(
        &self,
        form: &Form,
        question: &Question,
        value: Option<&ChatInputAnswerValue>,
    ) -> Result<ChatInputAnswerValue, EditRefused> {
        let id = question.id();
        let value = match value {
            Some(value) => question.normal(value),
            None => self.drafted(question)?,
        };
        check_fits(question, &value)?;
        if let ChatInputAnswerValue::Text(text) = &value
            && text.value.len() > limits::TEXT
        {
            let bytes = text.value.len();
            return Err(EditRefused::TextTooLong { question: id.clone(), bytes });
        }
        question.check(&value).map_err(|why| EditRefused::Invalid { question: id.clone(), why })?;
        let bytes = value_to_json(&value).to_string().len();
        check_length(id, bytes, limits::ANSWER)?;
        self.check_all_answers(form, id, bytes)?;
        Ok(value)
    }

    /// What `submit` without a value submits: what is shown, be it a draft or submitted before.
    fn drafted(&self, question: &Question) -> Result<ChatInputAnswerValue, EditRefused> {
        let answer = self.merged(question).and_then(|merged| merged.answer);
        match answer.map(|answer| answer.answer) {
            Some(ChatInputAnswer::Draft(shown) | ChatInputAnswer::Submitted(shown)) => {
                Ok(shown.value)
            }
            Some(ChatInputAnswer::Skipped(_)) | None => {
                Err(EditRefused::NothingToSubmit(question.id().clone()))
            }
        }
    }

    fn check_all_answers(
        &self,
        form: &Form,
        submitted: &QuestionId,
        bytes: usize,
    ) -> Result<(), EditRefused> {
        // So few can't be too large.
        if form.questions().len() * (limits::ANSWER + 64) <= limits::ANSWERS {
            return Ok(());
        }
        let others = form.questions().iter().filter(|question| question.id() != submitted);
        let others: usize = others
            .filter_map(|question| self.merged(question)?.answer)
            .filter(|answer| !matches!(answer.answer, ChatInputAnswer::Draft(_)))
            .map(|answer| answer_to_json(&answer.answer).to_string().len())
            .sum();
        if others + bytes > limits::ANSWERS {
            let question = submitted.clone();
            return Err(EditRefused::AnswersTooLarge { question, bytes: others + bytes });
        }
        Ok(())
    }

    fn clearing(&self, fields: &Fields) -> Vec<Step> {
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

/// What the register holds for a value of that question. No option is null, but an option whose id
/// is the empty string is one.
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

fn check_fits(question: &Question, value: &ChatInputAnswerValue) -> Result<(), EditRefused> {
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

fn wrong_kind(question: &Question) -> EditRefused {
    EditRefused::WrongKind { question: question.id().clone(), takes: question.takes() }
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

fn check_freeform(question: &QuestionId, values: &[String]) -> Result<(), EditRefused> {
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

fn check_length(question: &QuestionId, bytes: usize, limit: usize) -> Result<(), EditRefused> {
    if bytes > limit {
        return Err(EditRefused::AnswerTooLong { question: question.clone(), bytes });
    }
    Ok(())
}

/// The smallest splice that makes `new` of `old`, by characters; nothing when they are equal.
fn splice(old: &str, new: &str) -> Option<Step> {
    if old == new {
        return None;
    }
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let at = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[at..], &new[at..]);
    let same_end =
        old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let insert = new[..new.len() - same_end].iter().collect();
    Some(Step::Splice { at, delete: old.len() - same_end, insert })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_splice() {
        for (old, new, expected) in [
            ("", "", None),
            ("abc", "abc", None),
            ("", "ab", Some((0, 0, "ab"))),
            ("ab", "", Some((0, 2, ""))),
            ("abc", "axc", Some((1, 1, "x"))),
            ("aa", "aaa", Some((2, 0, "a"))),
            ("aaa", "aa", Some((2, 1, ""))),
            ("a😀c", "a😁c", Some((1, 1, "😁"))),
            ("e\u{301}", "e", Some((1, 1, ""))),
        ] {
            let expected = expected.map(|(at, delete, insert)| Step::Splice {
                at,
                delete,
                insert: insert.to_owned(),
            });
            assert_eq!(splice(old, new), expected, "{old:?} to {new:?}");
        }
    }
}
