//! The limits of this crate.

/// The `$ref`, `anyOf` and the like that are followed for one property. Pydantic nests two; more
/// than this is a cycle.
pub const INDIRECTIONS: usize = 8;

/// The largest whole number that every JSON reader keeps exactly: 2^53 - 1.
pub const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;
