//! A directory for the demo's homes, removed with the demo.

use std::{fs, io, path::PathBuf};

use crate::failure::Failure;

/// The directory.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes a directory that did not exist before.
    pub(super) fn make() -> Result<Self, Failure> {
        let place = |number: u32| {
            let name = format!("rejoinder-demo-{}-{number}", std::process::id());
            std::env::temp_dir().join(name)
        };
        let mut number = 0;
        loop {
            let place = place(number);
            match fs::create_dir(&place) {
                Ok(()) => return Ok(Self(place)),
                // Left by a demo that was killed, with the same process id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => {
                    let place = place.display();
                    return Err(Failure::new("disk", format!("cannot make {place}: {error}")));
                }
            }
        }
    }

    pub(super) fn home(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(place = %self.0.display(), %error, "the demo's homes are still there");
        }
    }
}
