//! Links as they are shown.

use std::net::SocketAddr;

use rejoinder_identity::{Incarnation, PeerId, Timestamp};

/// A link to a run of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkView {
    /// The device.
    pub peer: PeerId,
    /// The run of its home.
    pub incarnation: Incarnation,
    /// Its address.
    pub address: SocketAddr,
    /// Since when, by this device's clock.
    pub since: Timestamp,
    /// Bytes that wait to be handed to the transport.
    pub queued: usize,
}
