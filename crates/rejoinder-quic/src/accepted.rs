//! A device that arrived, to link or to ask.

use std::net::SocketAddr;

use rejoinder_identity::PeerId;
use tokio::sync::oneshot;

use crate::pending_link::PendingLink;

/// A connection that was let in.
#[derive(Debug)]
pub enum Accepted {
    /// One that may link; hellos make it a link.
    Link(PendingLink),
    /// One that asks to join.
    Join(JoinAsk),
}

/// A device that is no member asks something. Dropping this tells it that the device
/// is busy.
#[derive(Debug)]
pub struct JoinAsk {
    /// The device that asks; its key is proven.
    pub device: PeerId,
    /// Its address.
    pub remote_address: SocketAddr,
    /// The question, not looked at here.
    pub ask: Vec<u8>,
    pub(crate) answer: oneshot::Sender<Vec<u8>>,
}

impl JoinAsk {
    /// Answers it, within five seconds: the other side does not wait longer, and may ask again. An
    /// answer longer than [`limits::JOIN`](crate::limits::JOIN) is not sent.
    pub fn answer(self, bytes: Vec<u8>) {
        let _ = self.answer.send(bytes);
    }
}
