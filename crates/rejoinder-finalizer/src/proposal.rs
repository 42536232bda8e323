//! Proposals: members ask the host to do something.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::{
    BadSignature, Kind, Nonce, OpeningId, PeerId, ProposalId, QuestionId, RecordId, SecretKey,
    Signable, TurnId, Verified, VersionVector, WorkspaceId, from_bytes, to_bytes,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{checked::Checked, limits};

/// A member's signed request to the host. Exactly one record answers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The author, who signs it. It stands in the body so that two authors never share an id.
    pub author: PeerId,
    /// A random number that tells apart proposals which say the same.
    pub nonce: Nonce,
    /// The state that its author had seen.
    pub seen: Seen,
    /// The thing to do.
    pub kind: ProposalKind,
}

impl Signable for Proposal {
    const KIND: Kind = Kind::Proposal;
}

/// The state that an author had seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The head of the log.
    pub log: RecordId,
    /// The changes of the request's document; empty if the proposal is about none.
    pub version_vector: VersionVector,
}

/// The things that a member may propose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "KindBytes", into = "KindBytes")]
pub enum ProposalKind {
    /// Complete a request.
    Complete(Complete),
    /// Start a turn.
    StartTurn(StartTurn),
    /// Cancel the active turn.
    CancelTurn {
        /// The turn, so that a late proposal does not cancel a later one.
        turn: TurnId,
    },
    /// Remove what follows a turn, and the active turn.
    Truncate {
        /// The last turn to keep; `None` removes all.
        turn: Option<TurnId>,
    },
    /// Resume a turn that failed.
    ResumeTurn {
        /// The turn.
        turn: TurnId,
    },
    /// Pending messages, read and archive marks, the title: an AHP action as it is.
    Action {
        /// AHP's URI of the chat or session.
        channel: String,
        /// The action's JSON.
        action: String,
    },
    /// A kind of a later release: carried, and refused by a host that does not know it.
    Unknown {
        /// Its kind.
        kind: u16,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// See [`ProposalKind::Complete`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complete {
    /// The request.
    pub opening: OpeningId,
    /// The revision that its author saw.
    pub revision: u32,
    /// Accept, decline or cancel.
    #[serde(with = "crate::response")]
    pub response: ChatInputResponseKind,
    /// Answers as JSON: with an accept those that its author saw on the screen.
    pub answers: BTreeMap<QuestionId, String>,
}

/// See [`ProposalKind::StartTurn`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartTurn {
    /// The turn's id, chosen by its author.
    pub turn: TurnId,
    /// AHP's `Message` as JSON.
    pub message: String,
    /// The queued message that it takes up.
    pub queued: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct KindBytes {
    kind: u16,
    bytes: Vec<u8>,
}

impl From<ProposalKind> for KindBytes {
    fn from(kind: ProposalKind) -> Self {
        let (kind, bytes) = match kind {
            ProposalKind::Complete(complete) => (1, to_bytes(&complete)),
            ProposalKind::StartTurn(start) => (2, to_bytes(&start)),
            ProposalKind::CancelTurn { turn } => (3, to_bytes(&turn)),
            ProposalKind::Truncate { turn } => (4, to_bytes(&turn)),
            ProposalKind::ResumeTurn { turn } => (5, to_bytes(&turn)),
            ProposalKind::Action { channel, action } => (6, to_bytes(&(channel, action))),
            ProposalKind::Unknown { kind, bytes } => (kind, bytes),
        };
        Self { kind, bytes }
    }
}

impl From<KindBytes> for ProposalKind {
    fn from(KindBytes { kind, bytes }: KindBytes) -> Self {
        fn read<T: DeserializeOwned>(
            bytes: &[u8],
            known: fn(T) -> ProposalKind,
        ) -> Option<ProposalKind> {
            from_bytes("proposal", bytes).ok().map(known)
        }
        let known = match kind {
            1 => read(&bytes, ProposalKind::Complete),
            2 => read(&bytes, ProposalKind::StartTurn),
            3 => read(&bytes, |turn| ProposalKind::CancelTurn { turn }),
            4 => read(&bytes, |turn| ProposalKind::Truncate { turn }),
            5 => read(&bytes, |turn| ProposalKind::ResumeTurn { turn }),
            6 => read(&bytes, |(channel, action)| ProposalKind::Action { channel, action }),
            _ => None,
        };
        known.unwrap_or(ProposalKind::Unknown { kind, bytes })
    }
}

/// Why bytes are not a proposal or a join of this workspace. Their sender misbehaves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotInOrder {
    /// Above the limit.
    #[error("{size} bytes, above {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// It is not signed, or can't be read.
    #[error(transparent)]
    Signature(BadSignature),
    /// It names another workspace.
    #[error("it is for the workspace {workspace}")]
    Elsewhere {
        /// That workspace.
        workspace: WorkspaceId,
    },
    /// It is signed by somebody other than the one it names, or the two signatures of a join are
    /// not over the same.
    #[error("{signer} signed in another's name")]
    NotTheAuthor {
        /// The signer.
        signer: PeerId,
    },
}

impl Checked<Proposal> {
    /// Checks what a peer sent. The log says whether its author is a member.
    ///
    /// # Errors
    ///
    /// [`NotInOrder`] says what is wrong with the sender.
    pub fn read(bytes: &[u8], workspace: &WorkspaceId) -> Result<Self, NotInOrder> {
        within(bytes, limits::PROPOSAL)?;
        let verified = Verified::<Proposal>::from_bytes(bytes).map_err(NotInOrder::Signature)?;
        if verified.value().workspace != *workspace {
            return Err(NotInOrder::Elsewhere { workspace: verified.value().workspace });
        }
        if verified.value().author != verified.signer() {
            return Err(NotInOrder::NotTheAuthor { signer: verified.signer() });
        }
        Ok(Self::by_us(verified))
    }

    /// Signs a proposal of this device.
    ///
    /// # Errors
    ///
    /// It is above the limit. `author` is set to the key's.
    pub fn sign(key: &SecretKey, mut proposal: Proposal) -> Result<Self, NotInOrder> {
        proposal.author = key.public();
        let verified = Verified::sign(key, proposal);
        within(verified.bytes(), limits::PROPOSAL)?;
        Ok(Self::by_us(verified))
    }

    /// Its name.
    pub fn proposal_id(&self) -> ProposalId {
        self.id().into()
    }
}

pub(crate) fn within(bytes: &[u8], limit: usize) -> Result<(), NotInOrder> {
    if bytes.len() > limit {
        return Err(NotInOrder::TooLarge { size: bytes.len(), limit });
    }
    Ok(())
}
