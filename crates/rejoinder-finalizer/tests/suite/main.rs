//! The finalizer from outside: a host, its members, and documents that are faked.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test looks for one thing")]
#![expect(unreachable_pub, reason = "a test binary has no outside")]

mod completions;
mod exhaustive;
mod faulty;
mod golden;
mod host;
mod joining;
mod limits;
mod log;
mod model;
mod properties;
mod proposals;
mod refusals;
mod world;
