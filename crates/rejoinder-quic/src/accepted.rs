//! A device that arrived, to link or to ask.

use std::net::SocketAddr;

use rejoinder_identity::PeerId;
use tokio::sync::oneshot;

use crate::pending_link::PendingLink;

/// Somebody arrived.
#[derive(Debug)]
pub enum Accepted {
    /// One that may link; hellos make it a link.
    Link(PendingLink),
    /// One that asks to join.
    Join(JoinAsk),
}

/// A device that is no member asks something. Dropping this tells it that nobody has time.
#[derive(Debug)]
pub struct JoinAsk {
    /// The device that asks; its key is proven.
    pub device: PeerId,
    /// From where.
    pub remote_address: SocketAddr,
    /// What it asks: not looked at.
    pub ask: Vec<u8>,
    pub(crate) answer: oneshot::Sender<Vec<u8>>,
}

impl JoinAsk {
    /// Answers it; what is longer than [`limits::JOIN`](crate::limits::JOIN) is not sent. It has to
    /// be within five seconds: the asker does not wait for longer, and may ask again.
    pub fn answer(self, bytes: Vec<u8>) {
        let _ = self.answer.send(bytes);
    }
}
