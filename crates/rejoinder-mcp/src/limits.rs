//! The limits of this crate.

/// The `$ref`, `anyOf` and the like that are followed for one property. Pydantic nests two; more
/// than this is a cycle.
pub const INDIRECTIONS: usize = 8;

/// The largest whole number that every JSON reader keeps exactly: 2^53 - 1.
pub const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

/// How often one call may be made again because its server needs something first. Each time a
/// person has answered; more than this is a server that goes in circles.
pub const ROUNDS: usize = 16;

/// Elicitations that are kept as tasks; the oldest of those that are over goes first.
pub const TASKS: usize = 256;

/// Characters of a server's or a tool's name that people are shown.
pub const NAME: usize = 64;
