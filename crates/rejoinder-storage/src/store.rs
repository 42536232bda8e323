//! The store: opened once, committed to and loaded from, opened again after an error, salvaged
//! after damage.

use std::{
    fmt,
    path::Path,
    sync::{Mutex, PoisonError},
};

use redb::{Database, Durability};
use rejoinder_replica::{Batch, Load, Loaded, Restored, RowOp, Salvaged, Table};

use crate::{
    backend::{Backend, Freezable, Frozen, HomeFile},
    copy::FileCopy,
    error::{Doing, Failure, StoreError, What},
    format,
    guard::guarded,
    half_created,
    memory::WritesInMemory,
    row_checksum,
    salvage::{is_ours, salvage},
    scan,
};

/// One home's file.
pub struct Store {
    backend: Box<dyn Backend>,
    state: Mutex<State>,
    salvaged: Mutex<Vec<Salvaged>>,
}

enum State {
    Open(Database, Frozen),
    /// A write failed, and the disk still takes none. Reads come from the disk; redb's own writes
    /// go to memory.
    Reading(Database),
    /// An operation failed and the file could not be opened since.
    Closed,
}

/// The access to the disk that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
}

/// The result of an operation, and the reason to salvage the file afterwards, if there is one.
type Done<T> = (T, Option<&'static str>);

impl Store {
    /// Opens the store in `backend`, making a new one if nothing is there, and reads the rows that
    /// a replica starts with. Everything else stays unread until it is asked for.
    ///
    /// A damaged file is set aside, and everything that can be read of it goes into a new one: see
    /// [`Restored::salvaged`].
    ///
    /// # Errors
    ///
    /// Those that [`What`] lists.
    pub fn open(backend: Box<dyn Backend>) -> Result<(Self, Restored), StoreError> {
        let (state, salvaged) = (Mutex::new(State::Closed), Mutex::default());
        let store = Self { backend, state, salvaged };
        let mut restored = store.attempt(Doing::Open, Access::Write, restore)?;
        restored.salvaged = store.take_salvaged().pop();
        Ok((store, restored))
    }

    /// Opens the store in a file, which only its owner may read when it is made here.
    ///
    /// # Errors
    ///
    /// Those that [`What`] lists.
    pub fn open_file(path: &Path) -> Result<(Self, Restored), StoreError> {
        Self::open(Box::new(HomeFile::new(path)))
    }

    /// Opens a copy in memory of the store in a file, as the file was at some moment. Commits go to
    /// the copy alone. The file is only read: another process may hold it, and it may be where
    /// nobody can write. Recent writes of that process may not be in the copy, and those that are
    /// may not be durable yet.
    ///
    /// # Errors
    ///
    /// Those that [`What`] lists; [`What::InUse`] if the file changed too often to be copied.
    pub fn open_copy(path: &Path) -> Result<(Self, Restored), StoreError> {
        let copy = FileCopy::of(path)
            .map_err(|failure| StoreError::new(Doing::Open, path.display().to_string(), failure))?;
        Self::open(Box::new(copy))
    }

    /// Makes a store that holds nothing, in a file that is not there or is empty. It appears there
    /// whole, and durably.
    ///
    /// # Errors
    ///
    /// Those that [`What`] lists. Then no file has appeared.
    pub fn make_file(path: &Path) -> Result<(), StoreError> {
        let file = HomeFile::new(path);
        let made = guarded(|| {
            let beside = Freezable::new(file.open_beside()?);
            let frozen = beside.frozen();
            format::create(beside, &frozen)?.close()?;
            Ok(file.appear()?)
        });
        made.map_err(|failure| StoreError::new(Doing::Open, file.place(), failure))
    }

    /// Whether nobody has kept anything in the store in that file, which is only read.
    ///
    /// # Errors
    ///
    /// As for [`open_copy`](Self::open_copy).
    pub fn is_blank(path: &Path) -> Result<bool, StoreError> {
        let (store, _) = Self::open_copy(path)?;
        for table in Table::ALL {
            let found = store.load(&Load { table, prefix: Vec::new() })?;
            if !found.rows.is_empty() || !found.damaged.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Makes batches durable in one transaction: when this returns, all of them are on the disk.
    ///
    /// # Errors
    ///
    /// The disk failed. Then all of them are lost or, if the disk failed in its very last step, all
    /// of them are there; never a part. So rows that are written afterwards must be right in both
    /// cases.
    pub fn commit(&mut self, batches: &[Batch]) -> Result<(), StoreError> {
        self.attempt(Doing::Commit, Access::Write, |database| Ok((apply(database, batches)?, None)))
    }

    /// Reads all rows of a table whose keys begin with a prefix, in the order of their keys.
    ///
    /// # Errors
    ///
    /// The disk failed.
    pub fn load(&self, load: &Load) -> Result<Loaded, StoreError> {
        self.attempt(Doing::Load, Access::Read, |database| {
            let found = scan::rows(database, load)?;
            Ok((found.loaded, found.trouble))
        })
    }

    /// The salvages since this was called last.
    pub fn take_salvaged(&self) -> Vec<Salvaged> {
        std::mem::take(&mut *self.salvaged.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs one operation. If it shows that the file is damaged, salvages and runs it once more.
    fn attempt<T>(
        &self,
        doing: Doing,
        access: Access,
        operation: impl Fn(&Database) -> Result<Done<T>, Failure>,
    ) -> Result<T, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.run(&mut state, access, &operation);
        let why = match &first {
            Ok((_, trouble)) => trouble.map(str::to_owned),
            Err(Failure { what: What::Damaged(why), .. }) => Some(why.clone()),
            Err(Failure { what: What::Foreign, .. }) if is_ours(&*self.backend) => {
                Some("it does not begin as it should".to_owned())
            }
            Err(_) => None,
        };
        let done = match why {
            None => first,
            Some(why) => match self.salvage(&mut state, why) {
                Ok(()) => self.run(&mut state, access, &operation),
                // A read that met damage has its sound rows all the same.
                Err(failure) => first.map_err(|_| failure),
            },
        };
        done.map(|(done, _)| done).map_err(|failure| {
            self.open_again(&mut state, doing);
            let error = StoreError::new(doing, self.backend.place(), failure);
            tracing::warn!(%error, "the disk failed");
            error
        })
    }

    fn run<T>(
        &self,
        state: &mut State,
        access: Access,
        operation: impl Fn(&Database) -> Result<Done<T>, Failure>,
    ) -> Result<Done<T>, Failure> {
        guarded(|| {
            operation(match access {
                Access::Read => self.readable(state)?,
                Access::Write => self.writable(state)?,
            })
        })
    }

    fn salvage(&self, state: &mut State, why: String) -> Result<(), Failure> {
        guarded(|| {
            if let State::Open(_, frozen) = &*state {
                frozen.freeze();
            }
            close(state);
            let salvaged = salvage(&*self.backend, why)?;
            self.salvaged.lock().unwrap_or_else(PoisonError::into_inner).push(salvaged);
            Ok(())
        })
        .inspect_err(|failure| tracing::warn!(?failure, "the damaged file is not made anew"))
    }

    /// Opens the file again after a failure, if it can, so that readers do not notice. Otherwise
    /// the next operation tries again.
    fn open_again(&self, state: &mut State, doing: Doing) {
        let again = guarded(|| {
            close(state);
            if doing == Doing::Open { Ok(()) } else { self.readable(state).map(drop) }
        });
        if let Err(failure) = again {
            let error = StoreError::new(Doing::Open, self.backend.place(), failure);
            tracing::warn!(%error, "nothing can be read until the disk works again");
        }
    }

    fn writable<'a>(&self, state: &'a mut State) -> Result<&'a Database, Failure> {
        if !matches!(state, State::Open(..)) {
            close(state);
            *state = open_disk(&*self.backend)?;
        }
        match state {
            State::Open(database, _) => Ok(database),
            State::Reading(_) | State::Closed => unreachable!("it was opened a line above"),
        }
    }

    fn readable<'a>(&self, state: &'a mut State) -> Result<&'a Database, Failure> {
        if matches!(state, State::Closed) {
            *state = match open_disk(&*self.backend) {
                Ok(open) => open,
                Err(_) => {
                    let writes = WritesInMemory::over(self.backend.open()?)?;
                    State::Reading(format::create(writes, &Frozen::default())?)
                }
            };
        }
        match state {
            State::Open(database, _) | State::Reading(database) => Ok(database),
            State::Closed => unreachable!("it was opened a line above"),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        close(self.state.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Closes the database before it is opened again, since it holds the lock of the file. redb then
/// writes once more, and panics if the file is damaged; the next open deals with that.
fn close(state: &mut State) {
    let open = std::mem::replace(state, State::Closed);
    let closed = guarded(|| {
        drop(open);
        Ok(())
    });
    if let Err(failure) = closed {
        tracing::warn!(?failure, "the file was not closed in order");
    }
}

fn open_disk(backend: &dyn Backend) -> Result<State, Failure> {
    let open = || {
        let opened = Freezable::new(backend.open()?);
        let frozen = opened.frozen();
        let database = format::create(opened, &frozen)?;
        Ok(State::Open(database, frozen))
    };
    match open() {
        Err(Failure { what: What::Foreign, .. }) if half_created::cleared(&*backend.open()?)? => {
            open()
        }
        opened => opened,
    }
}

/// Reads the rows for opening a home: all of some tables, and nothing of the others.
fn restore(database: &Database) -> Result<Done<Restored>, Failure> {
    let (mut restored, mut trouble) = (Restored::default(), None);
    for table in Table::AT_OPEN {
        let found = scan::table(database, table)?;
        restored.rows.insert(table, found.loaded.rows);
        if !found.loaded.damaged.is_empty() {
            restored.damaged.insert(table, found.loaded.damaged);
        }
        trouble = trouble.or(found.trouble);
    }
    Ok((restored, trouble))
}

fn apply(database: &Database, batches: &[Batch]) -> Result<(), Failure> {
    let mut write = database.begin_write()?;
    write.set_durability(Durability::Immediate)?;
    for change in batches.iter().flat_map(|batch| &batch.changes) {
        match change {
            RowOp::Put(table, key, value) => {
                let checked = row_checksum::with_checksum(table.name(), key, value);
                write
                    .open_table(format::definition(*table))?
                    .insert(key.as_slice(), checked.as_slice())?;
            }
            RowOp::Delete(table, key) => {
                write.open_table(format::definition(*table))?.remove(key.as_slice())?;
            }
        }
    }
    Ok(write.commit()?)
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("place", &self.backend.place()).finish_non_exhaustive()
    }
}
