//! The ids of the log's records: enough to find out which of them another log has.

use rejoinder_identity::RecordId;
use serde::{Deserialize, Serialize};

use crate::limits;

/// The head of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogPosition {
    /// The epoch of its head; 0 when it is empty.
    pub(crate) epoch: u64,
    /// The number of its records.
    pub(crate) length: u64,
    /// Its last record.
    pub(crate) head: RecordId,
}

/// A log of ids.
#[derive(Debug, Default)]
pub(crate) struct Log {
    epoch: u64,
    records: Vec<RecordId>,
}

impl Log {
    pub(crate) fn restore(epoch: u64, records: Vec<RecordId>) -> Self {
        Self { epoch, records }
    }

    pub(crate) fn push(&mut self, epoch: u64, record: RecordId) {
        self.epoch = epoch;
        self.records.push(record);
    }

    pub(crate) fn truncate(&mut self, length: u64) {
        self.records.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    }

    pub(crate) fn length(&self) -> u64 {
        self.records.len() as u64
    }

    pub(crate) fn position(&self) -> LogPosition {
        let length = self.length();
        LogPosition { epoch: self.epoch, length, head: self.head_at(length) }
    }

    /// Returns the last of the first `length` records.
    ///
    /// # Panics
    ///
    /// If there are fewer.
    pub(crate) fn head_at(&self, length: u64) -> RecordId {
        length.checked_sub(1).map_or(RecordId::NONE, |last| {
            self.records[usize::try_from(last).expect("an index of a record is in memory")]
        })
    }

    /// Returns whether `head` is the last of the first `length` records here.
    pub(crate) fn has(&self, length: u64, head: RecordId) -> bool {
        length <= self.length() && self.head_at(length) == head
    }

    /// Returns places of this log, from its head back to its start in steps that double. From them,
    /// another log can tell how far the two agree, to within twice the length of the rest.
    pub(crate) fn trail(&self) -> Vec<(u64, RecordId)> {
        let length = self.length();
        let steps = std::iter::once(0).chain((0..limits::TRAIL as u32 - 2).map(|step| 1 << step));
        steps
            .map_while(|back: u64| length.checked_sub(back))
            .filter(|place| *place > 0)
            .map(|place| (place, self.head_at(place)))
            .collect()
    }

    /// Returns the number of our first records that a log of that trail certainly has.
    pub(crate) fn common(&self, trail: &[(u64, RecordId)]) -> u64 {
        trail
            .iter()
            .filter(|(place, head)| self.has(*place, *head))
            .map(|(place, _)| *place)
            .max()
            .unwrap_or(0)
    }

    /// Returns the number of our records that a peer at that position does not need: it has them,
    /// or its log is newer than ours and it sends us the rest.
    pub(crate) fn known_at(&self, peer: &LogPosition, trail: &[(u64, RecordId)]) -> u64 {
        if self.has(peer.length, peer.head) {
            return peer.length;
        }
        let newer = (peer.epoch, peer.length) > (self.epoch, self.length());
        if newer { self.length() } else { self.common(trail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(branch: u8, place: u64) -> RecordId {
        let mut id = [branch; 32];
        id[..8].copy_from_slice(&place.to_le_bytes());
        RecordId(id)
    }

    /// `shared` records, then `own` ones of a branch.
    fn log(epoch: u64, shared: u64, branch: u8, own: u64) -> Log {
        let shared = (0..shared).map(|place| id(0, place));
        Log::restore(epoch, shared.chain((0..own).map(|place| id(branch, place))).collect())
    }

    #[test]
    fn a_trail_doubles_back_to_the_start() {
        let places = |length| {
            log(1, length, 0, 0).trail().into_iter().map(|(place, _)| place).collect::<Vec<_>>()
        };
        assert_eq!(places(0), []);
        assert_eq!(places(1), [1]);
        assert_eq!(places(20), [20, 19, 18, 16, 12, 4]);
        assert!(places(100_000).len() <= limits::TRAIL);
    }

    #[test]
    fn the_common_point_is_near() {
        for shared in 0..40 {
            for (ours, theirs) in [(1, 1), (3, 9), (30, 2)] {
                let (a, b) = (log(2, shared, 1, ours), log(1, shared, 2, theirs));
                let common = a.common(&b.trail());
                assert!(common <= shared, "{common} of {shared}");
                assert!(shared - common <= theirs, "{common} of {shared}, {theirs} apart");
            }
        }
    }

    #[test]
    fn who_owes_whom() {
        let known = |ours: &Log, theirs: &Log| ours.known_at(&theirs.position(), &theirs.trail());
        let (short, long) = (log(1, 5, 0, 0), log(1, 9, 0, 0));
        assert_eq!(known(&long, &short), 5, "a peer that is behind has our first five");
        assert_eq!(known(&short, &long), 5, "we are behind and owe nothing");
        assert_eq!(known(&long, &long), 9);
        assert_eq!(known(&long, &log(0, 0, 0, 0)), 0, "a new peer");
        let (old, new) = (log(1, 5, 1, 7), log(2, 5, 2, 1));
        assert_eq!(known(&old, &new), 12, "a void branch is kept to oneself");
        assert!(known(&new, &old) <= 5, "and is answered from before it began");
    }
}
