//! A check that happened, as a value.

use std::sync::Arc;

use rejoinder_identity::{Hash, PeerId, Verified};

/// A record, proposal or join that was found to be in order. Only the checks of this crate make one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(Verified<T>);

impl<T> Checked<T> {
    pub(crate) fn by_us(verified: Verified<T>) -> Self {
        Self(verified)
    }

    /// What was signed.
    pub fn value(&self) -> &T {
        self.0.value()
    }

    /// H(kind, body).
    pub fn id(&self) -> Hash {
        self.0.id()
    }

    /// Who signed.
    pub fn signer(&self) -> PeerId {
        self.0.signer()
    }

    /// All of it as it came: what is stored and forwarded.
    pub fn bytes(&self) -> &Arc<[u8]> {
        self.0.bytes()
    }

    pub(crate) fn into_verified(self) -> Verified<T> {
        self.0
    }
}
