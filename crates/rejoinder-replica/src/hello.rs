//! The first message on a link: which run of which home this is, and the
//! address cards they know.

use rejoinder_identity::{DecodeError, Incarnation, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};

use crate::limits;

/// The first thing each side of a link says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the frames that follow.
    pub version: u16,
    /// The run of the home. A link belongs to (device, incarnation).
    pub incarnation: Incarnation,
    /// Signed address cards: the own one, and those of other members.
    pub cards: Vec<Vec<u8>>,
}

impl Hello {
    /// The version of this release.
    pub const VERSION: u16 = 1;

    /// As it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// As it came.
    ///
    /// # Errors
    ///
    /// It is broken, too large, or of a version that this release doesn't speak.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() > limits::HELLO {
            return Err(DecodeError::new("hello", "too large"));
        }
        // What follows may be laid out in another way in another version.
        let version: u16 = from_bytes("hello", bytes)?;
        if version != Self::VERSION {
            return Err(DecodeError::new("hello", format!("the peer speaks version {version}")));
        }
        from_bytes("hello", bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden_and_back() {
        let hello = Hello { version: 1, incarnation: Incarnation([7; 16]), cards: vec![vec![1]] };
        let bytes = hello.to_bytes();
        assert_eq!(bytes, [&[1][..], &[7; 16], &[1, 1, 1]].concat());
        assert_eq!(Hello::from_bytes(&bytes), Ok(hello));
        assert!(Hello::from_bytes(&bytes[..9]).is_err());
        assert!(Hello::from_bytes(&[9; 20]).unwrap_err().to_string().contains("version 9"));
    }
}
