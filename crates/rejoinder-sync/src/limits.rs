//! The limits of this crate. Sizes are in bytes.

use std::time::Duration;

/// The change in an envelope.
pub const CHANGE: usize = 64 * 1024;
/// An envelope: its change, and room for ids, key, signature and fields of later releases.
pub const ENVELOPE: usize = CHANGE + 1024;
/// A record: as much as a frame holds, since a skeleton has no bound but its record's.
pub const RECORD: usize = FRAME - 1024;
/// A proposal: 2 MiB of answers, and room for what its author saw.
pub const PROPOSAL: usize = 2 * 1024 * 1024 + 64 * 1024;
/// An address card.
pub const CARD: usize = 2 * 1024;
/// Addresses on a card.
pub const CARD_ADDRESSES: usize = 32;

/// Address cards that wait for one link.
pub const CARDS: usize = 256;
/// A frame.
pub const FRAME: usize = 4 * 1024 * 1024;
/// Items in a frame.
pub const ITEMS: usize = 4096;
/// A frame is ended when it has come to this, so that a link is not held up by one frame.
pub const FRAME_TARGET: usize = 128 * 1024;
/// Lines of a part of a summary: about 100 KiB, as [`FRAME_TARGET`].
pub const LINES: usize = 1024;
/// Envelopes, and proposals, that one acknowledgement names.
pub const ACKNOWLEDGED: usize = 1024;
/// Places of the log that a summary names: one for every doubling of the distance from its head.
pub const TRAIL: usize = 66;

/// Bytes sent on a link and not yet heard there. When it is reached, one more frame may be on its
/// way.
pub const WINDOW: usize = 1024 * 1024;
/// Credit is given when this much was heard since the last time.
pub const HEARD: usize = WINDOW / 8;
/// Documents that a link waits for at a time: their answers fill a window.
pub const FETCHES: usize = WINDOW / FRAME_TARGET;

/// From one full comparison to the next, give or take a quarter.
pub const COMPARE: Duration = Duration::from_secs(30);
/// Comparisons that are asked for sooner wait until this much after the one before, so that an
/// item which the other side refuses again and again costs little.
pub const COMPARE_SOONEST: Duration = Duration::from_secs(5);
/// A difference that is older than this is no item that is on its way.
pub const SETTLE: Duration = Duration::from_secs(2);
/// Positions are told so much after a change, so that a burst of changes is told once.
pub const POSITION: Duration = Duration::from_millis(50);

/// Parked items of one author.
pub const PARKED: usize = 256;
/// Bytes of the parked items of one author.
pub const PARKED_BYTES: usize = 1024 * 1024;
/// Parked items of all authors: a relaying peer may invent authors.
pub const PARKED_TOTAL: usize = 16 * PARKED;
/// Bytes of the parked items of all authors.
pub const PARKED_TOTAL_BYTES: usize = 16 * PARKED_BYTES;
/// Parked items that one link brought, so that a peer that invents authors fills only its own room.
pub const PARKED_LINK: usize = PARKED_TOTAL / 4;
/// Bytes of those.
pub const PARKED_LINK_BYTES: usize = PARKED_TOTAL_BYTES / 4;
/// Parked items whose authors the log does not know (yet): the rest of the pool is for members.
pub const PARKED_STRANGERS: usize = PARKED_TOTAL / 2;
/// Bytes of those.
pub const PARKED_STRANGERS_BYTES: usize = PARKED_TOTAL_BYTES / 2;
