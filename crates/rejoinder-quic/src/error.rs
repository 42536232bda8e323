//! Why there is no link, and why a frame was not sent.

use std::net::SocketAddr;

use quinn::{ConnectError, ConnectionError, TransportErrorCode};
use rejoinder_identity::PeerId;

use crate::{
    close::{CloseCode, Closed, Said},
    limits,
    verify::Pinned,
};

/// Dialling or greeting did not lead to a link, or asking to join not to an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    /// The peer is this device itself.
    #[error("that is this device itself")]
    Own,
    /// No packet can be sent to that address from here.
    #[error("cannot reach {address}: {why}")]
    Unreachable {
        /// The address.
        address: SocketAddr,
        /// Why not.
        why: String,
    },
    /// Nobody answered in time.
    #[error("no answer")]
    TimedOut,
    /// Somebody else answers at that address.
    #[error("another device answers there: {found}")]
    WrongKey {
        /// The device that answers.
        found: PeerId,
    },
    /// The peer does not know this device as a member.
    #[error("the peer does not know this device as a member")]
    NotAMember,
    /// The peer speaks another version of the protocol.
    #[error("the peer runs another version of Rejoinder")]
    OtherProtocol,
    /// The peer has no room now.
    #[error("the peer is busy")]
    Busy,
    /// A hello or a request that is longer than it may be.
    #[error("{length} bytes, at most {limit} are sent")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// The peer broke the protocol.
    #[error("the peer broke the protocol: {0}")]
    Misbehaved(&'static str),
    /// It answered and then closed.
    #[error("{0}")]
    Closed(Closed),
}

/// TLS alerts as QUIC carries them.
const ACCESS_DENIED: u8 = 49;
const NO_APPLICATION_PROTOCOL: u8 = 120;

impl DialError {
    pub(crate) fn of_connect(address: SocketAddr, error: &ConnectError) -> Self {
        Self::Unreachable { address, why: error.to_string() }
    }

    /// `pinned` is the device that a dialler expected; `None` on the accepting side.
    pub(crate) fn of_connection(
        error: &ConnectionError,
        said: &Said,
        pinned: Option<&Pinned>,
    ) -> Self {
        match error {
            ConnectionError::TransportError(_) => match pinned.and_then(Pinned::stranger) {
                Some(found) => Self::WrongKey { found },
                None => Self::Closed(said.closed(error)),
            },
            ConnectionError::ConnectionClosed(close) => {
                if close.error_code == TransportErrorCode::crypto(ACCESS_DENIED) {
                    Self::NotAMember
                } else if close.error_code == TransportErrorCode::crypto(NO_APPLICATION_PROTOCOL) {
                    Self::OtherProtocol
                } else if close.error_code == TransportErrorCode::CONNECTION_REFUSED {
                    Self::Busy
                } else {
                    Self::Closed(said.closed(error))
                }
            }
            ConnectionError::VersionMismatch => Self::OtherProtocol,
            ConnectionError::TimedOut => Self::TimedOut,
            ConnectionError::ApplicationClosed(_)
            | ConnectionError::Reset
            | ConnectionError::LocallyClosed
            | ConnectionError::CidsExhausted => Self::of_closed(said.closed(error)),
        }
    }

    fn of_closed(closed: Closed) -> Self {
        match closed {
            Closed::There { code: CloseCode::NotAMember, .. } => Self::NotAMember,
            Closed::There { code: CloseCode::Busy, .. } => Self::Busy,
            Closed::TimedOut => Self::TimedOut,
            closed @ (Closed::Here { .. }
            | Closed::There { .. }
            | Closed::Reset
            | Closed::Broken(_)) => Self::Closed(closed),
        }
    }
}

/// A frame was not queued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// It is longer than a frame may be: a fault of the caller. The link stays.
    #[error("a frame of {length} bytes, at most {} are sent", limits::FRAME)]
    TooLong {
        /// Its length.
        length: usize,
    },
    /// Too much waits already, so the link was closed with [`CloseCode::TooSlow`].
    #[error("the peer reads too slowly")]
    TooSlow,
    /// The link is closed.
    #[error("the link is closed")]
    Closed,
}
