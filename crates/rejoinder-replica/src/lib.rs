//! One device's replica of its workspaces, as a pure state machine.

mod store;

pub use store::{Batch, Change, Load, LoadId, Restored, Rows, Table, WriteId};
