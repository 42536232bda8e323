//! The fields of a question: its live marks, and the draft that its content makes.

use std::collections::BTreeSet;

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputBooleanAnswerValue, ChatInputNumberAnswerValue,
    ChatInputSelectedAnswerValue, ChatInputSelectedManyAnswerValue, ChatInputTextAnswerValue,
};
use automerge::{ObjId, ReadDoc, ScalarValue, Value};
use rejoinder_identity::PeerId;

use crate::{
    document::Document,
    form::{Kind, Question},
    graph::OpId,
    problem::{Problem, ProblemKind},
    schema::{self, Mark},
    structure::Fields,
};

/// A mark that nobody overwrote, other than null.
#[derive(Debug)]
pub(crate) struct LiveMark {
    pub(crate) op: OpId,
    pub(crate) text: String,
    /// `None` if it can't be read.
    pub(crate) mark: Option<Mark>,
}

/// The draft that the content of a question makes.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// The draft, then the drafts with the values that lost; empty if there is no content.
    pub(crate) variants: Vec<Variant>,
    pub(crate) problems: Vec<Problem>,
}

/// One way to read a content that was written at the same time.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) value: ChatInputAnswerValue,
    /// The authors of the values that only this variant has. `None` if everybody who drafted wrote
    /// it.
    pub(crate) authors: Option<BTreeSet<PeerId>>,
}

/// Values of one register, the winner first, with everyone who wrote an equal one.
type Values<T> = Vec<(T, BTreeSet<PeerId>)>;

/// The point of its history at which a document is read; `None` is now.
pub(crate) type At<'a> = Option<&'a [automerge::ChangeHash]>;

impl Document {
    /// The live marks of a question in Automerge's order, the last one wins.
    pub(crate) fn marks(&self, fields: &Fields, at: At<'_>) -> Vec<LiveMark> {
        let live = self.live(&fields.map, schema::MARK, at).into_iter();
        live.filter(|(value, _)| !value.is_null())
            .map(|(value, op)| match value.as_str() {
                Some(text) => LiveMark { op, mark: Mark::read(text), text: text.to_owned() },
                None => LiveMark { op, mark: None, text: value.to_string() },
            })
            .collect()
    }

    fn live(&self, object: &ObjId, key: &str, at: At<'_>) -> Vec<(ScalarValue, OpId)> {
        let live = match at {
            None => self.automerge.get_all(object, key),
            Some(at) => self.automerge.get_all_at(object, key, at),
        };
        live.unwrap_or_default()
            .into_iter()
            .filter_map(|(value, id)| match value {
                Value::Scalar(value) => Some((value.into_owned(), self.op_id(&id)?)),
                Value::Object(_) => None,
            })
            .collect()
    }

    /// The content fields, read as an answer to that question.
    pub(crate) fn content(&self, question: &Question, fields: &Fields) -> Content {
        let mut problems = Vec::new();
        let variants = match question.kind() {
            Kind::Text { .. } => {
                let value = ChatInputTextAnswerValue { value: self.text(fields) };
                vec![Variant { value: ChatInputAnswerValue::Text(value), authors: None }]
            }
            Kind::Number { .. } | Kind::Integer { .. } => {
                let numbers = self.values(fields, schema::VALUE, number, &mut problems);
                single(numbers, |value| {
                    ChatInputAnswerValue::Number(ChatInputNumberAnswerValue { value })
                })
            }
            Kind::Boolean => {
                let booleans =
                    self.values(fields, schema::VALUE, ScalarValue::as_bool, &mut problems);
                single(booleans, |value| {
                    ChatInputAnswerValue::Boolean(ChatInputBooleanAnswerValue { value })
                })
            }
            Kind::SingleSelect { .. } => self.selected(fields, &mut problems),
            Kind::MultiSelect { .. } => self.selected_many(question, fields, &mut problems),
            Kind::Unknown => Vec::new(),
        };
        Content { variants, problems }
    }

    pub(crate) fn text(&self, fields: &Fields) -> String {
        self.automerge.text(&fields.text).unwrap_or_default()
    }

    /// The distinct live values of a register. Null is no value, so it displaces none.
    fn values<T: PartialEq>(
        &self,
        fields: &Fields,
        key: &str,
        read: impl Fn(&ScalarValue) -> Option<T>,
        problems: &mut Vec<Problem>,
    ) -> Values<T> {
        let mut values: Values<T> = Vec::new();
        for (raw, op) in self.live(&fields.map, key, None).into_iter().rev() {
            let author = self.graph.author(op.actor);
            match read(&raw) {
                _ if raw.is_null() => {}
                Some(value) => match values.iter_mut().find(|(other, _)| *other == value) {
                    Some((_, authors)) => {
                        authors.insert(author);
                    }
                    None => values.push((value, BTreeSet::from([author]))),
                },
                None => problems.push(Problem {
                    question: fields.id.clone(),
                    kind: ProblemKind::OtherKind,
                    raw: raw_text(&raw),
                    author,
                }),
            }
        }
        values
    }

    fn selected(&self, fields: &Fields, problems: &mut Vec<Problem>) -> Vec<Variant> {
        let chosen = self.values(fields, schema::VALUE, text, problems);
        let freeform = self.values(fields, schema::FREEFORM, freeform, problems);
        let read = |chosen: Option<&String>, freeform: Option<&Vec<String>>| {
            ChatInputAnswerValue::Selected(ChatInputSelectedAnswerValue {
                value: chosen.cloned().unwrap_or_default(),
                freeform_values: freeform.cloned(),
            })
        };
        let (option, own) = (chosen.first(), freeform.first());
        if option.is_none() && own.is_none() {
            return Vec::new();
        }
        let (option_id, own_text) = (option.map(|(id, _)| id), own.map(|(texts, _)| texts));
        let authors = [option.map(|(_, authors)| authors), own.map(|(_, authors)| authors)];
        let mut variants = vec![Variant {
            value: read(option_id, own_text),
            authors: Some(authors.into_iter().flatten().flatten().copied().collect()),
        }];
        for (other, authors) in chosen.iter().skip(1) {
            let authors = Some(authors.clone());
            variants.push(Variant { value: read(Some(other), own_text), authors });
        }
        for (other, authors) in freeform.iter().skip(1) {
            let authors = Some(authors.clone());
            variants.push(Variant { value: read(option_id, Some(other)), authors });
        }
        variants
    }

    /// Of an option that is ticked and unticked at the same time, ticked wins.
    fn selected_many(
        &self,
        question: &Question,
        fields: &Fields,
        problems: &mut Vec<Problem>,
    ) -> Vec<Variant> {
        let mut ticked = Vec::new();
        let mut contested = Vec::new();
        for option in question.options() {
            let live = self.live(&fields.options, option.as_str(), None);
            let is_ticked = |value: &ScalarValue| value.as_bool() == Some(true);
            if live.iter().any(|(value, _)| is_ticked(value)) {
                ticked.push(option.0.clone());
                let against: BTreeSet<PeerId> = live
                    .iter()
                    .filter(|(value, _)| !is_ticked(value))
                    .map(|(_, op)| self.graph.author(op.actor))
                    .collect();
                if !against.is_empty() {
                    contested.push((option, against));
                }
            }
        }
        let freeform = self.values(fields, schema::FREEFORM, freeform, problems);
        let read = |chosen: Vec<String>, freeform: Option<&Vec<String>>| {
            ChatInputAnswerValue::SelectedMany(ChatInputSelectedManyAnswerValue {
                value: chosen,
                freeform_values: freeform.cloned(),
            })
        };
        let own = freeform.first().map(|(texts, _)| texts);
        let mut variants = vec![Variant { value: read(ticked.clone(), own), authors: None }];
        for (option, against) in contested {
            let without = ticked.iter().filter(|id| **id != option.0).cloned().collect();
            variants.push(Variant { value: read(without, own), authors: Some(against) });
        }
        for (other, authors) in freeform.iter().skip(1) {
            let value = read(ticked.clone(), Some(other));
            variants.push(Variant { value, authors: Some(authors.clone()) });
        }
        variants
    }

    /// The draft as it was before the question became one of another kind.
    pub(crate) fn content_of_kind(&self, fields: &Fields, kind: &str) -> ChatInputAnswerValue {
        let mut ignored = Vec::new();
        let scalars = self.values(fields, schema::VALUE, |raw| Some(raw.clone()), &mut ignored);
        let raw = match kind {
            "text" => self.text(fields).into(),
            "selected-many" => fields
                .seeded
                .keys()
                .filter(|option| {
                    let live = self.live(&fields.options, option.as_str(), None);
                    live.iter().any(|(value, _)| value.as_bool() == Some(true))
                })
                .map(|option| serde_json::Value::from(option.as_str()))
                .collect(),
            _ => scalars.first().map_or(serde_json::Value::Null, |(raw, _)| raw_json(raw)),
        };
        ChatInputAnswerValue::Unknown(serde_json::json!({ "kind": kind, "value": raw }))
    }
}

fn single<T>(values: Values<T>, read: impl Fn(T) -> ChatInputAnswerValue) -> Vec<Variant> {
    let variant = |(value, authors)| Variant { value: read(value), authors: Some(authors) };
    values.into_iter().map(variant).collect()
}

#[expect(clippy::cast_precision_loss, reason = "AHP's numbers are f64; larger ones lose digits")]
fn number(raw: &ScalarValue) -> Option<f64> {
    match raw {
        ScalarValue::Int(number) => Some(*number as f64),
        ScalarValue::Uint(number) => Some(*number as f64),
        // Adding zero turns -0 into 0.
        ScalarValue::F64(number) => number.is_finite().then_some(*number + 0.0),
        ScalarValue::Bytes(_)
        | ScalarValue::Str(_)
        | ScalarValue::Counter(_)
        | ScalarValue::Timestamp(_)
        | ScalarValue::Boolean(_)
        | ScalarValue::Unknown { .. }
        | ScalarValue::Null => None,
    }
}

fn text(raw: &ScalarValue) -> Option<String> {
    raw.as_str().map(str::to_owned)
}

fn freeform(raw: &ScalarValue) -> Option<Vec<String>> {
    schema::read_freeform(raw.as_str()?).filter(|values| !values.is_empty())
}

fn raw_json(raw: &ScalarValue) -> serde_json::Value {
    match (raw.as_str(), raw.as_bool(), number(raw)) {
        (Some(text), _, _) => text.into(),
        (_, Some(truth), _) => truth.into(),
        (_, _, Some(number)) => crate::json::number_to_json(number),
        (None, None, None) => raw.to_string().into(),
    }
}

fn raw_text(raw: &ScalarValue) -> String {
    raw_json(raw).to_string()
}
