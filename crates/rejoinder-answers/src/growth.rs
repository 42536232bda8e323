//! The growth of the structure by a skeleton: it may add whole questions and new options, and never
//! makes one of them twice.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{ActorId, OptionId, QuestionId};

use crate::{
    admission_error::AdmissionError,
    automerge_names::object_id,
    document::Document,
    graph::{Inserted, OpId, find_inserted},
    op::{Action, Key, Op, Scalar},
    parse::Parsed,
    schema,
    structure::{Fields, Part, Structure},
};

/// The additions of a skeleton.
#[derive(Debug)]
pub(crate) struct Growth {
    answers: Option<u64>,
    first_place: usize,
    questions: Vec<NewQuestion>,
    /// Of questions that were there.
    options: BTreeMap<usize, BTreeMap<OptionId, u64>>,
    inserted: Vec<Inserted>,
    /// The objects that its own operations made.
    parts: BTreeMap<u64, Part>,
}

#[derive(Debug)]
struct NewQuestion {
    id: QuestionId,
    map: u64,
    text: Option<u64>,
    options: Option<u64>,
    registers: BTreeSet<&'static str>,
    seeded: BTreeMap<OptionId, u64>,
}

/// Checks a skeleton and says what it adds.
pub(crate) fn check(document: &Document, change: &Parsed<'_>) -> Result<Growth, AdmissionError> {
    let mut growth = Growth {
        answers: None,
        first_place: document.structure.next_place(),
        questions: Vec::new(),
        options: BTreeMap::new(),
        inserted: Vec::new(),
        parts: BTreeMap::new(),
    };
    for (row, op) in change.ops.iter().enumerate() {
        if !op.preds.is_empty() {
            return Err(AdmissionError::NotAllowed("overwrites something as a skeleton"));
        }
        growth.grow(document, change, change.start_op + row as u64, op)?;
    }
    let whole = |question: &NewQuestion| {
        question.text.is_some() && question.options.is_some() && question.registers.len() == 3
    };
    if document.structure.answers.is_none() && growth.answers.is_none() {
        return Err(AdmissionError::NotAllowed("makes no place for answers"));
    }
    if !growth.questions.iter().all(whole) {
        return Err(AdmissionError::NotAllowed("makes half a question"));
    }
    Ok(growth)
}

impl Growth {
    fn grow(
        &mut self,
        document: &Document,
        change: &Parsed<'_>,
        id: u64,
        op: &Op<'_>,
    ) -> Result<(), AdmissionError> {
        let refuse = AdmissionError::NotAllowed("does something that no skeleton does");
        let part = match op.object {
            None => None,
            Some(object) if object.actor == 0 && object.counter >= change.start_op => {
                Some(*self.parts.get(&object.counter).ok_or(refuse.clone())?)
            }
            Some(object) => {
                let actor = document.graph.actor(&change.actors[object.actor]);
                let actor = actor.ok_or(AdmissionError::UnknownActor)?;
                let object = OpId { counter: object.counter, actor };
                Some(document.structure.part(object).ok_or(refuse.clone())?)
            }
        };
        match (part, op.key, op.action, op.value, op.insert) {
            (None, Key::Map(schema::ANSWERS), Action::MakeMap, _, false)
                if self.answers.is_none() && document.structure.answers.is_none() =>
            {
                self.answers = Some(id);
                self.parts.insert(id, Part::Answers);
            }
            (Some(Part::Answers), Key::Map(key), Action::MakeMap, _, false) => {
                self.add_question(document, key, id)?;
            }
            (Some(Part::Question(place)), Key::Map(key), action, value, false) => {
                self.add_field(place, key, id, action, value).ok_or(refuse)?;
            }
            (Some(Part::Options(place)), Key::Map(key), Action::Put, Scalar::Bool(_), false) => {
                self.add_option(document, place, key, id).ok_or(refuse)?;
            }
            (Some(Part::Text(place)), key, Action::Put, Scalar::Str(text), true) => {
                self.add_character(place, key, text, id).ok_or(refuse)?;
            }
            _ => return Err(refuse),
        }
        Ok(())
    }

    fn add_question(
        &mut self,
        document: &Document,
        key: &str,
        map: u64,
    ) -> Result<(), AdmissionError> {
        let id = QuestionId::from(key);
        let twice = self.questions.iter().any(|question| question.id == id);
        if twice || document.structure.contains(&id) {
            return Err(AdmissionError::NotAllowed("makes a question a second time"));
        }
        self.parts.insert(map, Part::Question(self.first_place + self.questions.len()));
        self.questions.push(NewQuestion {
            id,
            map,
            text: None,
            options: None,
            registers: BTreeSet::new(),
            seeded: BTreeMap::new(),
        });
        Ok(())
    }

    /// The question that this skeleton makes at that place; `None` if it may not make it.
    fn new_question(&mut self, place: usize) -> Option<&mut NewQuestion> {
        self.questions.get_mut(place.checked_sub(self.first_place)?)
    }

    fn add_field(
        &mut self,
        place: usize,
        key: &str,
        id: u64,
        action: Action,
        value: Scalar<'_>,
    ) -> Option<()> {
        let question = self.new_question(place)?;
        match (key, action, value) {
            (schema::TEXT, Action::MakeText, _) if question.text.is_none() => {
                question.text = Some(id);
                self.parts.insert(id, Part::Text(place));
            }
            (schema::OPTIONS, Action::MakeMap, _) if question.options.is_none() => {
                question.options = Some(id);
                self.parts.insert(id, Part::Options(place));
            }
            (_, Action::Put, Scalar::Other) => return None,
            (key, Action::Put, _) => {
                let registers = [schema::MARK, schema::VALUE, schema::FREEFORM];
                let register = registers.into_iter().find(|register| *register == key)?;
                question.registers.insert(register).then_some(())?;
            }
            _ => return None,
        }
        Some(())
    }

    fn add_option(&mut self, document: &Document, place: usize, key: &str, id: u64) -> Option<()> {
        let option = OptionId::from(key);
        let seeded = if place >= self.first_place {
            &mut self.new_question(place)?.seeded
        } else if document.structure.at(place).seeded.contains_key(&option) {
            return None;
        } else {
            self.options.entry(place).or_default()
        };
        seeded.insert(option, id).is_none().then_some(())
    }

    fn add_character(&mut self, place: usize, key: Key<'_>, text: &str, id: u64) -> Option<()> {
        self.new_question(place)?;
        let after_one_of_its_own = match key {
            Key::Head => true,
            Key::Element(after) => {
                after.actor == 0 && find_inserted(&self.inserted, after.counter) == Some(place)
            }
            Key::Map(_) => false,
        };
        (after_one_of_its_own && text.chars().count() == 1).then_some(())?;
        self.inserted.push(Inserted { first: id, end: id + 1, question: place });
        Some(())
    }

    /// The characters of the answers that the request came with, in as few runs as there are.
    pub(crate) fn inserted(&self) -> Vec<Inserted> {
        let mut runs: Vec<Inserted> = Vec::new();
        for character in &self.inserted {
            match runs.last_mut() {
                Some(run) if run.question == character.question && run.end == character.first => {
                    run.end = character.end;
                }
                Some(_) | None => runs.push(*character),
            }
        }
        runs
    }

    /// Adds it to the structure: `actor` at `place` of the graph made all of it.
    pub(crate) fn add_to(self, structure: &mut Structure, actor: ActorId, place: usize) {
        let op_id = |counter| OpId { counter, actor: place };
        if let Some(answers) = self.answers {
            structure.answers = Some(object_id(answers, &actor));
        }
        for question in self.questions {
            let made = "a skeleton with half a question is refused";
            structure.add(Fields {
                id: question.id,
                map: object_id(question.map, &actor),
                text: object_id(question.text.expect(made), &actor),
                options: object_id(question.options.expect(made), &actor),
                seeded: question.seeded.into_iter().map(|(id, op)| (id, op_id(op))).collect(),
            });
        }
        for (place, options) in self.options {
            let seeded = options.into_iter().map(|(id, op)| (id, op_id(op)));
            structure.at_mut(place).seeded.extend(seeded);
        }
        for (object, part) in self.parts {
            structure.add_part(op_id(object), part);
        }
    }
}
