//! Ed25519 secret keys: a device's, an invite's, a workspace's root.

use std::fmt;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::{hash::Hash, id::PeerId};

/// A secret key. It is wiped from memory when dropped and never printed.
#[derive(Clone)]
pub struct SecretKey {
    signing: SigningKey,
}

impl SecretKey {
    /// The key that these 32 random bytes are.
    pub fn from_seed(seed: [u8; 32]) -> Self {
        let seed = Zeroizing::new(seed);
        Self { signing: SigningKey::from_bytes(&seed) }
    }

    /// The 32 bytes that make the key again.
    pub fn seed(&self) -> Zeroizing<[u8; 32]> {
        Zeroizing::new(self.signing.to_bytes())
    }

    /// The public half.
    pub fn public(&self) -> PeerId {
        PeerId(self.signing.verifying_key().to_bytes())
    }

    pub(crate) fn sign(&self, message: &Hash) -> [u8; 64] {
        self.signing.sign(&message.0).to_bytes()
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey of {}", self.public())
    }
}

impl PeerId {
    /// Whether this key's holder signed `message`, by the strict rules: no small-order keys, no
    /// second encodings.
    pub(crate) fn signed(&self, message: &Hash, signature: &[u8; 64]) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(&message.0, &signature).is_ok())
    }
}
