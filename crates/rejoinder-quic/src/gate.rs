//! The gate at which others arrive: many at once, each bounded in time, all bounded in number.

use std::sync::Arc;

use quinn::{Incoming, crypto::rustls::HandshakeData};
use rustls::pki_types::CertificateDer;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinSet,
    time::timeout,
};
use tracing::Instrument;

use crate::{
    accepted::Accepted,
    close::{CloseCode, Said},
    join, limits,
    link::{Direction, Wire},
    pending_link::PendingLink,
    seeded::Settings,
    tls::Identity,
    verify::{Alpn, ArrivalVerifier, peer_of},
};

/// Accepts arrivals until the endpoint is closed.
pub(crate) struct Gate {
    pub(crate) identity: Arc<Identity>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) said: Said,
    pub(crate) accepted: mpsc::Sender<Accepted>,
    handshakes: Arc<Semaphore>,
    joins: Semaphore,
}

impl Gate {
    pub(crate) fn new(
        identity: Arc<Identity>,
        settings: Arc<Settings>,
        said: Said,
        accepted: mpsc::Sender<Accepted>,
    ) -> Self {
        let handshakes = Arc::new(Semaphore::new(limits::HANDSHAKES));
        let joins = Semaphore::new(limits::JOINS);
        Self { identity, settings, said, accepted, handshakes, joins }
    }

    /// Everything that it starts ends with it.
    pub(crate) async fn run(self, endpoint: quinn::Endpoint) {
        let gate = Arc::new(self);
        let mut arriving = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(_) = arriving.join_next() => {}
                incoming = endpoint.accept() => match incoming {
                    Some(incoming) => gate.admit(incoming, &mut arriving),
                    None => break,
                }
            }
        }
    }

    fn admit(self: &Arc<Self>, incoming: Incoming, arriving: &mut JoinSet<()>) {
        let Ok(slot) = Arc::clone(&self.handshakes).try_acquire_owned() else {
            // No reply: that costs nothing here, and nobody can use it to flood somebody else.
            return incoming.ignore();
        };
        let busy = limits::HANDSHAKES - self.handshakes.available_permits();
        if busy > limits::HANDSHAKES_UNCHECKED && !incoming.remote_address_validated() {
            // Only one whose address was not checked can be sent back, and this one's was not.
            let _ = incoming.retry();
            return;
        }
        let span = tracing::debug_span!("arrival", address = %incoming.remote_address());
        let gate = Arc::clone(self);
        arriving.spawn(async move { gate.arrive(incoming, slot).await }.instrument(span));
    }

    async fn arrive(&self, incoming: Incoming, slot: OwnedSemaphorePermit) {
        let verifier = self.identity.arrival_verifier();
        let Some((connection, alpn)) = self.handshake(incoming, &verifier).await else { return };
        let Some(peer) = peer(&connection) else { return };
        let direction = Direction::Incoming;
        let wire = Wire { connection, peer, direction, said: self.said.another() };
        match alpn {
            // It keeps its slot until it is fetched, so that waiting arrivals are bounded too.
            Alpn::Link => {
                let _ =
                    self.accepted.send(Accepted::Link(PendingLink { wire, pinned: None })).await;
            }
            Alpn::Join => match self.joins.try_acquire() {
                Ok(_slot) => {
                    drop(slot);
                    join::hear(wire, &self.accepted).await;
                }
                Err(_full) => wire.close(CloseCode::Busy, ""),
            },
        }
    }

    async fn handshake(
        &self,
        incoming: Incoming,
        verifier: &Arc<ArrivalVerifier>,
    ) -> Option<(quinn::Connection, Alpn)> {
        let crypto = match self.identity.server(Arc::clone(verifier)) {
            Ok(crypto) => crypto,
            Err(error) => {
                tracing::warn!(%error, "cannot set up TLS");
                return None;
            }
        };
        let server = Arc::new(self.settings.server(crypto));
        let connecting = incoming
            .accept_with(server)
            .inspect_err(|error| tracing::debug!(%error, "not accepted"))
            .ok()?;
        let connection = timeout(limits::STEP, connecting)
            .await
            .inspect_err(|_elapsed| tracing::debug!("no handshake in time"))
            .ok()?
            .inspect_err(|error| tracing::debug!(%error, "no handshake"))
            .ok()?;
        let alpn = verifier.alpn()?;
        // The verifier has judged by the offered protocol; TLS must have agreed on the same.
        let data = connection.handshake_data()?.downcast::<HandshakeData>().ok()?;
        (data.protocol.as_deref() == Some(alpn.name())).then_some((connection, alpn))
    }
}

/// The device that proved its key on a connection.
pub(crate) fn peer(connection: &quinn::Connection) -> Option<rejoinder_identity::PeerId> {
    let identity = connection.peer_identity()?;
    peer_of(identity.downcast_ref::<Vec<CertificateDer<'static>>>()?)
}
