//! The facts that the finalizer is told about a request's answers when it must end it. It does not
//! know documents, or what makes an answer valid.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder_identity::{ActorId, OpeningId, PeerId, QuestionId, VersionVector};
use serde::{Deserialize, Serialize};

/// Reads the documents for the finalizer.
pub trait Settle {
    /// Settles a completion.
    fn completion(&self, opening: &OpeningId, completion: &Completing<'_>) -> Settled;
    /// Settles a request whose turn ends now.
    fn end(&self, opening: &OpeningId) -> Settled;
}

/// A completion that is to be settled.
#[derive(Debug, Clone, Copy)]
pub struct Completing<'a> {
    /// Accept, decline or cancel.
    pub response: ChatInputResponseKind,
    /// The answers that are attached to it, as JSON.
    pub attached: &'a BTreeMap<QuestionId, String>,
    /// The member who proposes it.
    pub proposer: PeerId,
    /// The changes that the proposer had seen.
    pub seen: &'a VersionVector,
}

/// A request's answers, settled by a completion or the end of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// The final answers.
    pub answers: BTreeMap<QuestionId, SettledAnswer>,
    /// Merged answers of another value that the proposer had not seen.
    pub displaced: Vec<DisplacedAnswer>,
    /// Required questions without a valid submitted answer.
    pub missing: Vec<QuestionId>,
    /// Questions whose submitted answer is not valid.
    pub invalid: Vec<QuestionId>,
    /// All answers together are above the limit; this one is the largest.
    pub too_large: Option<QuestionId>,
    /// The changes that it was made on.
    pub version_vector: VersionVector,
}

/// One answer as it is embedded in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledAnswer {
    /// AHP's `ChatInputAnswer` as canonical JSON.
    pub answer: String,
    /// Its authors; several if they gave equal answers.
    pub authors: Vec<PeerId>,
}

/// An answer that a decision replaced, without its proposer having seen it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplacedAnswer {
    /// The question.
    pub question: QuestionId,
    /// The author of the answer.
    pub author: PeerId,
    /// The actor and the number of the change that answered.
    pub actor: ActorId,
    /// See `actor`.
    pub seq: u64,
}

/// The part of a request that the record embeds which ends it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embedded {
    /// The answers that the part shows from now on, whatever arrives later.
    pub answers: BTreeMap<QuestionId, SettledAnswer>,
    /// The changes that it was made on.
    pub version_vector: VersionVector,
    /// Questions whose answers would not have fitted in the record. They stay in the document.
    pub left_out: Vec<QuestionId>,
}

impl Embedded {
    /// The answers as AHP has them, by question id. One that this release can't read is not shown;
    /// the record has it.
    pub fn readable(&self) -> BTreeMap<String, ChatInputAnswer> {
        let readable = self.answers.iter().filter_map(|(question, settled)| {
            Some((question.0.clone(), serde_json::from_str(&settled.answer).ok()?))
        });
        readable.collect()
    }
}
