//! Replicates the log, the envelopes and the proposals of one workspace over links.
//!
//! [`Sync`] is a machine: it is told what is held here and what arrived, and says what to send.
//! It never sees a document, reads no clock and opens nothing; what is to be sent is fetched
//! from its owner by effects, for documents may not be in memory.

mod address_card;
mod admit;
mod answer;
mod compare;
mod correct;
mod digest;
mod effect;
mod envelope;
mod flow;
mod held;
mod introduction;
mod item;
mod key;
pub mod limits;
mod link;
mod list;
mod log;
mod message;
mod misbehaved;
#[cfg(rejoinder_mutants)]
mod mutants;
mod outbox;
mod owed;
mod parked;
mod receive;
mod speak;
mod sync;
mod talk;

pub use address_card::AddressCard;
pub use effect::{Carried, Effect};
pub use envelope::Envelope;
pub use introduction::{introduction_frame, introduction_in};
pub use item::{Fetched, Item, ItemKind, LinkId};
pub use misbehaved::Misbehaved;
pub use parked::{Overflow, Parked, ParkedItem, Wait};
pub use sync::Sync;
