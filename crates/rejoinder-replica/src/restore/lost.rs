//! The rows of a home that can't be used: what they are called, and that they go.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{
    core::{After, Core},
    event::Event,
    rows,
    store::{Batch, Table},
};

/// The keys of rows that can't be used, and of those that are of no use.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    keys: BTreeMap<Table, BTreeSet<Vec<u8>>>,
    of_no_use: Batch,
}

impl Lost {
    /// Those whose checksums are wrong.
    pub(crate) fn new(damaged: BTreeMap<Table, Vec<Vec<u8>>>) -> Self {
        let keys = damaged.into_iter().map(|(table, keys)| (table, keys.into_iter().collect()));
        Self { keys: keys.collect(), of_no_use: Batch::default() }
    }

    /// Reads a row; one that can't be read is lost.
    pub(crate) fn read<T: for<'de> Deserialize<'de>>(
        &mut self,
        table: Table,
        what: &'static str,
        key: Vec<u8>,
        value: &[u8],
    ) -> Option<T> {
        let read = rows::row(what, value);
        if read.is_err() {
            self.add(table, key);
        }
        read.ok()
    }

    pub(crate) fn add(&mut self, table: Table, key: Vec<u8>) {
        self.keys.entry(table).or_default().insert(key);
    }

    /// Nobody misses this one.
    pub(crate) fn remove_quietly(&mut self, table: Table, key: Vec<u8>) {
        self.of_no_use.delete(table, key);
    }

    pub(crate) fn keys(&self, table: Table) -> impl Iterator<Item = &[u8]> {
        self.keys.get(&table).into_iter().flatten().map(Vec::as_slice)
    }

    pub(crate) fn any(&self, table: Table) -> bool {
        self.keys(table).next().is_some()
    }

    /// Takes their rows away, and says so.
    pub(crate) fn set_aside(self, core: &mut Core) {
        let Self { keys, of_no_use: mut batch } = self;
        let counts: BTreeMap<_, _> =
            keys.iter().map(|(table, keys)| (*table, keys.len() as u64)).collect();
        let proposals = counts.get(&Table::Proposals).copied().unwrap_or(0);
        for (table, keys) in keys {
            for key in keys {
                batch.delete(table, key);
            }
        }
        if !batch.is_empty() {
            core.store(batch, After::Nothing);
        }
        if !counts.is_empty() {
            core.tell(Event::Damaged { rows: counts });
        }
        if proposals > 0 {
            core.tell(Event::OwnMissing { changes: 0, proposals });
        }
    }
}
