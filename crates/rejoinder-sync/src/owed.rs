//! Items that the other side of a link is known to lack, and those of them that are being fetched.
//!
//! Only names are kept here, never bytes: a stalled peer costs one line for each actor of whom it
//! lacks changes.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
};

use rejoinder_identity::{ActorId, DocumentId, ProposalId};

use crate::{key::Key, limits};

/// Items that the other side lacks.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    /// The number of our records that are there or on their way; `None` until it is known.
    records: Option<u64>,
    /// The last change of each actor that the other side has; those after it are missing there.
    envelopes: BTreeMap<(DocumentId, ActorId), u64>,
    proposals: BTreeSet<ProposalId>,
    fetching: Fetching,
}

/// Items that were asked for. Those that could not be had are not asked for again before the next
/// comparison.
#[derive(Debug, Default)]
struct Fetching {
    records: Fetch,
    documents: BTreeMap<DocumentId, Fetch>,
    proposals: Fetch,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Fetch {
    #[default]
    Idle,
    Asked,
    Failed,
}

/// The next thing to fetch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Records { from: u64 },
    Envelopes { document: DocumentId, after: BTreeMap<ActorId, u64> },
    Proposals(Vec<ProposalId>),
}

const LAST_ACTOR: ActorId = ActorId([255; 16]);
const FIRST_ACTOR: ActorId = ActorId([0; 16]);

impl Owed {
    pub(crate) fn records(&self) -> Option<u64> {
        self.records
    }

    pub(crate) fn set_records(&mut self, known: u64) {
        self.records = Some(known);
    }

    /// The other side has at least so many.
    pub(crate) fn has_records(&mut self, length: u64) {
        self.records = self.records.map(|known| known.max(length));
    }

    pub(crate) fn truncate_log(&mut self, length: u64) {
        self.records = self.records.map(|known| known.min(length));
    }

    /// The other side lacks what comes after this number.
    pub(crate) fn owe(&mut self, key: Key, after: u64) {
        match key {
            Key::Proposal(id) => _ = self.proposals.insert(id),
            Key::Envelopes(document, actor) => _ = self.envelopes.insert((document, actor), after),
        }
    }

    /// The other side has it up to this number, where ours ends with `last`.
    pub(crate) fn has(&mut self, key: &Key, seq: u64, last: u64) {
        match key {
            Key::Proposal(id) => _ = self.proposals.remove(id),
            Key::Envelopes(document, actor) => {
                let place = (*document, *actor);
                if seq >= last {
                    self.envelopes.remove(&place);
                } else if let Some(after) = self.envelopes.get_mut(&place) {
                    *after = seq.max(*after);
                }
            }
        }
    }

    /// Returns whether this is the next item of its key that is missing there.
    pub(crate) fn is_next(&self, key: &Key, seq: u64) -> bool {
        match key {
            Key::Proposal(id) => self.proposals.contains(id),
            Key::Envelopes(document, actor) => {
                self.envelopes.get(&(*document, *actor)).is_some_and(|after| after + 1 == seq)
            }
        }
    }

    pub(crate) fn owes(&self, key: &Key) -> bool {
        match key {
            Key::Proposal(id) => self.proposals.contains(id),
            Key::Envelopes(document, actor) => self.envelopes.contains_key(&(*document, *actor)),
        }
    }

    pub(crate) fn owes_in(&self, document: &DocumentId) -> bool {
        self.of(document).next().is_some()
    }

    /// The other side has all that is here.
    pub(crate) fn has_all(&mut self, records: u64) {
        *self = Self { records: Some(records), ..Self::default() };
    }

    /// A comparison begins: items that could not be fetched are tried again.
    pub(crate) fn forget_failures(&mut self) {
        self.fetching = Fetching::default();
    }

    /// Returns the room that is set aside for items that were asked for.
    pub(crate) fn reserved(&self) -> usize {
        self.fetching.asked() * limits::FRAME_TARGET
    }

    /// Returns whether nothing is missing there, given a log of this length, that could be fetched.
    pub(crate) fn is_done(&self, log_length: u64) -> bool {
        self.fetching.asked() == 0 && self.wanted(log_length).is_none()
    }

    /// Returns the next thing to fetch, and notes that it is being fetched. Records go first: a
    /// change is of no use to a peer whose log does not know its document. Proposals go last: they
    /// refer to the answers that their author saw.
    pub(crate) fn next_want(&mut self, log_length: u64) -> Option<Want> {
        let want = self.wanted(log_length)?;
        match &want {
            Want::Records { .. } => self.fetching.records = Fetch::Asked,
            Want::Envelopes { document, .. } => {
                self.fetching.documents.insert(*document, Fetch::Asked);
            }
            Want::Proposals(_) => self.fetching.proposals = Fetch::Asked,
        }
        Some(want)
    }

    pub(crate) fn records_came(&mut self, any: bool) {
        self.fetching.records = if any { Fetch::Idle } else { Fetch::Failed };
    }

    pub(crate) fn envelopes_came(&mut self, document: DocumentId, any: bool) {
        if any {
            self.fetching.documents.remove(&document);
        } else {
            self.fetching.documents.insert(document, Fetch::Failed);
        }
    }

    pub(crate) fn proposals_came(&mut self, any: bool) {
        self.fetching.proposals = if any { Fetch::Idle } else { Fetch::Failed };
    }

    /// Returns whether records are missing there, and have not been given up until the next
    /// comparison.
    pub(crate) fn lacks_records(&self, log_length: u64) -> bool {
        self.records.is_none_or(|known| known < log_length)
    }

    fn wanted(&self, log_length: u64) -> Option<Want> {
        if let Some(from) = self.records.filter(|known| *known < log_length) {
            return (self.fetching.records == Fetch::Idle).then_some(Want::Records { from });
        }
        if let Some(document) = self.next_document() {
            let after = self.of(&document).collect();
            return Some(Want::Envelopes { document, after });
        }
        let idle = self.fetching.proposals == Fetch::Idle && !self.proposals.is_empty();
        let waits = self.fetching.documents.values().any(|fetch| *fetch == Fetch::Asked);
        (idle && !waits).then(|| {
            Want::Proposals(self.proposals.iter().take(limits::FETCHES).copied().collect())
        })
    }

    fn next_document(&self) -> Option<DocumentId> {
        let mut from = (DocumentId([0; 32]), FIRST_ACTOR);
        loop {
            let (document, _) = *self.envelopes.range(from..).next()?.0;
            if !self.fetching.documents.contains_key(&document) {
                return Some(document);
            }
            let beyond = (document, LAST_ACTOR);
            from = *self.envelopes.range((Excluded(beyond), Unbounded)).next()?.0;
        }
    }

    fn of(&self, document: &DocumentId) -> impl Iterator<Item = (ActorId, u64)> {
        let range = (*document, FIRST_ACTOR)..=(*document, LAST_ACTOR);
        self.envelopes.range(range).map(|((_, actor), after)| (*actor, *after))
    }
}

impl Fetching {
    fn asked(&self) -> usize {
        let others = [self.records, self.proposals];
        let all = others.iter().chain(self.documents.values());
        all.filter(|fetch| **fetch == Fetch::Asked).count()
    }
}
