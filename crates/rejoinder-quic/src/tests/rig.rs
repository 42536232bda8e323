//! The ground of the tests: endpoints with known keys, and callers that break the rules.

use std::{
    net::{SocketAddr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use quinn::{
    Runtime, TokioRuntime,
    crypto::rustls::{QuicClientConfig, QuicServerConfig},
};
use rejoinder_identity::{PeerId, SecretKey};
use rustls::{
    ClientConfig, ServerConfig, client::AlwaysResolvesClientRawPublicKeys, crypto::ring,
    pki_types::CertificateDer, server::AlwaysResolvesServerRawPublicKeys, sign::CertifiedKey,
    version::TLS13,
};

use crate::{
    Accepted, Config, Endpoint, JoinAsk, Link, PendingLink, tls,
    verify::{Pinned, SPKI_PREFIX},
};

pub(crate) fn key(number: u8) -> SecretKey {
    SecretKey::from_seed([number; 32])
}

pub(crate) fn id(number: u8) -> PeerId {
    key(number).public()
}

/// A deadline that only a test that hangs meets.
pub(crate) async fn within<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), work).await.expect("it does not hang")
}

/// An endpoint on loopback that lets those in who are listed.
pub(crate) fn listen(number: u8, members: &[u8]) -> Endpoint {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let socket = TokioRuntime.wrap_udp_socket(socket).unwrap();
    Endpoint::new(config(number, members, socket, Arc::new(TokioRuntime))).unwrap()
}

pub(crate) fn config(
    number: u8,
    members: &[u8],
    socket: Arc<dyn quinn::AsyncUdpSocket>,
    runtime: Arc<dyn Runtime>,
) -> Config {
    let members: Vec<PeerId> = members.iter().map(|member| id(*member)).collect();
    Config {
        key: key(number),
        seed: [number; 32],
        socket,
        runtime,
        crypto: None,
        accepts: Arc::new(move |peer| members.contains(peer)),
        time_source: Arc::new(quinn::StdSystemTime),
    }
}

pub(crate) async fn next_link(endpoint: &Endpoint) -> PendingLink {
    match within(endpoint.accept()).await {
        Some(Accepted::Link(pending)) => pending,
        other => panic!("expected a link, not {other:?}"),
    }
}

pub(crate) async fn next_join(endpoint: &Endpoint) -> JoinAsk {
    match within(endpoint.accept()).await {
        Some(Accepted::Join(ask)) => ask,
        other => panic!("expected a request to join, not {other:?}"),
    }
}

/// Links two endpoints: the dialler's end first.
pub(crate) async fn linked(dialler: &Endpoint, acceptor: &Endpoint, to: u8) -> (Link, Link) {
    let there = async { next_link(acceptor).await.greet(b"there").await.unwrap() };
    let here = async {
        let pending = dialler.dial(id(to), acceptor.local_address()).await.unwrap();
        pending.greet(b"here").await.unwrap()
    };
    let (here, there) = within(async { tokio::join!(here, there) }).await;
    assert_eq!((here.1, there.1), (b"there".to_vec(), b"here".to_vec()));
    (here.0, there.0)
}

/// A certificate that shows one key and signs with another.
pub(crate) fn certified(shown: u8, signs: u8) -> Arc<CertifiedKey> {
    let spki = [&SPKI_PREFIX[..], id(shown).as_bytes()].concat();
    let signs = tls::certified(&key(signs)).unwrap();
    Arc::new(CertifiedKey::new(vec![CertificateDer::from(spki)], signs.key))
}

/// A caller that uses quinn directly and may do what an [`Endpoint`] never would.
pub(crate) struct Raw {
    /// The device it claims to be, and the one whose key it has; `None` if it is anonymous.
    pub(crate) shown: Option<(u8, u8)>,
    pub(crate) alpn: Vec<&'static [u8]>,
}

impl Raw {
    pub(crate) fn member(number: u8) -> Self {
        Self { shown: Some((number, number)), alpn: vec![b"rejoinder/1"] }
    }

    pub(crate) fn joiner(number: u8) -> Self {
        Self { shown: Some((number, number)), alpn: vec![b"rejoinder-join/1"] }
    }

    pub(crate) fn client_config(&self, to: u8) -> quinn::ClientConfig {
        let provider = Arc::new(ring::default_provider());
        let pinned = Pinned::new(id(to), provider.signature_verification_algorithms);
        let config = ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&TLS13])
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(pinned));
        let mut config = match self.shown {
            Some((shown, signs)) => config.with_client_cert_resolver(Arc::new(
                AlwaysResolvesClientRawPublicKeys::new(certified(shown, signs)),
            )),
            None => config.with_no_client_auth(),
        };
        config.alpn_protocols = self.alpn.iter().map(|name| name.to_vec()).collect();
        quinn::ClientConfig::new(Arc::new(QuicClientConfig::try_from(config).unwrap()))
    }

    pub(crate) async fn connect(
        &self,
        to: u8,
        address: SocketAddr,
    ) -> Result<quinn::Connection, quinn::ConnectionError> {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let config = quinn::EndpointConfig::default();
        let endpoint = quinn::Endpoint::new(config, None, socket, Arc::new(TokioRuntime)).unwrap();
        within(endpoint.connect_with(self.client_config(to), address, "x.invalid").unwrap()).await
    }
}

/// One that listens and shows a key that it does not have.
pub(crate) fn impostor(shown: u8, signs: u8) -> quinn::Endpoint {
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(certified(
            shown, signs,
        ))));
    config.alpn_protocols = vec![b"rejoinder/1".to_vec(), b"rejoinder-join/1".to_vec()];
    let crypto = QuicServerConfig::try_from(config).unwrap();
    quinn::Endpoint::new(
        quinn::EndpointConfig::default(),
        Some(quinn::ServerConfig::with_crypto(Arc::new(crypto))),
        UdpSocket::bind("127.0.0.1:0").unwrap(),
        Arc::new(TokioRuntime),
    )
    .unwrap()
}

/// The end of a connection: the code that the other side closed it with.
pub(crate) fn code(error: &quinn::ConnectionError) -> Option<u64> {
    let quinn::ConnectionError::ApplicationClosed(close) = error else { return None };
    Some(close.error_code.into_inner())
}
