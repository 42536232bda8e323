//! Makes a replica's batches durable in redb, and loads them again.
//!
//! One file per home. It does not know what its bytes mean: the replica decides on the tables and
//! their rows. The disk is injected as a [`Backend`], so that a test can fail, fill or crash it.
//!
//! Each row has a checksum. A file with damaged rows is set aside whole, and everything that can be
//! read of it goes into a new one. A read reports the rows that are lost.

mod backend;
mod copy;
mod error;
mod format;
mod guard;
mod half_created;
mod limits;
mod memory;
mod readonly_view;
mod row_checksum;
mod salvage;
mod scan;
mod store;
mod version;

pub use backend::Backend;
pub use error::{Doing, StoreError, What};
pub use store::Store;
pub use version::FORMAT;
