//! The limits of this crate, and how each number was found.

use std::time::Duration;

/// Frames from all links that wait for the replica. Small, so that a flooding peer's frames are
/// not ahead of everybody else's; senders take turns for a free place.
pub(crate) const ARRIVALS: usize = 16;
/// Writes and reads that the disk takes up together.
pub(crate) const DISK_GROUP: usize = 512;
/// Events that wait for one slow listener before it is told that it missed some.
pub(crate) const EVENTS: usize = 1024;

/// Links of one run of one device: two that dial each other at once make two. The rest is for a
/// peer whose turn it is to choose and who has not yet.
pub(crate) const LINKS_A_RUN: usize = 4;
/// Runs of one device that are linked at once: an old one whose end nobody heard of, and a new one.
pub(crate) const RUNS_A_DEVICE: usize = 2;
/// Time that a link of another run has to answer when a newer run of its device turns up.
pub(crate) const PING: Duration = Duration::from_secs(5);
/// Limit on the exchange of hellos.
pub(crate) const GREETING: Duration = Duration::from_secs(5);

/// The first delay before a peer is dialled again; doubled each time.
pub(crate) const DIAL_FIRST: Duration = Duration::from_millis(200);
/// The longest delay between two dials of a peer.
pub(crate) const DIAL_LAST: Duration = Duration::from_secs(30);
/// Interval at which a peer that says it has moved is dialled at once: it may say so at any time,
/// and name addresses that are somebody else's.
pub(crate) const MOVED: Duration = Duration::from_secs(30);
/// The longest delay between two asks to be let in: a person may be looking at the screen.
pub(crate) const ASK_LAST: Duration = Duration::from_secs(5);
/// Time that one address has to itself before the next one is tried beside it, as in happy
/// eyeballs.
pub(crate) const NEXT_ADDRESS: Duration = Duration::from_millis(250);
/// Limit on a dial, over all addresses.
pub(crate) const DIAL: Duration = Duration::from_secs(10);
/// Dials that run at once.
pub(crate) const DIALS: usize = 32;
/// Time that the replica has to answer a device that asks to join: longer than a disk's flush.
pub(crate) const JOIN_ANSWER: Duration = Duration::from_secs(4);

/// Interval at which the clock and the interfaces are read.
pub(crate) const LOOK_AROUND: Duration = Duration::from_secs(5);
/// A wall clock that jumps by more than this against the monotonic one: the machine slept.
pub(crate) const SLEPT_MILLIS: i64 = 15_000;

/// Time that `close` waits until linked members have what is here.
pub(crate) const CLOSE: Duration = Duration::from_secs(3);
/// Time that `close` waits for the last write.
pub(crate) const LAST_WRITE: Duration = Duration::from_secs(10);
/// Time that opening waits for a home that this very process is still closing.
pub(crate) const STILL_CLOSING: Duration = Duration::from_secs(1);
/// Interval at which it looks.
pub(crate) const STILL_CLOSING_LOOK: Duration = Duration::from_millis(10);

/// Events about damage that are kept for those who begin to listen later; a document with damaged
/// rows is one or two. What is beyond says nothing that these don't.
pub(crate) const DAMAGE_KEPT: usize = 64;
