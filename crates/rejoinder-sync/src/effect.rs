//! The things that a [`Sync`](crate::Sync) wants done.

use std::collections::BTreeMap;

use rejoinder_identity::{ActorId, DocumentId, ProposalId};

use crate::{ItemKind, LinkId};

/// Something to do. The order of effects matters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send a frame.
    Send(LinkId, Vec<u8>),
    /// An item came. Check it; then admit it and say so with `add_…`, or say with
    /// [`Sync::seen_again`](crate::Sync::seen_again) that it was here, or park it, or refuse it.
    /// It counts as dealt with when the next effect is asked for: what is still undecided then
    /// may, at worst, be sent once more.
    Arrived {
        /// Over this link.
        link: LinkId,
        /// The kind that it is said to be of.
        kind: ItemKind,
        /// The item, unchecked.
        bytes: Vec<u8>,
    },
    /// Answer with [`Sync::send_records`](crate::Sync::send_records): records from index `from`
    /// on, as many as come to about `budget` bytes, at least one.
    WantRecords {
        /// For this link.
        link: LinkId,
        /// The index of the first.
        from: u64,
        /// The number of bytes that are welcome.
        budget: usize,
    },
    /// Answer with [`Sync::send_envelopes`](crate::Sync::send_envelopes): of each actor named the
    /// envelopes after the number given, *in an order in which no change comes before one that it
    /// depends on*, as many as come to about `budget` bytes, at least one. It may take its time:
    /// the document may have to be loaded.
    WantEnvelopes {
        /// For this link.
        link: LinkId,
        /// Of this document.
        document: DocumentId,
        /// The actors whose changes are missing there, each with the last number that is not.
        after: BTreeMap<ActorId, u64>,
        /// The number of bytes that are welcome.
        budget: usize,
    },
    /// Answer with [`Sync::send_proposals`](crate::Sync::send_proposals).
    WantProposals {
        /// For this link.
        link: LinkId,
        /// The proposals.
        ids: Vec<ProposalId>,
    },
    /// The peer has these on its disk.
    Carried {
        /// The link to it.
        link: LinkId,
        /// The items.
        carried: Carried,
    },
    /// Whether exactly those items are held here that the peer had when it last told its position.
    /// Said when it changes; a link begins as not in sync.
    InSync(LinkId, bool),
    /// A comparison was due and the other side has never told a position: it may not know that
    /// this device belongs here, or is only late.
    Unheard(LinkId),
}

/// The items that a peer has on its disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carried {
    /// All that is held here at this moment.
    Everything,
    /// These.
    These {
        /// Of this document, of that actor, all up to this number.
        envelopes: Vec<(DocumentId, ActorId, u64)>,
        /// These proposals.
        proposals: Vec<ProposalId>,
        /// This many records of our log; 0 says nothing.
        log_length: u64,
    },
}
