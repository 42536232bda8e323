//! What the other side of a link is known to lack, and what of it is being fetched.
//!
//! Only names are kept here, never bytes: a peer that stalls costs a line for each actor that it is
//! behind in.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
};

use rejoinder_identity::{ActorId, DocumentId, ProposalId};

use crate::{key::Key, limits};

/// What is lacking on the other side.
#[derive(Debug, Default)]
pub(crate) struct Owed {
    /// How many of our records are there or on their way. None: not known yet.
    records: Option<u64>,
    /// After which number the changes of an actor are lacking.
    envelopes: BTreeMap<(DocumentId, ActorId), u64>,
    proposals: BTreeSet<ProposalId>,
    fetching: Fetching,
}

/// What was asked for, and what could not be had and is not asked for again before the next
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

/// What to fetch next.
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

    /// Whether this is the next that is lacking of its key.
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
    pub(crate) fn settle(&mut self, records: u64) {
        *self = Self { records: Some(records), ..Self::default() };
    }

    /// A comparison begins: what could not be fetched is tried again.
    pub(crate) fn forget_failures(&mut self) {
        self.fetching = Fetching::default();
    }

    /// Room that is set aside for what was asked for.
    pub(crate) fn reserved(&self) -> usize {
        self.fetching.asked() * limits::FRAME_TARGET
    }

    /// Whether nothing is lacking of a log of this length, or nothing that could be fetched.
    pub(crate) fn is_done(&self, log_length: u64) -> bool {
        self.fetching.asked() == 0 && self.wanted(log_length).is_none()
    }

    /// What to fetch next, which is then being fetched. Records go first: nobody can do anything
    /// with a change of a document that their log does not know. Proposals go last: they mean
    /// what their author saw.
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

    /// Whether records are lacking that are not given up until the next comparison.
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
