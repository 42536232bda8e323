//! One request as the log tells it.

use std::fmt;

use ahp_types::state::{ChatInputRequest, ChatInputResponseKind};
use rejoinder_identity::{
    DocumentId, OpeningId, PeerId, ProposalId, RecordId, RequestId, Timestamp, TurnId,
};
use serde::{Deserialize, Serialize};

use crate::settle::{DisplacedAnswer, Embedded};

/// A request, from its opening on.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    pub(crate) id: RequestId,
    pub(crate) opening: OpeningId,
    pub(crate) document: DocumentId,
    pub(crate) turn: TurnId,
    pub(crate) index: usize,
    pub(crate) opened: Timestamp,
    pub(crate) request: ChatInputRequest,
    pub(crate) json: String,
    pub(crate) skeletons: Vec<Vec<u8>>,
    pub(crate) strict: bool,
    pub(crate) status: Status,
}

impl Request {
    /// AHP's id, unique only among the open requests of its chat.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// Its name, which is never used again.
    pub fn opening(&self) -> OpeningId {
        self.opening
    }

    /// The document of its answers.
    pub fn document(&self) -> DocumentId {
        self.document
    }

    /// The turn that it was raised in.
    pub fn turn(&self) -> &TurnId {
        &self.turn
    }

    /// The time at which the host raised it, by the host's clock.
    pub fn opened(&self) -> Timestamp {
        self.opened
    }

    /// The current revision, from 1.
    pub fn revision(&self) -> u32 {
        u32::try_from(self.skeletons.len()).expect("a log holds fewer than 2^32 records")
    }

    /// The text of the current revision, without answers.
    pub fn request(&self) -> &ChatInputRequest {
        &self.request
    }

    /// The same as the host wrote it: JSON with the keys that this release does not know.
    pub fn json(&self) -> &str {
        &self.json
    }

    /// The skeleton change of each revision.
    pub fn skeletons(&self) -> &[Vec<u8>] {
        &self.skeletons
    }

    /// Whether an accept that displaces an answer is refused.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Its status.
    pub fn status(&self) -> &Status {
        &self.status
    }

    /// Whether it can be answered and completed.
    pub fn is_open(&self) -> bool {
        matches!(self.status, Status::Open)
    }
}

/// The status of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It can be completed; its part shows the answers in the document.
    Open,
    /// Its turn failed and can be resumed, which makes it open again. Shows the answers that the
    /// failure embedded.
    Suspended(Ended),
    /// It was completed. Shows exactly the answers that the decision embedded.
    Decided(Decision),
    /// Its turn ended before anybody completed it.
    Ended(Ended),
}

/// The completion of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Accept, decline or cancel.
    pub response: ChatInputResponseKind,
    /// The revision that was completed.
    pub revision: u32,
    /// The member whose completion won.
    pub by: PeerId,
    /// That completion.
    pub proposal: ProposalId,
    /// The final answers and the changes they were made on.
    pub embedded: Embedded,
    /// Answers that the proposer overruled without having seen them.
    pub displaced: Vec<DisplacedAnswer>,
    /// The record that says so.
    pub record: RecordId,
}

/// The end of a request without a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The way its turn ended.
    pub how: TurnEnd,
    /// The answers that the part shows.
    pub embedded: Embedded,
    /// The record that says so.
    pub record: RecordId,
}

/// The ways in which a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TurnEnd {
    /// The agent finished.
    Completed,
    /// Somebody cancelled it.
    Cancelled,
    /// It failed.
    Failed,
    /// It was removed from the chat.
    Truncated,
    /// The time that the asking program had set for an answer ran out.
    Expired,
}

impl TurnEnd {
    /// The word that the command line prints.
    pub fn code(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::Truncated => "truncated",
            Self::Expired => "expired",
        }
    }
}

impl fmt::Display for TurnEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}
