//! Reasons in words, for people.

use std::fmt;

use rejoinder_identity::{QuestionId, RequestId};

use super::Refusal;
use crate::{request::How, response::word};

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyDecided { by, response, .. } => {
                write!(f, "already decided: {} by {by}", word(*response))
            }
            Self::NoOpenRequest { ended: None } => write!(f, "no such request is open"),
            Self::NoOpenRequest { ended: Some(how) } => {
                let how = match how {
                    How::Completed => "was completed",
                    How::Cancelled => "was cancelled",
                    How::Failed => "has failed",
                    How::Truncated => "was removed",
                    How::Expired => "has expired",
                };
                write!(f, "the request is not open: its turn {how}")
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
