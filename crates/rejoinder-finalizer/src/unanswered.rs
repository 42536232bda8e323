//! The bound on an author's waiting proposals: as long as the host can't answer, they must not fill
//! everybody's disk.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{PeerId, ProposalId};

use crate::limits;

/// The waiting proposals of each author.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unanswered {
    authors: BTreeMap<PeerId, BTreeSet<ProposalId>>,
}

/// An author has as many proposals waiting as allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{limit} proposals of {author} wait for the host already")]
pub struct TooManyUnanswered {
    /// The author.
    pub author: PeerId,
    /// The limit.
    pub limit: usize,
}

impl Unanswered {
    /// Counts a proposal among those that wait. One that waits already is not counted twice.
    ///
    /// # Errors
    ///
    /// Its author has too many waiting.
    pub fn hold(&mut self, author: PeerId, proposal: ProposalId) -> Result<(), TooManyUnanswered> {
        let held = self.authors.entry(author).or_default();
        if held.len() >= limits::UNANSWERED && !held.contains(&proposal) {
            return Err(TooManyUnanswered { author, limit: limits::UNANSWERED });
        }
        held.insert(proposal);
        Ok(())
    }

    /// It was answered.
    pub fn release(&mut self, proposal: &ProposalId) {
        self.authors.retain(|_, held| {
            held.remove(proposal);
            !held.is_empty()
        });
    }

    /// Whether it waits.
    pub fn holds(&self, proposal: &ProposalId) -> bool {
        self.authors.values().any(|held| held.contains(proposal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_four_may_wait_and_no_more() {
        let author = PeerId([1; 32]);
        let id = |number: usize| ProposalId([u8::try_from(number).unwrap(); 32]);
        let mut unanswered = Unanswered::default();
        for number in 0..limits::UNANSWERED {
            unanswered.hold(author, id(number)).unwrap();
        }
        unanswered.hold(author, id(3)).unwrap();
        let over = unanswered.hold(author, id(limits::UNANSWERED)).unwrap_err();
        assert_eq!(over, TooManyUnanswered { author, limit: 64 });
        unanswered.hold(PeerId([2; 32]), id(200)).unwrap();
        unanswered.release(&id(3));
        unanswered.hold(author, id(limits::UNANSWERED)).unwrap();
        assert!(!unanswered.holds(&id(3)));
        assert!(unanswered.holds(&id(200)));
    }
}
