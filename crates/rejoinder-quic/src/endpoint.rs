//! The endpoint: one socket, from which others are dialled and at which they arrive.

use std::{fmt, io, net::SocketAddr, sync::Arc};

use rejoinder_identity::PeerId;
use tokio::{
    sync::{Mutex, mpsc},
    task::AbortHandle,
    time::timeout,
};
use tracing::Instrument;

use crate::{
    accepted::Accepted,
    close::{CloseCode, Said},
    config::Config,
    error::DialError,
    gate::Gate,
    join, limits,
    link::{Direction, Wire},
    pending_link::PendingLink,
    seeded::{self, Settings},
    tls::{Identity, SERVER_NAME},
    verify::{Alpn, Pinned},
};

/// A socket with its device's key. Dropping it closes all its links and ends all its tasks.
pub struct Endpoint {
    quinn: quinn::Endpoint,
    identity: Arc<Identity>,
    settings: Arc<Settings>,
    said: Said,
    local_address: SocketAddr,
    accepted: Mutex<mpsc::Receiver<Accepted>>,
    gate: AbortHandle,
}

impl Endpoint {
    /// Starts to listen on the configured socket. It must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// The socket has no address, or the cryptography lacks what TLS 1.3 needs.
    pub fn new(config: Config) -> io::Result<Self> {
        let identity = Arc::new(Identity::new(&config)?);
        let settings = Arc::new(Settings::new(&config));
        let local_address = config.socket.local_addr()?;
        // quinn answers first packets with this one; each arrival then gets its own.
        let server = settings.server(identity.server(identity.arrival_verifier())?);
        let quinn = quinn::Endpoint::new_with_abstract_socket(
            seeded::endpoint(&config),
            Some(server),
            config.socket,
            config.runtime,
        )?;
        let said = Said::default();
        let (arrived, accepted) = mpsc::channel(limits::ARRIVALS);
        let gate = Gate::new(Arc::clone(&identity), Arc::clone(&settings), said.clone(), arrived);
        let gate = tokio::spawn(gate.run(quinn.clone()).in_current_span()).abort_handle();
        let accepted = Mutex::new(accepted);
        Ok(Self { quinn, identity, settings, said, local_address, accepted, gate })
    }

    /// The address of the socket.
    pub fn local_address(&self) -> SocketAddr {
        self.local_address
    }

    /// Connects to a device at an address. Nothing is linked until the hellos are exchanged.
    ///
    /// # Errors
    ///
    /// See [`DialError`].
    pub async fn dial(&self, peer: PeerId, address: SocketAddr) -> Result<PendingLink, DialError> {
        let (wire, pinned) = self.connect(peer, address, Alpn::Link).await?;
        Ok(PendingLink { wire, pinned: Some(pinned) })
    }

    /// Asks a device something as a stranger, and returns its answer.
    ///
    /// # Errors
    ///
    /// See [`DialError`].
    pub async fn dial_join(
        &self,
        peer: PeerId,
        address: SocketAddr,
        ask: &[u8],
    ) -> Result<Vec<u8>, DialError> {
        if ask.len() > limits::JOIN {
            return Err(DialError::TooLong { length: ask.len(), limit: limits::JOIN });
        }
        let (wire, pinned) = self.connect(peer, address, Alpn::Join).await?;
        let answer = join::ask(&wire, ask, |error| {
            DialError::of_connection(error, &wire.said, Some(&pinned))
        })
        .await;
        let code = match &answer {
            Err(DialError::Misbehaved(_)) => CloseCode::Misbehaved,
            Err(DialError::TimedOut) => CloseCode::Unresponsive,
            Ok(_) | Err(_) => CloseCode::Goodbye,
        };
        wire.close(code, "");
        answer
    }

    async fn connect(
        &self,
        peer: PeerId,
        address: SocketAddr,
        alpn: Alpn,
    ) -> Result<(Wire, Arc<Pinned>), DialError> {
        if peer == self.identity.peer {
            return Err(DialError::Own);
        }
        let unreachable = |why: io::Error| DialError::Unreachable { address, why: why.to_string() };
        let pinned = self.identity.pinned(peer);
        let crypto = self.identity.client(Arc::clone(&pinned), alpn).map_err(unreachable)?;
        let connecting = self
            .quinn
            .connect_with(self.settings.client(crypto), address, SERVER_NAME)
            .map_err(|error| DialError::of_connect(address, &error))?;
        let said = self.said.another();
        let connection = timeout(limits::STEP, connecting)
            .await
            .map_err(|_elapsed| DialError::TimedOut)?
            .map_err(|error| DialError::of_connection(&error, &said, Some(&pinned)))?;
        Ok((Wire { connection, peer, direction: Direction::Outgoing, said }, pinned))
    }

    /// The next arrival; `None` if the endpoint is closed. Dropping the future loses no arrival.
    pub async fn accept(&self) -> Option<Accepted> {
        self.accepted.lock().await.recv().await
    }

    /// Closes all links with a code, accepts nobody any more, and waits a moment so that the others
    /// hear of it.
    pub async fn close(&self, code: CloseCode, reason: &str) {
        self.said.close_all(&self.quinn, code, reason);
        let _ = timeout(limits::GOODBYE, self.quinn.wait_idle()).await;
    }
}

#[cfg(test)]
impl Endpoint {
    /// Returns when quinn has forgotten every connection.
    pub(crate) async fn quinn_is_idle(&self) {
        self.quinn.wait_idle().await;
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.gate.abort();
        self.said.close_all(&self.quinn, CloseCode::Dropped, "");
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("peer", &self.identity.peer)
            .field("local_address", &self.local_address)
            .finish_non_exhaustive()
    }
}
