//! Backends: the place of a store's bytes, which is a file, or something a test puts instead.

use std::{
    fmt,
    fs::{self, File, OpenOptions},
    io,
    ops::Bound,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::{BackendError, StorageBackend, backends::FileBackend};

/// A place that holds one store, and that can be opened again: redb refuses all further work after
/// an I/O error, so a store that goes on after one opens its backend again.
pub trait Backend: fmt::Debug + Send + Sync {
    /// Opens it, and makes it if it is not there yet.
    ///
    /// # Errors
    ///
    /// It can't be opened or made.
    fn open(&self) -> io::Result<Box<dyn StorageBackend>>;

    /// Opens an empty place beside it, for a file that will replace it. Leftovers of an earlier
    /// attempt are gone.
    ///
    /// # Errors
    ///
    /// It can't be made; a backend that has no such place says so with
    /// [`Unsupported`](io::ErrorKind::Unsupported), and a damaged file is an error then.
    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Replaces it with the file beside it, durably and in one step: at any moment one of the two
    /// is there, whole. The old one is kept; returns its name.
    ///
    /// # Errors
    ///
    /// It can't be done; then the old one is where it was.
    fn replace(&self) -> io::Result<String> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Its name in error messages.
    fn place(&self) -> String;
}

/// A file of the real disk.
#[derive(Debug)]
pub(crate) struct HomeFile {
    path: PathBuf,
}

impl HomeFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn beside(&self) -> PathBuf {
        self.named("new")
    }

    fn named(&self, what: impl fmt::Display) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{what}"));
        self.path.with_file_name(name)
    }

    /// Moves the file beside it into its place, durably.
    pub(crate) fn appear(&self) -> io::Result<()> {
        fs::rename(self.beside(), &self.path)?;
        sync_directory(&self.path)
    }

    /// Gives the file a second name, under which it stays.
    fn keep(&self) -> io::Result<PathBuf> {
        for number in 1_u32.. {
            let kept = self.named(format_args!("damaged-{number}"));
            match fs::hard_link(&self.path, &kept) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Ok(()) => return Ok(kept),
                // Not every file system can do that.
                Err(_) => {
                    copy(&self.path, &kept)?;
                    return Ok(kept);
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut copy = private().create_new(true).open(to)?;
    io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()
}

/// Readable by its owner alone: the workspace's root key is in it.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Syncs the directory. Until then a power failure may take away a new name, and with it everything
/// in the file that was called durable.
fn sync_directory(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        File::open(directory)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}

impl Backend for HomeFile {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file = open_private(&self.path)?;
        let backend = FileBackend::new(file).map_err(io::Error::other)?;
        Ok(Box::new(backend))
    }

    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        // A leftover of an earlier attempt, or something else, such as a link: never write through
        // it.
        match fs::remove_file(self.beside()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = private().create_new(true).open(self.beside())?;
        let backend = FileBackend::new(file).map_err(io::Error::other)?;
        Ok(Box::new(backend))
    }

    fn replace(&self) -> io::Result<String> {
        let kept = self.keep()?;
        sync_directory(&self.path)?;
        self.appear()?;
        Ok(kept.display().to_string())
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    let file = private().create_new(true).open(path)?;
    sync_directory(path)?;
    Ok(file)
}

/// A backend as redb wants it: by value. Each call is passed on, until it is frozen: redb writes
/// once more when it closes a file, and a damaged one must stay as it is.
#[derive(Debug)]
pub(crate) struct Freezable {
    disk: Box<dyn StorageBackend>,
    frozen: Frozen,
}

/// Whether a file takes no writes any more.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frozen(Arc<AtomicBool>);

impl Frozen {
    pub(crate) fn freeze(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn check(&self) -> io::Result<()> {
        if self.0.load(Ordering::Relaxed) {
            return Err(io::Error::other("the file is damaged and stays as it is"));
        }
        Ok(())
    }
}

impl Freezable {
    pub(crate) fn new(disk: Box<dyn StorageBackend>) -> Self {
        Self { disk, frozen: Frozen::default() }
    }

    pub(crate) fn frozen(&self) -> Frozen {
        self.frozen.clone()
    }
}

impl StorageBackend for Freezable {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.frozen.check()?;
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.frozen.check()?;
        self.disk.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.disk.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.query_lock_range(start, end)
    }
}
