//! One operation of a change, as it stands in the change's columns.

use std::ops::Range;

/// An operation's id as a change spells it: the actor by its place in the change's own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ref {
    pub(crate) counter: u64,
    pub(crate) actor: usize,
}

/// An operation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Op<'a> {
    /// The object that it is in; `None` is the root.
    pub(crate) object: Option<Ref>,
    pub(crate) key: Key<'a>,
    pub(crate) insert: bool,
    pub(crate) action: Action,
    pub(crate) value: Scalar<'a>,
    /// Where its predecessors are in the change's list of them.
    pub(crate) preds: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Key<'a> {
    Map(&'a str),
    Head,
    Element(Ref),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    MakeMap,
    Put,
    MakeList,
    Delete,
    MakeText,
    Increment,
    MakeTable,
    Mark,
}

impl Action {
    pub(crate) fn read(number: u64) -> Option<Self> {
        Some(match number {
            0 => Self::MakeMap,
            1 => Self::Put,
            2 => Self::MakeList,
            3 => Self::Delete,
            4 => Self::MakeText,
            5 => Self::Increment,
            6 => Self::MakeTable,
            7 => Self::Mark,
            _ => return None,
        })
    }
}

/// A value in a change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Uint(u64),
    Int(i64),
    F64(f64),
    Str(&'a str),
    /// Bytes, counters, timestamps and what later releases of Automerge have: no edit writes them.
    Other,
}
