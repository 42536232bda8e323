//! Where a home is kept: a directory of the real disk, or whatever a simulation puts in its place.

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

/// What is done about a home that is not there, or not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lacking {
    /// One that is not there is made; one that lacks its key or its store is an error.
    First,
    /// Both are errors.
    Nothing,
    /// What is missing is made anew.
    Anew,
}

/// The names of the files in it.
const LOCK: &str = "lock";
const KEY: &str = "device.key";
const STORE: &str = "home.redb";

/// What is there of a home.
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

    /// Which device's home this is. Nothing is made, and nobody is kept from the home.
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

    /// Whether the store is one that a first start made before it was broken off.
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
mod tests {
    use std::path::Path;

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

    fn refused(place: Directory) -> String {
        let mut place = place;
        place.take([9; 32]).unwrap_err().to_string()
    }

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A home that holds something.
    fn home(path: &Path) {
        let _taken = Directory::new(path).take([7; 32]).unwrap();
        let (mut store, _) = Store::open_file(&path.join(STORE)).unwrap();
        let mut batch = rejoinder_replica::Batch::default();
        batch.put(rejoinder_replica::Table::Meta, b"row".to_vec(), b"value".to_vec());
        store.commit(&[batch]).unwrap();
    }

    #[test]
    fn a_key_without_its_store_is_said_and_not_begun_over() {
        for lose in [|file: &Path| fs::remove_file(file), |file: &Path| fs::write(file, b"")] {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path();
            home(path);
            lose(&path.join(STORE)).unwrap();
            for place in [Directory::new(path), Directory::new(path).existing()] {
                let said = refused(place);
                assert!(said.contains("home.redb is missing or empty"), "{said}");
            }
            let said = Directory::new(path).device().unwrap_err().to_string();
            assert!(said.contains("home.redb is missing or empty"), "{said}");
            let taken = Directory::new(path).anew().take([9; 32]).unwrap();
            assert_eq!(*taken.key.seed(), [7; 32], "the device is the same one");
            drop(taken);
            Directory::new(path).take([9; 32]).unwrap();
        }
    }

    #[test]
    fn a_store_without_its_key_is_said_and_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        home(path);
        fs::remove_file(path.join(KEY)).unwrap();
        let stored = fs::read(path.join(STORE)).unwrap();
        for place in [Directory::new(path), Directory::new(path).existing()] {
            let said = refused(place);
            assert!(said.contains("device.key is missing"), "{said}");
        }
        assert!(matches!(Directory::new(path).device(), Err(OpenError::KeyMissing { .. })));
        assert_eq!(names(path), [STORE, LOCK]);
        let taken = Directory::new(path).anew().take([9; 32]).unwrap();
        assert_eq!(*taken.key.seed(), [9; 32]);
        assert!(Store::is_blank(&path.join(STORE)).unwrap());
        assert_eq!(fs::read(path.join("home.redb.of-another-key-1")).unwrap(), stored);
    }

    /// A first start that broke off at any step, and nothing is missing.
    #[test]
    fn a_first_start_that_was_broken_off_goes_on() {
        let broken_off: [fn(&Path); 4] = [
            |_| {},
            |path| fs::write(path.join("home.redb.new"), b"half").unwrap(),
            |path| Store::make_file(&path.join(STORE)).unwrap(),
            |path| {
                Store::make_file(&path.join(STORE)).unwrap();
                fs::write(path.join("device.key.new"), b"half").unwrap();
            },
        ];
        for state in broken_off {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path();
            state(path);
            assert!(matches!(Directory::new(path).device(), Err(OpenError::NoHome { .. })));
            let taken = Directory::new(path).take([7; 32]).unwrap();
            assert_eq!(*taken.key.seed(), [7; 32]);
            assert_eq!(names(path), [KEY, STORE, LOCK]);
        }
    }

    /// The steps are in that order: when the key can't be made, there is a store already.
    #[test]
    fn the_store_is_there_before_the_key() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        fs::create_dir(path.join("device.key.new")).unwrap();
        let said = refused(Directory::new(path));
        assert!(said.contains("device.key"), "{said}");
        assert!(Store::is_blank(&path.join(STORE)).unwrap());
        fs::remove_dir(path.join("device.key.new")).unwrap();
        Directory::new(path).take([7; 32]).unwrap();
    }

    #[test]
    fn nothing_is_made_where_a_home_must_be() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("mistyped");
        for directory in [path.clone(), scratch.path().to_owned()] {
            let said = refused(Directory::new(&directory).existing());
            assert_eq!(said, format!("there is no home in {}", directory.display()));
            let said = Directory::new(&directory).device().unwrap_err().to_string();
            assert_eq!(said, format!("there is no home in {}", directory.display()));
        }
        assert_eq!(names(scratch.path()), [""; 0]);
    }

    #[test]
    fn a_home_that_is_held_is_looked_at() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        let taken = Directory::new(path).take([7; 32]).unwrap();
        let _store = Store::open_file(&path.join(STORE)).unwrap();
        assert_eq!(Directory::new(path).device().unwrap(), taken.key.public());
        assert_eq!(
            CopyOf(Directory::new(path)).take([8; 32]).unwrap().key.public(),
            taken.key.public()
        );
        assert_eq!(names(path), [KEY, STORE, LOCK]);
    }

    #[cfg(unix)]
    mod others {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        fn set_mode(path: &Path, mode: u32) {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_home_that_others_may_write_to_is_refused() {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("home");
            home(&path);
            for name in ["", KEY, STORE, LOCK] {
                let loose = if name.is_empty() { path.clone() } else { path.join(name) };
                let (sound, bytes) = (mode(&loose), fs::read(path.join(KEY)).unwrap());
                for others in [0o020, 0o002] {
                    set_mode(&loose, sound | others);
                    let said = refused(Directory::new(&path));
                    let remedy = format!("chmod go-w {}", loose.display());
                    assert!(said.contains(&remedy), "{name}: {said}");
                    if name != LOCK {
                        let said = Directory::new(&path).device().unwrap_err().to_string();
                        assert!(said.contains(&remedy), "{name}: {said}");
                    }
                }
                set_mode(&loose, sound);
                assert_eq!(fs::read(path.join(KEY)).unwrap(), bytes);
            }
            Directory::new(&path).take([9; 32]).unwrap();
        }

        #[test]
        fn a_prepared_directory_is_no_home_whoever_makes_the_key() {
            let scratch = tempfile::tempdir().unwrap();
            set_mode(scratch.path(), 0o777);
            let said = refused(Directory::new(scratch.path()));
            assert!(said.contains("others may write"), "{said}");
            assert_eq!(names(scratch.path()), [""; 0]);
        }

        #[test]
        fn a_file_that_others_may_read_is_its_owners_again() {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path();
            home(path);
            for name in [KEY, STORE, LOCK] {
                set_mode(&path.join(name), 0o644);
            }
            Directory::new(path).device().unwrap();
            assert_eq!(mode(&path.join(KEY)), 0o644, "whoever looks changes nothing");
            Directory::new(path).take([9; 32]).unwrap();
            for name in [KEY, STORE, LOCK] {
                assert_eq!(mode(&path.join(name)), 0o600, "{name}");
            }
        }

        #[test]
        fn no_file_of_a_home_is_a_link() {
            for name in [KEY, STORE, LOCK] {
                let scratch = tempfile::tempdir().unwrap();
                let path = scratch.path().join("home");
                home(&path);
                let target = scratch.path().join("target");
                fs::rename(path.join(name), &target).unwrap();
                let bytes = fs::read(&target).unwrap();
                symlink(&target, path.join(name)).unwrap();
                let said = refused(Directory::new(&path));
                assert!(said.contains(name) && said.contains("no file"), "{said}");
                assert_eq!(fs::read(&target).unwrap(), bytes);
            }
        }

        #[test]
        fn what_lies_where_the_first_start_writes_is_not_written_through() {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("home");
            fs::create_dir(&path).unwrap();
            set_mode(&path, 0o700);
            let target = scratch.path().join("target");
            fs::write(&target, b"mine").unwrap();
            for name in ["home.redb.new", "device.key.new"] {
                symlink(&target, path.join(name)).unwrap();
            }
            Directory::new(&path).take([7; 32]).unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"mine");
        }

        /// Only root can make that: a directory of another user.
        #[test]
        fn a_home_of_another_user_is_refused() {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("home");
            home(&path);
            for name in ["", KEY, STORE, LOCK] {
                let file = if name.is_empty() { path.clone() } else { path.join(name) };
                match std::os::unix::fs::lchown(&file, Some(65_534), None) {
                    Ok(()) => {}
                    Err(_) => return,
                }
                let said = refused(Directory::new(&path));
                assert!(said.contains("belongs to another user (65534)"), "{said}");
                std::os::unix::fs::lchown(&file, Some(0), None).unwrap();
            }
        }
    }
}
