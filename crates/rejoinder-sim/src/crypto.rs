//! The cryptography of simulated links: real, except that its randomness follows from the world's
//! seed. So not only the sizes and times of packets are the same in every run, but also their
//! bytes.
//!
//! rustls wants a `'static` source of randomness, so the source is thread-local, and each world has
//! its own thread. ring makes key shares from the operating system's randomness alone, so here they
//! are made with `x25519-dalek`.

use std::{cell::RefCell, sync::Arc};

use rustls::{
    Error, NamedGroup, PeerMisbehaved,
    crypto::{
        ActiveKeyExchange, CryptoProvider, GetRandomFailed, SecureRandom, SharedSecret,
        SupportedKxGroup, ring,
    },
};

use crate::draws::Draws;

thread_local! {
    static DRAWS: RefCell<Option<Draws>> = const { RefCell::new(None) };
}

/// Begins a world on this thread.
pub(crate) fn begin(seed: u64) {
    DRAWS.set(Some(Draws::new(seed, "cryptography")));
}

/// Returns the provider that every endpoint of a world uses.
pub(crate) fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        secure_random: &Seeded,
        kx_groups: vec![&Seeded],
        ..ring::default_provider()
    })
}

fn draw(bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
    DRAWS
        .with_borrow_mut(|draws| draws.as_mut().map(|draws| draws.fill(bytes)))
        .ok_or(GetRandomFailed)
}

#[derive(Debug)]
struct Seeded;

impl SecureRandom for Seeded {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), GetRandomFailed> {
        draw(bytes)
    }
}

impl SupportedKxGroup for Seeded {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut secret = [0; 32];
        draw(&mut secret)?;
        let public = x25519_dalek::x25519(secret, x25519_dalek::X25519_BASEPOINT_BYTES);
        Ok(Box::new(KeyShare { secret, public }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

struct KeyShare {
    secret: [u8; 32],
    public: [u8; 32],
}

impl ActiveKeyExchange for KeyShare {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let peer = peer.try_into().map_err(|_| PeerMisbehaved::InvalidKeyShare)?;
        let shared = x25519_dalek::x25519(self.secret, peer);
        if shared == [0; 32] {
            return Err(PeerMisbehaved::InvalidKeyShare.into());
        }
        Ok(SharedSecret::from(&shared[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}
