//! Why the host said no, so that the one who asked can act on it.

use std::fmt;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_identity::{PeerId, QuestionId, RecordId, RequestId, Role, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

use crate::{request::How, response::word};

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

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyDecided { by, response, .. } => {
                write!(f, "already decided: {} by {by}", word(*response))
            }
            Self::NoOpenRequest { ended: None } => write!(f, "no such request is open"),
            Self::NoOpenRequest { ended: Some(how) } => {
                write!(f, "the request is not open: its turn has {how}")
            }
            Self::RequestChanged { revision } => {
                write!(f, "the request has changed (revision {revision}): look at it again")
            }
            Self::RequiredUnanswered { questions } => {
                write!(f, "no submitted answer to the required {}", Named(questions))
            }
            Self::Invalid { questions } => {
                write!(f, "the submitted answer is not valid for {}", Named(questions))
            }
            Self::Stale { questions } => {
                write!(f, "somebody gave another answer meanwhile to {}", Named(questions))
            }
            Self::TooLarge { question } => {
                write!(f, "all answers together are too large; the largest answers {question:?}")
            }
            Self::TurnActive { turn } => write!(f, "the turn {turn:?} is active"),
            Self::AlreadyStarted { turn } => write!(f, "the turn {turn:?} was started before"),
            Self::NoActiveTurn => write!(f, "no turn is active"),
            Self::OtherTurn { active } => write!(f, "another turn is active: {active:?}"),
            Self::NoSuchTurn { turn } => write!(f, "no finished turn is called {turn:?}"),
            Self::NotResumable { turn } => {
                write!(f, "the turn {turn:?} is not the last, or did not fail resumably")
            }
            Self::NotTakenUp { requests } => {
                write!(f, "the host program does not take up ")?;
                list(f, requests.iter().map(RequestId::as_str))
            }
            Self::OriginNotUser => write!(f, "the message of a turn must come from a user"),
            Self::HostOnly { action } => write!(f, "only a host may say {action:?}"),
            Self::Unsupported { what } => write!(f, "this host does not do {what}"),
            Self::Malformed { why } => write!(f, "it can't be read: {why}"),
            Self::NoEffect { action } => {
                write!(f, "{action:?} would change nothing: what it names is not there")
            }
            Self::NoSuchChannel { channel } => write!(f, "there is no channel {channel:?}"),
            Self::NotAllowed { role } => write!(f, "the role {role} does not allow it"),
            Self::RecordTooLarge { size, limit } => {
                write!(f, "a record of {size} bytes is above the limit of {limit}")
            }
            Self::TooManyOpen { limit } => write!(f, "{limit} requests are open already"),
            Self::UnknownInvite => write!(f, "the ticket's invite is not of this workspace"),
            Self::InviteExpired { expired } => write!(f, "the ticket expired at {expired}"),
            Self::NoSeatLeft { seats } => write!(f, "all {seats} seats of the ticket are taken"),
            Self::NotApproved => write!(f, "the person who was asked did not let it in"),
            Self::NotHost => write!(f, "another host is current in this workspace"),
            Self::Other { text, .. } => f.write_str(text),
        }
    }
}

impl std::error::Error for Refusal {}

struct Named<'a>(&'a [QuestionId]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.len() == 1 { "question " } else { "questions " })?;
        list(f, self.0.iter().map(QuestionId::as_str))
    }
}

fn list<'a>(f: &mut fmt::Formatter<'_>, names: impl Iterator<Item = &'a str>) -> fmt::Result {
    for (index, name) in names.enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(f, "{comma}{name:?}")?;
    }
    Ok(())
}

/// Code and text travel beside the reason, for those who do not know it.
pub(crate) mod wire {
    use rejoinder_identity::{from_bytes, to_bytes};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Refusal;

    pub(crate) fn serialize<S: Serializer>(
        refusal: &Refusal,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        (to_bytes(refusal), refusal.code(), refusal.to_string()).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Refusal, D::Error> {
        let (bytes, code, text) = <(Vec<u8>, String, String)>::deserialize(deserializer)?;
        Ok(from_bytes("reason", &bytes).unwrap_or(Refusal::Other { code, text }))
    }
}
