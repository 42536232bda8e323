//! Why the host said no, so that the one who asked can act on it.

mod text;
pub(crate) mod wire;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::{PeerId, QuestionId, RecordId, RequestId, Role, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::request::How;

/// Why a proposal, a join or an act of the host was refused. New reasons go at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// Somebody else's completion was there first.
    AlreadyDecided {
        /// Who decided.
        by: PeerId,
        /// What.
        #[serde(with = "crate::response")]
        response: ChatInputResponseKind,
        /// The decision.
        decision: RecordId,
    },
    /// The request is not open: it is not known, or its turn has ended.
    NoOpenRequest {
        /// How its turn ended; none when no such request is known.
        ended: Option<How>,
    },
    /// The request has another text now; look at it and complete that.
    RequestChanged {
        /// The revision that holds.
        revision: u32,
    },
    /// Required questions have no submitted answer.
    RequiredUnanswered {
        /// Which.
        questions: Vec<QuestionId>,
    },
    /// Submitted answers do not satisfy their questions.
    Invalid {
        /// Which.
        questions: Vec<QuestionId>,
    },
    /// The request is strict, and somebody gave another answer that the proposer had not seen.
    Stale {
        /// To which questions.
        questions: Vec<QuestionId>,
    },
    /// All answers together are above the limit.
    TooLarge {
        /// The largest one.
        question: QuestionId,
    },
    /// A turn is active.
    TurnActive {
        /// Which.
        turn: TurnId,
    },
    /// That very turn was started before; it is left as it is.
    AlreadyStarted {
        /// Which.
        turn: TurnId,
    },
    /// No turn is active.
    NoActiveTurn,
    /// Another turn is active.
    OtherTurn {
        /// The one that is.
        active: TurnId,
    },
    /// No finished turn has that id.
    NoSuchTurn {
        /// The id.
        turn: TurnId,
    },
    /// The last turn did not end by an error that can be resumed, or it is another turn.
    NotResumable {
        /// The turn that was to be resumed.
        turn: TurnId,
    },
    /// The host program does not wait for requests that the turn would open again.
    NotTakenUp {
        /// Which.
        requests: Vec<RequestId>,
    },
    /// A member may only start turns with a message of a user.
    OriginNotUser,
    /// Only a host may say that.
    HostOnly {
        /// The type of the action.
        action: String,
    },
    /// This host does not do that.
    Unsupported {
        /// What.
        what: String,
    },
    /// It can't be read.
    Malformed {
        /// What is wrong with it.
        why: String,
    },
    /// It would change nothing: what it names is not there.
    NoEffect {
        /// The type of the action.
        action: String,
    },
    /// The workspace has no such chat or session.
    NoSuchChannel {
        /// The URI.
        channel: String,
    },
    /// The author's role does not allow that.
    NotAllowed {
        /// The role.
        role: Role,
    },
    /// It would not fit in a record.
    RecordTooLarge {
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Too many requests are open at once.
    TooManyOpen {
        /// The limit.
        limit: u32,
    },
    /// The workspace never issued that invite.
    UnknownInvite,
    /// The invite has expired, by the host's clock.
    InviteExpired {
        /// When.
        expired: Timestamp,
    },
    /// All seats of the invite are taken.
    NoSeatLeft {
        /// How many it had.
        seats: u16,
    },
    /// The person who was asked said no.
    NotApproved,
    /// Another epoch is current: this device is not the host any more.
    NotHost,
    /// A reason of a later release.
    Other {
        /// Its code.
        code: String,
        /// What that release says about it.
        text: String,
    },
}

impl Refusal {
    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::AlreadyDecided { .. } => "already-decided",
            Self::NoOpenRequest { .. } => "no-open-request",
            Self::RequestChanged { .. } => "request-changed",
            Self::RequiredUnanswered { .. } => "required-unanswered",
            Self::Invalid { .. } => "invalid",
            Self::Stale { .. } => "stale",
            Self::TooLarge { .. } => "too-large",
            Self::TurnActive { .. } => "turn-active",
            Self::AlreadyStarted { .. } => "already-started",
            Self::NoActiveTurn => "no-active-turn",
            Self::OtherTurn { .. } => "other-turn",
            Self::NoSuchTurn { .. } => "no-such-turn",
            Self::NotResumable { .. } => "not-resumable",
            Self::NotTakenUp { .. } => "not-taken-up",
            Self::OriginNotUser => "origin-not-user",
            Self::HostOnly { .. } => "host-only",
            Self::Unsupported { .. } => "unsupported",
            Self::Malformed { .. } => "malformed",
            Self::NoEffect { .. } => "no-effect",
            Self::NoSuchChannel { .. } => "no-such-channel",
            Self::NotAllowed { .. } => "not-allowed",
            Self::RecordTooLarge { .. } => "record-too-large",
            Self::TooManyOpen { .. } => "too-many-open",
            Self::UnknownInvite => "unknown-invite",
            Self::InviteExpired { .. } => "invite-expired",
            Self::NoSeatLeft { .. } => "no-seat-left",
            Self::NotApproved => "not-approved",
            Self::NotHost => "not-host",
            Self::Other { code, .. } => code,
        }
    }

    /// The questions that it is about, for those reasons that name some.
    pub fn questions(&self) -> &[QuestionId] {
        match self {
            Self::RequiredUnanswered { questions }
            | Self::Invalid { questions }
            | Self::Stale { questions } => questions,
            Self::TooLarge { question } => std::slice::from_ref(question),
            Self::AlreadyDecided { .. }
            | Self::NoOpenRequest { .. }
            | Self::RequestChanged { .. }
            | Self::TurnActive { .. }
            | Self::AlreadyStarted { .. }
            | Self::NoActiveTurn
            | Self::OtherTurn { .. }
            | Self::NoSuchTurn { .. }
            | Self::NotResumable { .. }
            | Self::NotTakenUp { .. }
            | Self::OriginNotUser
            | Self::HostOnly { .. }
            | Self::Unsupported { .. }
            | Self::Malformed { .. }
            | Self::NoEffect { .. }
            | Self::NoSuchChannel { .. }
            | Self::NotAllowed { .. }
            | Self::RecordTooLarge { .. }
            | Self::TooManyOpen { .. }
            | Self::UnknownInvite
            | Self::InviteExpired { .. }
            | Self::NoSeatLeft { .. }
            | Self::NotApproved
            | Self::NotHost
            | Self::Other { .. } => &[],
        }
    }
}
