//! The versions of the form of the file.

/// The version of the format that this release writes, and the highest that it reads.
///
/// 1: rows as they are. 2: each with its checksum behind it, see `row_checksum.rs`.
pub const FORMAT: u32 = 2;

/// Before rows had checksums.
pub(crate) const WITHOUT_CHECKSUMS: u32 = 1;

/// The release whose form a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    WithoutChecksums,
    Ours,
    Newer(u32),
}
