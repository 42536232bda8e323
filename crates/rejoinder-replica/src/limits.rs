//! The limits of this crate.

use std::time::Duration;

/// A hello, in bytes: a few hundred members' cards.
pub const HELLO: usize = 64 * 1024;
/// Cards in a hello.
pub const HELLO_CARDS: usize = 256;
/// Address cards of devices that are no members; they are not stored.
pub const STRANGERS_CARDS: usize = 256;
/// For how long after a card came it is sent on links that come up: their hellos may have been
/// written before. Longer than a handshake may take.
pub const CARD_NEWS: Duration = Duration::from_secs(30);
/// Cards that this device signs in that time because others have one of its own that it
/// doesn't know: each of them may bring another. Two copies of a home would do it without end.
pub const OUTDONE: usize = 8;
/// Joins that wait for the host, over all devices.
pub const WAITING_JOINS: usize = 64;
/// Joins with one invite that a door takes while they wait: a ticket in the wrong hands leaves
/// room for the others. A guess, twice the seats of a usual ticket.
pub const WAITING_JOINS_PER_INVITE: usize = 16;
/// Members of one workspace that are let in before their records are here. A guess, far above how
/// many come in while somebody is away, and meet it before anybody else does.
pub const INTRODUCED: usize = 64;
/// Workspaces for which a device introduces itself to one that turned it away, one after the other.
pub const INTRODUCTIONS: usize = 4;
/// For how long after an introduction that came over a link the next ones are not looked at: who
/// has one to make says it every half minute.
pub const INTRODUCTION_SOONEST: Duration = Duration::from_secs(5);
/// Documents of settled requests that stay in memory; a guess, a few megabytes.
pub const SETTLED_IN_MEMORY: usize = 64;
/// Delay before the first retry of a failing disk; doubled up to `RETRY_LAST`.
pub const RETRY_FIRST: Duration = Duration::from_millis(100);
/// The longest time between two tries of a failing disk.
pub const RETRY_LAST: Duration = Duration::from_secs(10);
/// Bytes of changes that wait for documents that are being read. A disk that does not answer is no
/// reason to hold what comes: the peers have it. A guess, a few windows of a link.
pub const UNREAD: usize = 1024 * 1024;
/// Bytes of unwritten batches beyond which nothing more is taken in from links.
pub const UNWRITTEN: usize = 16 * 1024 * 1024;
