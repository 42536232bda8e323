//! What a peer did that ends its link.

use std::fmt;

use rejoinder_identity::DecodeError;

use crate::ItemKind;

/// The other side of a link broke the protocol: close the link, with this as the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misbehaved {
    /// A frame longer than [`limits::FRAME`](crate::limits::FRAME).
    FrameTooLarge {
        /// Its length.
        bytes: usize,
    },
    /// A frame of another version than ours.
    Version(u8),
    /// A frame that is not what it says it is.
    Unreadable(DecodeError),
    /// An item longer than any of its kind may be.
    ItemTooLarge {
        /// Its kind.
        kind: ItemKind,
        /// Its length.
        bytes: usize,
    },
    /// More was sent than was given room for.
    Overrun {
        /// Bytes that came and that we have not said to have heard.
        bytes: u64,
    },
    /// We are said to have been heard further than we spoke.
    HeardTooMuch,
    /// The lines of a summary are not in order, or outside the part they are said to be of.
    SummaryOutOfOrder,
}

impl fmt::Display for Misbehaved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FrameTooLarge { bytes } => write!(f, "a frame of {bytes} bytes"),
            Self::Version(version) => write!(f, "a frame of version {version}"),
            Self::Unreadable(error) => error.fmt(f),
            Self::ItemTooLarge { kind, bytes } => write!(f, "{kind} of {bytes} bytes"),
            Self::Overrun { bytes } => write!(f, "{bytes} bytes without waiting for room"),
            Self::HeardTooMuch => f.write_str("it heard more than was said"),
            Self::SummaryOutOfOrder => f.write_str("a summary that is out of order"),
        }
    }
}

impl std::error::Error for Misbehaved {}
