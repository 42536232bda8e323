//! Where a home is kept: a directory of the real disk, or whatever a simulation puts in its place.

use std::{
    any::Any,
    fmt,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use rejoinder_identity::SecretKey;
use rejoinder_storage::Backend;

use crate::error::OpenError;

/// Where a home is kept.
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
    /// Where its store lies.
    pub store: StoreAt,
    /// Keeps others out until it is dropped, which is after the last write.
    pub hold: Box<dyn Any + Send>,
}

/// Where a home's store lies.
#[derive(Debug)]
pub enum StoreAt {
    /// In a file.
    File(PathBuf),
    /// In something else.
    Backend(Box<dyn Backend>),
}

/// A home in a directory of the real disk.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    backend: Option<Box<dyn Backend>>,
}

/// The names of the files in it.
const LOCK: &str = "lock";
const KEY: &str = "device.key";
const STORE: &str = "home.redb";

impl Directory {
    /// That directory; it is made, for its owner alone, when it is not there.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), backend: None }
    }

    /// With the store elsewhere than in the directory's file: for tests of failing disks.
    #[must_use]
    pub fn with_backend(self, backend: Box<dyn Backend>) -> Self {
        Self { backend: Some(backend), ..self }
    }

    fn make(&self) -> Result<(), OpenError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&self.path).map_err(|error| OpenError::disk("make", &self.path, error))
    }

    /// One process holds a home at a time. The lock goes with the process, however it ends.
    fn lock(&self) -> Result<File, OpenError> {
        let path = self.path.join(LOCK);
        let doing = |error| OpenError::disk("lock", &path, error);
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

    /// The key that lies here, or a fresh one once it is safely on the disk.
    fn key(&self, fresh: [u8; 32]) -> Result<SecretKey, OpenError> {
        let path = self.path.join(KEY);
        match fs::read(&path) {
            Ok(bytes) => {
                let seed = bytes.try_into().map_err(|_| OpenError::Key { path })?;
                Ok(SecretKey::from_seed(seed))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.write_key(&path, &fresh)
                    .map_err(|error| OpenError::disk("write", &path, error))?;
                Ok(SecretKey::from_seed(fresh))
            }
            Err(error) => Err(OpenError::disk("read", &path, error)),
        }
    }

    /// Whole or not at all: a half-written key would be another device, or none.
    fn write_key(&self, path: &Path, seed: &[u8; 32]) -> io::Result<()> {
        let unfinished = path.with_extension("key.new");
        let mut file = private().create(true).truncate(true).open(&unfinished)?;
        file.write_all(seed)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)?;
        #[cfg(unix)]
        File::open(&self.path)?.sync_all()?;
        Ok(())
    }
}

impl Place for Directory {
    fn take(&mut self, fresh: [u8; 32]) -> Result<Taken, OpenError> {
        self.make()?;
        let lock = self.lock()?;
        let key = self.key(fresh)?;
        let file = StoreAt::File(self.path.join(STORE));
        let store = self.backend.take().map_or(file, StoreAt::Backend);
        Ok(Taken { key, store, hold: Box::new(lock) })
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
mod tests {
    use super::*;

    #[test]
    fn the_key_is_made_once_and_the_lock_goes_with_its_holder() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("deep/home");
        let taken = Directory::new(&path).take([7; 32]).unwrap();
        assert_eq!(*taken.key.seed(), [7; 32]);

        let in_use = Directory::new(&path).take([8; 32]).unwrap_err().to_string();
        let expected =
            format!("home {} is in use by process {}", path.display(), std::process::id());
        assert_eq!(in_use, expected);

        drop(taken);
        let again = Directory::new(&path).take([9; 32]).unwrap();
        assert_eq!(*again.key.seed(), [7; 32]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("home");
        let _taken = Directory::new(&path).take([7; 32]).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o700);
        assert_eq!(mode(&path.join(KEY)), 0o600);
        assert_eq!(mode(&path.join(LOCK)), 0o600);
    }

    #[test]
    fn a_damaged_key_is_named_and_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().to_owned();
        fs::write(path.join(KEY), b"short").unwrap();
        let error = Directory::new(&path).take([7; 32]).unwrap_err();
        assert!(error.to_string().contains("device.key"), "{error}");
        assert_eq!(fs::read(path.join(KEY)).unwrap(), b"short");
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("file");
        fs::write(&path, b"").unwrap();
        let error = Directory::new(&path).take([7; 32]).unwrap_err();
        assert!(error.to_string().contains("file"), "{error}");
    }
}
