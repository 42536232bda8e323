//! A store that is only read: a copy in memory of a file that another process may be writing to, or
//! that nobody can write to. The file itself is not changed or locked.
//!
//! A file is read page after page, so a writer that is quicker leaves pages of different commits in
//! the copy. redb overwrites no page of its last commit, and a commit ends with the head of the
//! file: while the head stays as it is, so does all that it leads to. If the head changed while
//! copying, the copy counts only if the checksums of all its pages are right.

use std::{
    fs::File,
    io::{self, Read, Seek},
    mem,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use redb::{Builder, StorageBackend};

use crate::{
    backend::Backend,
    error::{Failure, What},
    guard::guarded,
    limits,
};

/// The part of the file in which redb says which commit is the last one: both its slots.
const HEAD: usize = 320;

/// A copy of a file.
#[derive(Debug)]
pub(crate) struct FileCopy {
    place: String,
    bytes: Bytes,
    beside: Bytes,
}

impl FileCopy {
    /// Copies the file as it is at some moment.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        for _ in 0..limits::COPIES {
            let Copied { bytes, settled } = copied(&mut File::open(path)?)?;
            let bytes = Bytes(Arc::new(Mutex::new(bytes)));
            if settled || is_sound(&bytes) {
                let place = path.display().to_string();
                return Ok(Self { place, bytes, beside: Bytes::default() });
            }
        }
        Err(What::InUse.into())
    }
}

struct Copied {
    bytes: Vec<u8>,
    /// Whether the head stayed the same while copying.
    settled: bool,
}

fn copied(file: &mut (impl Read + Seek)) -> io::Result<Copied> {
    let before = head(file)?;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    let settled = bytes.starts_with(&before) && head(file)? == before;
    Ok(Copied { bytes, settled })
}

fn head(file: &mut (impl Read + Seek)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.rewind()?;
    file.take(HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Whether all pages are those of one commit. redb may repair the copy for that.
fn is_sound(bytes: &Bytes) -> bool {
    let sound = guarded(|| {
        let mut builder = Builder::new();
        builder.set_cache_size(limits::CACHE);
        let mut database = builder.create_with_backend(bytes.clone())?;
        Ok(database.check_integrity()?)
    });
    matches!(sound, Ok(true))
}

impl Backend for FileCopy {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.bytes.clone()))
    }

    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.beside.lock().clear();
        Ok(Box::new(self.beside.clone()))
    }

    fn replace(&self) -> io::Result<String> {
        *self.bytes.lock() = mem::take(&mut *self.beside.lock());
        Ok(self.place.clone())
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}

/// Bytes in memory, shared by all who open them.
#[derive(Debug, Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Bytes {
    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn range(offset: u64, length: usize) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(length)?)
}

impl StorageBackend for Bytes {
    fn len(&self) -> io::Result<u64> {
        Ok(self.lock().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.lock();
        let there = range(offset, out.len()).and_then(|range| bytes.get(range));
        out.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
        self.lock().resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.lock();
        let there = range(offset, data.len()).and_then(|range| bytes.get_mut(range));
        there.ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, io::SeekFrom};

    use redb::{ReadableDatabase, ReadableTable, TableDefinition};

    use super::*;

    const TABLE: TableDefinition<'_, u32, &[u8]> = TableDefinition::new("table");

    /// A file that is another one once some bytes of it were read.
    struct Changing {
        versions: [Vec<u8>; 2],
        until: usize,
        at: u64,
    }

    impl Read for Changing {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let now = &self.versions[usize::from(self.until == 0)];
            let rest = &now[now.len().min(self.at as usize)..];
            let length = out.len().min(rest.len()).min(64).min(self.until.max(1));
            out[..length].copy_from_slice(&rest[..length]);
            self.at += length as u64;
            self.until = self.until.saturating_sub(length);
            Ok(length)
        }
    }

    impl Seek for Changing {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            assert_eq!(to, SeekFrom::Start(0));
            self.at = 0;
            Ok(0)
        }
    }

    #[test]
    fn a_head_that_changes_at_any_byte_is_noticed() {
        let mut other = vec![7; 1000];
        other[HEAD - 1] = 8;
        for until in HEAD..HEAD + 1000 + HEAD {
            let versions = [vec![7; 1000], other.clone()];
            let copied = copied(&mut Changing { versions, until, at: 0 }).unwrap();
            assert!(!copied.settled, "changed after {until} bytes");
        }
        let still = [vec![7; 1000], vec![7; 1000]];
        assert!(copied(&mut Changing { versions: still, until: 1, at: 0 }).unwrap().settled);
    }

    /// The bytes of the file after each of some commits, each of which rewrites all rows.
    fn history() -> Vec<Vec<u8>> {
        let bytes = Bytes::default();
        let database = Builder::new().create_with_backend(bytes.clone()).unwrap();
        let commit = |number: u8| {
            let write = database.begin_write().unwrap();
            for key in 0..40 {
                write.open_table(TABLE).unwrap().insert(key, [number; 700].as_slice()).unwrap();
            }
            write.commit().unwrap();
            bytes.lock().clone()
        };
        // The commit before it, of no rows, is none of ours.
        commit(0);
        (1..8).map(commit).collect()
    }

    /// The commits of which there are rows.
    fn commits(bytes: &Bytes) -> BTreeSet<u8> {
        let database = Builder::new().create_with_backend(bytes.clone()).unwrap();
        let table = database.begin_read().unwrap().open_table(TABLE).unwrap();
        let rows: Vec<u8> = table.iter().unwrap().map(|row| row.unwrap().1.value()[0]).collect();
        assert_eq!(rows.len(), 40);
        rows.into_iter().collect()
    }

    #[test]
    fn a_copy_of_several_commits_is_one_of_them_or_none() {
        let history = history();
        let (mut taken, mut refused) = (0, 0);
        for (first, early) in history.iter().enumerate() {
            for late in &history[first..] {
                for cut in (0..early.len().min(late.len())).step_by(4096) {
                    let bytes = [&early[..cut], &late[cut..]].concat();
                    let bytes = Bytes(Arc::new(Mutex::new(bytes)));
                    if is_sound(&bytes) {
                        taken += 1;
                        assert_eq!(commits(&bytes).len(), 1, "the pages after {cut} are newer");
                    } else {
                        refused += 1;
                    }
                }
            }
        }
        assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    }
}
