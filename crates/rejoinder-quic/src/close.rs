//! The reasons to close a link: numbers that both sides know, and words for people.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use quinn::{ConnectionError, VarInt};

use crate::limits;

/// Why one side closed a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CloseCode {
    /// Its process dropped the link without a reason.
    Dropped,
    /// It goes offline, or ends.
    Goodbye,
    /// A newer link between the two took over.
    Superseded,
    /// The other side is not a member, or no longer one.
    NotAMember,
    /// The other side broke the protocol.
    Misbehaved,
    /// It has no room for another link or request now.
    Busy,
    /// The other side read too slowly.
    TooSlow,
    /// The other side did not answer in time.
    Unresponsive,
    /// A code of a later release.
    Other(u64),
}

impl CloseCode {
    /// Its number on the wire. A number that was once released keeps its meaning.
    pub fn number(self) -> u64 {
        match self {
            // quinn sends this when the last handle of a connection is dropped.
            Self::Dropped => 0,
            Self::Goodbye => 1,
            Self::Superseded => 2,
            Self::NotAMember => 3,
            Self::Misbehaved => 4,
            Self::Busy => 5,
            Self::TooSlow => 6,
            Self::Unresponsive => 7,
            Self::Other(number) => number,
        }
    }

    /// The code of a number.
    pub fn of_number(number: u64) -> Self {
        match number {
            0 => Self::Dropped,
            1 => Self::Goodbye,
            2 => Self::Superseded,
            3 => Self::NotAMember,
            4 => Self::Misbehaved,
            5 => Self::Busy,
            6 => Self::TooSlow,
            7 => Self::Unresponsive,
            other => Self::Other(other),
        }
    }

    pub(crate) fn on_the_wire(self) -> VarInt {
        VarInt::from_u64(self.number()).unwrap_or(VarInt::MAX)
    }
}

impl fmt::Display for CloseCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dropped => f.pad("dropped"),
            Self::Goodbye => f.pad("goodbye"),
            Self::Superseded => f.pad("superseded by a newer link"),
            Self::NotAMember => f.pad("not a member"),
            Self::Misbehaved => f.pad("misbehaved"),
            Self::Busy => f.pad("busy"),
            Self::TooSlow => f.pad("too slow"),
            Self::Unresponsive => f.pad("unresponsive"),
            Self::Other(number) => write!(f, "code {number}"),
        }
    }
}

/// The end of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// This side closed it.
    Here {
        /// Why.
        code: CloseCode,
        /// In words, as sent to the other side.
        reason: String,
    },
    /// The other side closed it.
    There {
        /// Why.
        code: CloseCode,
        /// In words of its own choosing: show them with care.
        reason: String,
    },
    /// Nothing was heard for too long.
    TimedOut,
    /// The other side does not know this link: it was restarted.
    Reset,
    /// The transport found a fault.
    Broken(String),
}

impl Closed {
    /// The code, if one of the sides gave one.
    pub fn code(&self) -> Option<CloseCode> {
        match self {
            Self::Here { code, .. } | Self::There { code, .. } => Some(*code),
            Self::TimedOut | Self::Reset | Self::Broken(_) => None,
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here { code, reason } if reason.is_empty() => write!(f, "closed here: {code}"),
            Self::Here { code, reason } => write!(f, "closed here: {code}: {reason:?}"),
            Self::There { code, reason } if reason.is_empty() => {
                write!(f, "closed by peer: {code}")
            }
            Self::There { code, reason } => write!(f, "closed by peer: {code}: {reason:?}"),
            Self::TimedOut => f.pad("nothing heard for too long"),
            Self::Reset => f.pad("the peer was started anew"),
            Self::Broken(why) => write!(f, "broken: {why}"),
        }
    }
}

/// The reason this side gave when it closed: quinn does not keep it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    link: Arc<OnceLock<(CloseCode, String)>>,
    endpoint: Arc<OnceLock<(CloseCode, String)>>,
}

impl Said {
    /// A new one for another link of the same endpoint.
    pub(crate) fn another(&self) -> Self {
        Self { link: Arc::default(), endpoint: Arc::clone(&self.endpoint) }
    }

    /// Closes this link. Only the first reason counts.
    pub(crate) fn close(&self, connection: &quinn::Connection, code: CloseCode, reason: &str) {
        let reason = shortened(reason);
        let _ = self.link.set((code, reason.to_owned()));
        connection.close(code.on_the_wire(), reason.as_bytes());
    }

    /// Closes all links of the endpoint.
    pub(crate) fn close_all(&self, endpoint: &quinn::Endpoint, code: CloseCode, reason: &str) {
        let reason = shortened(reason);
        let _ = self.endpoint.set((code, reason.to_owned()));
        endpoint.close(code.on_the_wire(), reason.as_bytes());
    }

    /// The end of the link, from quinn's error and the reason given here.
    pub(crate) fn closed(&self, error: &ConnectionError) -> Closed {
        match error {
            ConnectionError::ApplicationClosed(close) => Closed::There {
                code: CloseCode::of_number(close.error_code.into_inner()),
                reason: String::from_utf8_lossy(&close.reason).into_owned(),
            },
            ConnectionError::LocallyClosed => {
                let said = self.link.get().or_else(|| self.endpoint.get()).cloned();
                let (code, reason) = said.unwrap_or((CloseCode::Dropped, String::new()));
                Closed::Here { code, reason }
            }
            ConnectionError::TimedOut => Closed::TimedOut,
            ConnectionError::Reset => Closed::Reset,
            ConnectionError::VersionMismatch
            | ConnectionError::TransportError(_)
            | ConnectionError::ConnectionClosed(_)
            | ConnectionError::CidsExhausted => Closed::Broken(error.to_string()),
        }
    }
}

fn shortened(reason: &str) -> &str {
    let mut end = reason.len().min(limits::REASON);
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    &reason[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay() {
        let names = [
            (CloseCode::Dropped, 0),
            (CloseCode::Goodbye, 1),
            (CloseCode::Superseded, 2),
            (CloseCode::NotAMember, 3),
            (CloseCode::Misbehaved, 4),
            (CloseCode::Busy, 5),
            (CloseCode::TooSlow, 6),
            (CloseCode::Unresponsive, 7),
            (CloseCode::Other(8), 8),
            (CloseCode::Other(u64::MAX), u64::MAX),
        ];
        for (code, number) in names {
            assert_eq!(code.number(), number);
            assert_eq!(CloseCode::of_number(number), code);
        }
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        assert_eq!(shortened("short"), "short");
        let long = "é".repeat(limits::REASON);
        assert_eq!(shortened(&long), "é".repeat(limits::REASON / 2));
        let odd = format!("a{long}");
        assert_eq!(shortened(&odd).len(), limits::REASON - 1);
    }
}
