//! The state as it is shown: whole, so that whoever comes late misses nothing.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputRequest, ChatInputResponseKind, ChatState, SessionState};
use rejoinder_answers::{Conflict, NotIncluded, Projection, Rules, Version};
use rejoinder_finalizer::How;
use rejoinder_identity::{
    DocumentId, OpeningId, PeerId, ProposalId, QuestionId, RecordId, RequestId, Role, TurnId,
    WorkspaceId,
};

use crate::event::Fate;

/// A member as others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberView {
    /// Its device.
    pub device: PeerId,
    /// The name it gave itself.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Whether it is the host now.
    pub host: bool,
}

/// A workspace.
#[derive(Debug, Clone)]
pub struct WorkspaceView {
    /// Which.
    pub id: WorkspaceId,
    /// Its title; empty until the log is here.
    pub title: String,
    /// Whether this home holds the root key, so that it can host.
    pub can_host: bool,
    /// Whether this device is the host now.
    pub hosting: bool,
    /// Whether this device is a member; else it has asked to be one.
    pub member: bool,
    /// Everybody.
    pub members: Vec<MemberView>,
    /// How many records the log has.
    pub log_length: u64,
    /// The last of them. Logs of one length with one head are the same.
    pub log_head: RecordId,
    /// Every request whose part still exists, in the order in which they were raised.
    pub requests: Vec<RequestView>,
    /// Own proposals the host has not answered, with their fates.
    pub waiting: BTreeMap<ProposalId, Fate>,
    /// Own edits that no peer has on its disk, as far as this run knows.
    pub uncarried: u64,
}

/// How a request stands.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestStatus {
    /// It waits for a decision.
    Open,
    /// Its turn failed and may be resumed.
    Suspended,
    /// The host decided.
    Decided {
        /// Accept, decline or cancel.
        response: ChatInputResponseKind,
        /// Whose proposal it was.
        by: PeerId,
        /// The proposal.
        proposal: ProposalId,
    },
    /// Its turn ended without a decision.
    Ended(How),
}

/// A request.
#[derive(Debug, Clone)]
pub struct RequestView {
    /// Where.
    pub workspace: WorkspaceId,
    /// Which, for ever.
    pub opening: OpeningId,
    /// The id that the agent gave it.
    pub id: RequestId,
    /// The document of its answers.
    pub document: DocumentId,
    /// The turn it was raised in.
    pub turn: TurnId,
    /// Which text of it this is, from 1.
    pub revision: u32,
    /// The text, without answers.
    pub request: ChatInputRequest,
    /// What its questions ask of their answers beyond the words of AHP; known while its document is
    /// in memory, as that of an open request is.
    pub rules: BTreeMap<QuestionId, Rules>,
    /// How it stands.
    pub status: RequestStatus,
    /// Whether its document is in memory. While it is not, an open request shows no answers.
    pub here: bool,
    /// The answers: merged while it is open, those of the decision or turn end afterwards.
    pub projection: Projection,
    /// What of its answers this shows, for edits on it; none when it is not open.
    pub seen: Option<Version>,
    /// What was said in time and is not what the request ended with: the other sides of its
    /// conflicts. Empty while it is open, and until its document is in memory.
    pub passed_over: BTreeMap<QuestionId, Vec<Conflict>>,
    /// What was written too late for the decision; known once its document is in memory.
    pub not_included: Vec<NotIncluded>,
}

/// The chat and its session, as AHP has them, with the answers in their parts.
#[derive(Debug, Clone)]
pub struct ChatView {
    /// The chat.
    pub chat: ChatState,
    /// Its session.
    pub session: SessionState,
}
