//! The crate from outside: what people do to one request, apart and together.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod admitted;
mod desk;
mod edits;
mod forms;
mod golden;
mod histories;
mod limits;
mod merging;
mod revisions;
mod seen;
mod settling;
