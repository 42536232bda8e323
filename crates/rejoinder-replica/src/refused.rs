//! Why a command was not done. Nothing changed.

use std::fmt;

use rejoinder_answers::{EditRefused, FormProblem, SkeletonRefused};
use rejoinder_finalizer::Refusal;
use rejoinder_identity::{PeerId, QuestionId, Role};

/// Why a command was not done.
#[derive(Debug, Clone)]
pub enum Refused {
    /// This home has no such workspace.
    NoWorkspace,
    /// The root key of that workspace is not in this home, so it can't be hosted here.
    NoRootKey,
    /// Only the host may do this, and this device is not the host now.
    NotHost,
    /// This device asked to join and has not been let in yet.
    NotMember,
    /// This device's role doesn't allow it.
    Role(Role),
    /// There is no such request.
    NoRequest,
    /// The request is no longer open.
    NotOpen,
    /// The request is not over yet.
    NotOver,
    /// That member has no answer of its own to this question.
    NothingToTake {
        /// The question.
        question: QuestionId,
        /// Whose answer was wanted.
        from: PeerId,
    },
    /// The edit doesn't fit the question.
    Edit(EditRefused),
    /// The request can't be asked so.
    Form(FormProblem),
    /// The request can't be asked so: its structure.
    Skeleton(SkeletonRefused),
    /// The proposal would be above the limit, and by how much.
    TooLargeProposal(String),
    /// The host's rules forbid it.
    Host(Refusal),
    /// Too many of this member's proposals wait for the host.
    TooManyProposals,
    /// No device of that key waits for approval.
    NobodyWaits(PeerId),
    /// That can't be this device's name.
    Name(String),
    /// The disk refuses writes.
    Disk(String),
    /// The disk can't read the answers that this needs.
    Unreadable(String),
}

impl Refused {
    /// A stable word for programs.
    pub fn code(&self) -> &str {
        match self {
            Self::NoWorkspace => "no-workspace",
            Self::NoRootKey => "no-root-key",
            Self::NotHost => "not-host",
            Self::NotMember => "not-member",
            Self::Role(_) => "role",
            Self::NoRequest => "no-request",
            Self::NotOpen => "not-open",
            Self::NotOver => "not-over",
            Self::NothingToTake { .. } => "nothing-to-take",
            Self::Edit(refused) => edit_code(refused),
            Self::Form(_) => "form",
            Self::Skeleton(_) => "form",
            Self::TooLargeProposal(_) => "too-large",
            Self::Host(refusal) => refusal.code(),
            Self::TooManyProposals => "too-many-proposals",
            Self::NobodyWaits(_) => "nobody-waits",
            Self::Name(_) => "name",
            Self::Disk(_) | Self::Unreadable(_) => "disk",
        }
    }
}

fn edit_code(refused: &EditRefused) -> &'static str {
    match refused {
        EditRefused::UnknownQuestion(_) => "no-such-question",
        EditRefused::NotAnswerable(_) => "not-answerable",
        EditRefused::WrongKind { .. } => "wrong-kind",
        EditRefused::UnknownOption { .. } => "no-such-option",
        EditRefused::Invalid { .. } => "invalid",
        EditRefused::NothingToSubmit(_) => "nothing-to-submit",
        EditRefused::OutOfRange { .. } => "out-of-range",
        EditRefused::TextTooLong { .. }
        | EditRefused::AnswerTooLong { .. }
        | EditRefused::TooManyFreeform { .. }
        | EditRefused::FreeformTooLong { .. }
        | EditRefused::AnswersTooLarge { .. } => "too-large",
        EditRefused::TooManyChanges(_) | EditRefused::DocumentFull(_) => "full",
        EditRefused::NotWritten { .. } => "not-written",
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoWorkspace => f.write_str("this home has no such workspace"),
            Self::NoRootKey => f.write_str(
                "this home can't host that workspace: its root key lies in the home that made it",
            ),
            Self::NotHost => f.write_str("only the host may do this"),
            Self::NotMember => f.write_str("this device has not been let in yet"),
            Self::Role(role) => write!(f, "the role {role} may not do this"),
            Self::NoRequest => f.write_str("there is no such request"),
            Self::NotOpen => f.write_str("the request is no longer open"),
            Self::NotOver => f.write_str("the request is not over yet"),
            Self::NothingToTake { question, from } => {
                write!(f, "{} has no answer to \"{question}\" that could be taken", from.short())
            }
            Self::Edit(refused) => refused.fmt(f),
            Self::Form(problem) => problem.fmt(f),
            Self::Skeleton(refused) => refused.fmt(f),
            Self::TooLargeProposal(why) => write!(f, "the proposal is too large: {why}"),
            Self::Host(refusal) => refusal.fmt(f),
            Self::TooManyProposals => {
                f.write_str("too many proposals of this device wait for the host already")
            }
            Self::NobodyWaits(device) => {
                write!(f, "{} does not wait for approval", device.short())
            }
            Self::Name(why) => write!(f, "that can't be this device's name: {why}"),
            Self::Disk(why) => write!(f, "the disk refuses writes: {why}"),
            Self::Unreadable(why) => write!(f, "the disk can't read the answers: {why}"),
        }
    }
}

impl std::error::Error for Refused {}
