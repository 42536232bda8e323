//! What a peer did that ends its link.

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
    /// More was sent than was given room for.
    #[error("{bytes} bytes without waiting for room")]
    Overrun {
        /// Bytes that came and that we have not said to have heard.
        bytes: u64,
    },
    /// We are said to have been heard further than we spoke.
    #[error("it heard more than was said")]
    HeardTooMuch,
    /// The lines of a summary are not in order, or outside the part they are said to be of.
    #[error("a summary that is out of order")]
    SummaryOutOfOrder,
}
