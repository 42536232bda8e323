//! One document of a workspace: in memory or on the disk, and what waits for it to be read.

use std::{collections::BTreeMap, sync::Arc};

use rejoinder_answers::{Document, Form, NotAdmitted};
use rejoinder_finalizer::Request;
use rejoinder_identity::{ActorId, OpeningId, PeerId, Verified};
use rejoinder_sync::{Envelope, Fetched, LinkId};

use crate::{command::Command, input::CommandId, rows::envelope_place_of_key, store::Rows};

/// A document's place in its workspace.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) opening: OpeningId,
    pub(crate) memory: Memory,
}

/// Where a document is.
#[derive(Debug)]
pub(crate) enum Memory {
    /// On the disk.
    Cold,
    /// On its way, and what shall be done when it is here, in this order.
    Loading(Vec<Waiting>),
    /// Here.
    Warm(Box<Warm>),
}

/// What waits for a document.
#[derive(Debug)]
pub(crate) enum Waiting {
    /// A change of it came over a link.
    Arrived(LinkId, Verified<Envelope>),
    /// Somebody at this device wants something of it.
    Command(CommandId, Box<Command>),
    /// A peer lacks some of its envelopes.
    Wanted { link: LinkId, after: BTreeMap<ActorId, u64>, budget: usize },
}

/// A document in memory, with the envelopes that it is a view of.
#[derive(Debug)]
pub(crate) struct Warm {
    pub(crate) document: Document,
    /// The questions as they are now.
    pub(crate) form: Form,
    /// In the order in which they were admitted: none before one that it depends on.
    envelopes: Vec<Fetched>,
    /// The place of the next envelope in the document's own order.
    pub(crate) next_place: u64,
    /// Envelopes that are not on the disk yet. Such a document is never dropped from memory.
    pub(crate) unstored: usize,
}

/// Rows of a document that can't be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct DamagedRow {
    pub(crate) place: u64,
    pub(crate) why: String,
}

impl Warm {
    /// A document with the structure that the log gives it, and nothing written in it.
    pub(crate) fn new(request: &Request, host_of: impl Fn(usize) -> PeerId) -> Self {
        let mut document = Document::new(request.document());
        for (index, skeleton) in request.skeletons().iter().enumerate() {
            // The log's fold took these records in; a skeleton that is not in order leaves its
            // questions unanswerable, for everybody alike.
            if let Err(error) = document.admit_skeleton(skeleton, host_of(index)) {
                tracing::warn!(document = %request.document(), %error, "skeleton not admitted");
            }
        }
        let form = Form::read(request.request());
        Self { document, form, envelopes: Vec::new(), next_place: 0, unstored: 0 }
    }

    /// Takes in the rows that the disk holds of it. A row that can't be used is left out, and what
    /// needs it: the peers have it still.
    pub(crate) fn fill(&mut self, rows: Rows) -> Vec<DamagedRow> {
        let mut damaged = Vec::new();
        for (key, bytes) in rows {
            let place = envelope_place_of_key(&key).unwrap_or(u64::MAX - 1);
            self.next_place = self.next_place.max(place + 1);
            if let Err(why) = self.fill_one(&bytes) {
                damaged.push(DamagedRow { place, why });
            }
        }
        damaged
    }

    fn fill_one(&mut self, bytes: &[u8]) -> Result<(), String> {
        let envelope = Verified::<Envelope>::from_bytes(bytes).map_err(|e| e.to_string())?;
        let Envelope { author, incarnation, change, .. } = envelope.value();
        match self.document.admit(*author, *incarnation, change) {
            Ok(admitted) => {
                self.keep(admitted.actor, admitted.seq, envelope.bytes().clone());
                Ok(())
            }
            Err(NotAdmitted::Known) => Ok(()),
            Err(not_admitted) => Err(format!("{not_admitted:?}")),
        }
    }

    /// Keeps the envelope of a change that the document has just taken in.
    pub(crate) fn keep(&mut self, actor: ActorId, seq: u64, bytes: Arc<[u8]>) {
        self.envelopes.push(Fetched { actor, seq, bytes });
    }

    /// The envelopes that somebody lacks, as many as come to about `budget` bytes, at least one.
    pub(crate) fn lacking(&self, after: &BTreeMap<ActorId, u64>, budget: usize) -> Vec<Fetched> {
        let mut left = budget;
        let lacking = self
            .envelopes
            .iter()
            .filter(|one| after.get(&one.actor).is_some_and(|after| one.seq > *after));
        lacking
            .enumerate()
            .take_while(|(index, one)| {
                let fits = *index == 0 || one.bytes.len() <= left;
                left = left.saturating_sub(one.bytes.len());
                fits
            })
            .map(|(_, one)| one.clone())
            .collect()
    }
}

impl Slot {
    pub(crate) fn cold(opening: OpeningId) -> Self {
        Self { opening, memory: Memory::Cold }
    }

    pub(crate) fn warm(&self) -> Option<&Warm> {
        match &self.memory {
            Memory::Warm(warm) => Some(warm),
            Memory::Cold | Memory::Loading(_) => None,
        }
    }

    pub(crate) fn warm_mut(&mut self) -> Option<&mut Warm> {
        match &mut self.memory {
            Memory::Warm(warm) => Some(warm),
            Memory::Cold | Memory::Loading(_) => None,
        }
    }

    /// Lets `waiting` wait for the document; says whether the disk must be asked for it.
    ///
    /// # Panics
    ///
    /// When the document is in memory: nothing needs to wait then.
    pub(crate) fn wait(&mut self, waiting: Option<Waiting>) -> bool {
        match &mut self.memory {
            Memory::Cold => {
                self.memory = Memory::Loading(waiting.into_iter().collect());
                true
            }
            Memory::Loading(all) => {
                all.extend(waiting);
                false
            }
            Memory::Warm(_) => unreachable!("nothing waits for a document that is in memory"),
        }
    }
}
