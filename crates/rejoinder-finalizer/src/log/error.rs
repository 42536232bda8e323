//! Why bytes are not the next record of a log. Most of it is nobody's fault.

use rejoinder_identity::{BadSignature, PeerId};

use crate::certificate::BadCertificate;

/// Why bytes are not the log's next record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// It is here already. Nobody did wrong.
    #[error("the record is here already")]
    Known,
    /// Records before it are missing. Nobody did wrong: ask for those from `next` on.
    #[error("records from {next} on are missing")]
    Gap {
        /// The first that is missing here.
        next: u64,
    },
    /// It belongs to a later epoch whose branch leaves this log before `seq`. Nobody did wrong: ask
    /// for records further back, down to where both agree.
    #[error("the log of a later epoch differs before {seq}")]
    Diverged {
        /// The place of the record.
        seq: u64,
    },
    /// A newer epoch has cut it off. Its sender is behind: send it ours.
    #[error("a newer epoch made the record void")]
    Void,
    /// The host signed two records for one place, or the root key two certificates for one epoch:
    /// a copy of a home runs. Nothing is taken.
    #[error("two records were signed for place {seq}")]
    Fork {
        /// The place.
        seq: u64,
    },
    /// It is of another workspace.
    #[error("the record is of another workspace")]
    Elsewhere,
    /// Above the limit for its kind.
    #[error("a record of {size} bytes, above {limit}")]
    TooLarge {
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// It is not signed, or can't be read.
    #[error(transparent)]
    Signature(BadSignature),
    /// Its signer is not the host of its epoch.
    #[error("{signer} is not the host of the epoch")]
    NotHost {
        /// The signer.
        signer: PeerId,
    },
    /// It starts an epoch without a valid certificate.
    #[error("an epoch without certificate: {0}")]
    Certificate(BadCertificate),
}

impl LogError {
    /// Whether the sender misbehaves: the record is of no use to anybody. Honest peers send the
    /// others when one of the two is behind.
    pub fn is_misbehaviour(&self) -> bool {
        match self {
            Self::Known | Self::Gap { .. } | Self::Diverged { .. } | Self::Void => false,
            // A peer that carries a fork did not make it.
            Self::Fork { .. } => false,
            Self::Elsewhere
            | Self::TooLarge { .. }
            | Self::Signature(_)
            | Self::NotHost { .. }
            | Self::Certificate(_) => true,
        }
    }
}
