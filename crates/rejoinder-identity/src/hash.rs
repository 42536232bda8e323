//! H, the one hash of the project: SHA-256, separated by kind, its parts delimited by length.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base32;

/// A value of [`hash`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The first 16 bytes, for ids of that size.
    pub fn first_half(&self) -> [u8; 16] {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0[..16]);
        half
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        base32::print(&self.0, f)
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// H: SHA-256 over `"rejoinder/<kind>/1\0"`, then each part after its length (u32 little-endian).
///
/// Two kinds never share a value, and neither do two ways of cutting the same bytes into parts.
///
/// # Panics
///
/// When a part is 4 GiB or longer; everything that is hashed here is bounded far below.
pub fn hash(kind: &str, parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(b"rejoinder/");
    hasher.update(kind.as_bytes());
    hasher.update(b"/1\0");
    for part in parts {
        let length = u32::try_from(part.len()).expect("a hashed part is shorter than 4 GiB");
        hasher.update(length.to_le_bytes());
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        // Made with `printf 'rejoinder/test/1\0\x02\0\0\0ab\0\0\0\0' | sha256sum`.
        let Hash(bytes) = hash("test", &[b"ab", b""]);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, "10c27d92302427494cfd39c0890360794ed70869da28f8a5ee0fa85e01f37fe6");
    }

    #[test]
    fn kinds_and_cuts_are_separate() {
        assert_ne!(hash("a", &[b"bc"]), hash("ab", &[b"c"]));
        assert_ne!(hash("a", &[b"bc", b""]), hash("a", &[b"b", b"c"]));
        assert_ne!(hash("a", &[]), hash("a", &[b""]));
    }
}
