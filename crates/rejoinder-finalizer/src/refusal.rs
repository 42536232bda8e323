//! Why the host said no, sorted by who must act on it.

mod access;
mod answers;
mod call;
mod host;
mod numbers;
mod over;
pub(crate) mod wire;

use std::fmt;

use rejoinder_identity::QuestionId;

pub use self::{
    access::NoAccess, answers::BadAnswers, call::BadCall, host::HostCannot, over::Over,
};

/// Why a proposal, a join or an act of the host was refused: by who must act to get further.
#[derive(Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Nobody: it is over, and how it ended stands.
    Nobody(Over),
    /// The person who completes the request: look at it again and answer what is named.
    Answerer(BadAnswers),
    /// The program that asked: it must ask for something else, or later.
    Caller(BadCall),
    /// The host: its program, or the one who runs it.
    Host(HostCannot),
    /// An owner of the workspace, who gives roles and tickets.
    Owner(NoAccess),
    /// A reason of a later release, of which it is not known who must act.
    Other {
        /// Its code.
        code: String,
        /// What that release says about it.
        text: String,
    },
}

impl Refusal {
    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::Nobody(why) => why.code(),
            Self::Answerer(why) => why.code(),
            Self::Caller(why) => why.code(),
            Self::Host(why) => why.code(),
            Self::Owner(why) => why.code(),
            Self::Other { code, .. } => code,
        }
    }

    /// The questions that it is about; empty if it names none.
    pub fn questions(&self) -> &[QuestionId] {
        match self {
            Self::Answerer(why) => why.questions(),
            Self::Nobody(_)
            | Self::Caller(_)
            | Self::Host(_)
            | Self::Owner(_)
            | Self::Other { .. } => &[],
        }
    }
}

/// Shows the reason alone: its name tells who must act, and traces stay short.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody(why) => fmt::Debug::fmt(why, f),
            Self::Answerer(why) => fmt::Debug::fmt(why, f),
            Self::Caller(why) => fmt::Debug::fmt(why, f),
            Self::Host(why) => fmt::Debug::fmt(why, f),
            Self::Owner(why) => fmt::Debug::fmt(why, f),
            Self::Other { code, text } => {
                f.debug_struct("Other").field("code", code).field("text", text).finish()
            }
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nobody(why) => fmt::Display::fmt(why, f),
            Self::Answerer(why) => fmt::Display::fmt(why, f),
            Self::Caller(why) => fmt::Display::fmt(why, f),
            Self::Host(why) => fmt::Display::fmt(why, f),
            Self::Owner(why) => fmt::Display::fmt(why, f),
            Self::Other { text, .. } => f.write_str(text),
        }
    }
}

impl std::error::Error for Refusal {}

/// Prints names with commas between them.
fn list<'a>(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'a str>) -> fmt::Result {
    for (index, name) in names.enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{name:?}")?;
    }
    Ok(())
}
