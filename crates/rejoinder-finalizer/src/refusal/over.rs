//! Refusals on which nobody must act.

use std::fmt;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::{PeerId, RecordId, TurnId};

use crate::{request::TurnEnd, response::word};

/// It is over, and how it ended stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// Somebody else's completion was there first.
    AlreadyDecided {
        /// Who decided.
        by: PeerId,
        /// The response.
        response: ChatInputResponseKind,
        /// The decision.
        decision: RecordId,
    },
    /// The request is not open: it is not known, or its turn has ended.
    NoOpenRequest {
        /// How its turn ended; `None` if no such request is known.
        ended: Option<TurnEnd>,
    },
    /// That very turn was started before; it is left as it is.
    AlreadyStarted {
        /// The turn.
        turn: TurnId,
    },
}

impl Over {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::AlreadyDecided { .. } => "already-decided",
            Self::NoOpenRequest { .. } => "no-open-request",
            Self::AlreadyStarted { .. } => "already-started",
        }
    }
}

impl fmt::Display for Over {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyDecided { by, response, .. } => {
                write!(f, "already decided: {} by {by}", word(*response))
            }
            Self::NoOpenRequest { ended: None } => write!(f, "no such request is open"),
            Self::NoOpenRequest { ended: Some(how) } => {
                let how = match how {
                    TurnEnd::Completed => "was completed",
                    TurnEnd::Cancelled => "was cancelled",
                    TurnEnd::Failed => "has failed",
                    TurnEnd::Truncated => "was removed",
                    TurnEnd::Expired => "has expired",
                };
                write!(f, "the request is not open: its turn {how}")
            }
            Self::AlreadyStarted { turn } => write!(f, "the turn {turn:?} was started before"),
        }
    }
}
