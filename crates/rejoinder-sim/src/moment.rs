//! The work of a peer while no time passes. It is bounded, since one call of its replica is. A
//! replica that calls its disk, itself or others again and again without waiting is found here, and
//! not by a timeout in real time.

use std::{collections::BTreeMap, fmt};

use tokio::time::Instant;

/// The kinds of work that are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// Events that were told.
    Events,
    /// Rounds of operations on the disk.
    Rounds,
}

impl Work {
    /// Returns the limit at one moment. A peer that comes back after a partition takes in a few
    /// hundred edits at once.
    fn most(self) -> u64 {
        match self {
            Self::Events => 2_000,
            Self::Rounds => 400,
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Events => "events were told",
            Self::Rounds => "rounds were asked of the disk",
        })
    }
}

/// The work of each peer at the present moment.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    done: BTreeMap<(String, Work), (Option<Instant>, u64)>,
}

impl Moment {
    pub(crate) fn count(&mut self, peer: &str, work: Work) -> Result<(), String> {
        let now = Some(Instant::now());
        let (at, count) = self.done.entry((peer.to_owned(), work)).or_default();
        if *at != now {
            (*at, *count) = (now, 0);
        }
        *count += 1;
        if *count > work.most() {
            return Err(format!("at {peer} {count} {work} while no time passed"));
        }
        Ok(())
    }
}
