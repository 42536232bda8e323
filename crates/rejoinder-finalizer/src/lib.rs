//! The authority of a workspace: its log, its turn lifecycle, its decisions.
//!
//! Every peer has a [`Log`]: it checks records from the root key and folds them into a [`State`].
//! The host alone has a [`Finalizer`], which writes the records. It decides one thing at a time,
//! takes all that it needs as arguments, and looks nothing up: it is told through [`Settle`] what
//! the answers of a request are, and whether they are valid.

mod certificate;
mod change;
mod checked;
mod conversation;
mod finalizer;
mod fold;
mod join;
pub mod limits;
mod log;
mod proposal;
mod record;
pub mod refusal;
mod request;
mod response;
mod settle;
mod state;
mod unanswered;

pub use certificate::{BadCertificate, EpochCertificate};
pub use change::{Appended, LogChange, Voided};
pub use checked::Checked;
pub use finalizer::{Finalizer, HostAction, Raise, RaiseError, Skeleton, Verdict};
pub use join::{Invitation, Join};
pub use log::{Introduced, Log, LogError, LogPosition};
pub use proposal::{Complete, NotInOrder, Proposal, ProposalKind, Seen, StartTurn};
pub use record::{
    Body, Decided, EndedRequest, EpochStarted, InviteIssued, MemberAdded, Published, Raised,
    Record, Refused, TurnEnded,
};
pub use refusal::Refusal;
pub use request::{Decision, Ended, Request, Status, TurnEnd};
pub use settle::{Completing, DisplacedAnswer, Embedded, Settle, Settled, SettledAnswer};
pub use state::{Answered, Invite, Member, Ruling, State};
pub use unanswered::{TooManyUnanswered, Unanswered};
