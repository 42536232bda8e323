//! The check that nobody else can change a home. Anybody who can write to its directory can put
//! another key, or a file that is read by others, in the place of what is there; so such a home is
//! not used.
//!
//! In a directory that its owner alone may write to, nobody changes a file between a look at it
//! and its use. Directories above it are not looked at, but for the sticky temporary one: nobody
//! can put something else in the place of what is ours there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::error::{Exposure, OpenError};

/// The expectation about a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// It may lie where nothing can be written.
    Look,
    Use,
}

/// Checks that a home's directory is this user's alone to write to.
pub(super) fn check_directory(path: &Path) -> Result<(), OpenError> {
    let look = |found: io::Result<fs::Metadata>| {
        found.map_err(|error| OpenError::disk("look at", path, error))
    };
    let link = look(fs::symlink_metadata(path))?;
    if link.is_symlink() && !unix::is_own(&link) && !unix::is_roots(&link) {
        return Err(OpenError::exposed(path, Exposure::Owner(unix::owner(&link))));
    }
    check(path, &look(fs::metadata(path))?)
}

/// Checks a file of a home, if it is there; returns its length. One that others may read, but
/// could not have changed, is its owner's alone afterwards.
pub(super) fn check_file(path: &Path, access: Access) -> Result<Option<u64>, OpenError> {
    let file = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(|error| OpenError::disk("look at", path, error))?,
    };
    if !file.is_file() {
        return Err(OpenError::exposed(path, Exposure::NoFile));
    }
    check(path, &file)?;
    if unix::others_may_read(&file) {
        match access {
            Access::Look => tracing::warn!(path = %path.display(), "others may read it"),
            Access::Use => tighten(path)?,
        }
    }
    Ok(Some(file.len()))
}

fn check(path: &Path, found: &fs::Metadata) -> Result<(), OpenError> {
    if !unix::is_own(found) {
        return Err(OpenError::exposed(path, Exposure::Owner(unix::owner(found))));
    }
    if let Some(mode) = unix::others_may_write(found) {
        return Err(OpenError::exposed(path, Exposure::Writable(mode)));
    }
    Ok(())
}

fn tighten(path: &Path) -> Result<(), OpenError> {
    unix::make_private(path).map_err(|error| OpenError::disk("protect", path, error))?;
    let path = path.display();
    tracing::warn!(%path, "others could read it until now; it is for its owner alone again");
    Ok(())
}

/// A name beside `path` under which nothing lies.
pub(super) fn free_name(path: &Path, what: &str) -> io::Result<PathBuf> {
    for number in 1_u32.. {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{what}-{number}"));
        let free = path.with_file_name(name);
        match fs::symlink_metadata(&free) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(free),
            Ok(_) => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(unix)]
mod unix {
    use std::{
        fs::{self, Metadata, Permissions},
        io,
        os::unix::fs::{MetadataExt, PermissionsExt},
        path::Path,
    };

    pub(super) fn owner(found: &Metadata) -> u32 {
        found.uid()
    }

    pub(super) fn is_own(found: &Metadata) -> bool {
        found.uid() == rustix::process::geteuid().as_raw()
    }

    pub(super) fn is_roots(found: &Metadata) -> bool {
        found.uid() == 0
    }

    /// The mode, if it lets others write.
    pub(super) fn others_may_write(found: &Metadata) -> Option<u32> {
        Some(found.mode() & 0o7777).filter(|mode| mode & 0o022 != 0)
    }

    pub(super) fn others_may_read(found: &Metadata) -> bool {
        found.mode() & 0o044 != 0
    }

    pub(super) fn make_private(path: &Path) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(0o600))
    }
}

/// Elsewhere the directory of a user's data is that user's alone, and files in it inherit that.
#[cfg(not(unix))]
mod unix {
    use std::{fs::Metadata, io, path::Path};

    pub(super) fn owner(_: &Metadata) -> u32 {
        0
    }

    pub(super) fn is_own(_: &Metadata) -> bool {
        true
    }

    pub(super) fn is_roots(_: &Metadata) -> bool {
        true
    }

    pub(super) fn others_may_write(_: &Metadata) -> Option<u32> {
        None
    }

    pub(super) fn others_may_read(_: &Metadata) -> bool {
        false
    }

    pub(super) fn make_private(_: &Path) -> io::Result<()> {
        Ok(())
    }
}
