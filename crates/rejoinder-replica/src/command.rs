//! Commands: requests of somebody at this device.

use std::{collections::BTreeMap, net::SocketAddr};

use ahp_types::state::{ChatInputAnswer, ChatInputRequest, ChatInputResponseKind};
use rejoinder_answers::{Edit, Rules, Version};
use rejoinder_finalizer::ProposalKind;
use rejoinder_identity::{
    OpeningId, PeerId, QuestionId, Role, Ticket, Timestamp, TurnId, WorkspaceId,
};

/// A request of somebody at this device.
#[derive(Debug)]
pub enum Command {
    /// Make a workspace, with a root key of its own, and host it.
    CreateWorkspace {
        /// Its title.
        title: String,
    },
    /// Host a workspace whose root key lies in this home: begin an epoch.
    Host(WorkspaceId),
    /// Ask to join a workspace, or find the way back to one.
    Join(Box<Ticket>),
    /// The name by which others shall know this device.
    Name(String),
    /// The addresses at which this device can be reached now.
    Addresses(Vec<SocketAddr>),
    /// Something only the host does.
    HostAct(WorkspaceId, HostAct),
    /// Change an answer of an open request.
    Edit {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The edit.
        edit: Edit,
    },
    /// Change an answer as somebody does who saw the answers as they were in `seen`: beside
    /// whatever came since. If the request has ended since, it is kept as what came too late.
    EditOn {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The edit.
        edit: Box<Edit>,
        /// The version that its author had seen. A request that has ended shows nothing to edit on.
        seen: Version,
    },
    /// Submit another's answer from a conflict.
    Take {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// The question.
        question: QuestionId,
        /// The author of the answer.
        from: PeerId,
    },
    /// Complete a request; the answers on the screen go with it.
    Complete {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
        /// Accept, decline or cancel.
        response: ChatInputResponseKind,
        /// Answers that an AHP client put into its completion.
        answers: BTreeMap<QuestionId, ChatInputAnswer>,
    },
    /// Read the document of a request into memory: a settled one's view then tells what came too
    /// late for its decision.
    Read {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// The program that asked has what became of a request, which must be over.
    HandedOver {
        /// The workspace.
        workspace: WorkspaceId,
        /// The request.
        opening: OpeningId,
    },
    /// Propose that a turn be started with what its user said.
    ProposeTurn(WorkspaceId, String),
    /// Any other proposal.
    Propose(WorkspaceId, ProposalKind),
}

/// An act that only the host's program may do.
#[derive(Debug)]
pub enum HostAct {
    /// Start a turn with what its user said.
    StartTurn {
        /// The message.
        text: String,
    },
    /// Show text in the active turn.
    Say {
        /// Markdown.
        text: String,
    },
    /// Raise a request in the active turn, or raise an open one again.
    Ask {
        /// The request. Its `answers` seed the first revision.
        request: Box<ChatInputRequest>,
        /// Rules for the answers that AHP has no words for.
        rules: BTreeMap<QuestionId, Rules>,
        /// Refuse an accept that would displace an answer its author had not seen.
        strict: bool,
    },
    /// This program waits for the outcome of a request: a resume may reopen it.
    TakeUp(OpeningId),
    /// This turn is done.
    CompleteTurn(TurnId),
    /// This turn is over without being done.
    CancelTurn(TurnId),
    /// The time that was set for an answer is over: the turn of the request ends.
    Expire(OpeningId),
    /// This turn failed.
    FailTurn {
        /// The turn.
        turn: TurnId,
        /// AHP's word for the kind of error.
        error_type: String,
        /// The message for people.
        message: String,
        /// True if the turn may be resumed.
        resumable: bool,
    },
    /// Take up a turn that failed, and its requests with it.
    ResumeTurn(TurnId),
    /// Remove what follows a turn, and the active turn; without a turn, everything.
    Truncate(Option<TurnId>),
    /// Publish an AHP action as it is.
    Publish {
        /// AHP's URI of the chat or session.
        channel: String,
        /// The action's JSON.
        action: String,
    },
    /// Issue an invite.
    Invite {
        /// The number of devices that it may bring in.
        seats: u16,
        /// Until when.
        expires: Timestamp,
        /// The role that they get.
        role: Role,
        /// Ask a person before each is let in.
        approve: bool,
    },
    /// Let in a device that waits for approval, or don't.
    Approve {
        /// The device.
        device: PeerId,
        /// True to let it in.
        yes: bool,
    },
}
