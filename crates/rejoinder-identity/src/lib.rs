//! Names and proofs: keys, signatures that must be checked to be read, ids, the hash they are made
//! with, dates and points in time, and the ticket.
//!
//! It knows nothing of what is signed: logs, envelopes and proposals are the business of the
//! crates above, which say with [`Signable`] which [`Kind`] a value of theirs is.

mod base32;
mod date;
mod encoding;
mod hash;
mod id;
mod key;
pub mod limits;
#[cfg(rejoinder_mutants)]
pub mod mutant;
mod mutant_macro;
mod name;
mod role;
mod signed;
mod ticket;
mod timestamp;
mod version_vector;

pub use date::{Date, DateTime};
pub use encoding::{DecodeError, from_bytes, to_bytes};
pub use hash::{Hash, hash};
pub use id::{
    ActorId, ChangeHash, DocumentId, Incarnation, Nonce, OpeningId, ParseIdError, PeerId,
    ProposalId, RecordId, WorkspaceId,
};
pub use key::SecretKey;
pub use name::{OptionId, QuestionId, RequestId, TurnId};
pub use role::Role;
pub use signed::{BadSignature, Kind, Signable, Signed, Verified};
pub use ticket::{Hint, Ticket, TicketError};
pub use timestamp::Timestamp;
pub use version_vector::{Tip, VersionVector, covers};
