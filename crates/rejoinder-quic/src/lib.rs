//! Links over quinn: each side proves its device's key, and says hello, before there is one.
//!
//! This crate does not know what a hello, a frame or a request to join says. Socket, runtime, seed
//! and clock are injected, and everything that waits does so on tokio, so that a simulated network
//! in virtual time runs this same code, bit for bit the same for one seed.
//!
//! - [`Endpoint`]: one socket, from which others are dialled and at which they arrive.
//! - [`PendingLink`]: a connection whose other side is proven; hellos make it a link.
//! - [`Link`]: frames in both directions, until one side closes it with a [`CloseCode`].
//! - [`JoinAsk`]: a stranger's one question.

mod accepted;
mod close;
mod config;
mod endpoint;
mod error;
mod frame;
mod gate;
mod join;
pub mod limits;
mod link;
mod outbox;
mod pending_link;
mod seeded;
#[cfg(test)]
mod tests;
mod tls;
mod verify;

pub use accepted::{Accepted, JoinAsk};
pub use close::{CloseCode, Closed};
pub use config::{Accepts, Config};
pub use endpoint::Endpoint;
pub use error::{DialError, NotSent};
pub use link::{Direction, Link, LinkReceiver, LinkSender};
pub use pending_link::PendingLink;
