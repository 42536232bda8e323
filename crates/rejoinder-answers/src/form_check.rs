//! The check of a request before it is raised. A request that people could not answer, or that is
//! too large, is refused to the asking program and never shown to anybody.

use std::collections::BTreeSet;

use ahp_types::state::{ChatInputOption, ChatInputQuestion};
use rejoinder_identity::{OptionId, QuestionId};

use crate::{
    form::{Form, Kind, Question},
    limits,
    review_url::{ReviewUrl, UrlProblem},
};

/// Why a request should not be raised.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FormProblem {
    /// There is nothing to say yes or no to: no question, no message, no URL.
    #[error("the request has no questions, no message and no url")]
    Empty,
    /// The question at this place (from 0) has no id.
    #[error("question {} has no id", .0 + 1)]
    NoId(usize),
    /// Two questions have this id.
    #[error("two questions have the id \"{0}\"")]
    DuplicateQuestion(QuestionId),
    /// Two options of the question have one id.
    #[error("question \"{0}\" has the option \"{1}\" twice")]
    DuplicateOption(QuestionId, OptionId),
    /// A select without options that takes no freeform text either.
    #[error("question \"{0}\" has no options")]
    NoOptions(QuestionId),
    /// A required question that no value can answer.
    #[error("question \"{0}\" is required and can't be answered: {1}")]
    Unanswerable(QuestionId, &'static str),
    /// The URL may not be put before people.
    #[error("url: {0}")]
    Url(UrlProblem),
    /// An id longer than [`limits::ID`](crate::limits::ID): its first characters.
    #[error("the id \"{0}…\" is longer than {max} bytes", max = limits::ID)]
    LongId(String),
    /// More than [`limits::QUESTIONS`](crate::limits::QUESTIONS) questions.
    #[error("{0} questions, at most {max}", max = limits::QUESTIONS)]
    TooManyQuestions(usize),
    /// More than [`limits::OPTIONS`](crate::limits::OPTIONS) options.
    #[error("question \"{0}\" has {1} options, at most {max}", max = limits::OPTIONS)]
    TooManyOptions(QuestionId, usize),
    /// More than [`limits::ALL_OPTIONS`](crate::limits::ALL_OPTIONS) options in all questions.
    #[error("{0} options in all questions, at most {max}", max = limits::ALL_OPTIONS)]
    TooManyOptionsInAll(usize),
}

impl Form {
    /// Checks that this may be raised.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong with it, by the request's order.
    pub fn check(&self) -> Result<(), FormProblem> {
        let raised = self.request().questions.as_deref().unwrap_or_default();
        if raised.len() > limits::QUESTIONS {
            return Err(FormProblem::TooManyQuestions(raised.len()));
        }
        if raised.is_empty() && self.request().message.is_none() && self.request().url.is_none() {
            return Err(FormProblem::Empty);
        }
        check_length(&self.request().id)?;
        if let Some(url) = &self.request().url {
            ReviewUrl::read(url).map_err(FormProblem::Url)?;
        }
        check_ids(raised)?;
        let mut options = 0;
        for question in raised {
            options += check_options(question)?;
        }
        if options > limits::ALL_OPTIONS {
            return Err(FormProblem::TooManyOptionsInAll(options));
        }
        self.questions().iter().try_for_each(Question::check_answerable)
    }
}

fn check_ids(questions: &[ChatInputQuestion]) -> Result<(), FormProblem> {
    let mut seen = BTreeSet::new();
    for (place, question) in questions.iter().enumerate() {
        let id = question_id(question).ok_or(FormProblem::NoId(place))?;
        check_length(id)?;
        if !seen.insert(id) {
            return Err(FormProblem::DuplicateQuestion(QuestionId::from(id)));
        }
    }
    Ok(())
}

fn check_options(question: &ChatInputQuestion) -> Result<usize, FormProblem> {
    let (id, options, freeform) = match question {
        ChatInputQuestion::SingleSelect(select) => {
            (&select.id, &select.options, select.allow_freeform_input)
        }
        ChatInputQuestion::MultiSelect(select) => {
            (&select.id, &select.options, select.allow_freeform_input)
        }
        ChatInputQuestion::Text(_)
        | ChatInputQuestion::Number(_)
        | ChatInputQuestion::Integer(_)
        | ChatInputQuestion::Boolean(_)
        | ChatInputQuestion::Unknown(_) => return Ok(0),
    };
    let id = QuestionId::from(id.as_str());
    if options.is_empty() && freeform != Some(true) {
        return Err(FormProblem::NoOptions(id));
    }
    if options.len() > limits::OPTIONS {
        return Err(FormProblem::TooManyOptions(id, options.len()));
    }
    let mut seen = BTreeSet::new();
    for ChatInputOption { id: option, .. } in options {
        check_length(option)?;
        if !seen.insert(option) {
            return Err(FormProblem::DuplicateOption(id, OptionId::from(option.as_str())));
        }
    }
    Ok(options.len())
}

impl Question {
    fn check_answerable(&self) -> Result<(), FormProblem> {
        let why = match self.kind() {
            _ if !self.required() => return Ok(()),
            Kind::Unknown => Some("its kind is unknown"),
            Kind::Boolean | Kind::SingleSelect { .. } => None,
            Kind::Text { min, max, .. } => {
                let least = min.unwrap_or(0);
                // A character has at least one byte.
                let too_long = i64::try_from(limits::TEXT).is_ok_and(|limit| least > limit);
                (max.is_some_and(|max| max < least.max(0)) || too_long).then_some("its length")
            }
            Kind::Number { min, max } => empty_range(*min, *max).then_some("its range is empty"),
            Kind::Integer { min, max } => {
                let (min, max) = (min.map(f64::ceil), max.map(f64::floor));
                empty_range(min, max).then_some("no whole number is in its range")
            }
            Kind::MultiSelect { options, freeform, min, max } => {
                let least = min.unwrap_or(0);
                let most = options.len() + if *freeform { limits::FREEFORM_VALUES } else { 0 };
                let too_many = i64::try_from(most).is_ok_and(|most| least > most);
                (max.is_some_and(|max| max < least.max(0)) || too_many)
                    .then_some("its number of choices")
            }
        };
        why.map_or(Ok(()), |why| Err(FormProblem::Unanswerable(self.id().clone(), why)))
    }
}

/// A bound that is NaN excludes nothing.
fn empty_range(min: Option<f64>, max: Option<f64>) -> bool {
    matches!((min, max), (Some(min), Some(max)) if min > max)
}

fn question_id(question: &ChatInputQuestion) -> Option<&str> {
    match question {
        ChatInputQuestion::Text(text) => Some(&text.id),
        ChatInputQuestion::Number(number) | ChatInputQuestion::Integer(number) => Some(&number.id),
        ChatInputQuestion::Boolean(boolean) => Some(&boolean.id),
        ChatInputQuestion::SingleSelect(select) => Some(&select.id),
        ChatInputQuestion::MultiSelect(select) => Some(&select.id),
        ChatInputQuestion::Unknown(raw) => raw.get("id").and_then(serde_json::Value::as_str),
    }
}

fn check_length(id: &str) -> Result<(), FormProblem> {
    if id.len() > limits::ID {
        return Err(FormProblem::LongId(id.chars().take(20).collect()));
    }
    Ok(())
}
