//! One workspace of a replica: its log, its documents, the proposals that wait for the host, and
//! what replicates them.

mod carry;
mod handed_over;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rejoinder_finalizer::{Member, Request};
use rejoinder_identity::{DocumentId, OpeningId, PeerId, WorkspaceId};
use rejoinder_sync::{Parked, ParkedItem, Sync};

use crate::{
    access::Access,
    chain::Chain,
    document::{Slot, Warm},
    host::Hosting,
    introduced::Introductions,
    outcomes::Outcomes,
    own::OwnChanges,
    peers::Peers,
    proposals::Proposals,
    refused::Refused,
};

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) id: WorkspaceId,
    pub(crate) access: Access,
    pub(crate) chain: Chain,
    /// Documents that are to be read and checked at the start.
    pub(crate) suspect: BTreeSet<DocumentId>,
    pub(crate) sync: Sync,
    pub(crate) parked: Parked,
    /// What was parked and has what it waited for.
    pub(crate) released: VecDeque<ParkedItem>,
    pub(crate) slots: BTreeMap<DocumentId, Slot>,
    /// Settled requests whose documents are in memory, the one used longest ago first.
    pub(crate) settled_warm: Vec<DocumentId>,
    pub(crate) proposals: Proposals,
    /// How far this device's own changes have come.
    pub(crate) own: OwnChanges,
    pub(crate) hosting: Option<Hosting>,
    pub(crate) outcomes: Outcomes,
    pub(crate) peers: Peers,
    pub(crate) introductions: Introductions,
    pub(crate) told: Told,
}

/// What those who hear events were told last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) in_sync: bool,
    pub(crate) uncarried: u64,
}

impl Workspace {
    pub(crate) fn new(id: WorkspaceId, sync_seed: [u8; 32]) -> Self {
        Self {
            id,
            access: Access::default(),
            chain: Chain::new(id),
            suspect: BTreeSet::new(),
            sync: Sync::new(sync_seed),
            parked: Parked::new(),
            released: VecDeque::new(),
            slots: BTreeMap::new(),
            settled_warm: Vec::new(),
            proposals: Proposals::default(),
            own: OwnChanges::default(),
            hosting: None,
            outcomes: Outcomes::default(),
            peers: Peers::default(),
            introductions: Introductions::default(),
            told: Told::default(),
        }
    }

    pub(crate) fn member(&self, device: &PeerId) -> Option<&Member> {
        self.chain.member(device)
    }

    /// Whether frames of this workspace may go to and come from this device: it was let in; or
    /// nothing is known here yet but that the ticket's maker named it, or not all that was.
    pub(crate) fn deals_with(&self, device: &PeerId) -> bool {
        let knows_all = self.chain.position().length > 0 && !self.chain.is_cut_short();
        self.is_let_in(device) || (!knows_all && self.access.hints_at(device))
    }

    pub(crate) fn request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        self.chain.request(opening)
    }

    pub(crate) fn open_request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        self.chain.open_request(opening)
    }

    pub(crate) fn warm(&self, document: &DocumentId) -> Option<&Warm> {
        self.slots.get(document).and_then(Slot::warm)
    }

    /// Own changes that no peer has on its disk, as far as this run knows.
    pub(crate) fn uncarried(&self) -> u64 {
        self.own.uncarried()
    }
}
