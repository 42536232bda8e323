//! What is due when a record of this host is on the disk and all that follows from it was followed.

use ahp_types::state::ChatInputAnswer;
use rejoinder_identity::{OpeningId, QuestionId};

use crate::{input::CommandId, output::Reply};

/// The reply that is due when the record is on the disk.
#[derive(Debug)]
pub(super) enum Then {
    Nothing,
    Reply(CommandId, Reply),
    /// A request was raised: reply with its opening, and write the answers it came with.
    Raised {
        command: CommandId,
        opening: OpeningId,
        answers: Vec<(QuestionId, ChatInputAnswer)>,
    },
}

impl Then {
    /// The command that waits for the record.
    pub(super) fn command(&self) -> Option<CommandId> {
        match self {
            Self::Nothing => None,
            Self::Reply(id, _) | Self::Raised { command: id, .. } => Some(*id),
        }
    }
}
