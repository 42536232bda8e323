//! A check that happened, as a value.

use std::sync::Arc;

use rejoinder_identity::{Hash, PeerId, Verified};

/// A record, proposal or join that passed its checks. Only the checks of this crate make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(Verified<T>);

impl<T> Checked<T> {
    pub(crate) fn by_us(verified: Verified<T>) -> Self {
        Self(verified)
    }

    /// The signed value.
    pub fn value(&self) -> &T {
        self.0.value()
    }

    /// H(kind, body).
    pub fn id(&self) -> Hash {
        self.0.id()
    }

    /// The signer.
    pub fn signer(&self) -> PeerId {
        self.0.signer()
    }

    /// The whole frame as it came, which is stored and forwarded.
    pub fn bytes(&self) -> &Arc<[u8]> {
        self.0.bytes()
    }

    pub(crate) fn into_verified(self) -> Verified<T> {
        self.0
    }
}
