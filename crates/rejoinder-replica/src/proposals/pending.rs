//! A proposal or a join, checked, and why one may not wait here.

use std::sync::Arc;

use rejoinder_finalizer::{Checked, Join, NotInOrder, Proposal, Refusal};
use rejoinder_identity::{Kind, Nonce, PeerId, ProposalId, WorkspaceId};

/// Something that waits for the host.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub(crate) content: Content,
    /// Its place in the order in which this home durably received what waits.
    pub(crate) arrival: u64,
    pub(crate) stored: bool,
}

/// Its signed content.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Proposal(Box<Checked<Proposal>>),
    Join(Box<Checked<Join>>),
}

/// The reason why something that was sent is not carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotCarried {
    /// Broken or forged.
    NotInOrder(String),
    /// A record answers it.
    Answered,
    /// It is here.
    Known,
    /// Its author, or the invite that vouches for it, is not known here.
    Unknown(PeerId),
    /// There are too many of its kind.
    TooMany,
    /// A newer join of the same device waits here.
    Superseded,
    /// The log says already that its invite can't bring it in.
    NotGranted(Refusal),
}

impl Content {
    /// Reads and checks.
    pub(crate) fn read(bytes: &[u8], workspace: &WorkspaceId) -> Result<Self, NotCarried> {
        let broken = |error: NotInOrder| NotCarried::NotInOrder(error.to_string());
        if bytes.first() == Some(&(Kind::Join as u8)) {
            let join = Checked::<Join>::read(bytes, workspace).map_err(broken)?;
            return Ok(Self::Join(Box::new(join)));
        }
        let proposal = Checked::<Proposal>::read(bytes, workspace).map_err(broken)?;
        Ok(Self::Proposal(Box::new(proposal)))
    }

    pub(crate) fn id(&self) -> ProposalId {
        match self {
            Self::Proposal(proposal) => proposal.proposal_id(),
            Self::Join(join) => join.proposal_id(),
        }
    }

    /// The signer.
    pub(crate) fn author(&self) -> PeerId {
        match self {
            Self::Proposal(proposal) => proposal.signer(),
            Self::Join(join) => join.signer(),
        }
    }

    pub(crate) fn bytes(&self) -> &Arc<[u8]> {
        match self {
            Self::Proposal(proposal) => proposal.bytes(),
            Self::Join(join) => join.bytes(),
        }
    }
}

/// The order of a device's joins, the same everywhere: their nonces grow.
pub(super) fn newness(join: &Checked<Join>) -> (Nonce, ProposalId) {
    (join.value().nonce, join.proposal_id())
}
