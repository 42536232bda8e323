//! Under what an item is compared, and the order in which comparisons go through them.

use rejoinder_identity::{ActorId, DocumentId, ProposalId, Tip};
use serde::{Deserialize, Serialize};

use crate::Item;

/// What one line of a summary is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Key {
    /// An unanswered proposal.
    Proposal(ProposalId),
    /// The changes of one actor in a document.
    Envelopes(DocumentId, ActorId),
}

/// Where an item belongs: to the log, or under a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogOrKey {
    /// The log is so long with it.
    Log(u64),
    /// It is this one under that key; proposals are the first.
    Of(Key, u64),
}

impl Item {
    pub(crate) fn place(&self) -> LogOrKey {
        match *self {
            Self::Record { length } => LogOrKey::Log(length),
            Self::Envelope { document, actor, seq } => {
                LogOrKey::Of(Key::Envelopes(document, actor), seq)
            }
            Self::Proposal(id) => LogOrKey::Of(Key::Proposal(id), 1),
        }
    }
}

/// What is held of one key, and how much of it is not on the disk yet.
///
/// An envelope is sent on and shown before it is stored, so what is held and what is stored are
/// two things; the second is nearly always all of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Line {
    /// It is held.
    Proposal { id: ProposalId, stored: bool },
    /// All up to the tip are held, and all but the last `unstored` are stored.
    Envelopes { document: DocumentId, actor: ActorId, tip: Tip, unstored: u64 },
}

impl Line {
    pub(crate) fn key(&self) -> Key {
        match *self {
            Self::Proposal { id, .. } => Key::Proposal(id),
            Self::Envelopes { document, actor, .. } => Key::Envelopes(document, actor),
        }
    }

    /// How far it goes: 1 for a proposal, the number of the last envelope.
    pub(crate) fn seq(&self) -> u64 {
        match self {
            Self::Proposal { .. } => 1,
            Self::Envelopes { tip, .. } => tip.seq,
        }
    }

    /// How far it is stored.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::Proposal { stored, .. } => u64::from(*stored),
            Self::Envelopes { tip, unstored, .. } => tip.seq.saturating_sub(*unstored),
        }
    }

    /// The last item of it.
    pub(crate) fn item(&self) -> Item {
        match *self {
            Self::Proposal { id, .. } => Item::Proposal(id),
            Self::Envelopes { document, actor, tip, .. } => {
                Item::Envelope { document, actor, seq: tip.seq }
            }
        }
    }

    /// Whether the same actor has two changes of one number.
    pub(crate) fn forks(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Envelopes { document, actor, tip, .. },
                Self::Envelopes {
                    document: other_document,
                    actor: other_actor,
                    tip: other_tip,
                    ..
                },
            ) => {
                (document, actor, tip.seq) == (other_document, other_actor, other_tip.seq)
                    && tip.hash != other_tip.hash
            }
            (Self::Proposal { .. } | Self::Envelopes { .. }, Self::Proposal { .. })
            | (Self::Proposal { .. }, Self::Envelopes { .. }) => false,
        }
    }
}
