//! The objects that the skeletons made: which question has which maps and text, which options.

use std::collections::BTreeMap;

use automerge::ObjId;
use rejoinder_identity::{OptionId, QuestionId};

use crate::graph::OpId;

/// The objects of a document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Structure {
    questions: Vec<Fields>,
    places: BTreeMap<QuestionId, usize>,
    parts: BTreeMap<OpId, Part>,
    /// The map of all questions.
    pub(crate) answers: Option<ObjId>,
}

/// The role of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Answers,
    Question(usize),
    Text(usize),
    Options(usize),
}

/// A question's objects.
#[derive(Debug, Clone)]
pub(crate) struct Fields {
    pub(crate) id: QuestionId,
    pub(crate) map: ObjId,
    pub(crate) text: ObjId,
    pub(crate) options: ObjId,
    /// The options there are, and the operation that made each.
    pub(crate) seeded: BTreeMap<OptionId, OpId>,
}

impl Structure {
    pub(crate) fn fields(&self, id: &QuestionId) -> Option<&Fields> {
        self.places.get(id).map(|place| &self.questions[*place])
    }

    pub(crate) fn at(&self, place: usize) -> &Fields {
        &self.questions[place]
    }

    pub(crate) fn at_mut(&mut self, place: usize) -> &mut Fields {
        &mut self.questions[place]
    }

    pub(crate) fn contains(&self, id: &QuestionId) -> bool {
        self.places.contains_key(id)
    }

    pub(crate) fn part(&self, object: OpId) -> Option<Part> {
        self.parts.get(&object).copied()
    }

    /// The place that the next question gets.
    pub(crate) fn next_place(&self) -> usize {
        self.questions.len()
    }

    pub(crate) fn add_part(&mut self, object: OpId, part: Part) {
        self.parts.insert(object, part);
    }

    pub(crate) fn add(&mut self, fields: Fields) {
        self.places.insert(fields.id.clone(), self.questions.len());
        self.questions.push(fields);
    }
}
