//! The limits of this crate.

/// Bytes of the file that redb keeps in memory. A home is read whole only where it is small
/// (`Table::AT_OPEN`); the envelopes are read once per opened request. redb's default is 1 GiB.
pub(crate) const CACHE: usize = 16 << 20;

/// Attempts to copy a file that is being written to, until a copy holds one commit. A copy of a
/// usual home takes less than the flush of one commit, so one of a few does.
pub(crate) const COPIES: usize = 100;
