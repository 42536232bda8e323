//! The log of a workspace, and how long it was on the disk.
//!
//! It appends records and says what that changed. What follows from a change, and storing and
//! sending the record, are the workspace's.

use std::{ops::Range, sync::Arc};

use rejoinder_finalizer::{
    Appended, Checked, Log, LogChange, LogError, LogPosition, Member, Record, Request, State,
    Status,
};
use rejoinder_identity::{OpeningId, PeerId, RecordId, VersionVector, WorkspaceId};

use crate::{
    refused::Refused,
    rows,
    store::{Batch, Table},
};

/// A log, and what is left of it on the disk.
#[derive(Debug)]
pub(crate) struct Chain {
    log: Log,
    /// Length of the log on the disk when the home was opened: more than is here when rows
    /// in it were damaged, until the others have given back the rest.
    was: u64,
}

/// The effects of a record that was appended.
#[derive(Debug)]
pub(crate) struct Grown {
    pub(crate) appended: Appended,
    pub(crate) epoch: u64,
    pub(crate) id: RecordId,
    pub(crate) bytes: Arc<[u8]>,
    /// Length of the log now.
    pub(crate) length: u64,
    /// Length before the record, if the record has cut the log first.
    pub(crate) cut_from: Option<u64>,
    /// Records that were folded: this one, and those before a cut again.
    pub(crate) folded: u64,
    /// The places whose rows are void now.
    void: Range<u64>,
}

impl Chain {
    pub(crate) fn new(workspace: WorkspaceId) -> Self {
        Self { log: Log::new(workspace), was: 0 }
    }

    /// Notes that there are more rows on the disk than could be read.
    pub(crate) fn was_longer(&mut self, was: u64) {
        self.was = was;
    }

    /// Checks that a record can come next.
    ///
    /// # Errors
    ///
    /// It is broken, known, or does not follow.
    pub(crate) fn check(&self, bytes: &[u8]) -> Result<Checked<Record>, LogError> {
        self.log.check(bytes)
    }

    /// Appends a record. The first of a newer epoch may cut the log before it.
    ///
    /// # Errors
    ///
    /// It does not follow.
    pub(crate) fn append(&mut self, record: Checked<Record>) -> Result<Grown, LogError> {
        let (id, bytes, epoch) = (record.id().into(), record.bytes().clone(), record.value().epoch);
        let before = self.log.position();
        let appended = self.log.append(record)?;
        let seq = appended.seq;
        let void = if epoch > before.epoch {
            // Behind a log that was cut there may be rows still, which are void as well now.
            let void = seq..before.length.max(self.was);
            self.was = self.was.min(seq);
            void
        } else {
            0..0
        };
        let cut_from = (seq < before.length).then_some(before.length);
        let folded = if cut_from.is_some() { seq + 1 } else { 1 };
        let length = self.log.position().length;
        Ok(Grown { appended, epoch, id, bytes, length, cut_from, folded, void })
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// To restore it.
    pub(crate) fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    pub(crate) fn state(&self) -> &State {
        self.log.state()
    }

    pub(crate) fn position(&self) -> LogPosition {
        self.log.position()
    }

    pub(crate) fn bytes(&self, place: u64) -> Option<&Arc<[u8]>> {
        self.log.bytes(place)
    }

    /// True if the disk held more of it than is here.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.position().length < self.was
    }

    pub(crate) fn member(&self, device: &PeerId) -> Option<&Member> {
        self.state().members().get(device)
    }

    pub(crate) fn request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        self.state().request(opening).ok_or(Refused::NoRequest)
    }

    pub(crate) fn open_request(&self, opening: &OpeningId) -> Result<&Request, Refused> {
        let request = self.request(opening)?;
        if request.is_open() { Ok(request) } else { Err(Refused::NotOpen) }
    }

    /// The changes that the record which settled a request was made on. None while it is open.
    pub(crate) fn made_on(&self, opening: &OpeningId) -> Option<&VersionVector> {
        match self.state().request(opening)?.status() {
            Status::Open => None,
            Status::Decided(decision) => Some(&decision.embedded.version_vector),
            Status::Suspended(ended) | Status::Ended(ended) => Some(&ended.embedded.version_vector),
        }
    }

    /// The records from a place on that come to about `budget` bytes, at least one.
    pub(crate) fn from(&self, from: u64, budget: usize) -> Vec<Arc<[u8]>> {
        let mut left = budget;
        let mut records = Vec::new();
        for bytes in (from..self.position().length).map_while(|place| self.bytes(place)) {
            if !records.is_empty() && bytes.len() > left {
                break;
            }
            left = left.saturating_sub(bytes.len());
            records.push(bytes.clone());
        }
        records
    }

    /// Every row, for a file that is made again.
    pub(crate) fn rows(&self, batch: &mut Batch) {
        let workspace = self.log.workspace();
        for place in 0..self.position().length {
            if let Some(bytes) = self.bytes(place) {
                batch.put(Table::Records, rows::record_key(&workspace, place), bytes.to_vec());
            }
        }
    }
}

impl Grown {
    /// Updates the rows. The host has written its own record before it appends it, and
    /// takes none of these: it cuts no log, and deletes the proposal that it answers with it.
    pub(crate) fn rows(&self, workspace: &WorkspaceId) -> Batch {
        let mut batch = Batch::default();
        for place in self.void.clone() {
            batch.delete(Table::Records, rows::record_key(workspace, place));
        }
        let key = rows::record_key(workspace, self.appended.seq);
        batch.put(Table::Records, key, self.bytes.to_vec());
        for change in &self.appended.changes {
            if let LogChange::Answered { proposal, .. } = change {
                batch.delete(Table::Proposals, rows::proposal_key(workspace, proposal));
            }
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use rejoinder_finalizer::Finalizer;
    use rejoinder_identity::{Incarnation, SecretKey, Timestamp};

    use super::*;
    use crate::store::RowOp;

    fn key(seed: u8) -> SecretKey {
        SecretKey::from_seed([seed; 32])
    }

    /// The first record of the next epoch, by the host of that number.
    fn epoch(chain: &Chain, host: u8) -> Checked<Record> {
        let (now, run) = (Timestamp::from_millis(0), Incarnation([host; 16]));
        let (_, record) =
            Finalizer::start_epoch(chain.log(), &key(1), key(host), "host", run, now).unwrap();
        record
    }

    fn chain() -> Chain {
        Chain::new(WorkspaceId::of_root(&key(1).public()))
    }

    #[test]
    fn what_is_on_the_disk_is_what_was_appended() {
        let mut chain = chain();
        let workspace = chain.log().workspace();
        let mut written = Vec::new();
        for host in 2..5 {
            let grown = chain.append(epoch(&chain, host)).unwrap();
            assert_eq!((grown.folded, grown.cut_from), (1, None));
            assert_eq!(grown.length, chain.position().length);
            written.extend(grown.rows(&workspace).changes);
        }
        let mut batch = Batch::default();
        chain.rows(&mut batch);
        assert_eq!(batch.changes, written);
        assert_eq!(chain.from(0, 0).len(), 1, "at least one");
        assert_eq!(chain.from(1, usize::MAX).len(), 2);
    }

    #[test]
    fn rows_behind_a_log_that_was_cut_go_with_the_next_epoch() {
        let mut chain = chain();
        let workspace = chain.log().workspace();
        chain.was_longer(3);
        assert!(chain.is_cut_short());
        let grown = chain.append(epoch(&chain, 2)).unwrap();
        let deleted = grown
            .rows(&workspace)
            .changes
            .iter()
            .filter(|op| match op {
                RowOp::Delete(Table::Records, _) => true,
                RowOp::Delete(..) | RowOp::Put(..) => false,
            })
            .count();
        assert_eq!(deleted, 3);
        assert!(!chain.is_cut_short());
    }
}
