//! From an edit to what is written: checks that it is allowed, and chooses the steps and the mark.

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue};
use rejoinder_identity::QuestionId;

use crate::{
    answer_check::{check_fits, check_freeform, check_length},
    document::Document,
    edit::{Edit, EditRefused},
    form::{Form, Kind, Question},
    json::{answer_to_json, value_to_json},
    limits,
    schema::Mark,
    steps::Step,
};

/// The plan of an edit: the steps to write, and then the mark; no mark is null.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub(crate) question: QuestionId,
    pub(crate) takes: &'static str,
    pub(crate) steps: Vec<Step>,
    pub(crate) mark: Option<Mark>,
}

impl Document {
    /// Plans an edit.
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

    /// The value for a `submit` without one: the answer that is shown, draft or submitted.
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
        // So few answers can't be too large together.
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
}
