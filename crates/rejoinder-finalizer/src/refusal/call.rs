//! Refusals on which the program that asked must act.

use std::fmt;

use rejoinder_identity::TurnId;

/// It can't be done as it was asked for, or not now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadCall {
    /// A turn is active.
    TurnActive {
        /// The turn.
        turn: TurnId,
    },
    /// No turn is active.
    NoActiveTurn,
    /// Another turn is active.
    OtherTurn {
        /// The one that is.
        active: TurnId,
    },
    /// No finished turn has that id.
    NoSuchTurn {
        /// The id.
        turn: TurnId,
    },
    /// The last turn did not end by an error that can be resumed, or it is another turn.
    NotResumable {
        /// The turn that was to be resumed.
        turn: TurnId,
    },
    /// A member may only start turns with a message of a user.
    OriginNotUser,
    /// Only a host may say that.
    HostOnly {
        /// The type of the action.
        action: String,
    },
    /// It can't be read.
    Malformed {
        /// The fault that was found in it.
        why: String,
    },
    /// It would change nothing: what it names is not there.
    NoEffect {
        /// The type of the action.
        action: String,
    },
    /// The workspace has no such chat or session.
    NoSuchChannel {
        /// The URI.
        channel: String,
    },
    /// It would not fit in a record.
    RecordTooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
}

impl BadCall {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::TurnActive { .. } => "turn-active",
            Self::NoActiveTurn => "no-active-turn",
            Self::OtherTurn { .. } => "other-turn",
            Self::NoSuchTurn { .. } => "no-such-turn",
            Self::NotResumable { .. } => "not-resumable",
            Self::OriginNotUser => "origin-not-user",
            Self::HostOnly { .. } => "host-only",
            Self::Malformed { .. } => "malformed",
            Self::NoEffect { .. } => "no-effect",
            Self::NoSuchChannel { .. } => "no-such-channel",
            Self::RecordTooLarge { .. } => "record-too-large",
        }
    }
}

impl fmt::Display for BadCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnActive { turn } => write!(f, "the turn {turn:?} is active"),
            Self::NoActiveTurn => write!(f, "no turn is active"),
            Self::OtherTurn { active } => write!(f, "another turn is active: {active:?}"),
            Self::NoSuchTurn { turn } => write!(f, "no finished turn is called {turn:?}"),
            Self::NotResumable { turn } => {
                write!(f, "the turn {turn:?} is not the last, or did not fail resumably")
            }
            Self::OriginNotUser => write!(f, "the message of a turn must come from a user"),
            Self::HostOnly { action } => write!(f, "only a host may say {action:?}"),
            Self::Malformed { why } => write!(f, "it can't be read: {why}"),
            Self::NoEffect { action } => {
                write!(f, "{action:?} would change nothing: what it names is not there")
            }
            Self::NoSuchChannel { channel } => write!(f, "there is no channel {channel:?}"),
            Self::RecordTooLarge { size, limit } => {
                write!(f, "a record of {size} bytes is above the limit of {limit}")
            }
        }
    }
}
