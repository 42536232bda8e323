//! Writing an edit: as one change, as several when it is more than one may hold.
//!
//! What is written here passes the same checks as what comes from others before it counts, so that
//! a mistake of ours is an edit refused and not a document that nobody else takes.

use automerge::{
    Automerge, AutomergeError, ReadDoc, ScalarValue,
    transaction::{CommitOptions, Transactable},
};
use rejoinder_identity::{ActorId, ChangeHash};

use crate::{
    admission::heads,
    admission_error::AdmissionError,
    document::{Document, automerge_actor},
    edit::{Edit, EditRefused, Writer, Written},
    form::Form,
    limits,
    parse::{Parsed, Size},
    plan::Plan,
    schema::{self, Mark},
    steps::Step,
    structure::Fields,
};

/// Bytes of steps in a change, estimated. A guess that leaves room for actors that are named.
const BATCH: usize = 24 * 1024;
/// A mark that would not fit beside the last steps gets a change of its own.
const WITH_MARK: usize = 56 * 1024;

impl Document {
    /// Makes an edit, at once and whole. It gives the changes it was written as: one, several when
    /// it is large, none when nothing would change.
    ///
    /// # Errors
    ///
    /// The edit can't be made; the document is as it was.
    pub fn edit(
        &mut self,
        form: &Form,
        writer: &Writer,
        edit: &Edit,
    ) -> Result<Vec<Written>, EditRefused> {
        let plan = self.plan(form, edit)?;
        let mut batches = batches(&plan);
        let last = batches.pop().expect("there is one for the mark at least");
        self.check_room(&plan, writer, batches.len() + 1)?;
        // Only what is written as several changes can be broken off in the middle.
        let before = (!batches.is_empty() || self.needs_joining()).then(|| self.clone());
        let written = self.write_all(&plan, writer, &batches, &last);
        if let (Err(_), Some(before)) = (&written, before) {
            *self = before;
        }
        written.map_err(|why| EditRefused::NotWritten { question: plan.question, why })
    }

    fn check_room(&self, plan: &Plan, writer: &Writer, more: usize) -> Result<(), EditRefused> {
        let last = self.graph.last_seq(&writer.actor(&self.id()));
        if last + more as u64 > limits::ACTOR_CHANGES {
            return Err(EditRefused::TooManyChanges(plan.question.clone()));
        }
        if self.graph.len() + more > limits::PAST {
            return Err(EditRefused::DocumentFull(plan.question.clone()));
        }
        Ok(())
    }

    fn write_all(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        batches: &[Vec<Step>],
        last: &[Step],
    ) -> Result<Vec<Written>, AdmissionError> {
        let draft = Mark::Draft { kind: Some(plan.takes.to_owned()) };
        let mut written = Vec::new();
        while self.needs_joining() {
            written.extend(self.join_heads(plan, writer, &draft)?);
        }
        for steps in batches {
            written.extend(self.write(plan, writer, steps, Some(&draft))?);
        }
        written.extend(self.write(plan, writer, last, plan.mark.as_ref())?);
        Ok(written)
    }

    fn write(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        steps: &[Step],
        mark: Option<&Mark>,
    ) -> Result<Option<Written>, AdmissionError> {
        let next = self.automerge.clone();
        self.write_on(next, plan, writer, steps, mark)
    }

    /// Writes on `next`, which has the document's changes or some of them, and takes that in.
    fn write_on(
        &mut self,
        mut next: Automerge,
        plan: &Plan,
        writer: &Writer,
        steps: &[Step],
        mark: Option<&Mark>,
    ) -> Result<Option<Written>, AdmissionError> {
        let actor = writer.actor(&self.id());
        let seq = self.graph.last_seq(&actor) + 1;
        let fields = self.structure.fields(&plan.question).expect("a plan is for a known question");
        let mark = mark.map(|mark| mark.to_text(&actor, seq));
        let hash = commit(&mut next, writer, &actor, fields, steps, mark)
            .map_err(|error| AdmissionError::Automerge(error.to_string()))?;
        let Some(hash) = hash else { return Ok(None) };
        let change = next.get_change_by_hash(&hash).expect("it was just committed");
        let bytes = change.raw_bytes();
        let parsed = Parsed::read(bytes, Size::EDIT)?;
        let effects = self.check(&parsed)?;
        // One that has not seen everything was written beside the document.
        if !self.graph.is_all(&self.graph.past(&parsed.deps)) {
            next = self.automerge.clone();
            next.apply_changes([change.clone()])
                .map_err(|error| AdmissionError::Automerge(error.to_string()))?;
        }
        let hash = ChangeHash(hash.0);
        self.take_in(next, &parsed, writer.device, effects.inserted);
        Ok(Some(Written { actor, seq, hash, change: bytes.to_vec() }))
    }

    /// Automerge names every head as a dependency, and there may be more than a change may name.
    fn needs_joining(&self) -> bool {
        // One more for the actor's own last change, which Automerge names too.
        self.graph.heads().len() + 1 > limits::DEPS
    }

    /// Writes a change that has seen some of the heads, so that there are fewer.
    fn join_heads(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        draft: &Mark,
    ) -> Result<Option<Written>, AdmissionError> {
        let own = self.frontier().get(&writer.actor(&self.id())).map(|tip| tip.hash);
        let newest = self.skeletons.last().copied();
        let mut some: Vec<ChangeHash> = own.into_iter().chain(newest).collect();
        some.extend(self.graph.heads().iter().take(limits::DEPS - 2));
        let next = self
            .automerge
            .fork_at(&heads(&some))
            .map_err(|error| AdmissionError::Automerge(error.to_string()))?;
        self.write_beside(next, plan, writer, draft)
    }

    fn write_beside(
        &mut self,
        mut next: Automerge,
        plan: &Plan,
        writer: &Writer,
        draft: &Mark,
    ) -> Result<Option<Written>, AdmissionError> {
        next.set_actor(automerge_actor(&writer.actor(&self.id())));
        self.write_on(next, plan, writer, &[], Some(draft))
    }
}

fn commit(
    document: &mut Automerge,
    writer: &Writer,
    actor: &ActorId,
    fields: &Fields,
    steps: &[Step],
    mark: Option<String>,
) -> Result<Option<automerge::ChangeHash>, AutomergeError> {
    document.set_actor(automerge_actor(actor));
    let mut transaction = document.transaction();
    for step in steps {
        match step {
            Step::Splice { at, delete, insert } => {
                let delete = isize::try_from(*delete).expect("a text is shorter than that");
                transaction.splice_text(&fields.text, *at, delete, insert)?;
            }
            Step::Put { field, value } => transaction.put(&fields.map, *field, value.clone())?,
            Step::Tick { option, on } => {
                transaction.put(&fields.options, option.as_str(), *on)?;
            }
        }
    }
    let mark = mark.map_or(ScalarValue::Null, ScalarValue::from);
    transaction.put(&fields.map, schema::MARK, mark)?;
    let seconds = (writer.now.as_millis() / 1000).clamp(0, limits::TIME - 1);
    Ok(transaction.commit_with(CommitOptions::default().with_time(seconds)).0)
}

/// The steps in portions that a change can hold; the last one has room for the mark.
fn batches(plan: &Plan) -> Vec<Vec<Step>> {
    let mut batches = vec![Vec::new()];
    let (mut operations, mut bytes) = (0, 0);
    for step in plan.steps.iter().flat_map(pieces) {
        let (more_operations, more_bytes) = cost(&step);
        // One operation is the mark's.
        let full = operations + more_operations > limits::OPERATIONS - 1;
        if full || (bytes > 0 && bytes + more_bytes > BATCH) {
            batches.push(Vec::new());
            (operations, bytes) = (0, 0);
        }
        operations += more_operations;
        bytes += more_bytes;
        batches.last_mut().expect("there is one from the start").push(step);
    }
    let mark = plan.mark.as_ref().map_or(0, |mark| mark.to_text(&ActorId([0; 16]), 0).len());
    if bytes + mark > WITH_MARK {
        batches.push(Vec::new());
    }
    batches
}

/// A splice in pieces that fit into a change. What goes goes first, so that the text is never
/// longer than before and after.
fn pieces(step: &Step) -> Vec<Step> {
    const PIECE: usize = limits::OPERATIONS / 2 - 1;
    let Step::Splice { at, delete, insert } = step else { return vec![step.clone()] };
    if delete + insert.chars().count() < limits::OPERATIONS {
        return vec![step.clone()];
    }
    let at = *at;
    let whole = std::iter::repeat_n(PIECE, delete / PIECE);
    let rest = Some(delete % PIECE).filter(|rest| *rest > 0);
    let mut pieces: Vec<Step> = whole
        .chain(rest)
        .map(|delete| Step::Splice { at, delete, insert: String::new() })
        .collect();
    let characters: Vec<char> = insert.chars().collect();
    pieces.extend(characters.chunks(PIECE).enumerate().map(|(piece, characters)| Step::Splice {
        at: at + piece * PIECE,
        delete: 0,
        insert: characters.iter().collect(),
    }));
    pieces
}

/// Operations and bytes of a step; the bytes are an estimate from above for most documents.
fn cost(step: &Step) -> (usize, usize) {
    match step {
        Step::Splice { delete, insert, .. } => {
            (delete + insert.chars().count(), delete * 12 + insert.len() * 2)
        }
        Step::Put { value, .. } => (1, 16 + value.as_str().map_or(8, str::len)),
        Step::Tick { option, .. } => (1, 16 + option.as_str().len()),
    }
}
