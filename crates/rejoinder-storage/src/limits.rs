//! The limits of this crate.

/// Bytes of the file that redb keeps in memory. A home is read whole only where it is small
/// (`Table::AT_OPEN`); the envelopes are read once per opened request. redb's default is 1 GiB.
pub(crate) const CACHE: usize = 16 << 20;
