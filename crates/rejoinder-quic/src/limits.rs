//! The limits of this crate.

use std::time::Duration;

/// Bytes of one frame. The largest record is 2 MiB; the rest is room for what is around it.
pub const FRAME: usize = 4 << 20;
/// Bytes of a hello: it carries the address cards that a device knows, about 200 bytes each.
pub const HELLO: usize = 256 << 10;
/// Bytes that wait to be sent on one link. Beyond it the other side is too slow, and the link
/// closes: anti-entropy finds what it lacks when it is back.
pub const QUEUE: usize = 16 << 20;
/// Bytes that a frame counts for in the queue besides its length, so that empty ones are bounded
/// too.
pub const FRAME_OVERHEAD: usize = 32;
/// Bytes of a request to join, and of the answer to it.
pub const JOIN: usize = 4096;

/// One step of a handshake, of a greeting or of joining.
pub const STEP: Duration = Duration::from_secs(5);
/// Handshakes at once.
pub const HANDSHAKES: usize = 64;
/// Handshakes at once from which on a caller must first show that its address is its own.
pub const HANDSHAKES_UNCHECKED: usize = 16;
/// Requests to join at once. Apart from the handshakes, so that slow strangers don't keep
/// members out.
pub const JOINS: usize = 16;
/// Arrivals that wait for the application.
pub const ARRIVALS: usize = 16;

/// A link that hears nothing for this long is down.
pub const IDLE: Duration = Duration::from_secs(20);
/// The interval at which something is sent so that the other side hears something: three can get
/// lost.
pub const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// The time that closing an endpoint waits for its goodbyes to arrive.
pub const GOODBYE: Duration = Duration::from_secs(1);
/// Bytes of the reason that is sent with a close code.
pub const REASON: usize = 200;

/// Bytes in flight on one stream, and on all of one link, in each direction.
pub(crate) const STREAM_WINDOW: u32 = 1 << 20;
pub(crate) const WINDOW: u32 = 4 << 20;
/// Connection attempts that quinn holds until the gate looks at them, and their bytes: one that
/// waits is looked at within a turn of the event loop.
pub(crate) const INCOMING: usize = 256;
pub(crate) const INCOMING_BYTES: u64 = 64 << 10;
pub(crate) const INCOMING_BYTES_TOTAL: u64 = 1 << 20;
