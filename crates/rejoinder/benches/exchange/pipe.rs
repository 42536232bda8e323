//! A bare QUIC connection over loopback with one open stream: what any peer has at least.

use std::{net::Ipv4Addr, sync::Arc};

use quinn::{
    ClientConfig, Connection, Endpoint, RecvStream, SendStream, ServerConfig,
    crypto::rustls::{QuicClientConfig, QuicServerConfig},
};
use rustls::{
    DigitallySignedStruct, Error, PeerIncompatible, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring, verify_tls13_signature_with_raw_key},
    pki_types::{
        CertificateDer, PrivatePkcs8KeyDer, ServerName, SubjectPublicKeyInfoDer, UnixTime,
    },
    server::AlwaysResolvesServerRawPublicKeys,
    sign::CertifiedKey,
    version::TLS13,
};

use crate::Outcome;

/// The two ends of an open stream, and what keeps it open.
pub(crate) struct Pipe {
    pub(crate) send: SendStream,
    pub(crate) receive: RecvStream,
    pub(crate) open: Open,
}

/// Dropping it closes the connection.
pub(crate) struct Open {
    _connections: [Connection; 2],
    _endpoints: [Endpoint; 2],
}

/// Connects two endpoints of this process.
pub(crate) async fn connect() -> Outcome<Pipe> {
    let provider = Arc::new(ring::default_provider());
    let at = (Ipv4Addr::LOCALHOST, 0).into();
    let there = Endpoint::server(server(&provider)?, at)?;
    let mut here = Endpoint::client(at)?;
    here.set_default_client_config(client(provider)?);
    let dial = here.connect(there.local_addr()?, "peer.invalid")?;
    let arrive = async {
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>(
            there.accept().await.ok_or("nobody came")?.await?,
        )
    };
    let (dialled, arrived) = tokio::join!(dial, arrive);
    let (dialled, arrived) = (dialled?, arrived?);
    let mut send = dialled.open_uni().await?;
    // A stream is there for the other end when something is written on it.
    send.write_all(&[0]).await?;
    let mut receive = arrived.accept_uni().await?;
    receive.read_exact(&mut [0]).await?;
    let open = Open { _connections: [dialled, arrived], _endpoints: [here, there] };
    Ok(Pipe { send, receive, open })
}

/// An Ed25519 key in PKCS#8 is this and the seed's 32 bytes.
const PKCS8_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];
/// Its public half in a SubjectPublicKeyInfo is this and the key's 32 bytes.
const SPKI_PREFIX: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

fn server(provider: &Arc<CryptoProvider>) -> Outcome<ServerConfig> {
    let key = rejoinder_identity::SecretKey::from_seed([7; 32]);
    let pkcs8 = [&PKCS8_PREFIX[..], &*key.seed()].concat();
    let signing = ring::sign::any_eddsa_type(&PrivatePkcs8KeyDer::from(pkcs8))?;
    let spki = [&SPKI_PREFIX[..], key.public().as_bytes()].concat();
    let certified = Arc::new(CertifiedKey::new(vec![CertificateDer::from(spki)], signing));
    let tls = rustls::ServerConfig::builder_with_provider(Arc::clone(provider))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(AlwaysResolvesServerRawPublicKeys::new(certified)));
    Ok(ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(tls)?)))
}

fn client(provider: Arc<CryptoProvider>) -> Outcome<ClientConfig> {
    let anybody = Arc::new(Anybody(Arc::clone(&provider)));
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(anybody)
        .with_no_client_auth();
    Ok(ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?)))
}

/// Whoever holds the key that it shows will do: nobody else is on the other end.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(PeerIncompatible::Tls13RequiredForQuic.into())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = SubjectPublicKeyInfoDer::from(certificate.as_ref());
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature_with_raw_key(message, &key, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
