//! The roles of members.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A member's role. Each may do what those before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Role {
    /// Reads, and carries for others.
    Observer,
    /// Drafts, and proposes completions.
    Answerer,
    /// Also starts and cancels turns.
    Collaborator,
    /// Everything a member can.
    Owner,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Observer => "observer",
            Self::Answerer => "answerer",
            Self::Collaborator => "collaborator",
            Self::Owner => "owner",
        })
    }
}
