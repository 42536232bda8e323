//! The parts of an endpoint, all given from outside so that a simulation can replace them.

use std::{fmt, sync::Arc};

use rejoinder_identity::{PeerId, SecretKey};
use rustls::crypto::CryptoProvider;

/// Says whether a device may link: asked once for each that arrives, inside its handshake.
pub type Accepts = Arc<dyn Fn(&PeerId) -> bool + Send + Sync>;

/// The parts of an endpoint.
pub struct Config {
    /// The device's key.
    pub key: SecretKey,
    /// 32 random bytes for this run: quinn's choices follow from it.
    pub seed: [u8; 32],
    /// The socket.
    pub socket: Arc<dyn quinn::AsyncUdpSocket>,
    /// Runs quinn's tasks and timers.
    pub runtime: Arc<dyn quinn::Runtime>,
    /// The cryptography; rustls' ring provider if `None`. A simulation gives one with seeded
    /// randomness where it compares packets byte for byte.
    pub crypto: Option<Arc<CryptoProvider>>,
    /// Decides who may link.
    pub accepts: Accepts,
    /// The wall clock, for the age of the tokens that prove an address.
    pub time_source: Arc<dyn quinn::TimeSource>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("key", &self.key)
            .field("socket", &self.socket)
            .finish_non_exhaustive()
    }
}
