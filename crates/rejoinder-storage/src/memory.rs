//! Reading a store whose disk takes no writes.
//!
//! After an I/O error redb must repair its file before it reads again, and the repair writes. On a
//! full disk that would take reading away as well, so the repair happens in memory: reads see the
//! file with the writes on top, and the file itself is not changed.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    io,
    ops::Bound,
    sync::{Mutex, PoisonError},
};

use redb::{BackendError, StorageBackend};

/// The unit in which writes are kept: redb's own page.
const PAGE: u64 = 4096;

/// A backend with its writes kept in memory.
#[derive(Debug)]
pub(crate) struct WritesInMemory {
    disk: Box<dyn StorageBackend>,
    changed: Mutex<Changed>,
}

#[derive(Debug)]
struct Changed {
    len: u64,
    pages: BTreeMap<u64, Vec<u8>>,
}

impl WritesInMemory {
    pub(crate) fn over(disk: Box<dyn StorageBackend>) -> io::Result<Self> {
        let len = disk.len()?;
        Ok(Self { disk, changed: Mutex::new(Changed { len, pages: BTreeMap::new() }) })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Changed) -> T) -> T {
        work(&mut self.changed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A page as it lies on the disk; zeros beyond its end.
    fn page_on_disk(&self, page: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; PAGE as usize];
        let start = page * PAGE;
        let there = self.disk.len()?.saturating_sub(start).min(PAGE) as usize;
        if there > 0 {
            self.disk.read(start, &mut bytes[..there])?;
        }
        Ok(bytes)
    }
}

/// The pieces of `offset..offset + length`, page by page: (page, offset in it, range of the data).
fn pieces(
    offset: u64,
    length: usize,
) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let at = offset + done as u64;
        let in_page = (at % PAGE) as usize;
        let piece = (PAGE as usize - in_page).min(length - done);
        (piece > 0).then(|| {
            let range = done..done + piece;
            done += piece;
            (at / PAGE, in_page, range)
        })
    })
}

impl StorageBackend for WritesInMemory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.with(|changed| changed.len))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.with(|changed| {
            if offset + out.len() as u64 > changed.len {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            for (page, in_page, range) in pieces(offset, out.len()) {
                let on_disk;
                let bytes = match changed.pages.get(&page) {
                    Some(bytes) => bytes,
                    None => {
                        on_disk = self.page_on_disk(page)?;
                        &on_disk
                    }
                };
                let length = range.len();
                out[range].copy_from_slice(&bytes[in_page..in_page + length]);
            }
            Ok(())
        })
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.with(|changed| changed.len = len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.with(|changed| {
            for (page, in_page, range) in pieces(offset, data.len()) {
                let bytes = match changed.pages.entry(page) {
                    Entry::Occupied(bytes) => bytes.into_mut(),
                    Entry::Vacant(place) => place.insert(self.page_on_disk(page)?),
                };
                bytes[in_page..in_page + range.len()].copy_from_slice(&data[range]);
            }
            Ok(())
        })
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.query_lock_range(start, end)
    }
}
