//! The one encoding of everything that is signed, stored or sent: postcard.
//!
//! Trailing bytes are allowed when reading, so that a later release may add fields at the end of a
//! struct; a peer that forwards keeps the bytes it got and never encodes again.

use std::fmt;

use serde::{Serialize, de::DeserializeOwned};

/// These bytes are not what they were said to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot read {what}: {why}")]
pub struct DecodeError {
    what: &'static str,
    why: String,
}

impl DecodeError {
    /// `what` could not be read because of `why`.
    pub fn new(what: &'static str, why: impl fmt::Display) -> Self {
        Self { what, why: why.to_string() }
    }
}

/// Encodes a value.
///
/// # Panics
///
/// Never for the types of this project: postcard fails only on sequences and maps of unknown
/// length, and on a full buffer; ours have lengths and the buffer grows.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("every sequence of ours knows its length")
}

/// Decodes a value from the start of `bytes`; what follows it belongs to a later release.
///
/// # Errors
///
/// The bytes are too short or say something impossible. `what` is named in the error.
pub fn from_bytes<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, DecodeError> {
    postcard::take_from_bytes(bytes)
        .map(|(value, _later)| value)
        .map_err(|error| DecodeError::new(what, error))
}
