//! Requests of a replica to the disk, in bytes: the storage crate makes them durable without
//! knowing what it means.

use std::collections::BTreeMap;

/// A write that was asked for. Writes become durable in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct WriteId(pub u64);

/// A read that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoadId(pub u64);

/// The tables of a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// The home itself: its workspaces and their root keys, its name.
    Meta,
    /// The logs.
    Records,
    /// The signed changes of every document: the truth that documents are views of.
    Envelopes,
    /// The last change of each (document, actor), so that a home opens without reading envelopes.
    VersionVectors,
    /// Proposals that no record has answered yet.
    Proposals,
    /// The highest address card of each device.
    Addresses,
    /// The rows of whoever runs the replica, which knows nothing of them.
    Shell,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 7] = [
        Self::Meta,
        Self::Records,
        Self::Envelopes,
        Self::VersionVectors,
        Self::Proposals,
        Self::Addresses,
        Self::Shell,
    ];

    /// The tables that are read whole when a home is opened. The others are read on demand.
    pub const AT_OPEN: [Self; 6] = [
        Self::Meta,
        Self::Records,
        Self::VersionVectors,
        Self::Proposals,
        Self::Addresses,
        Self::Shell,
    ];

    /// Its name in the file. A name that was once released is never given to another table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::Records => "records",
            Self::Envelopes => "envelopes",
            Self::VersionVectors => "frontiers",
            Self::Proposals => "proposals",
            Self::Addresses => "addresses",
            Self::Shell => "shell",
        }
    }
}

/// One change of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowOp {
    /// Writes a row, over the one of that key if there is one.
    Put(Table, Vec<u8>, Vec<u8>),
    /// Removes a row; no error when there is none.
    Delete(Table, Vec<u8>),
}

/// Changes that become durable together or not at all, in this order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Batch {
    /// The changes.
    pub changes: Vec<RowOp>,
}

impl Batch {
    /// Adds a row to write.
    pub fn put(&mut self, table: Table, key: Vec<u8>, value: Vec<u8>) {
        self.changes.push(RowOp::Put(table, key, value));
    }

    /// Adds a row to remove.
    pub fn delete(&mut self, table: Table, key: Vec<u8>) {
        self.changes.push(RowOp::Delete(table, key));
    }

    /// True if there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Keys and values, in the order of the keys.
pub type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// All rows of a table whose keys begin so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Load {
    /// The table.
    pub table: Table,
    /// The prefix of their keys.
    pub prefix: Vec<u8>,
}

/// The result of a read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The rows that are as they were written.
    pub rows: Rows,
    /// The keys of those that are not, as they can be read now: a key may be damaged too, or name
    /// only the place where rows are lost. They are found again by each read, until they are
    /// written over or deleted.
    pub damaged: Vec<Vec<u8>>,
}

/// The content of a home when it was opened: the rows of [`Table::AT_OPEN`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Restored {
    /// Table by table.
    pub rows: BTreeMap<Table, Rows>,
    /// The keys of the rows that are not what was written, as in [`Loaded`].
    pub damaged: BTreeMap<Table, Vec<Vec<u8>>>,
    /// Set if the home's file had to be recreated.
    pub salvaged: Option<Salvaged>,
}

/// A home's file was damaged: what could be read of it is in a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Salvaged {
    /// The damage.
    pub why: String,
    /// The path under which the damaged file is kept.
    pub kept: String,
    /// The number of rows in the new one.
    pub rows: u64,
    /// The number of rows, or places with an unknown number of rows, that are lost.
    pub lost: u64,
}
