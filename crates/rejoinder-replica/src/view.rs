//! The state as it is shown: whole, so that a late subscriber misses nothing.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputRequest, ChatInputResponseKind, ChatState, SessionState};
use rejoinder_answers::{Conflict, NotIncluded, Projection, Rules, Version};
use rejoinder_finalizer::TurnEnd;
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
    /// Its role.
    pub role: Role,
    /// True if it is the host now.
    pub host: bool,
}

/// A workspace.
#[derive(Debug, Clone)]
pub struct WorkspaceView {
    /// Its id.
    pub id: WorkspaceId,
    /// Its title; empty until the log is here.
    pub title: String,
    /// True if this home holds the root key, so that it can host.
    pub can_host: bool,
    /// True if this device is the host now.
    pub hosting: bool,
    /// True if this device is a member. If not, it has asked to be one.
    pub member: bool,
    /// Everybody.
    pub members: Vec<MemberView>,
    /// The number of records in the log.
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

/// The status of a request.
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
        /// The author of the proposal.
        by: PeerId,
        /// The proposal.
        proposal: ProposalId,
    },
    /// Its turn ended without a decision.
    Ended(TurnEnd),
}

/// A request.
#[derive(Debug, Clone)]
pub struct RequestView {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Its id, which never changes.
    pub opening: OpeningId,
    /// The id that the agent gave it.
    pub id: RequestId,
    /// The document of its answers.
    pub document: DocumentId,
    /// The turn it was raised in.
    pub turn: TurnId,
    /// The revision, from 1.
    pub revision: u32,
    /// The text, without answers.
    pub request: ChatInputRequest,
    /// Rules for the answers that AHP has no words for; known while its document is
    /// in memory, as that of an open request is.
    pub rules: BTreeMap<QuestionId, Rules>,
    /// Its status.
    pub status: RequestStatus,
    /// True if its document is in memory. While it is not, an open request shows no answers.
    pub here: bool,
    /// The answers: merged while it is open, those of the decision or turn end afterwards.
    pub projection: Projection,
    /// The version of its answers that this shows, for edits on it. `None` if it is not open.
    pub seen: Option<Version>,
    /// Answers that came in time and are not those that the request ended with: the other sides of
    /// its conflicts. Empty while it is open, and until its document is in memory.
    pub passed_over: BTreeMap<QuestionId, Vec<Conflict>>,
    /// Answers that were written too late for the decision; known once its document is in memory.
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
