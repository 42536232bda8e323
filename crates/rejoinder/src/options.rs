//! Options for opening a home.

use std::{
    collections::BTreeSet,
    net::{Ipv6Addr, SocketAddr},
};

use rejoinder_identity::PeerId;

use crate::environment::Environment;

/// Options for opening a home: see [`Home::options`](crate::Home::options).
#[derive(Debug)]
#[must_use = "a home is opened by `open`"]
pub struct Options {
    pub(crate) name: Option<String>,
    pub(crate) listen: SocketAddr,
    pub(crate) only: Option<BTreeSet<PeerId>>,
    pub(crate) environment: Option<Environment>,
    /// True if the port of the last run is taken again, and this one kept.
    pub(crate) keeps_port: bool,
}

impl Options {
    pub(crate) fn new() -> Self {
        let listen = (Ipv6Addr::UNSPECIFIED, 0).into();
        Self { name: None, listen, only: None, environment: None, keeps_port: true }
    }

    /// The name by which others know this device. Without it, the last one stays.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// The address to listen at; by default, all addresses. With port 0 the home keeps the port it
    /// had the last time, and takes another one when that is taken.
    pub fn listen(self, address: SocketAddr) -> Self {
        Self { listen: address, ..self }
    }

    /// Links with these devices alone, whoever else is a member.
    pub fn only(self, peers: impl IntoIterator<Item = PeerId>) -> Self {
        let mut only = self.only.unwrap_or_default();
        only.extend(peers);
        Self { only: Some(only), ..self }
    }

    /// In another environment than the real one.
    pub fn environment(self, environment: Environment) -> Self {
        Self { environment: Some(environment), ..self }
    }
}
