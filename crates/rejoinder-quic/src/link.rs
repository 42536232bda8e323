//! A link: frames in both directions between two devices that said hello.

use std::{fmt, net::SocketAddr, sync::Arc};

use quinn::{ConnectionError, ReadError, SendStream, WriteError};
use rejoinder_identity::PeerId;
use tokio::task::AbortHandle;
use tracing::Instrument;

use crate::{
    close::{CloseCode, Closed, Said},
    error::NotSent,
    frame::{FrameReader, Unread},
    limits,
    outbox::Outbox,
};

/// The side that dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// This device dialled.
    Outgoing,
    /// The peer dialled.
    Incoming,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outgoing => f.pad("outgoing"),
            Self::Incoming => f.pad("incoming"),
        }
    }
}

/// A connection whose other side is proven, greeted or not.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) connection: quinn::Connection,
    pub(crate) peer: PeerId,
    pub(crate) direction: Direction,
    pub(crate) said: Said,
}

impl Wire {
    pub(crate) fn remote_address(&self) -> SocketAddr {
        let address = self.connection.remote_address();
        // A dual-stack socket sees IPv4 addresses mapped into IPv6.
        SocketAddr::new(address.ip().to_canonical(), address.port())
    }

    pub(crate) fn close(&self, code: CloseCode, reason: &str) {
        self.said.close(&self.connection, code, reason);
    }

    pub(crate) fn misbehaved(&self, how: &str) {
        self.close(CloseCode::Misbehaved, how);
    }

    pub(crate) async fn closed(&self) -> Closed {
        self.said.closed(&self.connection.closed().await)
    }

    pub(crate) fn span(&self) -> tracing::Span {
        tracing::info_span!("link", peer = %self.peer.short(), direction = %self.direction)
    }
}

/// State that both halves need; it lives as long as either.
#[derive(Debug)]
struct Shared {
    wire: Arc<Wire>,
    outbox: Arc<Outbox>,
    writer: AbortHandle,
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The receiver, which is one of the halves, has closed the connection.
        self.writer.abort();
    }
}

/// A link, whole. Dropping it closes it.
#[derive(Debug)]
pub struct Link {
    sender: LinkSender,
    receiver: LinkReceiver,
}

impl Link {
    /// Starts the task that writes what is sent. It ends with the connection.
    pub(crate) fn start(wire: Wire, mut stream: SendStream, frames: FrameReader) -> Self {
        let span = wire.span();
        let (wire, outbox) = (Arc::new(wire), Arc::new(Outbox::default()));
        let writer = {
            let (wire, outbox) = (Arc::clone(&wire), Arc::clone(&outbox));
            async move {
                tracing::debug!("up");
                let stopped = stream.stopped();
                tokio::select! {
                    biased;
                    _ = wire.connection.closed() => {}
                    // With nothing to write, only this notices that the peer stopped the stream.
                    stopped = stopped => if stopped.is_ok() { wire.misbehaved(STOPPED) },
                    Err(error) = outbox.write_to(&mut stream) => if stopped_by(&error) {
                        wire.misbehaved(STOPPED);
                    },
                }
                let closed = wire.closed().await;
                tracing::debug!(%closed, "down");
            }
        };
        let writer = tokio::spawn(writer.instrument(span)).abort_handle();
        let shared = Arc::new(Shared { wire, outbox, writer });
        Self {
            sender: LinkSender { shared: Arc::clone(&shared) },
            receiver: LinkReceiver { shared, frames },
        }
    }

    /// Its two halves, for two tasks.
    pub fn split(self) -> (LinkSender, LinkReceiver) {
        (self.sender, self.receiver)
    }

    /// The device at the other end.
    pub fn peer(&self) -> PeerId {
        self.sender.peer()
    }

    /// The side that dialled.
    pub fn direction(&self) -> Direction {
        self.sender.shared.wire.direction
    }

    /// The present address of the other end; it may move.
    pub fn remote_address(&self) -> SocketAddr {
        self.sender.remote_address()
    }

    /// Closes it: see [`LinkSender::close`].
    pub fn close(&self, code: CloseCode, reason: &str) {
        self.sender.close(code, reason);
    }

    /// Returns when it is closed.
    pub async fn closed(&self) -> Closed {
        self.sender.closed().await
    }
}

/// The fault of a peer that stopped the stream on which a link is written.
pub(crate) const STOPPED: &str = "stopped the stream of a link";

/// Whether a write failed because the peer wants no more, and not because the connection is lost.
pub(crate) fn stopped_by(error: &WriteError) -> bool {
    match error {
        WriteError::Stopped(_) | WriteError::ZeroRttRejected => true,
        WriteError::ConnectionLost(_) | WriteError::ClosedStream => false,
    }
}

/// The half of a link that sends.
#[derive(Debug, Clone)]
pub struct LinkSender {
    shared: Arc<Shared>,
}

impl LinkSender {
    /// Queues a frame; frames arrive in the order in which they were sent, or the link is down.
    ///
    /// # Errors
    ///
    /// It is too long, the link is closed, or it is closed now because the peer reads too slowly.
    pub fn send(&self, frame: Vec<u8>) -> Result<(), NotSent> {
        let Shared { wire, outbox, .. } = &*self.shared;
        if frame.len() > limits::FRAME {
            return Err(NotSent::TooLong { length: frame.len() });
        }
        if wire.connection.close_reason().is_some() {
            return Err(NotSent::Closed);
        }
        if !outbox.push(frame) {
            self.close(CloseCode::TooSlow, "too much waits to be sent");
            return Err(NotSent::TooSlow);
        }
        Ok(())
    }

    /// Bytes that wait to be handed to the transport. A caller with much to send can wait for less.
    pub fn queued(&self) -> usize {
        self.shared.outbox.bytes()
    }

    /// The device at the other end.
    pub fn peer(&self) -> PeerId {
        self.shared.wire.peer
    }

    /// The present address of the other end; it may move.
    pub fn remote_address(&self) -> SocketAddr {
        self.shared.wire.remote_address()
    }

    /// Closes the link at once: queued frames are not sent any more. The peer is told once; if that
    /// gets lost, it finds a [`Closed::Reset`]. Only the first reason counts.
    pub fn close(&self, code: CloseCode, reason: &str) {
        self.shared.wire.close(code, reason);
    }

    /// Returns when the link is closed.
    pub async fn closed(&self) -> Closed {
        self.shared.wire.closed().await
    }
}

/// The half of a link that receives. Dropping it closes the link.
#[derive(Debug)]
pub struct LinkReceiver {
    shared: Arc<Shared>,
    frames: FrameReader,
}

impl LinkReceiver {
    /// The next frame. Dropping the future half-way loses nothing.
    ///
    /// # Errors
    ///
    /// The link is closed. A peer that breaks the framing closes it.
    pub async fn receive(&mut self) -> Result<Vec<u8>, Closed> {
        let unread = match self.frames.next(limits::FRAME).await {
            Ok(frame) => return Ok(frame),
            Err(unread) => unread,
        };
        let wire = &self.shared.wire;
        if let Some(fault) = fault(&unread) {
            wire.misbehaved(fault);
        }
        Err(wire.closed().await)
    }

    /// The device at the other end.
    pub fn peer(&self) -> PeerId {
        self.shared.wire.peer
    }
}

impl Drop for LinkReceiver {
    fn drop(&mut self) {
        // Close before the stream is dropped: the peer would take a stopped stream for a fault.
        self.shared.wire.close(CloseCode::Dropped, "");
    }
}

/// The fault of the peer, if the peer was at fault.
pub(crate) fn fault(unread: &Unread) -> Option<&'static str> {
    match unread {
        Unread::Ended => Some("ended the stream of a link"),
        Unread::TooLong => Some("a frame that is too long"),
        Unread::Lost(ReadError::Reset(_)) => Some("reset the stream of a link"),
        Unread::Lost(
            ReadError::ConnectionLost(_)
            | ReadError::ClosedStream
            | ReadError::IllegalOrderedRead
            | ReadError::ZeroRttRejected,
        ) => None,
    }
}

/// The connection's end in a failed read, if that is why it failed.
pub(crate) fn lost(unread: &Unread) -> Option<&ConnectionError> {
    match unread {
        Unread::Lost(ReadError::ConnectionLost(error)) => Some(error),
        Unread::Ended
        | Unread::TooLong
        | Unread::Lost(
            ReadError::Reset(_)
            | ReadError::ClosedStream
            | ReadError::IllegalOrderedRead
            | ReadError::ZeroRttRejected,
        ) => None,
    }
}
