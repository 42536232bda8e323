//! A read-only view of a damaged file, with its header patched in memory so that redb will open it.
//!
//! redb opens a file that was not closed properly only if all its pages are intact, and one with a
//! flipped bit in its header not at all. But most rows of such a file can still be read, the way
//! redb serves readers beside a live writer: it looks at a page only when asked for it. The
//! contents of the header are known, except for which of the two commits is the newer.

use std::{io, ops::Bound};

use redb::{BackendError, Builder, ConcurrencyMode, ReadOnlyDatabase, StorageBackend};

use crate::{error::Failure, limits};

const MAGIC: &[u8; 9] = b"redb\x1a\n\xa9\r\n";
const PAGE: u64 = 4096;
/// Pages of a region: 4 GiB.
const REGION: u64 = 1 << 20;
/// The places of the two commits' slots: each begins with redb's own format, the transaction's
/// number follows. redb checks their checksums.
const SLOTS: [usize; 2] = [64, 192];
const REDB_FORMAT: u8 = 3;
const TRANSACTION: usize = 104;

/// A backend that is only read, with a patched header.
#[derive(Debug)]
struct ReadonlyView {
    disk: Box<dyn StorageBackend>,
    head: Vec<u8>,
}

/// The commit of the file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commit {
    Newer,
    Older,
}

/// Opens one commit of a file for reading.
pub(crate) fn open(
    disk: Box<dyn StorageBackend>,
    commit: Commit,
) -> Result<ReadOnlyDatabase, Failure> {
    let len = disk.len()?;
    if len < PAGE {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    let mut head = vec![0; PAGE as usize];
    disk.read(0, &mut head)?;
    let newer = usize::from(transaction(&head, 1) > transaction(&head, 0));
    let slot = match commit {
        Commit::Newer => newer,
        Commit::Older => 1 - newer,
    };
    mend(&mut head, len, slot);
    let mut builder = Builder::new();
    builder.set_cache_size(limits::CACHE).set_concurrency_mode(ConcurrencyMode::SingleWriter);
    Ok(builder.open_read_only_with_backend(ReadonlyView { disk, head })?)
}

fn transaction(head: &[u8], slot: usize) -> u64 {
    let at = SLOTS[slot] + TRANSACTION;
    u64::from_le_bytes(head[at..at + 8].try_into().expect("eight bytes are eight bytes"))
}

/// Patches the header: the magic number, which commit to use, that no repair is needed, the sizes,
/// the format.
fn mend(head: &mut [u8], len: u64, slot: usize) {
    let pages = len / PAGE - 1;
    let part = |number: u64| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let sizes = [part(PAGE), part(0), part(REGION), part(pages / REGION), part(pages % REGION)];
    head[..9].copy_from_slice(MAGIC);
    head[9..12].copy_from_slice(&[u8::from(slot == 1), 0, 0]);
    head[12..32].copy_from_slice(&sizes.concat());
    SLOTS.into_iter().for_each(|slot| head[slot] = REDB_FORMAT);
}

impl StorageBackend for ReadonlyView {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)?;
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        if let Some(head) = self.head.get(at..) {
            let length = head.len().min(out.len());
            out[..length].copy_from_slice(&head[..length]);
        }
        Ok(())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    // The process that salvages a home holds it, so nobody else can have a lock: each one is free.

    fn try_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn try_lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(true)
    }

    fn lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn lock_shared_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn unlock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<(), BackendError> {
        Ok(())
    }

    fn query_lock_range(&self, _: Bound<u64>, _: Bound<u64>) -> Result<bool, BackendError> {
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Bytes(Vec<u8>);

    impl StorageBackend for Bytes {
        fn len(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            let at = offset as usize;
            out.copy_from_slice(&self.0[at..at + out.len()]);
            Ok(())
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            unreachable!("nothing is written")
        }

        fn sync_data(&self) -> io::Result<()> {
            unreachable!("nothing is written")
        }

        fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
            unreachable!("nothing is written")
        }
    }

    /// If a later redb writes another head, this fails before a damaged home does.
    #[test]
    fn the_head_that_is_made_is_the_head_that_redb_writes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        drop(redb::Database::create(&path).unwrap());
        let sound = std::fs::read(&path).unwrap();
        let mut head = sound[..PAGE as usize].to_vec();
        head[..9].fill(0);
        head[10..32].fill(0xff);
        SLOTS.into_iter().for_each(|slot| head[slot] = 0);
        mend(&mut head, sound.len() as u64, usize::from(sound[9] & 1));
        head[9] = sound[9];
        assert_eq!(head, sound[..PAGE as usize]);
        open(Box::new(Bytes(sound)), Commit::Newer).unwrap();
    }
}
