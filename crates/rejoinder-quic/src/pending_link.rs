//! Pending links: connections on which nothing was said yet.
//!
//! A dialler's handshake is done before the acceptor has checked the dialler's key, so a connection
//! alone does not mean that the other side agrees. Its hello does.

use std::{net::SocketAddr, sync::Arc};

use quinn::{ConnectionError, RecvStream, SendStream};
use rejoinder_identity::PeerId;
use tokio::time::timeout;

use crate::{
    close::CloseCode,
    error::DialError,
    frame::{self, FrameReader},
    limits,
    link::{self, Direction, Link, Wire},
    verify::Pinned,
};

/// A connection whose other side is proven, and not greeted yet. Dropping it closes it.
#[derive(Debug)]
#[must_use = "nothing is linked before the hellos are exchanged"]
pub struct PendingLink {
    pub(crate) wire: Wire,
    pub(crate) pinned: Option<Arc<Pinned>>,
}

impl PendingLink {
    /// The device at the other end.
    pub fn peer(&self) -> PeerId {
        self.wire.peer
    }

    /// The side that dialled.
    pub fn direction(&self) -> Direction {
        self.wire.direction
    }

    /// The address of the other end.
    pub fn remote_address(&self) -> SocketAddr {
        self.wire.remote_address()
    }

    /// Closes it without a hello.
    pub fn refuse(self, code: CloseCode, reason: &str) {
        self.wire.close(code, reason);
    }

    /// Exchanges hellos: sends this one and returns the other's with the link.
    ///
    /// # Errors
    ///
    /// The other side did not say hello in time, or closed. Here a dialler also learns that it is
    /// not a member.
    pub async fn greet(self, hello: &[u8]) -> Result<(Link, Vec<u8>), DialError> {
        if hello.len() > limits::HELLO {
            return Err(DialError::TooLong { length: hello.len(), limit: limits::HELLO });
        }
        match timeout(limits::STEP, self.exchange(hello)).await {
            Ok(Ok((stream, frames, theirs))) => {
                Ok((Link::start(self.wire, stream, frames), theirs))
            }
            Ok(Err(error)) => {
                if let DialError::Misbehaved(how) = error {
                    self.wire.misbehaved(how);
                }
                Err(error)
            }
            Err(_elapsed) => {
                self.wire.close(CloseCode::Unresponsive, "no hello");
                Err(DialError::TimedOut)
            }
        }
    }

    async fn exchange(
        &self,
        hello: &[u8],
    ) -> Result<(SendStream, FrameReader, Vec<u8>), DialError> {
        let (mut stream, receive) = self.stream().await.map_err(|error| self.error(&error))?;
        let mut bytes = Vec::with_capacity(frame::HEADER + hello.len());
        frame::append(&mut bytes, hello);
        // The hellos cross. If the other side closes, the read that follows has its reason.
        if stream.write_all(&bytes).await.is_err_and(|error| link::stopped_by(&error)) {
            return Err(DialError::Misbehaved(link::STOPPED));
        }
        let mut frames = FrameReader::new(receive);
        let theirs = frames.next(limits::HELLO).await.map_err(|unread| {
            match (link::lost(&unread), link::fault(&unread)) {
                (Some(error), _) => self.error(error),
                (None, Some(fault)) => DialError::Misbehaved(fault),
                (None, None) => DialError::Misbehaved("no hello"),
            }
        })?;
        Ok((stream, frames, theirs))
    }

    /// The stream of the link, which the dialling side opens.
    async fn stream(&self) -> Result<(SendStream, RecvStream), ConnectionError> {
        match self.wire.direction {
            Direction::Outgoing => self.wire.connection.open_bi().await,
            Direction::Incoming => self.wire.connection.accept_bi().await,
        }
    }

    fn error(&self, error: &ConnectionError) -> DialError {
        DialError::of_connection(error, &self.wire.said, self.pinned.as_deref())
    }
}
