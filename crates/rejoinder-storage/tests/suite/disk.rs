//! A disk in memory that does what disks do: it loses what was not synced, fails, and fills up.

use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Mutex, MutexGuard},
};

use redb::StorageBackend;
use rejoinder_storage::Backend;

const PAGE: u64 = 4096;

/// A disk that survives the stores on it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    now: Vec<u8>,
    synced: Vec<u8>,
    /// Writes since the last sync: a crash may keep any of them.
    pending: Vec<(u64, Vec<u8>)>,
    /// The number of pages that can be written in all.
    room: Option<usize>,
    written: BTreeSet<u64>,
    full: bool,
    /// Writes and syncs left until `breaks` happens, and the way it always fails from then on.
    left: Option<usize>,
    breaks: Break,
    broken: bool,
    operations: usize,
    denied: bool,
    /// The files that were set aside.
    kept: Vec<Vec<u8>>,
    /// The file that is written beside it, without a crash of its own: it is the same disk's.
    beside: Option<Disk>,
}

/// The ways in which a disk breaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Break {
    /// That one operation fails; the next works.
    #[default]
    Once,
    /// Nothing works from then on, as when the process or the machine dies there.
    ForGood,
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    pub(crate) fn backend(&self) -> Box<dyn Backend> {
        Box::new(self.clone())
    }

    /// The operation after the next `left` writes and syncs fails.
    pub(crate) fn break_after(&self, left: usize, breaks: Break) {
        let mut inner = self.lock();
        (inner.left, inner.breaks, inner.broken) = (Some(left), breaks, false);
    }

    /// Whether the break came.
    pub(crate) fn broke(&self) -> bool {
        self.lock().broken
    }

    /// The machine dies and starts again: what was not synced survives write by write as `keeps`
    /// says. A handle from before reaches nothing any more, because it is gone with the process.
    pub(crate) fn crash(&self, mut keeps: impl FnMut() -> bool) {
        let mut inner = self.lock();
        let mut bytes = inner.synced.clone();
        for (offset, data) in std::mem::take(&mut inner.pending) {
            let range = offset as usize..offset as usize + data.len();
            if keeps() {
                bytes.resize(bytes.len().max(range.end), 0);
                bytes[range].copy_from_slice(&data);
            }
        }
        inner.now = bytes.clone();
        inner.synced = bytes;
        inner.beside = None;
        (inner.left, inner.broken) = (None, false);
    }

    pub(crate) fn set_room(&self, pages: Option<usize>) {
        self.lock().room = pages;
    }

    /// Takes no write at all, as a full disk that copies on write.
    pub(crate) fn set_full(&self, full: bool) {
        self.lock().full = full;
    }

    pub(crate) fn pages_written(&self) -> usize {
        self.lock().written.len()
    }

    pub(crate) fn set_denied(&self, denied: bool) {
        self.lock().denied = denied;
    }

    pub(crate) fn operations(&self) -> usize {
        self.lock().operations
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.lock().now.clone()
    }

    pub(crate) fn kept(&self) -> Vec<Vec<u8>> {
        self.lock().kept.clone()
    }

    pub(crate) fn of_bytes(bytes: Vec<u8>) -> Self {
        let disk = Self::default();
        (disk.lock().now, disk.lock().synced) = (bytes.clone(), bytes);
        disk
    }
}

impl Inner {
    fn step(&mut self) -> io::Result<()> {
        self.operations += 1;
        if self.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if self.broken && self.breaks == Break::ForGood {
            return Err(io::Error::other("the disk is gone"));
        }
        match &mut self.left {
            Some(0) => {
                (self.left, self.broken) = (None, true);
                Err(io::Error::other("the disk failed"))
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Backend for Disk {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        if self.lock().denied {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(Box::new(self.clone()))
    }

    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        let mut inner = self.lock();
        let beside = Self::default();
        inner.beside = Some(beside.clone());
        Ok(Box::new(Beside { of: self.clone(), file: beside }))
    }

    fn replace(&self) -> io::Result<String> {
        let mut inner = self.lock();
        inner.step()?;
        let new = inner.beside.take().expect("it was written").lock().synced.clone();
        let old = std::mem::replace(&mut inner.now, new.clone());
        (inner.synced, inner.pending) = (new, Vec::new());
        inner.kept.push(old);
        Ok(format!("/test/home.redb.damaged-{}", inner.kept.len()))
    }

    fn place(&self) -> String {
        "/test/home.redb".into()
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inner = self.lock();
        let range = offset as usize..offset as usize + out.len();
        out.copy_from_slice(inner.now.get(range).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut inner = self.lock();
        inner.step()?;
        inner.now.resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.step()?;
        inner.synced = inner.now.clone();
        inner.pending.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut inner = self.lock();
        inner.step()?;
        for page in offset / PAGE..(offset + data.len() as u64).div_ceil(PAGE) {
            if inner.room.is_some_and(|room| inner.written.len() >= room)
                && !inner.written.contains(&page)
            {
                return Err(io::ErrorKind::StorageFull.into());
            }
            inner.written.insert(page);
        }
        let range = offset as usize..offset as usize + data.len();
        inner.now.get_mut(range).ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        inner.pending.push((offset, data.to_vec()));
        Ok(())
    }
}

/// The file beside a disk's file: it breaks with the disk, by the same count.
#[derive(Debug)]
struct Beside {
    of: Disk,
    file: Disk,
}

impl StorageBackend for Beside {
    fn len(&self) -> io::Result<u64> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.file.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.of.lock().step()?;
        self.file.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.of.lock().step()?;
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.of.lock().step()?;
        self.file.write(offset, data)
    }
}
