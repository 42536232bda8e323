//! The items that are replicated, and their names.

use std::{fmt, sync::Arc};

use rejoinder_identity::{ActorId, DocumentId, ProposalId};

/// A live transport to one peer, as the shell numbers them. A number is never used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkId(pub u64);

/// The kind of an item that can come over a link. The number is on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ItemKind {
    /// A record of the log.
    Record = 1,
    /// A change of a document.
    Envelope = 2,
    /// A member's proposal, or a device's request to become a member.
    Proposal = 3,
    /// A device's addresses.
    AddressCard = 4,
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Record => "a record",
            Self::Envelope => "an envelope",
            Self::Proposal => "a proposal",
            Self::AddressCard => "an address card",
        })
    }
}

/// An item that is held here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Item {
    /// The log up to this many records.
    Record {
        /// The length of the log with it.
        length: u64,
    },
    /// A change.
    Envelope {
        /// Of this document.
        document: DocumentId,
        /// By this actor.
        actor: ActorId,
        /// Its number among the actor's changes, from 1.
        seq: u64,
    },
    /// A proposal.
    Proposal(ProposalId),
}

/// An envelope that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The actor who made the change.
    pub actor: ActorId,
    /// Its number.
    pub seq: u64,
    /// The envelope as it came.
    pub bytes: Arc<[u8]>,
}
