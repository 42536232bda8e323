//! The rules for a person's change. It may splice known texts, and put scalars on known keys over
//! the values that it saw there. It may not make objects or delete anything else.

use std::collections::{BTreeMap, BTreeSet};

use automerge::{ObjId, ReadDoc};
use rejoinder_identity::ActorId;

use crate::{
    admission_error::AdmissionError,
    automerge_names::heads,
    document::Document,
    graph::{Clock, Inserted, OpId, find_inserted},
    limits,
    op::{Action, Key, Op, Ref, Scalar},
    parse::Parsed,
    schema,
    structure::Part,
};

/// The effects of an allowed change.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// The questions that it touches, by their place in the structure.
    pub(crate) questions: BTreeSet<usize>,
    /// Those whose text gets characters.
    pub(crate) texts: BTreeSet<usize>,
    /// The characters.
    pub(crate) inserted: Vec<Inserted>,
}

/// Checks a change whose dependencies are all here; `clock` is its past.
pub(crate) fn check(
    document: &Document,
    change: &Parsed<'_>,
    clock: &Clock,
) -> Result<Effects, AdmissionError> {
    let mut rules = Rules {
        document,
        change,
        clock,
        actors: graph_actors(document, change)?,
        at: (!document.graph.is_all(clock)).then(|| heads(&change.deps)),
        live: BTreeMap::new(),
        deleted: Vec::new(),
        effects: Effects::default(),
    };
    for (row, op) in change.ops.iter().enumerate() {
        let id = OpId { counter: change.start_op + row as u64, actor: rules.actors[0] };
        rules.check(id, op)?;
    }
    let deleted = rules.deleted.len();
    rules.deleted.sort_unstable();
    rules.deleted.dedup();
    if rules.deleted.len() < deleted {
        return Err(AdmissionError::NotAllowed("deletes a character twice"));
    }
    Ok(rules.effects)
}

/// The places in the graph of the actors that a change names. Its own may be new.
fn graph_actors(document: &Document, change: &Parsed<'_>) -> Result<Vec<usize>, AdmissionError> {
    let graph = &document.graph;
    let own = graph.actor(&change.actor()).unwrap_or_else(|| graph.next_actor());
    let others = change.actors[1..]
        .iter()
        .map(|actor| graph.actor(actor).ok_or(AdmissionError::UnknownActor));
    std::iter::once(Ok(own)).chain(others).collect()
}

struct Rules<'a> {
    document: &'a Document,
    change: &'a Parsed<'a>,
    clock: &'a Clock,
    actors: Vec<usize>,
    /// The dependencies; `None` if they are the whole document.
    at: Option<Vec<automerge::ChangeHash>>,
    /// The live values of the registers it has touched so far, the winner last.
    live: BTreeMap<(usize, Register<'a>), Vec<OpId>>,
    deleted: Vec<OpId>,
    effects: Effects,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Register<'a> {
    Field(&'static str),
    Option(&'a str),
}

impl<'a> Rules<'a> {
    fn check(&mut self, id: OpId, op: &Op<'a>) -> Result<(), AdmissionError> {
        let object = op.object.ok_or(AdmissionError::NotAllowed("writes at the root"))?;
        let object = self.in_past(object, "an object")?;
        match (self.document.structure.part(object), op.key) {
            (Some(Part::Question(place)), Key::Map(key)) => {
                let register = field(key, op)?;
                self.write(id, op, place, register)
            }
            (Some(Part::Options(place)), Key::Map(key)) => {
                self.check_option(place, key, op)?;
                self.write(id, op, place, Register::Option(key))
            }
            (Some(Part::Text(place)), Key::Head | Key::Element(_)) if op.insert => {
                self.insert(id, op, place)
            }
            (Some(Part::Text(place)), Key::Element(element)) => self.delete(id, op, place, element),
            (Some(Part::Answers), _) => Err(AdmissionError::NotAllowed("makes a question")),
            (Some(_), _) => Err(AdmissionError::NotAllowed("has a key of the wrong kind")),
            (None, _) => Err(AdmissionError::NotAllowed("writes into something else")),
        }
    }

    fn check_option(&self, place: usize, key: &str, op: &Op<'_>) -> Result<(), AdmissionError> {
        let seeded = self.document.structure.at(place).seeded.get(key);
        let seeded = seeded.ok_or(AdmissionError::NotAllowed("makes an option"))?;
        if !self.document.graph.is_in(self.clock, *seeded) {
            return Err(AdmissionError::NotInPast("an option"));
        }
        match (op.action, op.value) {
            (Action::Put, Scalar::Bool(_)) | (Action::Delete, _) => Ok(()),
            _ => Err(AdmissionError::NotAllowed("makes an option something else than yes or no")),
        }
    }

    /// A put overwrites all that is live, as Automerge's does. A delete takes what the winner
    /// displaces and leaves that: so Automerge spells a put of what wins already.
    fn write(
        &mut self,
        id: OpId,
        op: &Op<'a>,
        place: usize,
        register: Register<'a>,
    ) -> Result<(), AdmissionError> {
        if op.insert {
            return Err(AdmissionError::NotAllowed("inserts into a map"));
        }
        let mut preds = self.preds(id, op)?;
        preds.sort_unstable();
        let live = match self.live.get(&(place, register)) {
            Some(live) => live.clone(),
            None => self.live_before(place, register),
        };
        let (winner, displaced) =
            live.split_last().ok_or(AdmissionError::NotAllowed("makes a key"))?;
        let (overwrites, left) = match op.action {
            Action::Put => (&live[..], id),
            Action::Delete if !displaced.is_empty() => (displaced, *winner),
            Action::Delete => return Err(AdmissionError::NotAllowed("deletes a key")),
            Action::MakeMap
            | Action::MakeList
            | Action::MakeText
            | Action::MakeTable
            | Action::Increment
            | Action::Mark => return Err(AdmissionError::NotAllowed("makes an object")),
        };
        let mut overwrites = overwrites.to_vec();
        overwrites.sort_unstable();
        if preds != overwrites {
            return Err(AdmissionError::NotAllowed("overwrites something else than it saw"));
        }
        self.live.insert((place, register), vec![left]);
        self.effects.questions.insert(place);
        Ok(())
    }

    fn live_before(&self, place: usize, register: Register<'_>) -> Vec<OpId> {
        let fields = self.document.structure.at(place);
        let (object, key) = match register {
            Register::Field(key) => (&fields.map, key),
            Register::Option(key) => (&fields.options, key),
        };
        let live = match &self.at {
            None => self.document.automerge.get_all(object, key),
            Some(at) => self.document.automerge.get_all_at(object, key, at),
        };
        live.unwrap_or_default()
            .into_iter()
            .filter_map(|(_, id)| self.document.op_id(&id))
            .collect()
    }

    fn insert(&mut self, id: OpId, op: &Op<'_>, place: usize) -> Result<(), AdmissionError> {
        let one_character = |text: &str| text.chars().nth(1).is_none() && !text.is_empty();
        match (op.action, op.value) {
            (Action::Put, Scalar::Str(text)) if one_character(text) => {}
            _ => return Err(AdmissionError::NotAllowed("puts something else than a character")),
        }
        if !op.preds.is_empty() {
            return Err(AdmissionError::NotAllowed("overwrites by inserting"));
        }
        if let Key::Element(after) = op.key {
            self.element(id, place, after)?;
        }
        match self.effects.inserted.last_mut() {
            Some(run) if run.question == place && run.end == id.counter => run.end += 1,
            Some(_) | None => self.effects.inserted.push(Inserted {
                first: id.counter,
                end: id.counter + 1,
                question: place,
            }),
        }
        self.effects.questions.insert(place);
        self.effects.texts.insert(place);
        Ok(())
    }

    fn delete(
        &mut self,
        id: OpId,
        op: &Op<'_>,
        place: usize,
        element: Ref,
    ) -> Result<(), AdmissionError> {
        if op.action != Action::Delete {
            return Err(AdmissionError::NotAllowed("replaces a character in its place"));
        }
        if self.change.preds(op) != [element] {
            return Err(AdmissionError::NotAllowed("deletes another character than it says"));
        }
        let element = self.element(id, place, element)?;
        self.deleted.push(element);
        self.effects.questions.insert(place);
        Ok(())
    }

    /// A character of that text: of the change's past, or brought by the change itself before.
    fn element(&self, id: OpId, place: usize, element: Ref) -> Result<OpId, AdmissionError> {
        let found = if self.is_own(element) {
            find_inserted(&self.effects.inserted, element.counter)
        } else {
            let element = self.in_past(element, "a character")?;
            self.document.graph.text_of(element)
        };
        if found == Some(place) && self.before(id, element) {
            Ok(self.op_id(element))
        } else {
            Err(AdmissionError::NotAllowed("refers to a character that is not there"))
        }
    }

    fn preds(&self, id: OpId, op: &Op<'_>) -> Result<Vec<OpId>, AdmissionError> {
        let resolve = |pred: &Ref| {
            if self.is_own(*pred) && self.before(id, *pred) {
                Ok(self.op_id(*pred))
            } else {
                self.in_past(*pred, "what it overwrites")
            }
        };
        self.change.preds(op).iter().map(resolve).collect()
    }

    fn is_own(&self, reference: Ref) -> bool {
        reference.actor == 0 && reference.counter >= self.change.start_op
    }

    fn before(&self, id: OpId, reference: Ref) -> bool {
        reference.counter < id.counter
    }

    fn op_id(&self, reference: Ref) -> OpId {
        OpId { counter: reference.counter, actor: self.actors[reference.actor] }
    }

    fn in_past(&self, reference: Ref, what: &'static str) -> Result<OpId, AdmissionError> {
        let id = self.op_id(reference);
        if !self.is_own(reference) && self.document.graph.is_in(self.clock, id) {
            Ok(id)
        } else {
            Err(AdmissionError::NotInPast(what))
        }
    }
}

/// The register of a question that a key names, and whether it may hold that.
fn field(key: &str, op: &Op<'_>) -> Result<Register<'static>, AdmissionError> {
    let fields = [schema::MARK, schema::VALUE, schema::FREEFORM];
    let field = fields
        .into_iter()
        .find(|field| *field == key)
        .ok_or(AdmissionError::NotAllowed("writes another key than a question's registers"))?;
    if op.action == Action::Put {
        check_scalar(field, op.value)?;
    }
    Ok(Register::Field(field))
}

fn check_scalar(field: &'static str, value: Scalar<'_>) -> Result<(), AdmissionError> {
    let limit = match (field, value) {
        (_, Scalar::Null) => return Ok(()),
        (schema::MARK, Scalar::Str(_)) => limits::MARK,
        (schema::FREEFORM, Scalar::Str(text)) => {
            check_freeform(text)?;
            limits::ANSWER
        }
        (schema::VALUE, Scalar::Str(_)) => limits::FREEFORM_VALUE,
        (schema::VALUE, Scalar::Bool(_) | Scalar::Int(_) | Scalar::Uint(_)) => return Ok(()),
        (schema::VALUE, Scalar::F64(number)) if number.is_finite() => return Ok(()),
        _ => return Err(AdmissionError::NotAllowed("puts a value of the wrong kind")),
    };
    match value {
        Scalar::Str(text) if text.len() > limit => {
            Err(AdmissionError::TooLarge { bytes: text.len(), limit })
        }
        Scalar::Str(_)
        | Scalar::Null
        | Scalar::Bool(_)
        | Scalar::Uint(_)
        | Scalar::Int(_)
        | Scalar::F64(_)
        | Scalar::Other => Ok(()),
    }
}

fn check_freeform(text: &str) -> Result<(), AdmissionError> {
    // A value that is no list of texts is let in and shown as a problem, so that a later release
    // may use another spelling.
    let values = schema::read_freeform(text).unwrap_or_default();
    if values.len() > limits::FREEFORM_VALUES {
        let limit = limits::FREEFORM_VALUES;
        return Err(AdmissionError::TooMany { what: "freeform values", limit });
    }
    let longest = values.iter().map(String::len).max().unwrap_or(0);
    if longest > limits::FREEFORM_VALUE {
        return Err(AdmissionError::TooLarge { bytes: longest, limit: limits::FREEFORM_VALUE });
    }
    Ok(())
}

impl Document {
    /// An operation's place in the graph, from Automerge's name for it.
    pub(crate) fn op_id(&self, id: &ObjId) -> Option<OpId> {
        match id {
            ObjId::Root => None,
            ObjId::Id(counter, actor, _) => {
                let actor = ActorId(actor.to_bytes().try_into().ok()?);
                self.graph.actor(&actor).map(|actor| OpId { counter: *counter, actor })
            }
        }
    }
}
