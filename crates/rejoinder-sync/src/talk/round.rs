//! One exchange of summaries: ours, and theirs in answer.

use crate::key::Key;

/// Where an exchange stands. While one is under way, no other begins.
///
/// A summary leaves part by part; `next` is the key at which the next part begins, `None` for the
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// No exchange is under way.
    Resting,
    /// Our summary is leaving, and theirs has not come to its end.
    Opening { next: Option<Key> },
    /// Our summary has left, and theirs has not come to its end.
    Awaiting,
    /// Our summary is still leaving, and theirs is no longer awaited.
    Finishing { next: Option<Key> },
    /// Our answer to their summary is leaving. It is not answered.
    Answering { next: Option<Key> },
}

/// A part of our summary that may be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The key at which it begins; `None` for the first part.
    pub(crate) from: Option<Key>,
    /// Whether the summary is an answer.
    pub(crate) answer: bool,
}

impl Round {
    /// Returns the part that is to leave, if a summary is leaving.
    pub(crate) fn part(self) -> Option<Part> {
        match self {
            Self::Resting | Self::Awaiting => None,
            Self::Opening { next } | Self::Finishing { next } => {
                Some(Part { from: next, answer: false })
            }
            Self::Answering { next } => Some(Part { from: next, answer: true }),
        }
    }

    /// A part has left. `until` is the key at which the next one begins; `None` after the last.
    pub(crate) fn part_sent(self, until: Option<Key>) -> Self {
        match (self, until) {
            (Self::Opening { .. }, Some(_)) => Self::Opening { next: until },
            (Self::Opening { .. }, None) => Self::Awaiting,
            (Self::Finishing { .. }, Some(_)) => Self::Finishing { next: until },
            (Self::Answering { .. }, Some(_)) => Self::Answering { next: until },
            (Self::Finishing { .. } | Self::Answering { .. }, None) => Self::Resting,
            (Self::Resting | Self::Awaiting, _) => self,
        }
    }

    /// Stops waiting for the other side's summary: it has come to its end, or never came.
    pub(crate) fn stop_awaiting(self) -> Self {
        match self {
            Self::Opening { next } => Self::Finishing { next },
            Self::Awaiting => Self::Resting,
            Self::Resting | Self::Finishing { .. } | Self::Answering { .. } => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::ProposalId;

    use super::*;

    const NEXT: Option<Key> = Some(Key::Proposal(ProposalId([7; 32])));

    #[test]
    fn our_summary_may_end_before_theirs() {
        let round = Round::Opening { next: None };
        assert_eq!(round.part(), Some(Part { from: None, answer: false }));
        let round = round.part_sent(NEXT);
        assert_eq!(round.part(), Some(Part { from: NEXT, answer: false }));
        assert_eq!(round.part_sent(None), Round::Awaiting);
        assert_eq!(Round::Awaiting.stop_awaiting(), Round::Resting);
    }

    #[test]
    fn our_summary_may_end_after_theirs() {
        let round = Round::Opening { next: NEXT }.stop_awaiting();
        assert_eq!(round.part(), Some(Part { from: NEXT, answer: false }));
        assert_eq!(round.part_sent(None), Round::Resting);
    }

    #[test]
    fn an_answer_is_not_answered() {
        let round = Round::Answering { next: None };
        assert_eq!(round.part(), Some(Part { from: None, answer: true }));
        assert_eq!(round.stop_awaiting(), round);
        assert_eq!(round.part_sent(None), Round::Resting);
    }
}
