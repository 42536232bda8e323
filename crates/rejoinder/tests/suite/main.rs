//! The running replica over real sockets on loopback, and real disks.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod asking;
mod disks;
mod homes;
mod linking;
mod strangers;
mod support;
