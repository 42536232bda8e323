//! Every id that is made of bytes. They print and parse as lower-case base32 without padding.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    base32,
    hash::{Hash, hash},
};

/// A text that is not an id: it has the wrong length or a foreign character.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a {what}: expected lower-case base32")]
pub struct ParseIdError {
    what: &'static str,
}

macro_rules! byte_ids {
    ($($(#[$doc:meta])* $name:ident($length:literal), $what:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub [u8; $length]);

        impl $name {
            /// Its bytes.
            pub fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                base32::print(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                base32::read(text).map(Self).ok_or(ParseIdError { what: $what })
            }
        }
    )*};
}

byte_ids! {
    /// A device, here or remote: its Ed25519 public key.
    PeerId(32), "peer id";
    /// A workspace: H("workspace", the owner's root public key).
    WorkspaceId(32), "workspace id";
    /// The document that holds the answers of one opening.
    DocumentId(32), "document id";
    /// A record of a log: H("record", its body).
    RecordId(32), "record id";
    /// A request, under a name that is never used again: the id of the record that raised it first.
    OpeningId(32), "opening id";
    /// A member's proposal, or a device's join: H of its body.
    ProposalId(32), "proposal id";
    /// A change of an Automerge document: Automerge's own hash of it.
    ChangeHash(32), "change hash";
    /// One run of one opened home. A later run never uses it again.
    Incarnation(16), "incarnation";
    /// A writer in an Automerge document: one incarnation of one device, in that document alone.
    ActorId(16), "actor id";
    /// A random number that tells apart two proposals which say the same.
    Nonce(16), "nonce";
}

impl WorkspaceId {
    /// The workspace whose epochs `root`, the owner's public key, certifies.
    pub fn of_root(root: &PeerId) -> Self {
        Self(hash("workspace", &[&root.0]).0)
    }
}

impl RecordId {
    /// The predecessor that the first record of a log names.
    pub const NONE: Self = Self([0; 32]);

    /// The request that this record opened.
    pub fn as_opening(self) -> OpeningId {
        OpeningId(self.0)
    }
}

impl DocumentId {
    /// The document of the opening that the host is about to write at this place of its log.
    ///
    /// Not the opening record's own hash: that covers the skeleton, which names the document.
    pub fn of_opening(
        workspace: &WorkspaceId,
        epoch: u64,
        incarnation: &Incarnation,
        seq: u64,
        prev: &RecordId,
    ) -> Self {
        Self(
            hash(
                "document",
                &[&workspace.0, &epoch.to_le_bytes(), &incarnation.0, &seq.to_le_bytes(), &prev.0],
            )
            .0,
        )
    }
}

impl ActorId {
    /// The actor as which one incarnation of a device writes in a document.
    ///
    /// A cloned disk or a restored backup opens its home as another incarnation, so it writes as
    /// somebody new and Automerge's "duplicate seq" can't arise.
    pub fn of_author(device: &PeerId, document: &DocumentId, incarnation: &Incarnation) -> Self {
        Self(hash("actor", &[&device.0, &document.0, &incarnation.0]).first_half())
    }

    /// The actor of a request's structure at one revision.
    pub fn of_skeleton(document: &DocumentId, revision: u32) -> Self {
        Self(hash("skeleton", &[&document.0, &revision.to_le_bytes()]).first_half())
    }

    /// The first four bytes in hexadecimal, as a mark's `n` spells them.
    pub fn short_hex(&self) -> String {
        self.0[..4].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl PeerId {
    /// The first eight characters: enough to tell members apart when names look alike.
    pub fn short(&self) -> String {
        self.to_string()[..8].to_owned()
    }
}

impl From<Hash> for RecordId {
    fn from(hash: Hash) -> Self {
        Self(hash.0)
    }
}

impl From<Hash> for ProposalId {
    fn from(hash: Hash) -> Self {
        Self(hash.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn print_and_parse() {
        let id = PeerId([0xab; 32]);
        let text = id.to_string();
        assert_eq!(text, "vov2xk5lvov2xk5lvov2xk5lvov2xk5lvov2xk5lvov2xk5lvovq");
        assert_eq!(text.parse(), Ok(id));
        assert_eq!(text.to_uppercase().parse(), Ok(id));
        assert!("vov2xk5".parse::<PeerId>().is_err());
        assert!("".parse::<PeerId>().is_err());
        assert!("é".parse::<PeerId>().is_err());
    }

    #[test]
    fn golden() {
        let workspace = WorkspaceId::of_root(&PeerId([1; 32]));
        let incarnation = Incarnation([2; 16]);
        let document = DocumentId::of_opening(&workspace, 3, &incarnation, 4, &RecordId::NONE);
        let actor = ActorId::of_author(&PeerId([5; 32]), &document, &incarnation);
        let skeleton = ActorId::of_skeleton(&document, 1);
        assert_eq!(
            [workspace.to_string(), document.to_string(), actor.to_string(), skeleton.to_string()],
            [
                "goadxkjfvfsawxnxz3dkipwqgluqqzh3xdu3ct4thuea2lgequta",
                "ibqrqxvrqaihrwgdk5wqe5mimbme6igjysrhacv4emtpexl4ysaa",
                "jo75e5zj4sdxh3k3ejdsppmmbq",
                "65fex2fxaqzg2vj4forhkuezu4",
            ]
        );
        assert_eq!(ActorId([0xa1; 16]).short_hex(), "a1a1a1a1");
    }
}
