//! The writes that are under way, and what follows when each is durable.
//!
//! A failed write is tried again with the very same bytes until it succeeds: what it holds was
//! shown or sent already, or must not be done twice. Meanwhile later writes wait behind it, so
//! that nothing is on the disk without what it depends on.

use std::{collections::BTreeMap, time::Duration};

use rejoinder_identity::Timestamp;

use crate::{
    limits,
    store::{Batch, RowOp, WriteId},
};

/// Writes under way; `T` is what follows each.
#[derive(Debug)]
pub(crate) struct Writes<T> {
    next: u64,
    waiting: BTreeMap<WriteId, Waiting<T>>,
    bytes: usize,
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Waiting<T> {
    batch: Batch,
    then: T,
    bytes: usize,
    /// True if the disk has been asked and has not answered.
    asked: bool,
}

#[derive(Debug)]
struct Failing {
    why: String,
    retry_at: Timestamp,
    delay: Duration,
}

/// The effect of a failed write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// The disk was well until now.
    First,
    /// It was failing already.
    Again,
}

impl<T> Writes<T> {
    pub(crate) fn new() -> Self {
        Self { next: 0, waiting: BTreeMap::new(), bytes: 0, failing: None }
    }

    /// Notes a write; returns it if the disk should be asked now, else it waits its turn.
    pub(crate) fn ask(&mut self, batch: Batch, then: T) -> Option<(WriteId, Batch)> {
        let id = WriteId(self.next);
        self.next += 1;
        let bytes = size(&batch);
        self.bytes += bytes;
        let asked = self.failing.is_none();
        let now = asked.then(|| (id, batch.clone()));
        self.waiting.insert(id, Waiting { batch, then, bytes, asked });
        now
    }

    /// A write is durable: what follows it, and whether the disk has just recovered.
    pub(crate) fn stored(&mut self, id: WriteId) -> Option<(T, bool)> {
        let waiting = self.waiting.remove(&id)?;
        self.bytes -= waiting.bytes;
        let recovered = self.failing.is_some() && !self.waiting.values().any(|one| one.asked);
        if recovered {
            self.failing = None;
        }
        Some((waiting.then, recovered))
    }

    /// A write failed.
    pub(crate) fn failed(&mut self, now: Timestamp, id: WriteId, why: String) -> Failed {
        if rejoinder_identity::mutant!("mutant-failed-write-forgotten") {
            self.waiting.remove(&id);
            return Failed::Again;
        }
        if let Some(waiting) = self.waiting.get_mut(&id) {
            waiting.asked = false;
        }
        let (delay, how) = match &self.failing {
            None => (limits::RETRY_FIRST, Failed::First),
            Some(failing) => ((failing.delay * 2).min(limits::RETRY_LAST), Failed::Again),
        };
        self.failing = Some(Failing { why, retry_at: now.after(delay), delay });
        how
    }

    /// Forgets a write that failed, if it is such a one.
    #[cfg(rejoinder_mutants)]
    pub(crate) fn give_up(&mut self, id: WriteId, which: impl Fn(&T) -> bool) -> Option<T> {
        let given_up = self.waiting.remove(&id)?;
        if which(&given_up.then) {
            self.bytes -= given_up.bytes;
            return Some(given_up.then);
        }
        self.waiting.insert(id, given_up);
        None
    }

    /// The writes to ask for now: the first that failed, as a probe, when its time has come; all
    /// that wait, when the disk is well.
    pub(crate) fn due(&mut self, now: Timestamp) -> Vec<(WriteId, Batch)> {
        if rejoinder_identity::mutant!("mutant-failing-disk-given-up") && self.failing.is_some() {
            return Vec::new();
        }
        let take = match &self.failing {
            Some(failing) if now < failing.retry_at => 0,
            Some(_) if self.waiting.values().any(|one| one.asked) => 0,
            Some(_) => 1,
            None => usize::MAX,
        };
        let due = self.waiting.iter_mut().filter(|(_, one)| !one.asked).take(take);
        due.map(|(id, one)| {
            one.asked = true;
            (*id, one.batch.clone())
        })
        .collect()
    }

    /// When to call [`Self::due`].
    pub(crate) fn timeout(&self) -> Option<Timestamp> {
        let asked = self.waiting.values().any(|one| one.asked);
        self.failing.as_ref().filter(|_| !asked).map(|failing| failing.retry_at)
    }

    /// The reason why the disk refuses writes, if it does.
    pub(crate) fn failing(&self) -> Option<&str> {
        self.failing.as_ref().map(|failing| failing.why.as_str())
    }

    /// Bytes that wait for the disk.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// True if so much waits for the disk that nothing more should be taken in.
    pub(crate) fn full(&self) -> bool {
        self.bytes > limits::UNWRITTEN
    }
}

fn size(batch: &Batch) -> usize {
    let of = |change: &RowOp| match change {
        RowOp::Put(_, key, value) => key.len() + value.len(),
        RowOp::Delete(_, key) => key.len(),
    };
    batch.changes.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Table;

    fn batch(byte: u8) -> Batch {
        let mut batch = Batch::default();
        batch.put(Table::Meta, vec![byte], vec![byte]);
        batch
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn what_failed_is_tried_again_before_what_came_later() {
        let mut writes = Writes::new();
        let (first, _) = writes.ask(batch(1), 'a').unwrap();
        let (second, _) = writes.ask(batch(2), 'b').unwrap();
        assert_eq!(writes.failed(at(0), first, "full".into()), Failed::First);
        assert_eq!(writes.ask(batch(3), 'c'), None, "waits behind the failed one");
        assert_eq!(writes.timeout(), None, "the second has not come back");
        assert_eq!(writes.failed(at(0), second, "full".into()), Failed::Again);

        let retry = writes.timeout().unwrap();
        assert_eq!(writes.due(at(0)), vec![]);
        assert_eq!(writes.due(retry), vec![(first, batch(1))], "one, as a probe");
        assert_eq!(writes.failed(retry, first, "still full".into()), Failed::Again);
        let later = writes.timeout().unwrap();
        assert!(later.since(retry) > retry.since(at(0)), "each wait is longer");

        assert_eq!(writes.due(later), vec![(first, batch(1))]);
        assert_eq!(writes.failing(), Some("still full"));
        assert_eq!(writes.stored(first), Some(('a', true)));
        assert_eq!(writes.failing(), None);
        let rest = writes.due(later);
        assert_eq!(rest, vec![(second, batch(2)), (WriteId(2), batch(3))]);
        assert_eq!(writes.stored(second), Some(('b', false)));
        assert_eq!(writes.stored(WriteId(2)), Some(('c', false)));
        assert_eq!(writes.stored(WriteId(2)), None);
    }

    #[test]
    fn full_by_bytes() {
        let mut writes = Writes::new();
        let mut large = Batch::default();
        large.put(Table::Meta, vec![], vec![0; limits::UNWRITTEN]);
        let (id, _) = writes.ask(large, ()).unwrap();
        assert!(!writes.full());
        writes.ask(batch(0), ());
        assert!(writes.full());
        writes.stored(id);
        assert!(!writes.full());
    }
}
