//! Epoch certificates: the root key lets a device write the log, once for each start of a host.

use rejoinder_identity::{
    BadSignature, Incarnation, Kind, PeerId, RecordId, Signable, Verified, WorkspaceId,
};
use serde::{Deserialize, Serialize};

/// Lets a device write one epoch of a workspace's log. The root key signs it, and the workspace's
/// id is the hash of that key, so the id is enough to check it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpochCertificate {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The epoch. The highest wins.
    pub epoch: u64,
    /// The device that writes it.
    pub host: PeerId,
    /// The last record that stays in force. Records of older epochs beyond it are void.
    pub head: RecordId,
    /// The run of the host that writes it.
    pub incarnation: Incarnation,
}

impl Signable for EpochCertificate {
    const KIND: Kind = Kind::EpochCertificate;
}

/// Why a certificate is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCertificate {
    /// It is not signed, or can't be read.
    #[error(transparent)]
    Signature(BadSignature),
    /// It was signed by a key that is not the workspace's root.
    #[error("{signer} is not the workspace's root key")]
    NotRoot {
        /// The signer.
        signer: PeerId,
    },
    /// It is for another workspace, epoch, device or place than the record that carries it.
    #[error("it names another {0} than its record")]
    Mismatch(&'static str),
}

impl EpochCertificate {
    /// Verifies a certificate from the workspace's id alone.
    pub(crate) fn verify(bytes: &[u8], workspace: &WorkspaceId) -> Result<Self, BadCertificate> {
        let verified = Verified::<Self>::from_bytes(bytes).map_err(BadCertificate::Signature)?;
        if WorkspaceId::of_root(&verified.signer()) != *workspace {
            return Err(BadCertificate::NotRoot { signer: verified.signer() });
        }
        if verified.value().workspace != *workspace {
            return Err(BadCertificate::Mismatch("workspace"));
        }
        Ok(verified.value().clone())
    }
}
