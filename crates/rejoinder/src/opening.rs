//! Opening a home: by default, or as its options say; in a directory, as a copy, or at another
//! place.

use std::{net::Ipv4Addr, path::PathBuf};

use crate::{
    error::OpenError,
    home::Home,
    node,
    options::Options,
    place::{CopyOf, Directory, Place},
};

impl Home {
    /// Opens the home in that directory, and makes it when it is not there.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub async fn open(directory: impl Into<PathBuf>) -> Result<Self, OpenError> {
        Self::options().open(directory).await
    }

    /// Options for opening a home otherwise than by default.
    pub fn options() -> Options {
        Options::new()
    }
}

impl Options {
    /// Opens the home in that directory, and makes it when it is not there.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub async fn open(self, directory: impl Into<PathBuf>) -> Result<Home, OpenError> {
        self.open_at(Directory::new(directory)).await
    }

    /// Opens a copy, in memory, of the home in that directory, to look at what it holds. Nothing
    /// is made or written there, so another process may have the home open, or nobody may be able
    /// to write there. The copy shows what lay on the disk at some moment, links with nobody, and
    /// what is done with it is gone with it.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub async fn open_copy(self, directory: impl Into<PathBuf>) -> Result<Home, OpenError> {
        let listen = (Ipv4Addr::LOCALHOST, 0).into();
        let alone = Self { listen, keeps_port: false, ..self }.only([]);
        alone.open_at(CopyOf(Directory::new(directory))).await
    }

    /// Opens the home that is kept there.
    ///
    /// # Errors
    ///
    /// See [`OpenError`].
    pub async fn open_at(self, place: impl Place) -> Result<Home, OpenError> {
        let opened = node::open(self, Box::new(place)).await?;
        Ok(Home::start(opened))
    }
}
