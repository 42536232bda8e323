//! One workspace of a replica: its log, its documents, the proposals that wait for the host, and
//! what replicates them.

mod carry;
mod changes;
mod command;
mod edit;
mod follow;
mod host;
mod introduced;
mod join;
mod links;
mod propose;
mod restore;
mod rewrite;
mod then;
mod views;

use std::{
    collections::{BTreeSet, VecDeque},
    net::SocketAddr,
    sync::Arc,
};

use rejoinder_finalizer::{Member, Request};
use rejoinder_identity::{
    DocumentId, Hint, OpeningId, PeerId, ProposalId, SecretKey, Timestamp, WorkspaceId,
};
use rejoinder_sync::{Item, Parked, Sync};

pub use self::join::is_let_in;
pub(crate) use self::{
    edit::{Done, as_edit},
    join::JoinAnswer,
    propose::new_turn,
};
use self::{follow::Happened, host::Hosting, introduced::Introductions};
use crate::{
    access::Access,
    chain::Chain,
    core::{Core, Stored},
    documents::{Documents, Settling, Warm},
    event::Fate,
    outcomes::Outcomes,
    output::Reply,
    peers::Peers,
    proposals::Proposals,
    refused::Refused,
};

#[derive(Debug)]
pub(crate) struct Workspace {
    id: WorkspaceId,
    access: Access,
    chain: Chain,
    sync: Sync,
    parked: Parked,
    /// Events of this workspace whose consequences are still to come.
    happened: VecDeque<Happened>,
    documents: Documents,
    proposals: Proposals,
    hosting: Option<Hosting>,
    outcomes: Outcomes,
    peers: Peers,
    introductions: Introductions,
    told: Told,
}

/// The state that subscribers were told last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Told {
    in_sync: bool,
    uncarried: u64,
}

impl Workspace {
    pub(crate) fn new(id: WorkspaceId, sync_seed: [u8; 32], access: Access) -> Self {
        Self {
            id,
            access,
            chain: Chain::new(id),
            sync: Sync::new(sync_seed),
            parked: Parked::new(),
            happened: VecDeque::new(),
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

    /// True if frames of this workspace may go to and come from this device: it was let in; or
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

/// Questions and requests of the replica.
impl Workspace {
    /// Notes that this device made it.
    pub(crate) fn made_with(&mut self, root: SecretKey) {
        self.access = Access::founded(root);
    }

    pub(crate) fn can_host(&self) -> bool {
        self.access.root().is_some()
    }

    /// The devices to link with: its members, those that are members and not known yet, and those
    /// that the ticket named.
    pub(crate) fn devices(&self) -> impl Iterator<Item = &PeerId> {
        let members = self.chain.state().members().keys();
        let hinted = self.access.hints().iter().map(|hint| &hint.device);
        members.chain(hinted).chain(self.introduced())
    }

    /// The addresses that the ticket gave for a device.
    pub(crate) fn hinted_addresses(&self, device: &PeerId) -> impl Iterator<Item = &SocketAddr> {
        let hints = self.access.hints().iter().filter(|hint| hint.device == *device);
        hints.flat_map(|hint| &hint.addresses)
    }

    /// The join that this device asks with, and the devices that it asks.
    pub(crate) fn join_ask(&self) -> Option<(&[u8], &[Hint])> {
        Some((self.access.join()?, self.access.hints()))
    }

    /// The requests whose outcomes the program that asked has not taken.
    pub(crate) fn untold(&self) -> Vec<OpeningId> {
        self.outcomes.untold(self.chain.state())
    }

    /// The fate of a proposal of this device.
    pub(crate) fn fate(&self, proposal: &ProposalId) -> Option<Fate> {
        self.proposals.fate(self.chain.log(), proposal)
    }

    /// The number of items that are parked.
    pub(crate) fn parked(&self) -> usize {
        self.parked.len()
    }

    /// The number of bytes that wait for their links.
    pub(crate) fn leaving(&self) -> usize {
        self.sync.leaving()
    }

    /// The number of links to members.
    pub(crate) fn links(&self) -> usize {
        self.peers.len()
    }

    /// Sends a card of this device to everybody who is linked.
    pub(crate) fn push_card(&mut self, core: &Core, card: &Arc<[u8]>) {
        self.sync.push_card(core.now, card, None);
    }

    /// Reads the documents of open requests, at which people look first, and those of which
    /// something is known to be damaged. The others are read when they are asked for.
    pub(crate) fn read_open_documents(&mut self, core: &mut Core) {
        let suspect = self.documents.take_suspect();
        let open = self.chain.state().open_requests();
        let open = open.iter().map(|one| one.opening());
        let openings: BTreeSet<_> = open.chain(suspect).collect();
        for opening in openings {
            self.warm_up(core, opening);
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Timestamp> {
        self.sync.poll_timeout()
    }

    pub(crate) fn timeout(&mut self, core: &Core) {
        if self.sync.poll_timeout().is_some_and(|at| at <= core.now) {
            self.sync.timeout(core.now);
        }
    }

    /// Forgets what is not on the disk, as a fault of an earlier release did.
    #[cfg(rejoinder_mutants)]
    pub(crate) fn lose_memory(&mut self, document: &DocumentId) {
        self.documents.lose_memory(document);
    }
}

impl Workspace {
    /// Does what follows until nothing follows.
    pub(crate) fn pump(&mut self, core: &mut Core) {
        self.sync.set_room(core.now, !core.writes().full());
        loop {
            self.pump_sync(core);
            if !self.pump_host(core) && self.happened.is_empty() {
                break;
            }
        }
    }

    pub(crate) fn stored(&mut self, core: &mut Core, stored: Stored) {
        match stored {
            Stored::Records { length } => {
                self.sync.stored(core.now, Item::Record { length });
            }
            Stored::HostRecord => self.host_record_stored(core),
            Stored::Envelopes { document, actor, seq, count, command } => {
                self.envelopes_stored(core, document, actor, seq, count);
                if let Some(command) = command {
                    core.reply(command, Ok(Reply::Saved));
                }
            }
            Stored::Proposal { id, command, ask } => {
                self.proposal_stored(core, id);
                if let Some(command) = command {
                    core.reply(command, Ok(Reply::Proposed(id)));
                }
                if let Some(ask) = ask {
                    self.join_stored(core, id, ask);
                }
            }
        }
    }
}
