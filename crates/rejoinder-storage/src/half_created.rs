//! A database file whose creation was interrupted.
//!
//! redb writes its magic number last, so that half a new file is not taken for a whole one; but
//! from then on it says "not a database" of it. Nobody can have kept anything in such a file, and
//! after a power failure nobody should have to find and delete it.

use std::io;

use redb::StorageBackend;

/// Bytes of the magic number with which a redb file begins.
const MAGIC: usize = 9;
/// All that is written before the magic number lies within the first page.
const PAGE: u64 = 4096;

/// Empties the file if its creation was interrupted, and says whether it was.
pub(crate) fn cleared(disk: &dyn StorageBackend) -> io::Result<bool> {
    let half_created = is_half_created(disk)?;
    if half_created {
        disk.set_len(0)?;
    }
    Ok(half_created)
}

/// True for a file without a magic number and with only zeros after the first page. Any other file
/// stays as it is: one that held something once, or that another program wrote.
fn is_half_created(disk: &dyn StorageBackend) -> io::Result<bool> {
    let len = disk.len()?;
    if len < PAGE {
        return Ok(false);
    }
    let mut page = vec![0; PAGE as usize];
    let mut at = 0;
    while at < len {
        let piece = &mut page[..(len - at).min(PAGE) as usize];
        disk.read(at, piece)?;
        let zeros = if at == 0 { &piece[..MAGIC] } else { &*piece };
        if zeros.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at += PAGE;
    }
    Ok(true)
}
