//! Outputs of a replica: what to do, in this order.

use rejoinder_identity::{OpeningId, ProposalId, Ticket, TurnId, WorkspaceId};
use rejoinder_sync::LinkId;

use crate::{
    event::Event,
    input::{AskId, CommandId},
    refused::Refused,
    store::{Batch, Load, LoadId, WriteId},
};

/// Something to do.
#[derive(Debug)]
pub enum Output {
    /// Make this durable, then say [`Input::Stored`](crate::Input::Stored).
    Store(WriteId, Batch),
    /// Read these rows, then say [`Input::Loaded`](crate::Input::Loaded).
    Load(LoadId, Load),
    /// Send a frame.
    Send(LinkId, Vec<u8>),
    /// Close a link: the other side broke the protocol.
    Close(LinkId, String),
    /// Answer a device that asked to join.
    AnswerJoin(AskId, Vec<u8>),
    /// Answer a command.
    Reply(CommandId, Result<Reply, Refused>),
    /// Something that people may want to know has changed.
    Tell(Event),
}

/// The result of a command that was done.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Done, and on this disk.
    Saved,
    /// The document is in memory.
    Read,
    /// This workspace was made, joined or hosted.
    Workspace(WorkspaceId),
    /// This turn runs.
    Turn(TurnId),
    /// This request is open.
    Asked(OpeningId),
    /// This proposal is saved here and on its way.
    Proposed(ProposalId),
    /// An invite is in the log; the ticket has no hints yet.
    Invited(Box<Ticket>),
}
