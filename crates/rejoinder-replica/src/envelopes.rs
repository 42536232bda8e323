//! Changes of documents: those that come over links, and the reading of documents from the disk.

use std::collections::BTreeMap;

use rejoinder_answers::{Admitted, NotAdmitted};
use rejoinder_finalizer::{Request, Status};
use rejoinder_identity::{
    ActorId, DocumentId, OpeningId, PeerId, Tip, Verified, VersionVector, covers,
};
use rejoinder_sync::{Envelope, Item, ItemKind, LinkId, ParkedItem, Wait};

use crate::{
    core::{After, Core, Stored},
    document::{Loading, Memory, Slot, Waiting, Warm},
    event::Event,
    limits,
    refused::Refused,
    rows::{self, VersionRow},
    store::{Batch, Loaded, Table},
    workspace::Workspace,
};

impl Workspace {
    /// An envelope came over a link.
    pub(crate) fn envelope_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        let envelope = match Verified::<Envelope>::from_bytes(bytes) {
            Ok(envelope) if envelope.signer() == envelope.value().author => envelope,
            Ok(_) => return core.close(link, "an envelope in another's name".into()),
            Err(error) => return core.close(link, format!("envelope: {error}")),
        };
        let Envelope { document, author, .. } = *envelope.value();
        if self.member(&author).is_none() {
            return self.park(core, link, author, Wait::Author(author), bytes);
        }
        let Some(slot) = self.slots.get_mut(&document) else {
            return self.park(core, link, author, Wait::Document(document), bytes);
        };
        match &mut slot.memory {
            Memory::Warm(_) => self.admit(core, link, &envelope),
            Memory::Cold if core.reads.failing(&document).is_some() => {
                self.sync.compare_soon(core.now, link);
            }
            Memory::Cold | Memory::Loading(_) => {
                let room = core.reads.hold(envelope.bytes().len());
                let first = slot.wait(|loading| {
                    if room {
                        loading.waiting.push(Waiting::Arrived(link, envelope));
                    } else {
                        loading.turned_away.insert(link);
                    }
                });
                if first {
                    core.load(self.id, document);
                }
            }
        }
    }

    fn park(&mut self, core: &mut Core, link: LinkId, author: PeerId, wait: Wait, bytes: &[u8]) {
        let item = ParkedItem { link, kind: ItemKind::Envelope, bytes: bytes.to_vec() };
        if let Err(overflow) = self.parked.park(author, wait, item) {
            // It is dropped, not refused: a comparison brings it again.
            tracing::warn!(%overflow, "not parked");
            self.sync.compare_soon(core.now, link);
        }
    }

    fn admit(&mut self, core: &mut Core, link: LinkId, envelope: &Verified<Envelope>) {
        let Envelope { document, author, incarnation, change } = envelope.value();
        if rejoinder_identity::mutant!("mutant-late-edits-dropped")
            && let Some(slot) = self.slots.get(document)
            && self.settled_versions(&slot.opening).is_some()
        {
            return;
        }
        let Some(warm) = self.slots.get_mut(document).and_then(Slot::warm_mut) else { return };
        core.work.changes += 1;
        #[cfg(rejoinder_mutants)]
        warm.check_all_again(core);
        match warm.document_mut().admit(*author, *incarnation, change) {
            Ok(admitted) => {
                let Admitted { actor, seq, hash, .. } = admitted;
                tracing::debug!(%document, author = %author.short(), seq, "envelope");
                warm.keep(actor, seq, envelope.bytes().clone());
                let mut batch = Batch::default();
                note(&mut batch, warm, *document, *author, &admitted, envelope.bytes());
                let count = 1;
                let stored =
                    Stored::Envelopes { document: *document, actor, seq, count, command: None };
                core.store(batch, After::In(self.id, stored));
                if rejoinder_identity::mutant!("mutant-not-forwarded") {
                    return self.tell_answers(core, document, *author, &admitted);
                }
                let tip = Tip { seq, hash };
                let bytes = envelope.bytes();
                self.sync.add_envelope(core.now, *document, actor, tip, bytes, Some(link));
                self.tell_answers(core, document, *author, &admitted);
                self.release(&Wait::Change(*document, hash));
                self.admit_behind(core, *document);
            }
            Err(NotAdmitted::Known) => {
                let actor = envelope.value().actor();
                if let Some(tip) = warm.document().version_vector().get(&actor) {
                    let item = Item::Envelope { document: *document, actor, seq: tip.seq };
                    self.sync.seen_again(core.now, link, item);
                }
            }
            Err(NotAdmitted::Missing(missing)) => {
                let Some(first) = missing.first() else { return };
                let wait = Wait::Change(*document, *first);
                self.park(core, link, *author, wait, envelope.bytes());
            }
            Err(NotAdmitted::Fork { actor, seq }) => {
                let who = author.short();
                let why = format!("two changes {seq} of {actor} by {who} in {document}");
                self.refuse(core, link, why);
            }
            Err(NotAdmitted::Refused(error)) => {
                let why = format!("a change by {} in {document}: {error}", author.short());
                self.refuse(core, link, why);
            }
        }
    }

    pub(crate) fn refuse(&mut self, core: &mut Core, link: LinkId, why: String) {
        tracing::warn!(%why, "not admitted");
        if let Some(from) = self.peers.peer(link) {
            core.tell(Event::NotAdmitted { from, why });
        }
    }

    /// Says what an admitted change changed, or that it came too late.
    pub(crate) fn tell_answers(
        &self,
        core: &mut Core,
        document: &DocumentId,
        by: PeerId,
        admitted: &Admitted,
    ) {
        let Some(opening) = self.slots.get(document).map(|slot| slot.opening) else { return };
        let late = self
            .settled_versions(&opening)
            .is_some_and(|version_vector| !covers(version_vector, &admitted.actor, admitted.seq));
        for question in admitted.questions.clone() {
            let workspace = self.id;
            core.tell(if late {
                Event::NotIncluded { workspace, opening, question, by }
            } else {
                Event::Answer { workspace, opening, question, by }
            });
        }
    }

    /// The changes that the record which settled a request was made on; none while it is open.
    pub(crate) fn settled_versions(&self, opening: &OpeningId) -> Option<&VersionVector> {
        match self.chain.state().request(opening)?.status() {
            Status::Open => None,
            Status::Decided(decision) => Some(&decision.embedded.version_vector),
            Status::Suspended(ended) | Status::Ended(ended) => Some(&ended.embedded.version_vector),
        }
    }

    /// Reads a document from the disk if it is not in memory.
    pub(crate) fn warm_up(&mut self, core: &mut Core, opening: OpeningId) -> bool {
        let Some(request) = self.chain.state().request(&opening) else { return false };
        let document = request.document();
        let slot = self.slots.entry(document).or_insert_with(|| Slot::cold(opening));
        if slot.warm().is_some() {
            return true;
        }
        if slot.wait(|_| {}) {
            core.load(self.id, document);
        }
        false
    }

    /// The rows of a document are here.
    pub(crate) fn loaded(&mut self, core: &mut Core, document: DocumentId, loaded: Loaded) {
        let Some(slot) = self.slots.get_mut(&document) else { return };
        let Some(request) = self.chain.state().request(&slot.opening) else { return };
        let host = self.chain.state().host().unwrap_or(core.me);
        let mut warm = Warm::new(request, |_| host);
        core.work.changes += loaded.rows.len() as u64;
        let filled = warm.fill(core.me, loaded);
        let memory = std::mem::replace(&mut slot.memory, Memory::Warm(Box::new(warm)));
        let (opening, open) = (slot.opening, request.is_open());
        // Before anything is said of it to anybody.
        self.correct(core, document, filled);
        let Loading { waiting, turned_away } = match memory {
            Memory::Loading(loading) => loading,
            Memory::Cold | Memory::Warm(_) => Loading::default(),
        };
        for one in waiting {
            match one {
                Waiting::Arrived(link, envelope) => {
                    core.reads.let_go(envelope.bytes().len());
                    self.admit(core, link, &envelope);
                }
                Waiting::Command(id, command) => self.command(core, id, *command),
                Waiting::Wanted { link, after, budget } => {
                    self.envelopes_wanted(core, link, document, after, budget);
                }
            }
        }
        for link in turned_away {
            self.sync.compare_soon(core.now, link);
        }
        // After those who wait for it: what this drops may be what they came for.
        if !open {
            self.settled(opening);
        }
    }

    /// The rows of a document could not be read. What waits for it is told, or tried again by
    /// the next comparison.
    pub(crate) fn load_failed(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        why: String,
        first: bool,
    ) {
        let Some(slot) = self.slots.get_mut(&document) else { return };
        let opening = slot.opening;
        let Memory::Loading(loading) = std::mem::replace(&mut slot.memory, Memory::Cold) else {
            return;
        };
        if rejoinder_identity::mutant!("mutant-failed-read-not-answered") {
            return;
        }
        self.turn_away(core, document, loading, &Refused::Unreadable(why.clone()));
        if first && self.open_request(&opening).is_ok() {
            core.tell(Event::Unreadable { workspace: self.id, opening, why });
        }
    }

    /// A document does not come: whoever waits for it hears why, and what came for it is sent
    /// again by those who have it.
    pub(crate) fn turn_away(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        loading: Loading,
        why: &Refused,
    ) {
        let Loading { waiting, mut turned_away } = loading;
        for one in waiting {
            match one {
                Waiting::Arrived(link, envelope) => {
                    core.reads.let_go(envelope.bytes().len());
                    turned_away.insert(link);
                }
                Waiting::Command(id, _) => core.reply(id, Err(why.clone())),
                Waiting::Wanted { link, .. } => {
                    self.sync.send_envelopes(core.now, link, document, Vec::new());
                }
            }
        }
        for link in turned_away {
            self.sync.compare_soon(core.now, link);
        }
    }

    /// The time has come to read a document again that could not be read: an open request is
    /// looked at by people, and the host decides on it.
    pub(crate) fn read_again(&mut self, core: &mut Core, document: DocumentId) {
        let opening = self.slots.get(&document).map(|slot| slot.opening);
        match opening.filter(|opening| self.open_request(opening).is_ok()) {
            Some(opening) if self.warm(&document).is_none() => drop(self.warm_up(core, opening)),
            Some(_) | None => core.reads.forget(&document),
        }
    }

    /// A peer lacks envelopes of a document.
    pub(crate) fn envelopes_wanted(
        &mut self,
        core: &mut Core,
        link: LinkId,
        document: DocumentId,
        after: BTreeMap<ActorId, u64>,
        budget: usize,
    ) {
        let Some(slot) = self.slots.get_mut(&document) else {
            return self.sync.send_envelopes(core.now, link, document, Vec::new());
        };
        match slot.warm() {
            Some(warm) => {
                let lacking = warm.lacking(&after, budget);
                self.sync.send_envelopes(core.now, link, document, lacking);
            }
            None if core.reads.failing(&document).is_some() => {
                self.sync.send_envelopes(core.now, link, document, Vec::new());
            }
            None => {
                let wanted = Waiting::Wanted { link, after, budget };
                if slot.wait(|loading| loading.waiting.push(wanted)) {
                    core.load(self.id, document);
                }
            }
        }
    }

    /// Envelopes of a document are on the disk.
    pub(crate) fn envelopes_stored(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        actor: ActorId,
        seq: u64,
        count: usize,
    ) {
        if let Some(warm) = self.slots.get_mut(&document).and_then(Slot::warm_mut) {
            warm.unstored = warm.unstored.saturating_sub(count);
        }
        self.sync.stored(core.now, Item::Envelope { document, actor, seq });
    }

    /// What a record was made on was on the host's disk before it: this device's own changes among
    /// it are carried, whether or not a peer ever acknowledged them to this run.
    pub(crate) fn carried_by_record(&mut self, opening: &OpeningId) {
        let Some(document) = self.chain.state().request(opening).map(Request::document) else {
            return;
        };
        let Some(version_vector) = self.settled_versions(opening) else { return };
        let covered: Vec<_> = version_vector.iter().map(|(actor, tip)| (*actor, tip.seq)).collect();
        for (actor, seq) in covered {
            self.own.carried(document, actor, seq);
        }
    }

    /// A request is settled: its document needs not stay in memory, but for a while it may.
    pub(crate) fn settled(&mut self, opening: OpeningId) {
        self.carried_by_record(&opening);
        let Some(request) = self.chain.state().request(&opening) else { return };
        let document = request.document();
        self.settled_warm.retain(|other| *other != document);
        self.settled_warm.push(document);
        // One with envelopes that are not on the disk yet stays: it is never built again without them.
        let droppable = |slots: &BTreeMap<DocumentId, Slot>, document: &DocumentId| {
            slots.get(document).and_then(Slot::warm).is_none_or(|warm| warm.unstored == 0)
        };
        while self.settled_warm.len() > limits::SETTLED_IN_MEMORY {
            // Nor the newest: somebody has just asked for it.
            let older = &self.settled_warm[..self.settled_warm.len() - 1];
            let oldest = older.iter().position(|one| droppable(&self.slots, one));
            let Some(oldest) = oldest else { return };
            let document = self.settled_warm.remove(oldest);
            if let Some(slot) = self.slots.get_mut(&document)
                && slot.warm().is_some()
            {
                slot.memory = Memory::Cold;
            }
        }
    }

    /// A request is open again: its document must not leave memory.
    pub(crate) fn keep_in_memory(&mut self, opening: OpeningId) {
        let document = self.chain.state().request(&opening).map(Request::document);
        self.settled_warm.retain(|other| Some(*other) != document);
    }

    /// Notes that this device wrote a change.
    pub(crate) fn own_written(&mut self, document: DocumentId, actor: ActorId, seq: u64) {
        self.own.written(document, actor, seq);
    }
}

/// Notes the rows of an envelope that a document has just taken in.
pub(crate) fn note(
    batch: &mut Batch,
    warm: &mut Warm,
    document: DocumentId,
    author: PeerId,
    admitted: &Admitted,
    bytes: &[u8],
) {
    let place = warm.next_place;
    warm.next_place += 1;
    warm.unstored += 1;
    batch.put(Table::Envelopes, rows::envelope_key(&document, place), bytes.to_vec());
    if rejoinder_identity::mutant!("mutant-version-not-stored") && admitted.seq > 1 {
        return;
    }
    let tip = Tip { seq: admitted.seq, hash: admitted.hash };
    let row = VersionRow { author, tip };
    batch.put(
        Table::VersionVectors,
        rows::version_key(&document, &admitted.actor),
        rows::value(&row),
    );
}
