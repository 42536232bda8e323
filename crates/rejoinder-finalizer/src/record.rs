//! The records of a log and their bytes.
//!
//! A body is written as its kind and its bytes, so that a release that does not know a kind keeps
//! the record, forwards it and goes on.

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::{
    Kind, OpeningId, PeerId, ProposalId, RecordId, Role, Signable, Timestamp, WorkspaceId,
    from_bytes, to_bytes,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    refusal::Refusal,
    request::TurnEnd,
    settle::{DisplacedAnswer, Embedded},
};

/// One entry of a workspace's log, signed by the host of its epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The epoch under whose certificate it is signed.
    pub epoch: u64,
    /// Its place in the log, from 0. It goes on over epochs.
    pub seq: u64,
    /// The record before it; [`RecordId::NONE`] for the first.
    pub prev: RecordId,
    /// The time, by the host's clock. Nothing is decided by it.
    pub at: Timestamp,
    /// Its content.
    pub body: Body,
}

impl Signable for Record {
    const KIND: Kind = Kind::Record;
}

/// The content of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "BodyBytes", into = "BodyBytes")]
pub enum Body {
    /// A host started; the first record of each epoch.
    EpochStarted(EpochStarted),
    /// A ticket may be used.
    InviteIssued(InviteIssued),
    /// A device is a member.
    MemberAdded(MemberAdded),
    /// The host published an AHP action.
    Published(Published),
    /// A request was raised, or raised again while open.
    Raised(Raised),
    /// A request was completed.
    Decided(Decided),
    /// A proposal was refused.
    Refused(Refused),
    /// A turn ended, or was truncated away.
    TurnEnded(TurnEnded),
    /// A kind of a later release, or one that can't be read: kept, and skipped by the fold.
    Unknown {
        /// Its kind.
        kind: u16,
        /// Its bytes.
        bytes: Vec<u8>,
    },
}

/// See [`Body::EpochStarted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochStarted {
    /// The signed [`EpochCertificate`](crate::EpochCertificate).
    pub certificate: Vec<u8>,
    /// The host's name: the certificate makes it a member, so nobody else introduces it.
    pub name: String,
}

/// See [`Body::InviteIssued`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InviteIssued {
    /// The invite's public key.
    pub invite: PeerId,
    /// The number of devices that it may bring in.
    pub seats: u16,
    /// The time at which the host stops honouring it, by the host's clock.
    pub expires: Timestamp,
    /// The role of those who join.
    pub role: Role,
    /// Whether a person is asked about each of them.
    pub approve: bool,
}

/// See [`Body::MemberAdded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberAdded {
    /// The device.
    pub device: PeerId,
    /// The name to show beside it.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// The invite whose seat it takes; `None` if the device was a member before.
    pub invite: Option<PeerId>,
    /// The join that this answers.
    pub join: ProposalId,
}

/// See [`Body::Published`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// AHP's URI of the chat or session.
    pub channel: String,
    /// The action's JSON, verbatim.
    pub action: String,
    /// The member who proposed it; `None` if it is the host's own.
    pub origin: Option<PeerId>,
    /// The proposal that it grants.
    pub grants: Option<ProposalId>,
}

/// See [`Body::Raised`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Raised {
    /// The open request of which this is the next revision; `None` if this opens one. The document
    /// of an opening follows from the record's place, see
    /// [`DocumentId::of_opening`](rejoinder_identity::DocumentId::of_opening).
    pub opening: Option<OpeningId>,
    /// AHP's `ChatInputRequest` as JSON, without `answers`.
    pub request: String,
    /// The change that makes the document's objects for this revision. It carries the answers
    /// that the request came with.
    pub skeleton: Vec<u8>,
    /// Whether an accept that displaces an answer is refused.
    pub strict: bool,
}

/// See [`Body::Decided`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The request.
    pub opening: OpeningId,
    /// The revision that was completed.
    pub revision: u32,
    /// Accept, decline or cancel.
    #[serde(with = "crate::response")]
    pub response: ChatInputResponseKind,
    /// The member whose completion won.
    pub by: PeerId,
    /// The proposal that it grants.
    pub proposal: ProposalId,
    /// The answers that the part always shows from now on.
    pub embedded: Embedded,
    /// Answers that the proposer overruled without having seen them.
    pub displaced: Vec<DisplacedAnswer>,
}

/// See [`Body::Refused`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The proposal, or the join.
    pub proposal: ProposalId,
    /// Its author.
    pub author: PeerId,
    /// The reason. One of a later release reads as [`Refusal::Other`].
    #[serde(with = "crate::refusal::wire")]
    pub reason: Refusal,
}

/// See [`Body::TurnEnded`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnEnded {
    /// AHP's URI of the chat.
    pub channel: String,
    /// The action's JSON, verbatim.
    pub action: String,
    /// The way it ended. It tells an expiry from a cancel, which are the same action.
    pub how: TurnEnd,
    /// The answers that each request which was open shows from now on.
    pub requests: Vec<EndedRequest>,
    /// The member who proposed it; `None` if it is the host's own.
    pub origin: Option<PeerId>,
    /// The proposal that it grants.
    pub grants: Option<ProposalId>,
}

/// One request that was open when its turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndedRequest {
    /// The request.
    pub opening: OpeningId,
    /// The answers that it shows.
    pub embedded: Embedded,
}

#[derive(Serialize, Deserialize)]
struct BodyBytes {
    kind: u16,
    bytes: Vec<u8>,
}

impl From<Body> for BodyBytes {
    fn from(body: Body) -> Self {
        let (kind, bytes) = match body {
            Body::EpochStarted(body) => (1, to_bytes(&body)),
            Body::InviteIssued(body) => (2, to_bytes(&body)),
            Body::MemberAdded(body) => (3, to_bytes(&body)),
            Body::Published(body) => (4, to_bytes(&body)),
            Body::Raised(body) => (5, to_bytes(&body)),
            Body::Decided(body) => (6, to_bytes(&body)),
            Body::Refused(body) => (7, to_bytes(&body)),
            Body::TurnEnded(body) => (8, to_bytes(&body)),
            Body::Unknown { kind, bytes } => (kind, bytes),
        };
        Self { kind, bytes }
    }
}

impl From<BodyBytes> for Body {
    fn from(BodyBytes { kind, bytes }: BodyBytes) -> Self {
        fn read<T: DeserializeOwned>(bytes: &[u8], known: fn(T) -> Body) -> Option<Body> {
            from_bytes("record body", bytes).ok().map(known)
        }
        let body = match kind {
            1 => read(&bytes, Body::EpochStarted),
            2 => read(&bytes, Body::InviteIssued),
            3 => read(&bytes, Body::MemberAdded),
            4 => read(&bytes, Body::Published),
            5 => read(&bytes, Body::Raised),
            6 => read(&bytes, Body::Decided),
            7 => read(&bytes, Body::Refused),
            8 => read(&bytes, Body::TurnEnded),
            _ => None,
        };
        body.unwrap_or(Body::Unknown { kind, bytes })
    }
}
