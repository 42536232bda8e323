//! The reads that are under way, and the documents whose last read failed: the disk is left alone
//! with those for a while, longer each time.

use std::{collections::BTreeMap, time::Duration};

use rejoinder_identity::{DocumentId, Timestamp, WorkspaceId};

use crate::{limits, store::LoadId};

/// Reads under way, and those that failed.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    next: u64,
    under_way: BTreeMap<LoadId, (WorkspaceId, DocumentId)>,
    failed: BTreeMap<DocumentId, Failed>,
    /// Bytes of changes that wait for what is read.
    held: usize,
}

#[derive(Debug)]
struct Failed {
    workspace: WorkspaceId,
    why: String,
    delay: Duration,
    /// None while it is being read again.
    retry_at: Option<Timestamp>,
}

/// A read that failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadFailed {
    pub(crate) workspace: WorkspaceId,
    pub(crate) document: DocumentId,
    /// True if the read before it had not failed.
    pub(crate) first: bool,
}

impl Reads {
    /// Notes a read.
    pub(crate) fn ask(&mut self, workspace: WorkspaceId, document: DocumentId) -> LoadId {
        let id = LoadId(self.next);
        self.next += 1;
        self.under_way.insert(id, (workspace, document));
        if let Some(failed) = self.failed.get_mut(&document) {
            failed.retry_at = None;
        }
        id
    }

    /// The rows are here: which document they are of.
    pub(crate) fn done(&mut self, id: LoadId) -> Option<(WorkspaceId, DocumentId)> {
        let (workspace, document) = self.under_way.remove(&id)?;
        self.failed.remove(&document);
        Some((workspace, document))
    }

    /// A read failed.
    pub(crate) fn failed(&mut self, now: Timestamp, id: LoadId, why: String) -> Option<ReadFailed> {
        let (workspace, document) = self.under_way.remove(&id)?;
        let before = self.failed.get(&document).map(|failed| failed.delay);
        let delay = before.map_or(limits::RETRY_FIRST, |delay| (delay * 2).min(limits::RETRY_LAST));
        let retry_at = Some(now.after(delay));
        self.failed.insert(document, Failed { workspace, why, delay, retry_at });
        Some(ReadFailed { workspace, document, first: before.is_none() })
    }

    /// Takes room for a change that waits for its document; whether there was any.
    #[must_use]
    pub(crate) fn hold(&mut self, bytes: usize) -> bool {
        let fits = self.held + bytes <= limits::UNREAD;
        if fits {
            self.held += bytes;
        }
        fits
    }

    /// A change waits no more.
    pub(crate) fn let_go(&mut self, bytes: usize) {
        self.held -= bytes;
    }

    /// Bytes of changes that wait for documents that are being read.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// The reason why a document can't be read, if its last read failed.
    pub(crate) fn failing(&self, document: &DocumentId) -> Option<&str> {
        self.failed.get(document).map(|failed| failed.why.as_str())
    }

    /// Documents whose time has come: each is asked for again, or forgotten.
    pub(crate) fn due(&self, now: Timestamp) -> Vec<(WorkspaceId, DocumentId)> {
        let due =
            self.failed.iter().filter(|(_, failed)| failed.retry_at.is_some_and(|at| at <= now));
        due.map(|(document, failed)| (failed.workspace, *document)).collect()
    }

    /// Nobody needs that document now: the next who does asks the disk at once.
    pub(crate) fn forget(&mut self, document: &DocumentId) {
        self.failed.remove(document);
    }

    /// When to call [`Self::due`].
    pub(crate) fn timeout(&self) -> Option<Timestamp> {
        self.failed.values().filter_map(|failed| failed.retry_at).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_read_again_later_each_time_until_it_is_here() {
        let (workspace, document) = (WorkspaceId([1; 32]), DocumentId([2; 32]));
        let mut reads = Reads::default();
        let mut now = Timestamp::from_millis(0);
        let mut waits = Vec::new();
        for round in 0..9 {
            let id = reads.ask(workspace, document);
            assert_eq!(reads.timeout(), None, "it is under way");
            let failed = reads.failed(now, id, "no".into());
            assert_eq!(failed, Some(ReadFailed { workspace, document, first: round == 0 }));
            assert_eq!(reads.failing(&document), Some("no"));
            assert_eq!(reads.due(now), vec![]);
            let retry = reads.timeout().unwrap();
            assert_eq!(reads.due(retry), vec![(workspace, document)]);
            waits.push(retry.since(now));
            now = retry;
        }
        assert!(waits.is_sorted() && waits[0] < waits[1], "{waits:?}");
        assert_eq!(waits.last(), Some(&limits::RETRY_LAST));
        let id = reads.ask(workspace, document);
        assert_eq!(reads.done(id), Some((workspace, document)));
        assert_eq!((reads.timeout(), reads.failing(&document)), (None, None));
    }
}
