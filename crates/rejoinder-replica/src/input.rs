//! Inputs of a replica: what happened.

use rejoinder_identity::PeerId;
use rejoinder_sync::LinkId;

use crate::{
    command::Command,
    store::{LoadId, Loaded, Salvaged, WriteId},
};

/// A command that waits for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandId(pub u64);

/// A stranger at the door that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct AskId(pub u64);

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// The time of [`Replica::poll_timeout`](crate::Replica::poll_timeout) has come.
    Timeout,
    /// Both sides of a link have proved their keys and exchanged hellos.
    LinkUp {
        /// The link; its number is never used again.
        link: LinkId,
        /// The key that the other side proved.
        peer: PeerId,
        /// The other side's [`Hello`](crate::Hello), as it came.
        hello: Vec<u8>,
    },
    /// A frame came over a link.
    Frame {
        /// The link.
        link: LinkId,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// A link is gone. Nothing more comes from it.
    LinkDown {
        /// The link.
        link: LinkId,
    },
    /// A device that is not (yet) a member asks to join, or shows that it is one.
    JoinAsked {
        /// The ask, for the answer to it.
        ask: AskId,
        /// The key that it proved.
        device: PeerId,
        /// Its request, as it came.
        bytes: Vec<u8>,
    },
    /// A member that we asked to let us in has answered.
    JoinAnswered {
        /// The member that we asked.
        by: PeerId,
        /// Its answer.
        bytes: Vec<u8>,
        /// The workspace we asked for.
        workspace: rejoinder_identity::WorkspaceId,
    },
    /// A write is durable.
    Stored(WriteId),
    /// A write failed; whether it is on the disk is not known.
    StoreFailed(WriteId, String),
    /// The rows of a read.
    Loaded(LoadId, Loaded),
    /// A read failed.
    LoadFailed(LoadId, String),
    /// The home's file was damaged and has been recreated.
    Salvaged(Salvaged),
    /// Somebody at this device wants something.
    Command(CommandId, Command),
}
