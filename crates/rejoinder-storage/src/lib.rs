//! Makes a replica's batches durable in redb, and loads them again.
//!
//! One file per home. It does not know what the bytes mean that it keeps: which tables there are
//! and what their rows look like is the replica's business. What lies below the file is injected
//! as a [`Backend`], so that a test can fail, fill or crash the disk.
//!
//! Each row has a checksum. A file in which a row or more is damaged is set aside whole, and what
//! can be read of it is in a new one; which rows are lost is said to whoever reads them.

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
