//! TLS 1.3 and nothing else: no names, no tickets, no resumption, no early data.

use std::{
    fmt, io,
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rejoinder_identity::{PeerId, SecretKey};
use rustls::{
    ClientConfig, ServerConfig,
    client::{AlwaysResolvesClientRawPublicKeys, Resumption},
    crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring},
    pki_types::{CertificateDer, PrivatePkcs8KeyDer, UnixTime},
    server::NoServerSessionStorage,
    sign::CertifiedKey,
    time_provider::TimeProvider,
    version::TLS13,
};
use zeroize::Zeroizing;

use crate::{
    config::{Accepts, Config},
    verify::{Alpn, ArrivalVerifier, Pinned, SPKI_PREFIX},
};

/// An Ed25519 key in PKCS#8 is this and the seed's 32 bytes.
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// The name that a dial gives to quinn; it is not sent and not checked.
pub(crate) const SERVER_NAME: &str = "peer.invalid";

/// This device, as TLS knows it.
#[derive(Clone)]
pub(crate) struct Identity {
    pub(crate) peer: PeerId,
    certified: Arc<CertifiedKey>,
    provider: Arc<CryptoProvider>,
    algorithms: WebPkiSupportedAlgorithms,
    clock: Arc<Clock>,
    accepts: Accepts,
}

impl Identity {
    pub(crate) fn new(config: &Config) -> io::Result<Self> {
        let provider = config.crypto.clone().unwrap_or_else(|| Arc::new(ring::default_provider()));
        Ok(Self {
            peer: config.key.public(),
            certified: Arc::new(certified(&config.key)?),
            algorithms: provider.signature_verification_algorithms,
            provider,
            clock: Arc::new(Clock(Arc::clone(&config.time_source))),
            accepts: Arc::clone(&config.accepts),
        })
    }

    /// The verifier for a dial of `peer`.
    pub(crate) fn pinned(&self, peer: PeerId) -> Arc<Pinned> {
        Arc::new(Pinned::new(peer, self.algorithms))
    }

    /// The verifier for an arrival.
    pub(crate) fn arrival_verifier(&self) -> Arc<ArrivalVerifier> {
        Arc::new(ArrivalVerifier::new(
            self.peer,
            Arc::clone(&self.certified),
            Arc::clone(&self.accepts),
            self.algorithms,
        ))
    }

    pub(crate) fn client(&self, pinned: Arc<Pinned>, alpn: Alpn) -> io::Result<QuicClientConfig> {
        let mut config = ClientConfig::builder_with_details(
            Arc::clone(&self.provider),
            Arc::clone(&self.clock) as Arc<dyn TimeProvider>,
        )
        .with_protocol_versions(&[&TLS13])
        .map_err(io::Error::other)?
        .dangerous()
        .with_custom_certificate_verifier(pinned)
        .with_client_cert_resolver(Arc::new(AlwaysResolvesClientRawPublicKeys::new(Arc::clone(
            &self.certified,
        ))));
        config.alpn_protocols = vec![alpn.name().to_vec()];
        config.resumption = Resumption::disabled();
        config.enable_sni = false;
        config.enable_early_data = false;
        QuicClientConfig::try_from(config).map_err(io::Error::other)
    }

    pub(crate) fn server(&self, verifier: Arc<ArrivalVerifier>) -> io::Result<QuicServerConfig> {
        let mut config = ServerConfig::builder_with_details(
            Arc::clone(&self.provider),
            Arc::clone(&self.clock) as Arc<dyn TimeProvider>,
        )
        .with_protocol_versions(&[&TLS13])
        .map_err(io::Error::other)?
        .with_client_cert_verifier(Arc::clone(&verifier) as _)
        .with_cert_resolver(verifier);
        config.alpn_protocols = Alpn::ALL.iter().map(|alpn| alpn.name().to_vec()).collect();
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        config.max_early_data_size = 0;
        QuicServerConfig::try_from(config).map_err(io::Error::other)
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("peer", &self.peer).finish_non_exhaustive()
    }
}

/// The device's key with its bare public half for a certificate.
pub(crate) fn certified(key: &SecretKey) -> io::Result<CertifiedKey> {
    let mut pkcs8 = Zeroizing::new(PKCS8_PREFIX.to_vec());
    pkcs8.extend_from_slice(&*key.seed());
    let signing = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(pkcs8.as_slice()))
        .map_err(io::Error::other)?;
    let spki = [&SPKI_PREFIX[..], key.public().as_bytes()].concat();
    Ok(CertifiedKey::new(vec![CertificateDer::from(spki)], signing))
}

/// The injected clock as rustls asks for it. Bare keys don't expire, so nothing depends on the
/// answer, but rustls asks.
struct Clock(Arc<dyn quinn::TimeSource>);

impl TimeProvider for Clock {
    fn current_time(&self) -> Option<UnixTime> {
        let since = self.0.now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Some(UnixTime::since_unix_epoch(since))
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
