//! A device asks to become a member.

use rejoinder_identity::{
    Kind, Nonce, PeerId, ProposalId, SecretKey, Signable, Verified, WorkspaceId,
};
use serde::{Deserialize, Serialize};

use crate::{
    checked::Checked,
    limits,
    proposal::{NotInOrder, within},
};

/// A device's request to become a member, signed by the device. Every member carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Join {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The device; the signer.
    pub device: PeerId,
    /// The name to show beside it.
    pub name: String,
    /// The public key of the invite that it holds.
    pub invite: PeerId,
    /// A random number, so that asking again is another join.
    pub nonce: Nonce,
    /// The signed [`Invitation`] over the same.
    pub invitation: Vec<u8>,
}

impl Signable for Join {
    const KIND: Kind = Kind::Join;
}

/// Proves that the device holds the invite's key: signed with it, over the content of the join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The device that is vouched for.
    pub device: PeerId,
    /// Its name.
    pub name: String,
    /// The join's nonce.
    pub nonce: Nonce,
}

impl Signable for Invitation {
    const KIND: Kind = Kind::Invitation;
}

impl Checked<Join> {
    /// Checks what a peer sent: both signatures, over the same.
    ///
    /// # Errors
    ///
    /// [`NotInOrder`] says what is wrong with the sender.
    pub fn read(bytes: &[u8], workspace: &WorkspaceId) -> Result<Self, NotInOrder> {
        within(bytes, limits::JOIN)?;
        let verified = Verified::<Join>::from_bytes(bytes).map_err(NotInOrder::Signature)?;
        let join = verified.value();
        if join.workspace != *workspace {
            return Err(NotInOrder::Elsewhere { workspace: join.workspace });
        }
        if join.device != verified.signer() {
            return Err(NotInOrder::NotTheAuthor { signer: verified.signer() });
        }
        let invitation =
            Verified::<Invitation>::from_bytes(&join.invitation).map_err(NotInOrder::Signature)?;
        let same = Invitation {
            workspace: join.workspace,
            device: join.device,
            name: join.name.clone(),
            nonce: join.nonce,
        };
        if invitation.signer() != join.invite || *invitation.value() != same {
            return Err(NotInOrder::NotTheAuthor { signer: invitation.signer() });
        }
        within(join.name.as_bytes(), limits::NAME)?;
        Ok(Self::by_us(verified))
    }

    /// Asks for membership with an invite's key.
    ///
    /// # Errors
    ///
    /// The name is above the limit.
    pub fn sign(
        device: &SecretKey,
        invite: &SecretKey,
        workspace: WorkspaceId,
        name: &str,
        nonce: Nonce,
    ) -> Result<Self, NotInOrder> {
        within(name.as_bytes(), limits::NAME)?;
        let invitation =
            Invitation { workspace, device: device.public(), name: name.to_owned(), nonce };
        let join = Join {
            workspace,
            device: device.public(),
            name: name.to_owned(),
            invite: invite.public(),
            nonce,
            invitation: Verified::sign(invite, invitation).bytes().to_vec(),
        };
        Ok(Self::by_us(Verified::sign(device, join)))
    }

    /// Its name.
    pub fn proposal_id(&self) -> ProposalId {
        self.id().into()
    }
}
