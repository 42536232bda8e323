//! Bytes as text: base32 in lower case, without padding. Ids and hashes print so.

use std::fmt;

use data_encoding::BASE32_NOPAD_NOCASE;

/// Prints bytes.
pub(crate) fn print(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = BASE32_NOPAD_NOCASE.encode(bytes);
    text.make_ascii_lowercase();
    f.pad(&text)
}

/// Reads that many bytes, in either case.
pub(crate) fn read<const N: usize>(text: &str) -> Option<[u8; N]> {
    BASE32_NOPAD_NOCASE.decode(text.as_bytes()).ok()?.try_into().ok()
}
