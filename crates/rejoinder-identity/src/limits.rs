//! The limits of this crate, in bytes.

/// A ticket's text: three hints of eight addresses are under 1 kB.
pub const TICKET: usize = 4096;
/// Hints in a ticket.
pub const HINTS: usize = 3;
/// Addresses of one hint.
pub const HINT_ADDRESSES: usize = 16;
