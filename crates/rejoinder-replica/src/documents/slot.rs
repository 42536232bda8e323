//! A document's place in memory or on the disk, and what waits for it to be read.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{ActorId, OpeningId, Verified};
use rejoinder_sync::{Envelope, LinkId};

use super::Warm;
use crate::{command::Command, input::CommandId};

/// A document's place in its workspace.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) opening: OpeningId,
    pub(super) memory: Memory,
}

/// The place of a document.
#[derive(Debug)]
pub(super) enum Memory {
    /// On the disk.
    Cold,
    /// On its way, and what shall be done when it is here, in this order.
    Loading(Loading),
    /// Here.
    Warm(Box<Warm>),
}

/// Everything that waits for a document.
#[derive(Debug, Default)]
pub(crate) struct Loading {
    pub(crate) waiting: Vec<Waiting>,
    /// Links over which more came than there was room for.
    pub(crate) turned_away: BTreeSet<LinkId>,
}

/// One thing that waits for a document.
#[derive(Debug)]
pub(crate) enum Waiting {
    /// A change of it came over a link.
    Arrived(LinkId, Verified<Envelope>),
    /// Somebody at this device wants something of it.
    Command(CommandId, Box<Command>),
    /// A peer lacks some of its envelopes.
    Wanted { link: LinkId, after: BTreeMap<ActorId, u64>, budget: usize },
}

impl Slot {
    pub(super) fn cold(opening: OpeningId) -> Self {
        Self { opening, memory: Memory::Cold }
    }

    pub(super) fn warm(&self) -> Option<&Warm> {
        match &self.memory {
            Memory::Warm(warm) => Some(warm),
            Memory::Cold | Memory::Loading(_) => None,
        }
    }

    pub(super) fn warm_mut(&mut self) -> Option<&mut Warm> {
        match &mut self.memory {
            Memory::Warm(warm) => Some(warm),
            Memory::Cold | Memory::Loading(_) => None,
        }
    }

    /// Takes what waits for it; it is on the disk then.
    pub(super) fn stop_loading(&mut self) -> Option<Loading> {
        match std::mem::replace(&mut self.memory, Memory::Cold) {
            Memory::Loading(loading) => Some(loading),
            memory @ (Memory::Cold | Memory::Warm(_)) => {
                self.memory = memory;
                None
            }
        }
    }

    /// Lets something wait for the document. Returns whether the disk must be asked for it.
    ///
    /// # Panics
    ///
    /// When the document is in memory: nothing needs to wait then.
    pub(super) fn wait(&mut self, wait: impl FnOnce(&mut Loading)) -> bool {
        match &mut self.memory {
            Memory::Cold => {
                let mut loading = Loading::default();
                wait(&mut loading);
                self.memory = Memory::Loading(loading);
                true
            }
            Memory::Loading(loading) => {
                wait(loading);
                false
            }
            Memory::Warm(_) => unreachable!("nothing waits for a document that is in memory"),
        }
    }
}
