//! quinn's configuration, given everything that it would draw at random.
//!
//! Two kinds of bytes are given. Those from the *seed* are new in each run: the connection ids, and
//! the packet numbers that are skipped. Those from the *device's key* stay the same over restarts.
//! So a restarted device can tell the others, by a stateless reset, that their links with its last
//! run are gone; without that they wait for their idle timeouts.

use std::sync::{Arc, Mutex, PoisonError};

use quinn::{
    ConnectionId, ConnectionIdGenerator, EndpointConfig, IdleTimeout, NoneTokenStore, ServerConfig,
    TransportConfig, VarInt,
    crypto::rustls::{QuicClientConfig, QuicServerConfig},
};
use quinn_proto::InvalidCid;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};
use rejoinder_identity::hash;
use ring::{hkdf, hmac};

use crate::{config::Config, limits};

/// The settings that all connections of an endpoint share.
pub(crate) struct Settings {
    transport: Arc<TransportConfig>,
    token_key: Arc<hkdf::Prk>,
    time_source: Arc<dyn quinn::TimeSource>,
    first_ids: Arc<Mutex<ChaCha20Rng>>,
}

impl Settings {
    pub(crate) fn new(config: &Config) -> Self {
        let token_key = of_key("quic-token-key", config);
        Self {
            transport: Arc::new(transport()),
            token_key: Arc::new(hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&token_key)),
            time_source: Arc::clone(&config.time_source),
            first_ids: Arc::new(Mutex::new(rng("quic-first-ids", config))),
        }
    }

    pub(crate) fn server(&self, crypto: QuicServerConfig) -> ServerConfig {
        let token_key: Arc<hkdf::Prk> = Arc::clone(&self.token_key);
        let mut server = ServerConfig::new(Arc::new(crypto), token_key);
        server
            .transport_config(Arc::clone(&self.transport))
            .time_source(Arc::clone(&self.time_source))
            .migration(true)
            .max_incoming(limits::INCOMING)
            .incoming_buffer_size(limits::INCOMING_BYTES)
            .incoming_buffer_size_total(limits::INCOMING_BYTES_TOTAL);
        server
    }

    pub(crate) fn client(&self, crypto: QuicClientConfig) -> quinn::ClientConfig {
        let mut client = quinn::ClientConfig::new(Arc::new(crypto));
        let first_ids = Arc::clone(&self.first_ids);
        client
            .transport_config(Arc::clone(&self.transport))
            .token_store(Arc::new(NoneTokenStore))
            .initial_dst_cid_provider(Arc::new(move || {
                let mut bytes = [0; 20];
                first_ids.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
                ConnectionId::new(&bytes)
            }));
        client
    }
}

pub(crate) fn endpoint(config: &Config) -> EndpointConfig {
    let reset_key = hmac::Key::new(hmac::HMAC_SHA256, &of_key("quic-reset-key", config));
    let id_key = of_key("quic-id-key", config);
    let id_rng = rng("quic-ids", config);
    let mut endpoint = EndpointConfig::new(Arc::new(reset_key));
    endpoint
        .rng_seed(Some(of_seed("quic-rng", config)))
        .cid_generator(move || Box::new(Ids { key: id_key, rng: id_rng.clone() }));
    endpoint
}

fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        // The one stream with which a link or a request to join begins.
        .max_concurrent_bidi_streams(VarInt::from_u32(1))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(limits::STREAM_WINDOW))
        .receive_window(VarInt::from_u32(limits::WINDOW))
        .send_window(limits::WINDOW.into())
        .datagram_receive_buffer_size(None)
        .max_idle_timeout(Some(
            IdleTimeout::try_from(limits::IDLE).expect("twenty seconds fit into a timeout"),
        ))
        .keep_alive_interval(Some(limits::KEEP_ALIVE));
    transport
}

/// The key takes part, so that two devices with the same seed by mistake still choose different
/// connection ids.
fn of_seed(what: &str, config: &Config) -> [u8; 32] {
    hash(what, &[&config.seed, config.key.public().as_bytes()]).0
}

fn of_key(what: &str, config: &Config) -> [u8; 32] {
    hash(what, &[&*config.key.seed()]).0
}

fn rng(what: &str, config: &Config) -> ChaCha20Rng {
    ChaCha20Rng::from_seed(of_seed(what, config))
}

/// Connection ids that this device knows as its own, from this or an earlier run.
struct Ids {
    key: [u8; 32],
    rng: ChaCha20Rng,
}

const NONCE: usize = 4;
const TAG: usize = 4;

impl Ids {
    fn tag(&self, nonce: &[u8]) -> [u8; TAG] {
        let mut tag = [0; TAG];
        tag.copy_from_slice(&hash("quic-id", &[&self.key, nonce]).0[..TAG]);
        tag
    }
}

impl ConnectionIdGenerator for Ids {
    fn generate_cid(&mut self) -> ConnectionId {
        let mut nonce = [0; NONCE];
        self.rng.fill_bytes(&mut nonce);
        let mut bytes = [0; NONCE + TAG];
        bytes[..NONCE].copy_from_slice(&nonce);
        bytes[NONCE..].copy_from_slice(&self.tag(&nonce));
        ConnectionId::new(&bytes)
    }

    fn validate(&self, cid: &ConnectionId) -> Result<(), InvalidCid> {
        match cid.split_at_checked(NONCE) {
            Some((nonce, tag)) if self.tag(nonce) == tag => Ok(()),
            _ => Err(InvalidCid),
        }
    }

    fn cid_len(&self) -> usize {
        NONCE + TAG
    }

    fn cid_lifetime(&self) -> Option<std::time::Duration> {
        None
    }
}
