//! Refusals on which an owner of the workspace must act.

use std::fmt;

use rejoinder_identity::{Role, Timestamp};

/// The ticket doesn't let the device in, or the role of its member doesn't allow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAccess {
    /// The author's role does not allow that.
    NotAllowed {
        /// The role.
        role: Role,
    },
    /// The workspace never issued that invite.
    UnknownInvite,
    /// The invite has expired, by the host's clock.
    InviteExpired {
        /// When.
        expired: Timestamp,
    },
    /// All seats of the invite are taken.
    NoSeatLeft {
        /// How many it had.
        seats: u16,
    },
    /// The person who was asked said no.
    NotApproved,
}

impl NoAccess {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::NotAllowed { .. } => "not-allowed",
            Self::UnknownInvite => "unknown-invite",
            Self::InviteExpired { .. } => "invite-expired",
            Self::NoSeatLeft { .. } => "no-seat-left",
            Self::NotApproved => "not-approved",
        }
    }
}

impl fmt::Display for NoAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAllowed { role } => write!(f, "the role {role} does not allow it"),
            Self::UnknownInvite => write!(f, "the ticket's invite is not of this workspace"),
            Self::InviteExpired { expired } => write!(f, "the ticket expired at {expired}"),
            Self::NoSeatLeft { seats } => write!(f, "all {seats} seats of the ticket are taken"),
            Self::NotApproved => write!(f, "the person who was asked did not let it in"),
        }
    }
}
