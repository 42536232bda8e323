//! The limits of this crate. Sizes are of the whole signed frame, in bytes, as it is stored and sent.

/// A record with a decision or the end of a turn: both embed answers.
pub const LARGE_RECORD: usize = 2_048 * 1_024;
/// Any other record of a kind that this release knows.
pub const RECORD: usize = 256 * 1_024;
/// A proposal: an accept carries every answer that its author saw.
pub const PROPOSAL: usize = 2_048 * 1_024;
/// A join: it must fit in the one frame that a stranger may send.
pub const JOIN: usize = 4_096;
/// An introduction of a member to peers whose logs are behind: a certificate, and a record with a
/// name.
pub const INTRODUCTION: usize = 2_048;
/// A member's name. A guess, large enough for any script.
pub const NAME: usize = 256;
/// Proposals of one author that wait for their answer.
pub const UNANSWERED: usize = 64;
/// Requests that are open at once: the end of the turn embeds all of them in one record. A guess,
/// far above what people answer side by side.
pub const OPEN_REQUESTS: usize = 64;
