//! One workspace of a replica: its log, its documents, the proposals that wait for the host, and
//! what replicates them.

mod carry;
mod changes;
mod edit;
mod follow;
mod handed_over;
mod host;
mod introduced;
mod join;
mod links;
mod propose;
mod views;

use std::collections::VecDeque;

use rejoinder_finalizer::{Member, Request};
use rejoinder_identity::{DocumentId, OpeningId, PeerId, WorkspaceId};
use rejoinder_sync::{Parked, ParkedItem, Sync};

pub use self::join::is_let_in;
pub(crate) use self::{
    edit::{Done, as_edit},
    join::JoinAnswer,
    links::save_card,
    propose::{new_turn, over},
};
use self::{host::Hosting, introduced::Introductions};
use crate::{
    access::Access,
    chain::Chain,
    documents::{Documents, Settling, Warm},
    outcomes::Outcomes,
    peers::Peers,
    proposals::Proposals,
    refused::Refused,
};

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) id: WorkspaceId,
    pub(crate) access: Access,
    pub(crate) chain: Chain,
    pub(crate) sync: Sync,
    pub(crate) parked: Parked,
    /// What was parked and has what it waited for.
    pub(crate) released: VecDeque<ParkedItem>,
    pub(crate) documents: Documents,
    pub(crate) proposals: Proposals,
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
            sync: Sync::new(sync_seed),
            parked: Parked::new(),
            released: VecDeque::new(),
            documents: Documents::default(),
            proposals: Proposals::default(),
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
        self.documents.warm(document)
    }

    /// The documents as the finalizer reads them.
    pub(crate) fn settling(&self) -> Settling<'_> {
        Settling { chain: &self.chain, documents: &self.documents }
    }

    /// Own changes that no peer has on its disk, as far as this run knows.
    pub(crate) fn uncarried(&self) -> u64 {
        self.documents.unacknowledged()
    }
}
