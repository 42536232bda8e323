//! The structure of a request's document, as the host writes it into the record of each revision.
//!
//! It is made from the form and the skeletons before it alone, so its bytes are the same wherever
//! it is built, and no two peers ever make the same object.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered};
use automerge::{
    Automerge, AutomergeError, ObjId, ObjType, ROOT, ReadDoc, ScalarValue,
    transaction::{CommitOptions, Transactable},
};
use rejoinder_identity::{ActorId, PeerId, QuestionId};

use crate::{
    admission::trial,
    admission_error::AdmissionError,
    answer_check::check_limits,
    automerge_names::automerge_actor,
    document::{Document, empty_automerge},
    edit::EditRefused,
    form::{Form, Question},
    growth, limits,
    parse::{Parsed, Size},
    schema::{self, Mark},
    steps::register,
};

/// Why a form gets no skeleton.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SkeletonRefused {
    /// The answer that the request came with does not fit its question, or the request has no such
    /// question.
    #[error("the answer that came with question \"{0}\" does not fit it")]
    BadAnswer(QuestionId),
    /// An answer that the request came with is above a limit that edits keep.
    #[error("an answer that came with the request: {0}")]
    AnswerAboveLimit(EditRefused),
    /// Answers come with the first revision alone; later they are edits.
    #[error("revision {0} can't seed answers: they are edits")]
    AnswersOnRevision(u32),
    /// It would be too large for a record.
    #[error("the request's structure would be {bytes} bytes, at most {}", limits::SKELETON)]
    TooLarge {
        /// The bytes it would have.
        bytes: usize,
    },
}

type Answers = BTreeMap<QuestionId, ChatInputAnswer>;

impl Document {
    /// The change that makes the structure of the request's next revision here: the first, or the
    /// one after those whose skeletons were admitted. `answers` are those the request came with,
    /// on the first only.
    ///
    /// # Errors
    ///
    /// The answers don't fit, or it is too large.
    pub fn skeleton(&self, form: &Form, answers: &Answers) -> Result<Vec<u8>, SkeletonRefused> {
        let revision = self.next_revision();
        if revision > 1 && !answers.is_empty() {
            return Err(SkeletonRefused::AnswersOnRevision(revision));
        }
        check_answers(form, answers)?;
        let actor = ActorId::of_skeleton(&self.id(), revision);
        let mut skeletons = self.skeletons_alone();
        skeletons.set_actor(automerge_actor(&actor));
        let bytes = self
            .grow(&mut skeletons, form, answers, &actor)
            .expect("the objects it writes into were made by skeletons");
        if bytes.len() > limits::SKELETON {
            return Err(SkeletonRefused::TooLarge { bytes: bytes.len() });
        }
        Ok(bytes)
    }

    /// Takes in the skeleton of the next revision, as the host's log has it. One that is here
    /// already changes nothing.
    ///
    /// # Errors
    ///
    /// It is not the next one, or not what a skeleton looks like.
    pub fn admit_skeleton(&mut self, bytes: &[u8], host: PeerId) -> Result<(), AdmissionError> {
        let change = Parsed::read(bytes, Size::SKELETON)?;
        if self.skeletons.contains(&change.hash) {
            return Ok(());
        }
        if change.actor() != ActorId::of_skeleton(&self.id(), self.next_revision()) {
            return Err(AdmissionError::WrongActor);
        }
        if (change.seq, change.time) != (1, 0) || !self.skeletons.ends_with(&change.deps) {
            return Err(AdmissionError::NotTheNextSkeleton);
        }
        if change.deps.len() != self.skeletons.len().min(1) {
            return Err(AdmissionError::NotTheNextSkeleton);
        }
        self.admit_structure(host, &change, bytes)
    }

    /// The same without the check that it is the next one.
    pub(crate) fn admit_structure(
        &mut self,
        host: PeerId,
        change: &Parsed<'_>,
        bytes: &[u8],
    ) -> Result<(), AdmissionError> {
        let expected = self.graph.end_op(&change.deps);
        if change.start_op != expected {
            return Err(AdmissionError::StartOp { found: change.start_op, expected });
        }
        let growth = growth::check(self, change)?;
        let next = trial(&self.automerge, change, bytes)?;
        self.skeletons.push(change.hash);
        self.add(next, change, host, growth.inserted());
        let actor = self.graph.actor(&change.actor()).expect("it was just added");
        growth.add_to(&mut self.structure, change.actor(), actor);
        Ok(())
    }

    fn next_revision(&self) -> u32 {
        u32::try_from(self.skeletons.len() + 1).expect("revisions are bounded by the log")
    }

    /// A document of the skeletons alone: the next skeleton must not depend on what people wrote.
    fn skeletons_alone(&self) -> Automerge {
        let mut alone = empty_automerge(&self.id());
        let changes = self.skeletons.iter().map(|hash| {
            self.automerge
                .get_change_by_hash(&automerge::ChangeHash(hash.0))
                .expect("an admitted skeleton is in the document")
        });
        alone
            .apply_changes(changes.collect::<Vec<_>>())
            .expect("each skeleton was let in after the one before");
        alone
    }

    fn grow(
        &self,
        skeletons: &mut Automerge,
        form: &Form,
        answers: &Answers,
        actor: &ActorId,
    ) -> Result<Vec<u8>, AutomergeError> {
        let mut transaction = skeletons.transaction();
        let all = match &self.structure.answers {
            Some(all) => all.clone(),
            None => transaction.put_object(ROOT, schema::ANSWERS, ObjType::Map)?,
        };
        for question in form.questions() {
            let answer = answers.get(question.id());
            match self.structure.fields(question.id()) {
                None => add_question(&mut transaction, &all, question, answer, actor)?,
                Some(fields) => {
                    let new =
                        question.options().iter().filter(|id| !fields.seeded.contains_key(*id));
                    for option in new {
                        transaction.put(&fields.options, option.as_str(), false)?;
                    }
                }
            }
        }
        // A revision that only changes words has a skeleton too, without operations.
        let hash = match transaction.commit_with(CommitOptions::default().with_time(0)).0 {
            Some(hash) => hash,
            None => skeletons.empty_commit(CommitOptions::default().with_time(0)),
        };
        let change = skeletons.get_change_by_hash(&hash).expect("it was just committed");
        Ok(change.raw_bytes().to_vec())
    }
}

fn check_answers(form: &Form, answers: &Answers) -> Result<(), SkeletonRefused> {
    for (id, answer) in answers {
        let fits = form.question(id).is_some_and(|question| match answer {
            ChatInputAnswer::Draft(draft) => question.fits(&draft.value),
            ChatInputAnswer::Submitted(submitted) => question.check(&submitted.value).is_ok(),
            ChatInputAnswer::Skipped(_) => true,
        });
        if !fits {
            return Err(SkeletonRefused::BadAnswer(id.clone()));
        }
        check_limits(id, answer).map_err(SkeletonRefused::AnswerAboveLimit)?;
    }
    Ok(())
}

fn add_question(
    transaction: &mut impl Transactable,
    all: &ObjId,
    question: &Question,
    answer: Option<&ChatInputAnswer>,
    actor: &ActorId,
) -> Result<(), AutomergeError> {
    let seed = Seed::of(question, answer, actor);
    let map = transaction.put_object(all, question.id().as_str(), ObjType::Map)?;
    transaction.put(&map, schema::MARK, seed.mark)?;
    let text = transaction.put_object(&map, schema::TEXT, ObjType::Text)?;
    transaction.splice_text(&text, 0, 0, &seed.text)?;
    transaction.put(&map, schema::VALUE, seed.value)?;
    let options = transaction.put_object(&map, schema::OPTIONS, ObjType::Map)?;
    for option in question.options() {
        transaction.put(&options, option.as_str(), seed.ticked.contains(&option.0))?;
    }
    transaction.put(&map, schema::FREEFORM, seed.freeform)
}

/// The first values of a new question's fields.
struct Seed {
    mark: ScalarValue,
    text: String,
    value: ScalarValue,
    ticked: Vec<String>,
    freeform: ScalarValue,
}

impl Seed {
    fn of(question: &Question, answer: Option<&ChatInputAnswer>, actor: &ActorId) -> Self {
        let mut seed = Self {
            mark: ScalarValue::Null,
            text: String::new(),
            value: ScalarValue::Null,
            ticked: Vec::new(),
            freeform: ScalarValue::Null,
        };
        let mark = match answer {
            None => return seed,
            Some(ChatInputAnswer::Draft(ChatInputAnswered { value })) => {
                seed.fill(question, value);
                Mark::Draft { kind: Some(question.takes().to_owned()) }
            }
            Some(ChatInputAnswer::Submitted(ChatInputAnswered { value })) => {
                seed.fill(question, value);
                Mark::Submitted(question.normal(value))
            }
            Some(ChatInputAnswer::Skipped(skipped)) => {
                Mark::Skipped(skipped.freeform_values.clone().unwrap_or_default())
            }
        };
        seed.mark = mark.to_text(actor, 1).into();
        seed
    }

    fn fill(&mut self, question: &Question, value: &ChatInputAnswerValue) {
        match value {
            ChatInputAnswerValue::Text(text) => self.text.clone_from(&text.value),
            ChatInputAnswerValue::Number(_) | ChatInputAnswerValue::Boolean(_) => {
                self.value = register(question, value);
            }
            ChatInputAnswerValue::Selected(selected) => {
                self.value = register(question, value);
                self.freeform = freeform(selected.freeform_values.as_deref());
            }
            ChatInputAnswerValue::SelectedMany(selected) => {
                self.ticked.clone_from(&selected.value);
                self.freeform = freeform(selected.freeform_values.as_deref());
            }
            ChatInputAnswerValue::Unknown(_) => {}
        }
    }
}

fn freeform(values: Option<&[String]>) -> ScalarValue {
    match values {
        Some(values) if !values.is_empty() => schema::freeform_to_text(values).into(),
        Some(_) | None => ScalarValue::Null,
    }
}
