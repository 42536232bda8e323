//! Verification of the other end: the device that was dialled, or one that may arrive.
//!
//! Certificates are bare Ed25519 keys (RFC 7250), so there is nothing to parse except a fixed
//! prefix.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use rejoinder_identity::PeerId;
use rustls::{
    CertificateError, DigitallySignedStruct, DistinguishedName, Error, PeerIncompatible,
    SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{WebPkiSupportedAlgorithms, verify_tls13_signature_with_raw_key},
    pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime},
    server::{
        ClientHello, ResolvesServerCert,
        danger::{ClientCertVerified, ClientCertVerifier},
    },
    sign::CertifiedKey,
};

use crate::config::Accepts;

/// An Ed25519 SubjectPublicKeyInfo is this and the key's 32 bytes.
pub(crate) const SPKI_PREFIX: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alpn {
    /// Frames between members.
    Link,
    /// A stranger's one question.
    Join,
}

impl Alpn {
    pub(crate) const ALL: [Self; 2] = [Self::Link, Self::Join];

    pub(crate) fn name(self) -> &'static [u8] {
        match self {
            Self::Link => b"rejoinder/1",
            Self::Join => b"rejoinder-join/1",
        }
    }

    fn of_name(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|alpn| alpn.name() == name)
    }
}

/// The device whose key these certificates are: exactly one, and of exactly that form.
pub(crate) fn peer_of(certificates: &[CertificateDer<'_>]) -> Option<PeerId> {
    let [certificate] = certificates else { return None };
    let key = certificate.as_ref().strip_prefix(&SPKI_PREFIX)?;
    key.try_into().ok().map(PeerId)
}

fn named(
    end_entity: &CertificateDer<'_>,
    intermediates: &[CertificateDer<'_>],
) -> Result<PeerId, Error> {
    if !intermediates.is_empty() {
        return Err(CertificateError::BadEncoding.into());
    }
    peer_of(std::slice::from_ref(end_entity)).ok_or_else(|| CertificateError::BadEncoding.into())
}

/// The error for a device that is not expected. It gives no reason: that is none of its business.
fn unexpected() -> Error {
    CertificateError::ApplicationVerificationFailure.into()
}

fn signed(
    message: &[u8],
    certificate: &CertificateDer<'_>,
    signature: &DigitallySignedStruct,
    algorithms: &WebPkiSupportedAlgorithms,
) -> Result<HandshakeSignatureValid, Error> {
    let key = SubjectPublicKeyInfoDer::from(certificate.as_ref());
    verify_tls13_signature_with_raw_key(message, &key, signature, algorithms)
}

fn only_tls13() -> Error {
    PeerIncompatible::Tls13RequiredForQuic.into()
}

/// A dialler's verifier: accepts only the device that was dialled. Each dial has its own.
#[derive(Debug)]
pub(crate) struct Pinned {
    expected: PeerId,
    found: OnceLock<PeerId>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl Pinned {
    pub(crate) fn new(expected: PeerId, algorithms: WebPkiSupportedAlgorithms) -> Self {
        Self { expected, found: OnceLock::new(), algorithms }
    }

    /// The device that answered instead.
    pub(crate) fn stranger(&self) -> Option<PeerId> {
        self.found.get().copied().filter(|found| *found != self.expected)
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let found = named(end_entity, intermediates)?;
        let _ = self.found.set(found);
        if found == self.expected { Ok(ServerCertVerified::assertion()) } else { Err(unexpected()) }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(only_tls13())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        signed(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}

/// An acceptor's verifier; each arrival has its own. It learns first the protocol and then the
/// device, so that inside the handshake a stranger fails on everything except joining.
pub(crate) struct ArrivalVerifier {
    own: PeerId,
    certified: Arc<CertifiedKey>,
    accepts: Accepts,
    algorithms: WebPkiSupportedAlgorithms,
    alpn: OnceLock<Alpn>,
}

impl ArrivalVerifier {
    pub(crate) fn new(
        own: PeerId,
        certified: Arc<CertifiedKey>,
        accepts: Accepts,
        algorithms: WebPkiSupportedAlgorithms,
    ) -> Self {
        Self { own, certified, accepts, algorithms, alpn: OnceLock::new() }
    }

    /// The protocol that was chosen.
    pub(crate) fn alpn(&self) -> Option<Alpn> {
        self.alpn.get().copied()
    }
}

impl fmt::Debug for ArrivalVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArrivalVerifier").field("alpn", &self.alpn).finish_non_exhaustive()
    }
}

impl ResolvesServerCert for ArrivalVerifier {
    fn resolve(&self, client_hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        // Exactly one protocol: with two, the one that is checked here and the one that TLS picks
        // could differ. A single foreign one is not noted, and TLS refuses it.
        let mut offered = client_hello.alpn()?;
        let name = offered.next()?;
        if offered.next().is_some() {
            return None;
        }
        if let Some(alpn) = Alpn::of_name(name) {
            let _ = self.alpn.set(alpn);
        }
        Some(Arc::clone(&self.certified))
    }

    fn only_raw_public_keys(&self) -> bool {
        true
    }
}

impl ClientCertVerifier for ArrivalVerifier {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let peer = named(end_entity, intermediates)?;
        let welcome = match self.alpn() {
            Some(Alpn::Link) => peer != self.own && (self.accepts)(&peer),
            Some(Alpn::Join) => peer != self.own,
            None => false,
        };
        if welcome { Ok(ClientCertVerified::assertion()) } else { Err(unexpected()) }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(only_tls13())
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        signed(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![SignatureScheme::ED25519]
    }

    fn requires_raw_public_keys(&self) -> bool {
        true
    }
}
