//! End to end: real sockets, real disks, real processes and terminals, and the map of the house.

#![expect(clippy::unwrap_used, reason = "a test says by failing where it is")]

mod bad_input;
mod examples;
#[cfg(target_os = "linux")]
mod full_disk;
mod handed_over;
mod joining;
mod killed;
mod layers;
mod main_job;
mod map;
mod process;
#[cfg(unix)]
mod pty;
mod shared_machine;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod typing;
