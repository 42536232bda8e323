//! The documents of a workspace: which are in memory, what waits for those that are not, and how
//! far this device's own changes have come.
//!
//! It takes changes in and says what they changed. Reading, storing, sending and telling are the
//! workspace's.

mod cache;
#[cfg(rejoinder_mutants)]
mod mutants;
mod own;
mod repair;
mod settle;
mod slot;
#[cfg(test)]
mod tests;
mod warm;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rejoinder_answers::{Admitted, Edit, EditRefused, Form, NotAdmitted, Version, Writer, Written};
use rejoinder_finalizer::Request;
use rejoinder_identity::{
    ActorId, DocumentId, OpeningId, PeerId, SecretKey, Tip, Verified, VersionVector,
};
use rejoinder_sync::{Envelope, Fetched, LinkId};

use self::{
    own::OwnChanges,
    slot::{Memory, Slot},
};
pub(crate) use self::{
    repair::{Said, Unparked},
    settle::Settling,
    slot::{Loading, Waiting},
    warm::{Filled, Warm},
};
use crate::{
    limits,
    rows::{self, VersionRow},
    store::{Batch, Loaded, Table},
};

/// The documents of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    slots: BTreeMap<DocumentId, Slot>,
    /// Those of settled requests that are in memory, the one used longest ago first.
    settled_in_memory: Vec<DocumentId>,
    /// Progress of this device's own changes.
    own: OwnChanges,
    /// Those that are to be read and checked at the start.
    suspect: BTreeSet<DocumentId>,
}

/// Where a document is, as far as somebody with something for it must know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whereabouts {
    /// No request of it is here.
    Nowhere,
    InMemory,
    /// On the disk, or on its way from there.
    OnDisk,
}

/// A change that a document has just taken in.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) document: DocumentId,
    pub(crate) author: PeerId,
    pub(crate) admitted: Admitted,
    /// The envelope.
    pub(crate) bytes: Arc<[u8]>,
}

/// The next step for a request that was raised, or raised again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Raised {
    /// Nothing: its document is in memory, or gets its structure when it is read.
    Ready,
    /// Its document lay on the disk while its log was lost, and is to be read.
    LeftOver,
}

impl Kept {
    pub(crate) fn tip(&self) -> Tip {
        Tip { seq: self.admitted.seq, hash: self.admitted.hash }
    }
}

/// Places of documents.
impl Documents {
    pub(crate) fn whereabouts(&self, document: &DocumentId) -> Whereabouts {
        match self.slots.get(document).map(|slot| &slot.memory) {
            None => Whereabouts::Nowhere,
            Some(Memory::Warm(_)) => Whereabouts::InMemory,
            Some(Memory::Cold | Memory::Loading(_)) => Whereabouts::OnDisk,
        }
    }

    pub(crate) fn contains(&self, document: &DocumentId) -> bool {
        self.slots.contains_key(document)
    }

    pub(crate) fn ids(&self) -> Vec<DocumentId> {
        self.slots.keys().copied().collect()
    }

    pub(crate) fn opening(&self, document: &DocumentId) -> Option<OpeningId> {
        self.slots.get(document).map(|slot| slot.opening)
    }

    /// One in memory.
    pub(crate) fn warm(&self, document: &DocumentId) -> Option<&Warm> {
        self.slots.get(document).and_then(Slot::warm)
    }

    fn warm_mut(&mut self, document: &DocumentId) -> Option<&mut Warm> {
        self.slots.get_mut(document).and_then(Slot::warm_mut)
    }

    /// Makes room for the document of a request that was raised, or gives it the structure of the
    /// next revision. `left_over` says whether rows of it are on the disk that no log knew.
    pub(crate) fn raise(&mut self, request: &Request, host: PeerId, left_over: bool) -> Raised {
        let (document, opening) = (request.document(), request.opening());
        match self.slots.get_mut(&document) {
            Some(slot) => {
                // A document that is on the disk gets its structure from the log when it is read.
                if let (Some(warm), Some(skeleton)) = (slot.warm_mut(), request.skeletons().last())
                {
                    if rejoinder_identity::mutant!("mutant-revision-loses-its-structure") {
                        return Raised::Ready;
                    }
                    warm.set_form(Form::raised(request.request(), request.json()));
                    if let Err(error) = warm.document_mut().admit_skeleton(skeleton, host) {
                        tracing::warn!(%document, %error, "skeleton not admitted");
                    }
                }
                Raised::Ready
            }
            None if left_over => {
                self.slots.insert(document, Slot::cold(opening));
                Raised::LeftOver
            }
            None => {
                let memory = Memory::Warm(Box::new(Warm::new(request, |_| host)));
                self.slots.insert(document, Slot { opening, memory });
                Raised::Ready
            }
        }
    }

    /// Forgets the document of a request that is void. Returns it, and what waited for it.
    pub(crate) fn forget(&mut self, opening: &OpeningId) -> Option<(DocumentId, Option<Loading>)> {
        let document = *self.slots.iter().find(|(_, slot)| slot.opening == *opening)?.0;
        let slot = self.slots.remove(&document);
        Some((document, slot.and_then(|mut slot| slot.stop_loading())))
    }

    /// Drops one from memory, so that it is read again with the structure that the log gives it
    /// now. One with envelopes that are not on the disk yet stays: they would be missing.
    pub(crate) fn drop_from_memory(&mut self, document: &DocumentId) {
        if let Some(slot) = self.slots.get_mut(document)
            && slot.warm().is_some_and(|warm| warm.unstored == 0)
        {
            slot.memory = Memory::Cold;
        }
    }

    /// Lets the document of a settled request leave memory after a while.
    pub(crate) fn retire(&mut self, document: DocumentId) {
        self.settled_in_memory.retain(|other| *other != document);
        self.settled_in_memory.push(document);
        while self.settled_in_memory.len() > limits::SETTLED_IN_MEMORY {
            // Not the newest: somebody has just asked for it. Nor one with envelopes that are not
            // on the disk yet: it is never built again without them.
            let older = &self.settled_in_memory[..self.settled_in_memory.len() - 1];
            let droppable = |one: &DocumentId| self.warm(one).is_none_or(|warm| warm.unstored == 0);
            let Some(oldest) = older.iter().position(droppable) else { return };
            let document = self.settled_in_memory.remove(oldest);
            self.drop_from_memory(&document);
        }
    }

    /// The request of a document is open again: it must not leave memory.
    pub(crate) fn keep_in_memory(&mut self, document: &DocumentId) {
        self.settled_in_memory.retain(|other| other != document);
    }

    /// Forgets what is not on the disk, as a fault of an earlier release did.
    #[cfg(rejoinder_mutants)]
    pub(crate) fn lose_memory(&mut self, document: &DocumentId) {
        if let Some(slot) = self.slots.get_mut(document) {
            slot.memory = Memory::Cold;
        }
    }
}

/// Reading them.
impl Documents {
    /// Has one read if it is not in memory. Returns whether the disk must be asked for it.
    pub(crate) fn want(&mut self, document: DocumentId, opening: OpeningId) -> bool {
        let slot = self.slots.entry(document).or_insert_with(|| Slot::cold(opening));
        slot.warm().is_none() && slot.wait(|_| {})
    }

    /// Lets something wait for one that is on the disk. Returns whether the disk must be asked for
    /// it. None if there is no such document.
    pub(crate) fn wait(&mut self, document: &DocumentId, waiting: Waiting) -> Option<bool> {
        let slot = self.slots.get_mut(document)?;
        Some(slot.wait(|loading| loading.waiting.push(waiting)))
    }

    /// Notes that something came over a link for which there was no room. Returns whether the disk
    /// must be asked for the document.
    pub(crate) fn turn_away(&mut self, document: &DocumentId, link: LinkId) -> bool {
        let Some(slot) = self.slots.get_mut(document) else { return false };
        slot.wait(|loading| _ = loading.turned_away.insert(link))
    }

    /// Puts one together that was read. Returns what its rows were, and what waited for it.
    pub(crate) fn loaded(
        &mut self,
        me: PeerId,
        request: &Request,
        host: PeerId,
        loaded: Loaded,
    ) -> Option<(Filled, Loading)> {
        let slot = self.slots.get_mut(&request.document())?;
        let mut warm = Warm::new(request, |_| host);
        let filled = warm.fill(me, loaded);
        let loading = slot.stop_loading().unwrap_or_default();
        slot.memory = Memory::Warm(Box::new(warm));
        Some((filled, loading))
    }

    /// One could not be read. Returns what waited for it. None if it was not being read.
    pub(crate) fn load_failed(&mut self, document: &DocumentId) -> Option<Loading> {
        self.slots.get_mut(document)?.stop_loading()
    }

    /// Those in memory as rows, for a file that is made again. None for one that must be read.
    pub(crate) fn rows(&self, document: &DocumentId) -> Option<Batch> {
        Some(self.warm(document)?.all_rows(document))
    }
}

/// Changes of them.
impl Documents {
    /// Takes in a change that came over a link, and notes its rows. None if the document is not in
    /// memory.
    pub(crate) fn admit(
        &mut self,
        envelope: &Verified<Envelope>,
        batch: &mut Batch,
    ) -> Option<Result<Kept, NotAdmitted>> {
        let Envelope { document, author, incarnation, change } = envelope.value();
        let warm = self.warm_mut(document)?;
        Some(warm.document_mut().admit(*author, *incarnation, change).map(|admitted| {
            let bytes = envelope.bytes().clone();
            let kept = Kept { document: *document, author: *author, admitted, bytes };
            warm.note(&kept, batch);
            kept
        }))
    }

    /// Writes what a person at this device answers, in a document that is in memory, and notes the
    /// rows. `seen` is what they saw, if it is not everything.
    ///
    /// # Errors
    ///
    /// The edit does not fit.
    pub(crate) fn edit(
        &mut self,
        document: DocumentId,
        (key, writer): (&SecretKey, &Writer),
        (edit, seen): (&Edit, Option<&Version>),
        batch: &mut Batch,
    ) -> Result<Vec<Kept>, EditRefused> {
        let warm = self
            .slots
            .get_mut(&document)
            .and_then(Slot::warm_mut)
            .expect("the caller has seen that the document is in memory");
        let (author, incarnation) = (writer.device, writer.incarnation);
        let mut kept = Vec::new();
        for Written { actor, seq, hash, change } in warm.edit(writer, edit, seen)? {
            let envelope = Envelope { document, author, incarnation, change };
            let bytes = Verified::sign(key, envelope).bytes().clone();
            let admitted =
                Admitted { actor, seq, hash, questions: [edit.question().clone()].into() };
            let one = Kept { document, author, admitted, bytes };
            warm.note(&one, batch);
            self.own.written(document, actor, seq);
            kept.push(one);
        }
        Ok(kept)
    }

    /// Notes that envelopes are on the disk.
    pub(crate) fn stored(&mut self, document: &DocumentId, count: usize) {
        if let Some(warm) = self.warm_mut(document) {
            warm.unstored = warm.unstored.saturating_sub(count);
        }
    }

    /// The envelopes that somebody lacks, as many as come to about `budget` bytes. None if the
    /// document is not in memory.
    pub(crate) fn lacking(
        &self,
        document: &DocumentId,
        after: &BTreeMap<ActorId, u64>,
        budget: usize,
    ) -> Option<Vec<Fetched>> {
        Some(self.warm(document)?.lacking(after, budget))
    }

    /// The number of this device's own changes that are on no peer's disk, as far as this run
    /// knows.
    pub(crate) fn unacknowledged(&self) -> u64 {
        self.own.unacknowledged()
    }

    /// Notes that a peer has on its disk what an actor wrote up to that number.
    pub(crate) fn acknowledged(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        self.own.acknowledged(document, actor, seq);
    }

    /// Notes that a peer has all of them on its disk.
    pub(crate) fn all_acknowledged(&mut self) {
        self.own.all_acknowledged();
    }

    /// Notes what a record was made on: it was on the host's disk before the record.
    pub(crate) fn acknowledged_by_record(&mut self, document: DocumentId, made_on: &VersionVector) {
        for (actor, tip) in made_on {
            self.own.acknowledged(document, *actor, tip.seq);
        }
    }
}

/// Restoring from the disk.
impl Documents {
    pub(crate) fn restore(&mut self, document: DocumentId, opening: OpeningId) {
        self.slots.insert(document, Slot::cold(opening));
    }

    /// Adds a change of this device. Whether a peer has it is not stored: it tells when it is met.
    pub(crate) fn restore_own(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        self.own.written(document, actor, seq);
    }

    /// Notes which are to be read and checked.
    pub(crate) fn suspect(&mut self, is: impl Fn(&DocumentId) -> bool) {
        self.suspect = self.slots.keys().copied().filter(is).collect();
    }

    /// The requests whose documents are to be read and checked, once.
    pub(crate) fn take_suspect(&mut self) -> Vec<OpeningId> {
        let suspect = std::mem::take(&mut self.suspect);
        suspect.iter().filter_map(|one| self.opening(one)).collect()
    }
}

impl Warm {
    /// Keeps the envelope of a change that the document has just taken in, and notes its rows.
    fn note(&mut self, kept: &Kept, batch: &mut Batch) {
        let Kept { document, author, admitted, bytes } = kept;
        self.keep(admitted.actor, admitted.seq, bytes.clone());
        let place = self.next_place;
        self.next_place += 1;
        self.unstored += 1;
        batch.put(Table::Envelopes, rows::envelope_key(document, place), bytes.to_vec());
        if rejoinder_identity::mutant!("mutant-version-not-stored") && admitted.seq > 1 {
            return;
        }
        let row = VersionRow { author: *author, tip: kept.tip() };
        let key = rows::version_key(document, &admitted.actor);
        batch.put(Table::VersionVectors, key, rows::value(&row));
    }
}
