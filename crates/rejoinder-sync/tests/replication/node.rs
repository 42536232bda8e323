//! A fake replica: a store of opaque items around the real [`Sync`].

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rejoinder_identity::{
    ActorId, ChangeHash, DocumentId, PeerId, ProposalId, RecordId, Timestamp, Tip, VersionVector,
    hash,
};
use rejoinder_sync::{Fetched, Item, ItemKind, LinkId, Parked, ParkedItem, Sync, Wait};

use super::disk::{Change, Disk, Made, Record, Write};

/// The comparable state of a node: its log, version vectors and proposals.
pub(super) type State = (Vec<RecordId>, BTreeMap<(DocumentId, ActorId), Tip>, BTreeSet<ProposalId>);

/// The result of offering an item to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Taken {
    Admitted,
    Known,
    Parked,
    Refused,
    Dropped,
}

/// A document, in the order of admission.
#[derive(Debug, Default)]
struct Document {
    changes: Vec<Made<Change>>,
    hashes: BTreeSet<ChangeHash>,
    version_vector: VersionVector,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) index: usize,
    pub(super) sync: Sync,
    pub(super) disk: Disk,
    log: Vec<Made<Record>>,
    documents: BTreeMap<DocumentId, Document>,
    proposals: BTreeMap<ProposalId, Arc<[u8]>>,
    pub(super) parked: Parked,
    incarnation: u64,
}

impl Node {
    pub(super) fn new(index: usize) -> Self {
        Self::open(index, Disk::default(), 0)
    }

    /// Stops and starts: what was not written is gone.
    pub(super) fn restart(&mut self) {
        let mut disk = std::mem::take(&mut self.disk);
        disk.waiting.clear();
        *self = Self::open(self.index, disk, self.incarnation + 1);
    }

    fn open(index: usize, disk: Disk, incarnation: u64) -> Self {
        let seed = hash("test-node", &[&index.to_le_bytes(), &incarnation.to_le_bytes()]).0;
        let mut sync = Sync::new(seed);
        let log = disk.records.clone();
        let epoch = log.last().map_or(0, |record| record.value.epoch);
        sync.restore_log(epoch, log.iter().map(|record| RecordId(record.hash())).collect());
        let opened: BTreeSet<_> = log.iter().filter_map(|record| record.value.opens).collect();
        let mut documents: BTreeMap<_, Document> =
            opened.iter().map(|document| (*document, Document::default())).collect();
        for change in &disk.envelopes {
            if let Some(document) = documents.get_mut(&change.value.document) {
                document.admit(change.clone());
            }
        }
        for (id, document) in &documents {
            sync.restore_document(*id, &document.version_vector);
        }
        let proposals: BTreeMap<_, _> = disk.proposals.iter().cloned().collect();
        proposals.keys().for_each(|id| sync.restore_proposal(*id));
        let parked = Parked::new();
        Self { index, sync, disk, log, documents, proposals, parked, incarnation }
    }

    pub(super) fn state(&self) -> State {
        let log = self.log.iter().map(|record| RecordId(record.hash())).collect();
        let tips = self.documents.iter().flat_map(|(id, document)| {
            document.version_vector.iter().map(|(actor, tip)| ((*id, *actor), *tip))
        });
        (log, tips.collect(), self.proposals.keys().copied().collect())
    }

    pub(super) fn epoch(&self) -> u64 {
        self.log.last().map_or(0, |record| record.value.epoch)
    }

    pub(super) fn document_ids(&self) -> Vec<DocumentId> {
        self.documents.keys().copied().collect()
    }

    pub(super) fn log_length(&self) -> u64 {
        self.log.len() as u64
    }

    pub(super) fn proposal_ids(&self) -> Vec<ProposalId> {
        self.proposals.keys().copied().collect()
    }

    /// The next record of a host, on its disk before anybody hears of it.
    pub(super) fn make_record(
        &mut self,
        now: Timestamp,
        opens: Option<DocumentId>,
        answers: Option<ProposalId>,
    ) {
        let epoch = self.epoch().max(1);
        self.host_record(now, epoch, self.log_length(), opens, answers, 40);
    }

    /// A record that opens an epoch, after the first `length` records.
    pub(super) fn take_over(&mut self, now: Timestamp, epoch: u64, length: u64) {
        self.host_record(now, epoch, length, None, None, 40);
    }

    pub(super) fn host_record(
        &mut self,
        now: Timestamp,
        epoch: u64,
        seq: u64,
        opens: Option<DocumentId>,
        answers: Option<ProposalId>,
        size: usize,
    ) {
        let prev = self.head_at(seq);
        let padding = vec![self.index as u8; size];
        let record = Made::new(Record { epoch, seq, prev, opens, answers, padding });
        while self.write_next(now).is_some() {}
        self.disk.waiting.push_back(Write::Record(record.clone()));
        self.disk.write_next();
        self.append(now, record, None);
        self.sync.stored(now, Item::Record { length: self.log_length() });
        while self.write_next(now).is_some() {}
    }

    /// An edit: a change on top of all that is here of the document.
    pub(super) fn edit(&mut self, now: Timestamp, document: DocumentId, size: usize) {
        let incarnation = self.incarnation.to_le_bytes();
        let author = [self.index as u8; 1];
        let actor = ActorId(hash("test-actor", &[&author, &incarnation, &document.0]).first_half());
        let deps: Vec<_> =
            self.documents[&document].version_vector.values().map(|tip| tip.hash).collect();
        let seq = self.documents[&document].version_vector.get(&actor).map_or(0, |tip| tip.seq) + 1;
        let padding = vec![self.index as u8; size];
        let change = Made::new(Change { document, actor, seq, deps, padding });
        self.take_change(now, None, change);
    }

    pub(super) fn propose(&mut self, now: Timestamp, bytes: Arc<[u8]>) {
        self.take_proposal(now, None, &bytes);
    }

    /// The next write that waits is on the disk.
    pub(super) fn write_next(&mut self, now: Timestamp) -> Option<()> {
        let item = match self.disk.write_next()? {
            Write::Record(record) => Item::Record { length: record.value.seq + 1 },
            Write::Envelope(Made { value, .. }) => {
                Item::Envelope { document: value.document, actor: value.actor, seq: value.seq }
            }
            Write::Proposal(id, _) => Item::Proposal(id),
            Write::Answered(_) => return Some(()),
        };
        self.sync.stored(now, item);
        Some(())
    }

    pub(super) fn take(
        &mut self,
        now: Timestamp,
        link: LinkId,
        kind: ItemKind,
        bytes: &[u8],
    ) -> Taken {
        match kind {
            ItemKind::Record => self.take_record(now, link, Made::read(bytes)),
            ItemKind::Envelope => self.take_change(now, Some(link), Made::read(bytes)),
            ItemKind::Proposal => self.take_proposal(now, Some(link), bytes),
            ItemKind::AddressCard => Taken::Admitted,
        }
    }

    fn take_record(&mut self, now: Timestamp, link: LinkId, record: Made<Record>) -> Taken {
        let id = RecordId(record.hash());
        if self.log.iter().any(|known| known.hash() == id.0) {
            let length = self.log_length();
            self.sync.seen_again(now, link, Item::Record { length });
            return Taken::Known;
        }
        let Record { epoch, seq, prev, .. } = record.value;
        let newer = self.log.last().is_none_or(|head| head.value.epoch < epoch);
        let follows = seq <= self.log_length() && self.head_at(seq) == prev;
        if !follows || (seq < self.log_length() && !newer) {
            return Taken::Refused;
        }
        self.disk.waiting.push_back(Write::Record(record.clone()));
        self.append(now, record, Some(link));
        Taken::Admitted
    }

    fn append(&mut self, now: Timestamp, record: Made<Record>, from: Option<LinkId>) {
        if record.value.seq < self.log_length() {
            self.void(now, record.value.seq);
        }
        let (id, epoch) = (RecordId(record.hash()), record.value.epoch);
        let Record { opens, answers, .. } = record.value;
        self.sync.add_record(now, epoch, id, &record.bytes, from);
        self.log.push(record);
        if let Some(document) = opens {
            self.documents.insert(document, Document::default());
            self.release(now, &Wait::Document(document));
        }
        if let Some(proposal) = answers {
            self.proposals.remove(&proposal);
            self.disk.waiting.push_back(Write::Answered(proposal));
            self.sync.drop_proposal(now, &proposal);
        }
    }

    fn void(&mut self, now: Timestamp, length: u64) {
        for record in self.log.split_off(usize::try_from(length).unwrap()) {
            if let Some(document) = record.value.opens {
                self.documents.remove(&document);
                self.sync.forget_document(now, &document);
            }
        }
        self.sync.truncate_log(now, length);
    }

    fn take_change(&mut self, now: Timestamp, from: Option<LinkId>, change: Made<Change>) -> Taken {
        let Change { document, actor, seq, ref deps, .. } = change.value;
        let hash = ChangeHash(change.hash());
        let Some(held) = self.documents.get_mut(&document) else {
            return self.park(now, from.unwrap(), Wait::Document(document), &change);
        };
        if held.hashes.contains(&hash) {
            let tip = held.version_vector[&actor];
            let item = Item::Envelope { document, actor, seq: tip.seq };
            self.sync.seen_again(now, from.unwrap(), item);
            return Taken::Known;
        }
        if let Some(missing) = deps.iter().find(|dep| !held.hashes.contains(dep)) {
            return self.park(now, from.unwrap(), Wait::Change(document, *missing), &change);
        }
        held.admit(change.clone());
        self.sync.add_envelope(now, document, actor, Tip { seq, hash }, &change.bytes, from);
        self.disk.waiting.push_back(Write::Envelope(change));
        self.release(now, &Wait::Change(document, hash));
        Taken::Admitted
    }

    fn take_proposal(&mut self, now: Timestamp, from: Option<LinkId>, bytes: &[u8]) -> Taken {
        let id = ProposalId(hash("test-item", &[bytes]).0);
        if self.log.iter().any(|record| record.value.answers == Some(id)) {
            return Taken::Refused;
        }
        if self.proposals.contains_key(&id) {
            self.sync.seen_again(now, from.unwrap(), Item::Proposal(id));
            return Taken::Known;
        }
        let bytes: Arc<[u8]> = bytes.into();
        self.proposals.insert(id, bytes.clone());
        self.sync.add_proposal(now, id, &bytes, from);
        self.disk.waiting.push_back(Write::Proposal(id, bytes));
        Taken::Admitted
    }

    fn park(&mut self, now: Timestamp, link: LinkId, wait: Wait, change: &Made<Change>) -> Taken {
        let author = PeerId(hash("test-author", &[&change.value.actor.0]).0);
        let bytes = change.bytes.to_vec();
        let item = ParkedItem { link, kind: ItemKind::Envelope, bytes };
        match self.parked.park(author, wait, item) {
            Ok(()) => Taken::Parked,
            Err(_) => {
                self.sync.compare_soon(now, link);
                Taken::Dropped
            }
        }
    }

    fn release(&mut self, now: Timestamp, wait: &Wait) {
        for item in self.parked.release(wait) {
            self.take(now, item.link, item.kind, &item.bytes);
        }
    }

    pub(super) fn fetch_records(&mut self, now: Timestamp, link: LinkId, from: u64, budget: usize) {
        let wanted = self.log.iter().skip(usize::try_from(from).unwrap());
        let records =
            within(budget, wanted.map(|record| record.bytes.clone()), |bytes| bytes.len());
        self.sync.send_records(now, link, from, records);
    }

    pub(super) fn fetch_changes(
        &mut self,
        now: Timestamp,
        link: LinkId,
        id: DocumentId,
        after: &BTreeMap<ActorId, u64>,
        budget: usize,
    ) {
        let changes = self.documents.get(&id).map_or(&[][..], |document| &document.changes);
        let lacking = changes
            .iter()
            .filter(|change| {
                after.get(&change.value.actor).is_some_and(|after| change.value.seq > *after)
            })
            .map(|change| Fetched {
                actor: change.value.actor,
                seq: change.value.seq,
                bytes: change.bytes.clone(),
            });
        let lacking = within(budget, lacking, |fetched| fetched.bytes.len());
        self.sync.send_envelopes(now, link, id, lacking);
    }

    pub(super) fn fetch_proposals(&mut self, now: Timestamp, link: LinkId, ids: &[ProposalId]) {
        let known = ids.iter().filter_map(|id| Some((*id, self.proposals.get(id)?.clone())));
        let known = known.collect();
        self.sync.send_proposals(now, link, known);
    }

    fn head_at(&self, length: u64) -> RecordId {
        let last = usize::try_from(length).unwrap().checked_sub(1);
        last.map_or(RecordId::NONE, |last| RecordId(self.log[last].hash()))
    }
}

impl Document {
    fn admit(&mut self, change: Made<Change>) {
        let hash = ChangeHash(change.hash());
        self.hashes.insert(hash);
        self.version_vector.insert(change.value.actor, Tip { seq: change.value.seq, hash });
        self.changes.push(change);
    }
}

/// As many as come to `budget`, at least one.
fn within<T>(budget: usize, all: impl Iterator<Item = T>, size: impl Fn(&T) -> usize) -> Vec<T> {
    let mut left = budget;
    let mut some = Vec::new();
    for one in all {
        if !some.is_empty() && size(&one) > left {
            break;
        }
        left = left.saturating_sub(size(&one));
        some.push(one);
    }
    some
}
