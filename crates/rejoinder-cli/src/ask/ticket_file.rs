//! The file of `--ticket-file`: it appears complete, readable by its owner alone, once others can
//! join.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    hash::{BuildHasher, RandomState},
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::{failure::Failure, plain};

/// A ticket file being written under a temporary name.
#[derive(Debug)]
pub(super) struct TicketFile {
    place: PathBuf,
    unfinished: PathBuf,
    file: File,
}

impl TicketFile {
    /// Creates the file under a temporary name, so that a path that does not work is reported
    /// before anything is asked. The ticket of an earlier run is removed: it may name an address
    /// that is gone.
    pub(super) fn prepare(place: &Path) -> Result<Self, Failure> {
        let cannot = |error| cannot_write(place, &error);
        let mut name = OsString::from(".");
        name.push(place.file_name().ok_or_else(|| cannot(io::ErrorKind::InvalidInput.into()))?);
        // Others may write to the directory. They can't guess this name before it exists, and a
        // file or link already there is neither written to nor followed.
        name.push(format!(".{:016x}", RandomState::new().hash_one(std::process::id())));
        let unfinished = place.with_file_name(name);
        let file = create(&unfinished).map_err(cannot)?;
        let file = Self { place: place.to_owned(), unfinished, file };
        match fs::remove_file(place) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(cannot(error)),
            Ok(()) | Err(_) => Ok(file),
        }
    }

    /// Moves the ticket into place.
    pub(super) fn publish(mut self, ticket: &str) -> Result<(), Failure> {
        let mut write = || {
            writeln!(self.file, "{ticket}")?;
            self.file.sync_all()?;
            fs::rename(&self.unfinished, &self.place)
        };
        write().map_err(|error| cannot_write(&self.place, &error))
    }
}

impl Drop for TicketFile {
    fn drop(&mut self) {
        // After the rename no file has that name.
        let _gone = fs::remove_file(&self.unfinished);
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn cannot_write(place: &Path, error: &io::Error) -> Failure {
    let place = plain::line(&place.display().to_string());
    Failure::new("ticket-file", format!("cannot write {place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let directory =
            std::env::temp_dir().join(format!("rejoinder-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }

    #[test]
    fn it_appears_whole_and_leaves_nothing_else() {
        let directory = scratch("ticket");
        let place = directory.join("t");
        fs::write(&place, "old").unwrap();
        let file = TicketFile::prepare(&place).unwrap();
        assert!(!place.exists(), "the old one names an address that may be gone");
        file.publish("rejoin1x").unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "rejoin1x\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o600);
        }
        drop(TicketFile::prepare(&place).unwrap());
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 0);
        fs::remove_dir_all(directory).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_that_were_planted_are_not_followed() {
        let directory = scratch("planted");
        let (place, victim) = (directory.join("t"), directory.join("victim"));
        fs::write(&victim, "mine").unwrap();
        let name = format!(".t.{}", std::process::id());
        for link in [directory.join(name), place.clone()] {
            std::os::unix::fs::symlink(&victim, link).unwrap();
        }
        let file = TicketFile::prepare(&place).unwrap();
        std::os::unix::fs::symlink(&victim, &place).unwrap();
        file.publish("rejoin1x").unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
        assert!(!place.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&place).unwrap(), "rejoin1x\n");
        assert!(create(&victim).is_err() && create(&directory.join("gone")).is_ok());
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_place_that_is_none_is_named() {
        for place in ["/nonexistent/t", ".."] {
            let failure = TicketFile::prepare(Path::new(place)).unwrap_err();
            assert!(failure.message.contains(place), "{failure}");
        }
    }
}
