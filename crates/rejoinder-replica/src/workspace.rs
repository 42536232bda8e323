//! One workspace of a replica: its log, its documents, the proposals that wait for the host, and
//! what replicates them.

mod carry;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rejoinder_finalizer::{Log, Member, Request};
use rejoinder_identity::{DocumentId, Hint, OpeningId, PeerId, SecretKey, WorkspaceId};
use rejoinder_sync::{LinkId, Parked, ParkedItem, Sync};

use crate::{
    document::{Slot, Warm},
    host::Hosting,
    introduced::Introductions,
    own::OwnChanges,
    proposals::Proposals,
    refused::Refused,
};

#[derive(Debug)]
pub(crate) struct Workspace {
    pub(crate) id: WorkspaceId,
    /// In the home that made it.
    pub(crate) root: Option<SecretKey>,
    /// Whom the ticket hinted at.
    pub(crate) hints: Vec<Hint>,
    /// What this device asked to join with.
    pub(crate) join: Option<Vec<u8>>,
    pub(crate) log: Log,
    /// How long the log was on the disk when the home was opened: longer than it is here when rows
    /// in it were damaged, until the others have given back the rest.
    pub(crate) log_was: u64,
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
    /// Requests that this home's program asked and whose outcomes it has not taken.
    pub(crate) untold: BTreeSet<OpeningId>,
    /// Whether this home notes those: not before it hosts, nor in a home of an earlier release.
    pub(crate) notes_untold: bool,
    /// The links to members.
    pub(crate) links: BTreeMap<LinkId, PeerId>,
    /// The links whose other side has all that is here, and nothing else.
    pub(crate) in_sync: BTreeSet<LinkId>,
    pub(crate) introductions: Introductions,
    /// How much of the log each linked member has on its disk.
    pub(crate) log_carried: BTreeMap<LinkId, u64>,
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
            root: None,
            hints: Vec::new(),
            join: None,
            log: Log::new(id),
            log_was: 0,
            suspect: BTreeSet::new(),
            sync: Sync::new(sync_seed),
            parked: Parked::new(),
            released: VecDeque::new(),
            slots: BTreeMap::new(),
            settled_warm: Vec::new(),
            proposals: Proposals::default(),
            own: OwnChanges::default(),
            hosting: None,
            untold: BTreeSet::new(),
            notes_untold: false,
            links: BTreeMap::new(),
            in_sync: BTreeSet::new(),
            introductions: Introductions::default(),
            log_carried: BTreeMap::new(),
            told: Told::default(),
        }
    }

    pub(crate) fn member(&self, device: &PeerId) -> Option<&Member> {
        self.log.state().members().get(device)
    }

    /// Whether frames of this workspace may go to and come from this device: it was let in; or
    /// nothing is known here yet but that the ticket's maker named it, or not all that was.
    pub(crate) fn deals_with(&self, device: &PeerId) -> bool {
        let length = self.log.position().length;
        self.is_let_in(device)
            || ((length == 0 || length < self.log_was)
                && self.hints.iter().any(|hint| hint.device == *device))
    }

    pub(crate) fn request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        self.log.state().request(opening).ok_or(Refused::NoRequest)
    }

    pub(crate) fn open_request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        let request = self.request(opening)?;
        if request.is_open() { Ok(request) } else { Err(Refused::NotOpen) }
    }

    pub(crate) fn warm(&self, document: &DocumentId) -> Option<&Warm> {
        self.slots.get(document).and_then(Slot::warm)
    }

    /// Own changes that no peer has on its disk, as far as this run knows.
    pub(crate) fn uncarried(&self) -> u64 {
        self.own.uncarried()
    }
}
