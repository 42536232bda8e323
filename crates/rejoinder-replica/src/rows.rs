//! A replica's state in the tables: the keys and values of every row.
//!
//! Numbers in keys are big-endian, so that rows come back in their order.

use rejoinder_identity::{
    ActorId, DecodeError, DocumentId, Hint, OpeningId, PeerId, ProposalId, SecretKey, Tip,
    WorkspaceId, from_bytes, to_bytes,
};
use serde::{Deserialize, Serialize};

/// `Meta`: this device's name and the counter of its address card.
pub(crate) const DEVICE: &[u8] = b"device";

const WORKSPACE: &[u8] = b"workspace/";

/// `Meta`, without values: for a workspace, that this home notes which outcomes its program has
/// not taken; for a workspace and an opening, that this is one. Homes of earlier releases have
/// none of them.
const UNTOLD: &[u8] = b"untold/";

/// The home's own row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeviceRow {
    pub(crate) name: String,
    pub(crate) card_counter: u64,
}

/// `Meta`: a workspace of this home.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WorkspaceRow {
    /// The seed of the root key, in the home that made the workspace.
    pub(crate) root: Option<[u8; 32]>,
    /// The devices that the ticket named.
    pub(crate) hints: Vec<Hint>,
    /// The signed join that was asked with.
    pub(crate) join: Option<Vec<u8>>,
}

impl WorkspaceRow {
    pub(crate) fn root_key(&self) -> Option<SecretKey> {
        self.root.map(SecretKey::from_seed)
    }
}

/// `VersionVectors`: the last stored change of an actor, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct VersionRow {
    pub(crate) author: PeerId,
    pub(crate) tip: Tip,
}

/// `Proposals`: a proposal or join that no record has answered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposalRow {
    /// When it was durably received, among the others of this home: a counter.
    pub(crate) arrival: u64,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) fn workspace_key(workspace: &WorkspaceId) -> Vec<u8> {
    [WORKSPACE, &workspace.0].concat()
}

pub(crate) fn workspace_of_key(key: &[u8]) -> Option<WorkspaceId> {
    key.strip_prefix(WORKSPACE)?.try_into().ok().map(WorkspaceId)
}

pub(crate) fn notes_untold_key(workspace: &WorkspaceId) -> Vec<u8> {
    [UNTOLD, &workspace.0].concat()
}

pub(crate) fn untold_key(workspace: &WorkspaceId, opening: &OpeningId) -> Vec<u8> {
    [UNTOLD, &workspace.0, &opening.0].concat()
}

/// The workspace, and the opening unless it is the row of the workspace alone.
pub(crate) fn untold_of_key(key: &[u8]) -> Option<(WorkspaceId, Option<OpeningId>)> {
    let (workspace, opening) = key.strip_prefix(UNTOLD)?.split_first_chunk()?;
    let opening = match opening {
        [] => None,
        opening => Some(OpeningId(opening.try_into().ok()?)),
    };
    Some((WorkspaceId(*workspace), opening))
}

pub(crate) fn record_key(workspace: &WorkspaceId, place: u64) -> Vec<u8> {
    [&workspace.0[..], &place.to_be_bytes()].concat()
}

pub(crate) fn record_place_of_key(key: &[u8]) -> Option<(WorkspaceId, u64)> {
    let (workspace, place) = key.split_first_chunk()?;
    Some((WorkspaceId(*workspace), u64::from_be_bytes(place.try_into().ok()?)))
}

/// Envelopes lie in the order in which this home admitted them, so that a document is rebuilt in
/// one pass.
pub(crate) fn envelope_key(document: &DocumentId, place: u64) -> Vec<u8> {
    [&document.0[..], &place.to_be_bytes()].concat()
}

pub(crate) fn envelope_place_of_key(key: &[u8]) -> Option<u64> {
    let (_document, place) = key.split_first_chunk::<32>()?;
    Some(u64::from_be_bytes(place.try_into().ok()?))
}

pub(crate) fn version_key(document: &DocumentId, actor: &ActorId) -> Vec<u8> {
    [&document.0[..], &actor.0].concat()
}

pub(crate) fn version_of_key(key: &[u8]) -> Option<(DocumentId, ActorId)> {
    let (document, actor) = key.split_first_chunk()?;
    Some((DocumentId(*document), ActorId(actor.try_into().ok()?)))
}

pub(crate) fn proposal_key(workspace: &WorkspaceId, proposal: &ProposalId) -> Vec<u8> {
    [workspace.0, proposal.0].concat()
}

pub(crate) fn proposal_of_key(key: &[u8]) -> Option<(WorkspaceId, ProposalId)> {
    let (workspace, proposal) = key.split_first_chunk()?;
    Some((WorkspaceId(*workspace), ProposalId(proposal.try_into().ok()?)))
}

pub(crate) fn card_key(device: &PeerId) -> Vec<u8> {
    device.0.to_vec()
}

pub(crate) fn value<T: Serialize>(row: &T) -> Vec<u8> {
    to_bytes(row)
}

pub(crate) fn row<T: for<'de> Deserialize<'de>>(
    what: &'static str,
    bytes: &[u8],
) -> Result<T, DecodeError> {
    from_bytes(what, bytes)
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::ChangeHash;

    use super::*;

    #[test]
    fn keys_sort_by_place_and_read_back() {
        let (workspace, document) = (WorkspaceId([1; 32]), DocumentId([2; 32]));
        assert!(record_key(&workspace, 255) < record_key(&workspace, 256));
        let key = record_key(&workspace, 7);
        assert_eq!(record_place_of_key(&key), Some((workspace, 7)));
        assert_eq!(envelope_place_of_key(&envelope_key(&document, 9)), Some(9));
        assert_eq!(workspace_of_key(&workspace_key(&workspace)), Some(workspace));
        assert_eq!(workspace_of_key(DEVICE), None);
        let key = untold_key(&workspace, &OpeningId([5; 32]));
        assert_eq!(key, [&b"untold/"[..], &[1; 32], &[5; 32]].concat());
        assert_eq!(untold_of_key(&key), Some((workspace, Some(OpeningId([5; 32])))));
        assert_eq!(untold_of_key(&notes_untold_key(&workspace)), Some((workspace, None)));
        assert_eq!(untold_of_key(&key[..70]), None);
        let version_vector = version_key(&document, &ActorId([3; 16]));
        assert_eq!(version_of_key(&version_vector), Some((document, ActorId([3; 16]))));
        let proposal = proposal_key(&workspace, &ProposalId([4; 32]));
        assert_eq!(proposal_of_key(&proposal), Some((workspace, ProposalId([4; 32]))));
        assert_eq!(record_place_of_key(b"short"), None);
    }

    #[test]
    fn golden() {
        let row = VersionRow {
            author: PeerId([1; 32]),
            tip: Tip { seq: 300, hash: ChangeHash([2; 32]) },
        };
        let bytes = [&[1; 32][..], &[0xac, 2], &[2; 32]].concat();
        assert_eq!(value(&row), bytes);
        let row = WorkspaceRow { root: Some([3; 32]), hints: vec![], join: None };
        assert_eq!(value(&row), [&[1][..], &[3; 32], &[0, 0]].concat());
        let row = ProposalRow { arrival: 1, bytes: vec![9, 9] };
        assert_eq!(value(&row), [1, 2, 9, 9]);
        let row = DeviceRow { name: "a".into(), card_counter: 2 };
        assert_eq!(value(&row), [1, b'a', 2]);
    }
}
