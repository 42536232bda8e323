//! The checksum of a row: eight bytes behind its value, which tell a flipped bit from the bytes
//! that were written. It covers the table and the key too, so that a row which turns up in another
//! place is not valid there.
//!
//! It protects against accidents, not against an enemy: anybody who can write to the file can
//! compute it.

use rejoinder_identity::hash;

/// Its length in bytes.
const LENGTH: usize = 8;

/// Stored in the place of a lost row: no value with its checksum is that short.
pub(crate) const LOST: &[u8] = &[];

/// The value as it is stored, with its checksum.
pub(crate) fn with_checksum(table: &str, key: &[u8], value: &[u8]) -> Vec<u8> {
    [value, &checksum(table, key, value)].concat()
}

/// The value of a stored row; `None` if it is not what was written.
pub(crate) fn value<'a>(table: &str, key: &[u8], stored: &'a [u8]) -> Option<&'a [u8]> {
    let (value, found) = stored.split_last_chunk::<LENGTH>()?;
    (*found == checksum(table, key, value)).then_some(value)
}

/// The checksum alone, for a row that stores it separately.
pub(crate) fn checksum(table: &str, key: &[u8], value: &[u8]) -> [u8; LENGTH] {
    let hash = hash("row", &[table.as_bytes(), key, value]);
    let mut checksum = [0; LENGTH];
    checksum.copy_from_slice(&hash.0[..LENGTH]);
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn golden() {
        let golden = [b"vv", &[0x2f, 0x0c, 0x2d, 0xf7, 0x58, 0x4f, 0x0a, 0xc6][..]].concat();
        // Made with `printf 'rejoinder/row/1\0\x07\0\0\0records\x01\0\0\0k\x02\0\0\0vv' | sha256sum`.
        assert_eq!(with_checksum("records", b"k", b"vv"), golden);
    }

    #[test]
    fn any_flipped_bit_and_any_other_place_is_seen() {
        let stored = with_checksum("records", b"key", b"value");
        assert_eq!(value("records", b"key", &stored), Some(&b"value"[..]));
        for bit in 0..stored.len() * 8 {
            let mut flipped = stored.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(value("records", b"key", &flipped), None, "bit {bit}");
        }
        assert_eq!(value("records", b"kez", &stored), None);
        assert_eq!(value("meta", b"key", &stored), None);
        assert_eq!(value("records", b"key", LOST), None);
    }
}
