//! Writing an edit: as one change, as several when it is more than one may hold.
//!
//! Our own changes pass the same checks as those of others before they count. So a mistake of ours
//! refuses an edit, and does not make a document that nobody else takes.

use automerge::{
    Automerge, AutomergeError, ReadDoc, ScalarValue,
    transaction::{CommitOptions, Transactable},
};
use rejoinder_identity::{ActorId, ChangeHash, QuestionId};

use crate::{
    admission_error::AdmissionError,
    automerge_names::automerge_actor,
    document::Document,
    edit::{Edit, EditRefused, Writer, Written},
    form::Form,
    limits,
    parse::{Parsed, Size},
    plan::Plan,
    schema::{self, Mark},
    steps::Step,
    structure::Fields,
    version::Version,
};

/// Bytes of steps in a change, estimated. A guess that leaves room for actors that are named.
const BATCH: usize = 24 * 1024;
/// A mark that would not fit beside the last steps gets a change of its own.
const WITH_MARK: usize = 56 * 1024;

impl Document {
    /// Makes an edit, at once and whole. Returns the changes it was written as: one, several if it
    /// is large, none at all if nothing would change.
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
        let long = self.long_text(&plan);
        self.write_plan(&plan, writer, long, None)
    }

    /// Makes an edit of somebody who saw the document as it was in `seen`: as an edit beside
    /// whatever came since, which merges with it by character and stands in conflict with it as if
    /// it had come from elsewhere. Edits made here since count as seen too, except for the text of
    /// a draft.
    ///
    /// # Errors
    ///
    /// The edit can't be made; the document is as it was.
    pub fn edit_on(
        &mut self,
        form: &Form,
        writer: &Writer,
        edit: &Edit,
        seen: &Version,
    ) -> Result<Vec<Written>, EditRefused> {
        let Some(beside) = self.beside(writer, seen) else {
            let edit = self.on_own(edit, seen, self).into_owned();
            return self.edit(form, writer, &edit);
        };
        let edit = self.on_own(edit, seen, &beside.document);
        let plan = beside.document.plan(form, &edit)?;
        let long = beside.document.long_text(&plan);
        self.write_plan(&plan, writer, long, Some(beside.at))
    }

    /// `long` is the text that is too long still when all is written; `at`, what the edit has seen,
    /// if that is not all.
    fn write_plan(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        long: Option<String>,
        at: Option<Vec<ChangeHash>>,
    ) -> Result<Vec<Written>, EditRefused> {
        let mut batches = batches(plan, long);
        let last = batches.pop().expect("there is one for the mark at least");
        self.check_room(plan, writer, self.joins() + batches.len() + 1)?;
        // Only what is written as several changes can be broken off in the middle.
        let before = (!batches.is_empty() || self.needs_joining()).then(|| self.clone());
        let written = self.write_all(plan, writer, &batches, &last, at);
        if let (Err(_), Some(before)) = (&written, before) {
            *self = before;
        }
        written.map_err(|why| not_written(plan.question.clone(), why))
    }

    /// The text that a plan's splice leaves too long, as two texts that merged may be. It can only
    /// be shortened, and each change must shorten it.
    fn long_text(&self, plan: &Plan) -> Option<String> {
        let fields = self.structure.fields(&plan.question)?;
        let mut large = plan.steps.iter().filter_map(|step| match step {
            Step::Splice { at, delete, insert } if !is_small(*delete, insert) => {
                Some((*at, *delete, insert.len()))
            }
            Step::Splice { .. } | Step::Put { .. } | Step::Tick { .. } => None,
        });
        let (at, delete, insert) = large.next()?;
        let text = self.text(fields);
        let gone: usize = text.chars().skip(at).take(delete).map(char::len_utf8).sum();
        (text.len() - gone + insert > limits::TEXT).then_some(text)
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
        mut at: Option<Vec<ChangeHash>>,
    ) -> Result<Vec<Written>, AdmissionError> {
        let draft = Mark::Draft { kind: Some(plan.takes.to_owned()) };
        let mut written = Vec::new();
        while self.needs_joining() {
            written.extend(self.join_heads(plan, writer, &draft)?);
        }
        for steps in batches {
            let one = self.write(plan, writer, steps, Some(&draft), at.as_deref())?;
            // The next one is written on this one, still beside the rest.
            if let (Some(at), Some(one)) = (&mut at, &one) {
                *at = vec![one.hash];
            }
            written.extend(one);
        }
        written.extend(self.write(plan, writer, last, plan.mark.as_ref(), at.as_deref())?);
        Ok(written)
    }

    fn write(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        steps: &[Step],
        mark: Option<&Mark>,
        at: Option<&[ChangeHash]>,
    ) -> Result<Option<Written>, AdmissionError> {
        let next = match at {
            None => self.automerge.clone(),
            Some(at) => self.fork_at(at)?,
        };
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
        // A character has at most four bytes: a text that can't be too long is not read.
        if next.length(&fields.text).saturating_mul(4) > limits::TEXT {
            self.check_texts(&next, &parsed, &effects)?;
        }
        let hash = ChangeHash(hash.0);
        self.add(next, &parsed, writer.device, effects.inserted);
        Ok(Some(Written { actor, seq, hash, change: bytes.to_vec() }))
    }

    /// Automerge names every head as a dependency, and there may be more than a change may name.
    fn needs_joining(&self) -> bool {
        // One more for the actor's own last change, which Automerge names too.
        self.graph.heads().len() + 1 > limits::DEPS
    }

    /// The most changes that this takes: each turns as many heads as a change may name, less three,
    /// into one.
    fn joins(&self) -> usize {
        (self.graph.heads().len() + 1).saturating_sub(limits::DEPS).div_ceil(limits::DEPS - 3)
    }

    /// Writes a change that has seen some of the heads, so that there are fewer.
    fn join_heads(
        &mut self,
        plan: &Plan,
        writer: &Writer,
        draft: &Mark,
    ) -> Result<Option<Written>, AdmissionError> {
        let own = self.version_vector().get(&writer.actor(&self.id())).map(|tip| tip.hash);
        let newest = self.skeletons.last().copied();
        let mut some: Vec<ChangeHash> = own.into_iter().chain(newest).collect();
        some.extend(self.graph.heads().iter().take(limits::DEPS - 2));
        let next = self.fork_at(&some)?;
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

/// Turns the refusal that others would give for a change into the one that the person is told.
fn not_written(question: QuestionId, why: AdmissionError) -> EditRefused {
    if let AdmissionError::TextTooLong { bytes, .. } = why {
        return EditRefused::TextTooLong { question, bytes };
    }
    EditRefused::NotWritten { question, why }
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

/// The steps in portions that a change can hold; the last one has room for the mark. `long` is the
/// text that is too long still when all is written.
fn batches(plan: &Plan, long: Option<String>) -> Vec<Vec<Step>> {
    let mut batches = vec![Vec::new()];
    let (mut operations, mut bytes) = (0, 0);
    for step in plan.steps.iter().flat_map(|step| pieces(step, long.as_deref())) {
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

/// A splice in pieces that fit into a change.
fn pieces(step: &Step, long: Option<&str>) -> Vec<Step> {
    let Step::Splice { at, delete, insert } = step else { return vec![step.clone()] };
    if is_small(*delete, insert) {
        return vec![step.clone()];
    }
    match long {
        None => deletions_first(*at, *delete, insert),
        Some(text) => each_shorter(*at, text.chars().skip(*at).take(*delete), insert),
    }
}

/// Whether one change holds it, and the mark.
fn is_small(delete: usize, insert: &str) -> bool {
    delete + insert.chars().count() < limits::OPERATIONS
}

/// Deletes first, so that on the way the text is never longer than at both ends.
fn deletions_first(at: usize, delete: usize, insert: &str) -> Vec<Step> {
    const PIECE: usize = limits::OPERATIONS / 2 - 1;
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

/// Mixes deletions and insertions so that each piece shortens the text, by as little as it can: the
/// last ones need something to delete too. If even that is not enough, the last ones do not shorten
/// it, and are refused.
fn each_shorter(at: usize, gone: impl Iterator<Item = char>, insert: &str) -> Vec<Step> {
    const PIECE: usize = limits::OPERATIONS - 1;
    let (mut gone, mut come) = (gone.peekable(), insert.chars().peekable());
    let (mut pieces, mut at) = (Vec::new(), at);
    while gone.peek().is_some() || come.peek().is_some() {
        let (mut delete, mut insert, mut shorter) = (0, String::new(), 0);
        let mut operations = 0;
        while operations < PIECE {
            let fits = come.next_if(|next| next.len_utf8() < shorter);
            if let Some(next) = fits {
                shorter -= next.len_utf8();
                insert.push(next);
            } else if let Some(next) = gone.next() {
                shorter += next.len_utf8();
                delete += 1;
            } else {
                break;
            }
            operations += 1;
        }
        if operations == 0 {
            insert = come.by_ref().take(PIECE).collect();
        }
        let inserted = insert.chars().count();
        pieces.push(Step::Splice { at, delete, insert });
        at += inserted;
    }
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
