//! One device's replica of its workspaces, as a pure state machine.
//!
//! It composes what knows nothing of each other: the answers (documents), the finalizer (the log)
//! and sync (links). It is told what happened ([`Input`]) and says what to do next ([`Output`]);
//! sockets, files, clocks and randomness stay outside, so that a failing run is a seed.

mod access;
mod backlog;
mod card;
mod cards;
mod chain;
mod command;
mod core;
#[cfg(test)]
mod desk;
mod dispatch;
mod documents;
mod event;
mod hello;
mod input;
pub mod limits;
#[cfg(rejoinder_mutants)]
mod mutants;
mod outcomes;
mod output;
mod peers;
mod proposals;
mod reads;
mod refused;
mod replica;
mod restore;
mod rewrite;
mod rows;
mod store;
mod view;
mod work;
mod workspace;
mod writes;

pub use backlog::Backlog;
pub use command::{Command, HostAct};
pub use event::{Event, Fate, Subject};
pub use hello::Hello;
pub use input::{AskId, CommandId, Input};
pub use output::{Output, Reply};
pub use refused::Refused;
pub use replica::{Config, Replica};
pub use restore::{Broken, RestoreError};
pub use store::{Batch, Load, LoadId, Loaded, Restored, RowOp, Rows, Salvaged, Table, WriteId};
pub use view::{ChatView, MemberView, RequestStatus, RequestView, WorkspaceView};
pub use work::Work;
pub use workspace::is_let_in;

pub use rejoinder_answers::{
    Answer, Conflict, Edit, EditRefused, Form, FormProblem, NotIncluded, Problem, Projection,
    ReviewUrl, Rules, UrlProblem, Version, answer_from_json, answer_to_json, cursor_after,
    excluded_bound,
};
pub use rejoinder_finalizer::{ProposalKind, Refusal, TurnEnd, refusal};
pub use rejoinder_sync::LinkId;
