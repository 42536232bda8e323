//! Replicas without a network or a disk: a seeded loop hands their frames, writes and reads to and
//! fro, cuts links and crashes them.

#![expect(clippy::unwrap_used, reason = "a test says by failing where it is")]

mod counted;
mod hostile;
mod hostile_bytes;
mod introduced;
mod model;
mod rot;
mod saved;
mod story;
mod waits;
mod world;
