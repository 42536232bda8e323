//! Refusals on which the host must act.

use std::fmt;

use rejoinder_identity::RequestId;

use super::list;

/// This host does not do it, or can't now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostCannot {
    /// The host program does not wait for requests that the turn would open again.
    NotTakenUp {
        /// The requests.
        requests: Vec<RequestId>,
    },
    /// This host does not do that.
    Unsupported {
        /// The thing that was asked for.
        what: String,
    },
    /// Too many requests are open at once.
    TooManyOpen {
        /// The limit.
        limit: u32,
    },
    /// Another epoch is current: this device is not the host any more.
    NotHost,
}

impl HostCannot {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::NotTakenUp { .. } => "not-taken-up",
            Self::Unsupported { .. } => "unsupported",
            Self::TooManyOpen { .. } => "too-many-open",
            Self::NotHost => "not-host",
        }
    }
}

impl fmt::Display for HostCannot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTakenUp { requests } => {
                write!(f, "the host program does not take up ")?;
                list(f, requests.iter().map(RequestId::as_str))
            }
            Self::Unsupported { what } => write!(f, "this host does not do {what}"),
            Self::TooManyOpen { limit } => write!(f, "{limit} requests are open already"),
            Self::NotHost => write!(f, "another host is current in this workspace"),
        }
    }
}
