//! Work that waits inside a replica: for the disk, for a link, for what it depends on.

use rejoinder_sync::limits::{FRAME, PARKED_TOTAL, WINDOW};

use crate::limits;

/// Work that waits inside a home. Every count is bounded, and an idle home has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Items that came before what they depend on, in the workspace that has most of them.
    pub parked: usize,
    /// Bytes that are not on the disk yet.
    pub unwritten: usize,
    /// Bytes of changes that wait for their documents to be read.
    pub unread: usize,
    /// Bytes that are about to leave, on the link on which these are most.
    pub leaving: usize,
}

impl Backlog {
    /// The most of each with so many links. More stays at the peers, who know that it was not
    /// taken in.
    pub fn most(links: usize) -> Self {
        // What is on its way when the disk falls behind still comes.
        let unwritten = limits::UNWRITTEN + links * (WINDOW + FRAME);
        let (parked, unread) = (PARKED_TOTAL, limits::UNREAD);
        Self { parked, unwritten, unread, leaving: WINDOW + FRAME }
    }

    /// Compares each count: true if none exceeds the other's.
    pub fn is_within(&self, most: &Self) -> bool {
        let Self { parked, unwritten, unread, leaving } = *self;
        parked <= most.parked
            && unwritten <= most.unwritten
            && unread <= most.unread
            && leaving <= most.leaving
    }
}
