//! Reasons why a command was not done. Nothing changed.

use rejoinder_answers::{EditRefused, FormProblem, SkeletonRefused};
use rejoinder_finalizer::Refusal;
use rejoinder_identity::{PeerId, QuestionId, Role};

/// The reason why a command was not done.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Refused {
    /// This home has no such workspace.
    #[error("this home has no such workspace")]
    NoWorkspace,
    /// The root key of that workspace is not in this home, so it can't be hosted here.
    #[error("this home can't host that workspace: its root key lies in the home that made it")]
    NoRootKey,
    /// Only the host may do this, and this device is not the host now.
    #[error("only the host may do this")]
    NotHost,
    /// This device asked to join and has not been let in yet.
    #[error("this device has not been let in yet")]
    NotMember,
    /// This device's role doesn't allow it.
    #[error("the role {0} may not do this")]
    Role(Role),
    /// There is no such request.
    #[error("there is no such request")]
    NoRequest,
    /// The request is no longer open.
    #[error("the request is no longer open")]
    NotOpen,
    /// The request is not over yet.
    #[error("the request is not over yet")]
    NotOver,
    /// That member has no answer of its own to this question.
    #[error("{} has no answer to \"{question}\" that could be taken", from.short())]
    NothingToTake {
        /// The question.
        question: QuestionId,
        /// The author of the answer that was wanted.
        from: PeerId,
    },
    /// The edit doesn't fit the question.
    #[error(transparent)]
    Edit(EditRefused),
    /// The request can't be asked so.
    #[error(transparent)]
    Form(FormProblem),
    /// The request can't be asked so: its structure.
    #[error(transparent)]
    Skeleton(SkeletonRefused),
    /// The proposal would be above the limit, and by how much.
    #[error("the proposal is too large: {0}")]
    TooLargeProposal(String),
    /// The host's rules forbid it.
    #[error(transparent)]
    Host(Refusal),
    /// Too many of this member's proposals wait for the host.
    #[error("too many proposals of this device wait for the host already")]
    TooManyProposals,
    /// No device of that key waits for approval.
    #[error("{} does not wait for approval", .0.short())]
    NobodyWaits(PeerId),
    /// That can't be this device's name.
    #[error("that can't be this device's name: {0}")]
    Name(String),
    /// The disk refuses writes.
    #[error("the disk refuses writes: {0}")]
    Disk(String),
    /// The disk can't read the answers that this needs.
    #[error("the disk can't read the answers: {0}")]
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
