//! Violations of the protocol, each of which ends the link.

use rejoinder_identity::DecodeError;

use crate::ItemKind;

/// The other side of a link broke the protocol: close the link, with this as the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misbehaved {
    /// A frame longer than [`limits::FRAME`](crate::limits::FRAME).
    #[error("a frame of {bytes} bytes")]
    FrameTooLarge {
        /// Its length.
        bytes: usize,
    },
    /// A frame of another version than ours.
    #[error("a frame of version {0}")]
    Version(u8),
    /// A frame that is not what it says it is.
    #[error(transparent)]
    Unreadable(DecodeError),
    /// An item longer than any of its kind may be.
    #[error("{kind} of {bytes} bytes")]
    ItemTooLarge {
        /// Its kind.
        kind: ItemKind,
        /// Its length.
        bytes: usize,
    },
    /// The peer sent more than it had room for.
    #[error("{bytes} bytes without waiting for room")]
    Overrun {
        /// The bytes that came, and that we have not acknowledged.
        bytes: u64,
    },
    /// The peer says that it heard more than we sent.
    #[error("it heard more than was said")]
    HeardTooMuch,
    /// The lines of a summary are not in order, or lie outside their part.
    #[error("a summary that is out of order")]
    SummaryOutOfOrder,
}
