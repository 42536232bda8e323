//! Fake replicas around the real [`Sync`](rejoinder_sync::Sync): a seeded loop hands their frames,
//! writes and reads to and fro, cuts links and restarts them.

#![expect(clippy::unwrap_used, reason = "a test says by failing where it is")]
#![expect(clippy::print_stdout, reason = "a survey shows what its worlds went through")]

mod disk;
mod mesh;
mod net;
mod node;
mod oracle;
mod pair;
mod random;
