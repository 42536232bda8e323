//! What a store's bytes lie in: a file, or whatever a test puts in its place.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io,
    ops::Bound,
    path::{Path, PathBuf},
};

use redb::{BackendError, StorageBackend, backends::FileBackend};

/// A place that holds one store, and that can be opened again: redb refuses all further work after
/// an I/O error, so a store that goes on after one opens its backend anew.
pub trait Backend: fmt::Debug + Send + Sync {
    /// Opens it, making it when it is not there yet.
    ///
    /// # Errors
    ///
    /// It can't be opened or made.
    fn open(&self) -> io::Result<Box<dyn StorageBackend>>;

    /// How error messages name it.
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
}

impl Backend for HomeFile {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        let file = open_private(&self.path)?;
        let backend = FileBackend::new(file).map_err(io::Error::other)?;
        Ok(Box::new(backend))
    }

    fn place(&self) -> String {
        self.path.display().to_string()
    }
}

/// Opens the file for its owner alone: the workspace's root key lies in it.
fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.create(true).open(path)?;
    // Until the directory is on the disk too, a power failure may take the whole file with it,
    // with everything in it that was called durable.
    #[cfg(unix)]
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        File::open(directory)?.sync_all()?;
    }
    Ok(file)
}

/// A backend as redb wants it: by value. Each call is passed on as it is.
#[derive(Debug)]
pub(crate) struct Opened(pub(crate) Box<dyn StorageBackend>);

impl StorageBackend for Opened {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.0.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.try_lock_range(start, end)
    }

    fn try_lock_shared_range(
        &self,
        start: Bound<u64>,
        end: Bound<u64>,
    ) -> Result<bool, BackendError> {
        self.0.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.0.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.0.query_lock_range(start, end)
    }
}
