//! The keys under which items are compared, in the order in which a comparison goes through them.

use rejoinder_identity::{ActorId, DocumentId, ProposalId, Tip};
use serde::{Deserialize, Serialize};

use crate::Item;

/// The subject of one line of a summary.
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

/// The items of one key that are held, and how many of them are not on the disk yet.
///
/// An envelope is sent on and shown before it is stored, so the two differ for a moment.
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

    /// Returns the number of the last item held: 1 for a proposal.
    pub(crate) fn seq(&self) -> u64 {
        match self {
            Self::Proposal { .. } => 1,
            Self::Envelopes { tip, .. } => tip.seq,
        }
    }

    /// Returns the number of the last item stored.
    pub(crate) fn stored(&self) -> u64 {
        match self {
            Self::Proposal { stored, .. } => u64::from(*stored),
            Self::Envelopes { tip, unstored, .. } => tip.seq.saturating_sub(*unstored),
        }
    }

    /// Returns the last item held.
    pub(crate) fn item(&self) -> Item {
        match *self {
            Self::Proposal { id, .. } => Item::Proposal(id),
            Self::Envelopes { document, actor, tip, .. } => {
                Item::Envelope { document, actor, seq: tip.seq }
            }
        }
    }

    /// Returns whether the same actor has two changes of one number.
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
