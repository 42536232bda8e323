//! Admission: decides whether a change that somebody else wrote is let in. Only the change and its
//! own causal past count, never the clock and never what else has arrived, so every peer decides
//! the same.

use std::{
    collections::BTreeSet,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use automerge::{Automerge, Change, ReadDoc};
use rejoinder_identity::{ActorId, ChangeHash, Incarnation, PeerId, QuestionId};

use crate::{
    admission_error::AdmissionError,
    automerge_names::heads,
    document::Document,
    graph::{Clock, Dot},
    limits,
    parse::{Parsed, Size},
    rules::{self, Effects},
};

/// A change that is now part of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// Its actor.
    pub actor: ActorId,
    /// Its number, from 1.
    pub seq: u64,
    /// Its hash.
    pub hash: ChangeHash,
    /// The questions that it touches.
    pub questions: BTreeSet<QuestionId>,
}

/// The reason why a call did not add a change.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// It is here already.
    #[error("it is here already")]
    Known,
    /// It depends on these changes, which are not here yet.
    #[error("{} that it depends on are missing", .0.len())]
    Missing(Vec<ChangeHash>),
    /// Its actor has another change of that number.
    #[error("there is another change {seq} of {actor}")]
    Fork {
        /// The actor.
        actor: ActorId,
        /// The number.
        seq: u64,
    },
    /// It breaks a rule, and always will.
    #[error(transparent)]
    Refused(#[from] AdmissionError),
}

impl Document {
    /// Lets in a change if it passes every check. One that does not pass leaves no trace.
    ///
    /// The caller has checked that `author` signed it.
    ///
    /// # Errors
    ///
    /// It is here, it must wait, its actor has forked, or it breaks a rule.
    pub fn admit(
        &mut self,
        author: PeerId,
        incarnation: Incarnation,
        bytes: &[u8],
    ) -> Result<Admitted, NotAdmitted> {
        let change = Parsed::read(bytes, Size::EDIT)?;
        if change.actor() != ActorId::of_author(&author, &self.id(), &incarnation) {
            return Err(AdmissionError::WrongActor.into());
        }
        self.admit_parsed(author, &change, bytes)
    }

    /// The same without the check of the actor.
    pub(crate) fn admit_parsed(
        &mut self,
        author: PeerId,
        change: &Parsed<'_>,
        bytes: &[u8],
    ) -> Result<Admitted, NotAdmitted> {
        let (actor, seq, hash) = (change.actor(), change.seq, change.hash);
        if self.graph.contains(&hash) {
            return Err(NotAdmitted::Known);
        }
        let last = self.graph.last_seq(&actor);
        if (1..=last).contains(&seq) {
            return Err(NotAdmitted::Fork { actor, seq });
        }
        let missing: Vec<ChangeHash> =
            change.deps.iter().filter(|dep| !self.graph.contains(dep)).copied().collect();
        if !missing.is_empty() {
            return Err(NotAdmitted::Missing(missing));
        }
        if seq != last + 1 {
            return Err(AdmissionError::Sequence(seq).into());
        }
        let effects = self.check(change)?;
        let next = trial(&self.automerge, change, bytes)?;
        self.check_texts(&next, change, &effects)?;
        let questions =
            effects.questions.iter().map(|place| self.structure.at(*place).id.clone()).collect();
        self.add(next, change, author, effects.inserted);
        Ok(Admitted { actor, seq, hash, questions })
    }

    /// Checks what can be checked without Automerge; the dependencies are all here.
    pub(crate) fn check(&self, change: &Parsed<'_>) -> Result<Effects, AdmissionError> {
        if change.seq > limits::ACTOR_CHANGES {
            let limit = usize::try_from(limits::ACTOR_CHANGES).unwrap_or(usize::MAX);
            return Err(AdmissionError::TooMany { what: "changes of an actor", limit });
        }
        let clock = self.graph.past(&change.deps);
        if clock.count() > limits::PAST {
            return Err(AdmissionError::TooMany { what: "changes before it", limit: limits::PAST });
        }
        self.check_own_past(change, &clock)?;
        let expected = self.graph.end_op(&change.deps);
        if change.start_op != expected {
            return Err(AdmissionError::StartOp { found: change.start_op, expected });
        }
        rules::check(self, change, &clock)
    }

    fn check_own_past(&self, change: &Parsed<'_>, clock: &Clock) -> Result<(), AdmissionError> {
        let Some(actor) = self.graph.actor(&change.actor()) else { return Ok(()) };
        let seq = u32::try_from(change.seq - 1).expect("an actor's changes are bounded");
        if clock.covers(Dot { actor, seq }) {
            Ok(())
        } else {
            Err(AdmissionError::NotInPast("its actor's last change"))
        }
    }

    /// Two texts within the limit can merge to one above it. Then only changes that shorten it are
    /// let in.
    pub(crate) fn check_texts(
        &self,
        next: &Automerge,
        change: &Parsed<'_>,
        effects: &Effects,
    ) -> Result<(), AdmissionError> {
        let at = [automerge::ChangeHash(change.hash.0)];
        for place in &effects.texts {
            let fields = self.structure.at(*place);
            let length = |document: &Automerge, at: &[automerge::ChangeHash]| {
                document.text_at(&fields.text, at).map_or(0, |text| text.len())
            };
            let after = length(next, &at);
            if after > limits::TEXT && after >= length(&self.automerge, &heads(&change.deps)) {
                let question = fields.id.clone();
                return Err(AdmissionError::TextTooLong { question, bytes: after });
            }
        }
        Ok(())
    }
}

/// A copy of the document with the change in it. The one in use is not touched: Automerge panics on
/// some changes that it should refuse, and takes some that it can't give back.
pub(crate) fn trial(
    automerge: &Automerge,
    change: &Parsed<'_>,
    bytes: &[u8],
) -> Result<Automerge, AdmissionError> {
    let attempt = || {
        let refuse = |error: &dyn fmt::Display| AdmissionError::Automerge(error.to_string());
        let decoded = Change::try_from(bytes).map_err(|error| refuse(&error))?;
        if Change::from(decoded.decode()).raw_bytes() != bytes {
            return Err(AdmissionError::NotCanonical("operations"));
        }
        let mut next = automerge.clone();
        next.apply_changes([decoded]).map_err(|error| refuse(&error))?;
        let back = next.get_change_by_hash(&automerge::ChangeHash(change.hash.0));
        match back {
            Some(back) if back.raw_bytes() == bytes => Ok(next),
            Some(_) | None => Err(AdmissionError::RoundTrip),
        }
    };
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|_| Err(AdmissionError::Automerge("it panicked".to_owned())))
}
