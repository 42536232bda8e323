//! The place of a home: a directory of the real disk, or a simulation's substitute.

mod owner;

use std::{
    any::Any,
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::PathBuf,
};

use rejoinder_identity::{PeerId, SecretKey};
use rejoinder_storage::{Backend, Store, What};

use crate::error::OpenError;
use owner::Access;

/// The place of a home.
pub trait Place: fmt::Debug + Send + 'static {
    /// Takes the home for this run, and makes it when it is not there yet. `fresh` are random
    /// bytes for the device's key, if it has none.
    ///
    /// # Errors
    ///
    /// Another run has it, or the disk did not.
    fn take(&mut self, fresh: [u8; 32]) -> Result<Taken, OpenError>;
}

/// A home that was taken.
#[derive(Debug)]
pub struct Taken {
    /// The device's key.
    pub key: SecretKey,
    /// The place of its store.
    pub store: StoreAt,
    /// Keeps others out until it is dropped, which is after the last write.
    pub hold: Box<dyn Any + Send>,
}

/// The place of a home's store.
#[derive(Debug)]
pub enum StoreAt {
    /// In a file.
    File(PathBuf),
    /// In a copy of a file, in memory.
    CopyOf(PathBuf),
    /// In something else.
    Backend(Box<dyn Backend>),
}

/// A home in a directory of the real disk. Its files are for its owner alone; one that others can
/// write to is not used.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    backend: Option<Box<dyn Backend>>,
    lacking: Lacking,
}

/// The policy for a home that is not there, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lacking {
    /// One that is not there is made; one that lacks its key or its store is an error.
    First,
    /// Both are errors.
    Nothing,
    /// Missing parts are made again.
    Anew,
}

/// The names of the files in it.
const LOCK: &str = "lock";
const KEY: &str = "device.key";
const STORE: &str = "home.redb";

/// The parts of a home that were found.
struct Found {
    key: Option<SecretKey>,
    store: bool,
}

impl Directory {
    /// That directory; it is made, for its owner alone, when it is not there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), backend: None, lacking: Lacking::First }
    }

    /// With the store elsewhere than in the directory's file: for tests of failing disks.
    #[must_use]
    pub fn with_backend(self, backend: Box<dyn Backend>) -> Self {
        Self { backend: Some(backend), ..self }
    }

    /// Only if a home is there: else nothing is made, and that is an error.
    #[must_use]
    pub fn existing(self) -> Self {
        Self { lacking: Lacking::Nothing, ..self }
    }

    /// Also where a home has lost its key or its store, which is an error otherwise. A store that
    /// is missing is made anew, under the old key. With a new key the device is another one: the
    /// store that the old one wrote is set aside.
    #[must_use]
    pub fn anew(self) -> Self {
        Self { lacking: Lacking::Anew, ..self }
    }

    /// Reads the id of the home's device. Nothing is made, and nobody is kept from the home.
    ///
    /// # Errors
    ///
    /// There is no home, its key or its store is missing, or others may write to it.
    pub fn device(&self) -> Result<PeerId, OpenError> {
        Ok(self.looked_at()?.public())
    }

    fn looked_at(&self) -> Result<SecretKey, OpenError> {
        self.must_exist()?;
        let Found { key, store } = self.found(Access::Look)?;
        match key {
            Some(_) if !store => Err(self.store_missing()),
            Some(key) => Ok(key),
            None if store && !self.is_unfinished()? => Err(self.key_missing()),
            None => Err(self.no_home()),
        }
    }

    fn make(&self) -> Result<(), OpenError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path).map_err(|error| OpenError::disk("make", &self.path, error))
    }

    fn must_exist(&self) -> Result<(), OpenError> {
        let there = |name| self.path.join(name).symlink_metadata().is_ok();
        if there(KEY) || there(STORE) { Ok(()) } else { Err(self.no_home()) }
    }

    /// One process holds a home at a time. The lock goes with the process, however it ends.
    fn lock(&self) -> Result<File, OpenError> {
        let path = self.path.join(LOCK);
        let doing = |error| OpenError::disk("lock", &path, error);
        owner::check_file(&path, Access::Use)?;
        let mut file = private().create(true).open(&path).map_err(doing)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::InUse { home: self.path.clone(), pid: read_pid(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(doing(error)),
        }
        file.set_len(0).map_err(doing)?;
        write!(file, "{}", std::process::id()).map_err(doing)?;
        Ok(file)
    }

    fn found(&self, access: Access) -> Result<Found, OpenError> {
        owner::check_directory(&self.path)?;
        let path = self.path.join(KEY);
        let key = match owner::check_file(&path, access)? {
            None => None,
            Some(_) => {
                let bytes =
                    fs::read(&path).map_err(|error| OpenError::disk("read", &path, error))?;
                let seed = bytes.try_into().map_err(|_| OpenError::Key { path })?;
                Some(SecretKey::from_seed(seed))
            }
        };
        let length = owner::check_file(&self.store(), access)?;
        Ok(Found { key, store: length.is_some_and(|length| length > 0) })
    }

    /// The key that lies here, or a fresh one once it is safely on the disk, with a store beside
    /// it.
    ///
    /// The store comes first, and holds nothing until there is a key: so a key without a store
    /// has lost it, and a store that holds something has lost its key, whenever a first start was
    /// broken off.
    fn key(&self, fresh: [u8; 32]) -> Result<SecretKey, OpenError> {
        let anew = self.lacking == Lacking::Anew;
        let Found { key, store } = self.found(Access::Use)?;
        match key {
            Some(key) if store || self.backend.is_some() => Ok(key),
            Some(key) if anew => {
                self.make_store()?;
                Ok(key)
            }
            Some(_) => Err(self.store_missing()),
            None if self.backend.is_some() => self.make_key(fresh),
            None if store && self.is_unfinished()? => self.make_key(fresh),
            None if store && anew => {
                self.set_store_aside()?;
                self.make_store()?;
                self.make_key(fresh)
            }
            None if store => Err(self.key_missing()),
            None => {
                self.make_store()?;
                self.make_key(fresh)
            }
        }
    }

    fn store(&self) -> PathBuf {
        self.path.join(STORE)
    }

    fn make_store(&self) -> Result<(), OpenError> {
        Store::make_file(&self.store()).map_err(OpenError::Store)
    }

    /// True if a first start made the store before it was interrupted.
    fn is_unfinished(&self) -> Result<bool, OpenError> {
        match Store::is_blank(&self.store()) {
            Ok(blank) => Ok(blank),
            // It was never a home's.
            Err(error) if error.what == What::Foreign => Err(OpenError::Store(error)),
            Err(error) => {
                tracing::debug!(%error, "a store without a key can't be read");
                Ok(false)
            }
        }
    }

    fn set_store_aside(&self) -> Result<(), OpenError> {
        let store = self.store();
        let set_aside = || {
            let aside = owner::free_name(&store, "of-another-key")?;
            fs::rename(&store, &aside)?;
            Ok(aside)
        };
        let aside = set_aside().map_err(|error| OpenError::disk("set aside", &store, error))?;
        tracing::warn!(aside = %aside.display(), "the store of the device that was is kept there");
        Ok(())
    }

    /// Whole or not at all: a half-written key would be another device, or none.
    fn make_key(&self, seed: [u8; 32]) -> Result<SecretKey, OpenError> {
        let path = self.path.join(KEY);
        let write = || {
            let unfinished = path.with_extension("key.new");
            match fs::remove_file(&unfinished) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
            let mut file = private().create_new(true).open(&unfinished)?;
            file.write_all(&seed)?;
            file.sync_all()?;
            fs::rename(&unfinished, &path)?;
            #[cfg(unix)]
            File::open(&self.path)?.sync_all()?;
            Ok(())
        };
        write().map_err(|error| OpenError::disk("write", &path, error))?;
        Ok(SecretKey::from_seed(seed))
    }

    fn no_home(&self) -> OpenError {
        OpenError::NoHome { home: self.path.clone() }
    }

    fn store_missing(&self) -> OpenError {
        OpenError::StoreMissing { store: self.store() }
    }

    fn key_missing(&self) -> OpenError {
        OpenError::KeyMissing { key: self.path.join(KEY) }
    }
}

impl Place for Directory {
    fn take(&mut self, fresh: [u8; 32]) -> Result<Taken, OpenError> {
        if self.lacking == Lacking::Nothing {
            self.must_exist()?;
        } else {
            self.make()?;
        }
        owner::check_directory(&self.path)?;
        let lock = self.lock()?;
        let key = self.key(fresh)?;
        let file = StoreAt::File(self.store());
        let store = self.backend.take().map_or(file, StoreAt::Backend);
        Ok(Taken { key, store, hold: Box::new(lock) })
    }
}

/// A copy of the home in a directory: see [`Options::open_copy`](crate::Options::open_copy).
#[derive(Debug)]
pub(crate) struct CopyOf(pub(crate) Directory);

impl Place for CopyOf {
    fn take(&mut self, _fresh: [u8; 32]) -> Result<Taken, OpenError> {
        let key = self.0.looked_at()?;
        Ok(Taken { key, store: StoreAt::CopyOf(self.0.store()), hold: Box::new(()) })
    }
}

/// For its owner alone.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests;
