//! The store: opened once, committed to and loaded from, opened again after an error.

use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Mutex, PoisonError},
};

use redb::{Builder, Database, Durability, StorageBackend, WriteTransaction};
use rejoinder_replica::{Batch, Change, Load, Restored, Rows};

use crate::{
    backend::{Backend, HomeFile, Opened},
    error::{Doing, Failure, StoreError, What},
    format, limits,
    memory::WritesInMemory,
    unborn,
};

/// One home's file.
pub struct Store {
    backend: Box<dyn Backend>,
    state: Mutex<State>,
}

enum State {
    Open(Database),
    /// A write failed and the disk still takes none: what is read comes from the disk, what redb
    /// itself had to write for that is in memory.
    Reading(Database),
    /// An operation failed and the file could not be opened since.
    Closed,
}

impl Store {
    /// Opens the store in `backend`, making a new one when nothing is there, and reads what a
    /// replica starts with. Everything else stays unread until it is asked for.
    ///
    /// # Errors
    ///
    /// What [`What`] lists.
    pub fn open(backend: Box<dyn Backend>) -> Result<(Self, Restored), StoreError> {
        let opened = guarded(|| {
            let database = open_disk(&*backend)?;
            let restored = format::restore(&database)?;
            Ok((database, restored))
        });
        match opened {
            Ok((database, restored)) => {
                Ok((Self { backend, state: Mutex::new(State::Open(database)) }, restored))
            }
            Err(failure) => Err(StoreError::new(Doing::Open, backend.place(), failure)),
        }
    }

    /// Opens the store in a file, which only its owner may read when it is made here.
    ///
    /// # Errors
    ///
    /// What [`What`] lists.
    pub fn open_file(path: &Path) -> Result<(Self, Restored), StoreError> {
        Self::open(Box::new(HomeFile::new(path)))
    }

    /// Makes batches durable in one transaction: when this returns, all of them are on the disk.
    ///
    /// # Errors
    ///
    /// The disk did not. Then all of them are lost or, when the disk failed in its very last step,
    /// all of them are there; never a part. Who goes on writes rows that may stand beside either.
    pub fn commit(&mut self, batches: &[Batch]) -> Result<(), StoreError> {
        self.attempt(Doing::Commit, |state| {
            let database = self.writable(state)?;
            let write = database.begin_write()?;
            apply(write, batches)
        })
    }

    /// Reads all rows of a table whose keys begin with a prefix, in the order of their keys.
    ///
    /// # Errors
    ///
    /// The disk did not.
    pub fn load(&self, load: &Load) -> Result<Rows, StoreError> {
        self.attempt(Doing::Load, |state| {
            let database = self.readable(state)?;
            format::rows(database, load.table, &load.prefix)
        })
    }

    /// Runs one operation. After a failure the file is opened again at the next, and now already
    /// when that works, so that nobody who only reads notices.
    fn attempt<T>(
        &self,
        doing: Doing,
        operation: impl FnOnce(&mut State) -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        guarded(|| operation(&mut state)).map_err(|failure| {
            let error = StoreError::new(doing, self.backend.place(), failure);
            tracing::warn!(%error, "the disk failed");
            let again = guarded(|| {
                close(&mut state);
                self.readable(&mut state).map(drop)
            });
            if let Err(failure) = again {
                let error = StoreError::new(Doing::Open, self.backend.place(), failure);
                tracing::warn!(%error, "nothing can be read until the disk works again");
            }
            error
        })
    }

    fn writable<'a>(&self, state: &'a mut State) -> Result<&'a Database, Failure> {
        if !matches!(state, State::Open(_)) {
            close(state);
            *state = State::Open(open_disk(&*self.backend)?);
        }
        match state {
            State::Open(database) => Ok(database),
            State::Reading(_) | State::Closed => unreachable!("it was opened a line above"),
        }
    }

    fn readable<'a>(&self, state: &'a mut State) -> Result<&'a Database, Failure> {
        if matches!(state, State::Closed) {
            *state = match open_disk(&*self.backend) {
                Ok(database) => State::Open(database),
                Err(_) => {
                    State::Reading(open_database(WritesInMemory::over(self.backend.open()?)?)?)
                }
            };
        }
        match state {
            State::Open(database) | State::Reading(database) => Ok(database),
            State::Closed => unreachable!("it was opened a line above"),
        }
    }
}

/// Lets go of the database before it is opened again: it holds the lock of the file.
fn close(state: &mut State) {
    *state = State::Closed;
}

fn open_disk(backend: &dyn Backend) -> Result<Database, Failure> {
    let opened = open_database(Opened(backend.open()?));
    match opened {
        Err(Failure { what: What::Foreign, .. }) if unborn::cleared(&*backend.open()?)? => {
            open_database(Opened(backend.open()?))
        }
        opened => opened,
    }
}

fn open_database(backend: impl StorageBackend) -> Result<Database, Failure> {
    let database = Builder::new().set_cache_size(limits::CACHE).create_with_backend(backend)?;
    format::prepare(&database)?;
    Ok(database)
}

fn apply(mut write: WriteTransaction, batches: &[Batch]) -> Result<(), Failure> {
    write.set_durability(Durability::Immediate)?;
    for change in batches.iter().flat_map(|batch| &batch.changes) {
        match change {
            Change::Put(table, key, value) => {
                write
                    .open_table(format::definition(*table))?
                    .insert(key.as_slice(), value.as_slice())?;
            }
            Change::Delete(table, key) => {
                write.open_table(format::definition(*table))?.remove(key.as_slice())?;
            }
        }
    }
    Ok(write.commit()?)
}

/// redb asserts what a sound file can't break; a damaged one breaks it. That must not end the
/// process, which can still say what is wrong.
fn guarded<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(damaged(&*panic).into()))
}

fn damaged(panic: &(dyn Any + Send)) -> What {
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    What::Damaged(format!("redb stopped: {message}"))
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("place", &self.backend.place()).finish_non_exhaustive()
    }
}
