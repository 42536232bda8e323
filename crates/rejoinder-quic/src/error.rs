//! Why there is no link, and why a frame was not sent.

use std::{fmt, net::SocketAddr};

use quinn::{ConnectError, ConnectionError, TransportErrorCode};
use rejoinder_identity::PeerId;

use crate::{
    close::{CloseCode, Closed, Said},
    limits,
    verify::Pinned,
};

/// Dialling or greeting did not come to a link, or asking to join not to an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialError {
    /// The peer is this device itself.
    Own,
    /// No packet can be sent to that address from here.
    Unreachable {
        /// The address.
        address: SocketAddr,
        /// Why not.
        why: String,
    },
    /// Nobody answered in time.
    TimedOut,
    /// Somebody else answers at that address.
    WrongKey {
        /// Who does.
        found: PeerId,
    },
    /// The peer does not know this device as a member.
    NotAMember,
    /// The peer speaks another version of the protocol.
    OtherProtocol,
    /// The peer has no room now.
    Busy,
    /// A hello or a request that is longer than it may be.
    TooLong {
        /// Its length.
        length: usize,
        /// What it may be.
        limit: usize,
    },
    /// The peer broke the protocol.
    Misbehaved(&'static str),
    /// It was there and then closed.
    Closed(Closed),
}

impl fmt::Display for DialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own => f.pad("that is this device itself"),
            Self::Unreachable { address, why } => write!(f, "cannot reach {address}: {why}"),
            Self::TimedOut => f.pad("no answer"),
            Self::WrongKey { found } => write!(f, "another device answers there: {found}"),
            Self::NotAMember => f.pad("the peer does not know this device as a member"),
            Self::OtherProtocol => f.pad("the peer runs another version of Rejoinder"),
            Self::Busy => f.pad("the peer is busy"),
            Self::TooLong { length, limit } => {
                write!(f, "{length} bytes, at most {limit} are sent")
            }
            Self::Misbehaved(how) => write!(f, "the peer broke the protocol: {how}"),
            Self::Closed(closed) => closed.fmt(f),
        }
    }
}

impl std::error::Error for DialError {}

/// TLS alerts as QUIC carries them.
const ACCESS_DENIED: u8 = 49;
const NO_APPLICATION_PROTOCOL: u8 = 120;

impl DialError {
    pub(crate) fn of_connect(address: SocketAddr, error: &ConnectError) -> Self {
        Self::Unreachable { address, why: error.to_string() }
    }

    /// `pinned` is what the dialler expected; who accepted has none.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSent {
    /// It is longer than a frame may be: a fault of the caller. The link stays.
    TooLong {
        /// Its length.
        length: usize,
    },
    /// Too much waits already, so the link was closed with [`CloseCode::TooSlow`].
    TooSlow,
    /// The link is closed.
    Closed,
}

impl fmt::Display for NotSent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong { length } => {
                write!(f, "a frame of {length} bytes, at most {} are sent", limits::FRAME)
            }
            Self::TooSlow => f.pad("the peer reads too slowly"),
            Self::Closed => f.pad("the link is closed"),
        }
    }
}

impl std::error::Error for NotSent {}
