//! The items of a fake replica, and its disk: after a restart, only what was written comes back.

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use rejoinder_identity::{
    ActorId, ChangeHash, DocumentId, ProposalId, RecordId, from_bytes, hash, to_bytes,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// A record: nothing but what replication depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) epoch: u64,
    pub(super) seq: u64,
    pub(super) prev: RecordId,
    pub(super) opens: Option<DocumentId>,
    pub(super) answers: Option<ProposalId>,
    pub(super) padding: Vec<u8>,
}

/// An envelope, with what it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Change {
    pub(super) document: DocumentId,
    pub(super) actor: ActorId,
    pub(super) seq: u64,
    pub(super) deps: Vec<ChangeHash>,
    pub(super) padding: Vec<u8>,
}

/// A value and its bytes as they are sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Made<T> {
    pub(super) value: T,
    pub(super) bytes: Arc<[u8]>,
    hash: [u8; 32],
}

impl<T: Serialize + DeserializeOwned> Made<T> {
    pub(super) fn new(value: T) -> Self {
        let bytes: Arc<[u8]> = to_bytes(&value).into();
        let hash = hash("test-item", &[&bytes]).0;
        Self { value, bytes, hash }
    }

    pub(super) fn read(bytes: &[u8]) -> Self {
        let hash = hash("test-item", &[bytes]).0;
        Self { value: from_bytes("item", bytes).unwrap(), bytes: bytes.into(), hash }
    }
}

impl<T> Made<T> {
    pub(super) fn hash(&self) -> [u8; 32] {
        self.hash
    }
}

/// One write.
#[derive(Debug, Clone)]
pub(super) enum Write {
    /// This record, in place of all from its place on.
    Record(Made<Record>),
    Envelope(Made<Change>),
    Proposal(ProposalId, Arc<[u8]>),
    Answered(ProposalId),
}

/// The writes that are done, and those that wait, in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    pub(super) waiting: VecDeque<Write>,
    pub(super) records: Vec<Made<Record>>,
    pub(super) envelopes: Vec<Made<Change>>,
    pub(super) proposals: Vec<(ProposalId, Arc<[u8]>)>,
    /// Every record that was ever written.
    pub(super) ever: BTreeSet<RecordId>,
    /// Every proposal that was ever written: a record that answers it removes it.
    pub(super) ever_proposed: BTreeSet<ProposalId>,
}

impl Disk {
    pub(super) fn write_next(&mut self) -> Option<Write> {
        let write = self.waiting.pop_front()?;
        match write.clone() {
            Write::Record(record) => {
                self.records.truncate(usize::try_from(record.value.seq).unwrap());
                self.ever.insert(RecordId(record.hash()));
                self.records.push(record);
            }
            Write::Envelope(change) => self.envelopes.push(change),
            Write::Proposal(id, bytes) => {
                self.ever_proposed.insert(id);
                self.proposals.push((id, bytes));
            }
            Write::Answered(id) => self.proposals.retain(|(other, _)| *other != id),
        }
        Some(write)
    }

    pub(super) fn has_envelope(&self, document: DocumentId, actor: ActorId, seq: u64) -> bool {
        let is_it =
            |value: &Change| (value.document, value.actor, value.seq) == (document, actor, seq);
        self.envelopes.iter().any(|change| is_it(&change.value))
    }
}
