//! Changes of documents that come over links, and the reading of documents from the disk.

use std::collections::BTreeMap;

use rejoinder_answers::NotAdmitted;
use rejoinder_identity::{ActorId, ChangeHash, DocumentId, OpeningId, PeerId, Verified, covers};
use rejoinder_sync::{Envelope, Item, ItemKind, LinkId, ParkedItem, Wait};

use super::Workspace;
use crate::{
    core::{After, Core, Stored},
    documents::{Filled, Kept, Loading, Said, Unparked, Waiting, Whereabouts},
    event::Event,
    refused::Refused,
    store::{Batch, Loaded, Table},
};

impl Workspace {
    /// An envelope came over a link.
    pub(super) fn envelope_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        let envelope = match Verified::<Envelope>::from_bytes(bytes) {
            Ok(envelope) if envelope.signer() == envelope.value().author => envelope,
            Ok(_) => return core.close(link, "an envelope in another's name".into()),
            Err(error) => return core.close(link, format!("envelope: {error}")),
        };
        let Envelope { document, author, .. } = *envelope.value();
        if self.member(&author).is_none() {
            return self.park(core, link, author, Wait::Author(author), bytes);
        }
        match self.documents.whereabouts(&document) {
            Whereabouts::Nowhere => {
                self.park(core, link, author, Wait::Document(document), bytes);
            }
            Whereabouts::InMemory => self.admit(core, link, &envelope),
            Whereabouts::OnDisk if core.reads.failing(&document).is_some() => {
                self.sync.compare_soon(core.now, link);
            }
            Whereabouts::OnDisk => {
                let first = if core.reads.hold(envelope.bytes().len()) {
                    self.documents.wait(&document, Waiting::Arrived(link, envelope)) == Some(true)
                } else {
                    self.documents.turn_away(&document, link)
                };
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
        let Envelope { document, author, .. } = envelope.value();
        if rejoinder_identity::mutant!("mutant-late-edits-dropped")
            && let Some(opening) = self.documents.opening(document)
            && self.chain.made_on(&opening).is_some()
        {
            return;
        }
        #[cfg(rejoinder_mutants)]
        self.documents.check_all_again(core, document);
        let mut batch = Batch::default();
        let Some(admitted) = self.documents.admit(envelope, &mut batch) else { return };
        core.work.changes += 1;
        match admitted {
            Ok(kept) => {
                let (actor, seq) = (kept.admitted.actor, kept.admitted.seq);
                tracing::debug!(%document, author = %author.short(), seq, "envelope");
                let (document, count) = (*document, 1);
                let stored = Stored::Envelopes { document, actor, seq, count, command: None };
                core.store(batch, After::In(self.id, stored));
                if rejoinder_identity::mutant!("mutant-not-forwarded") {
                    return self.tell_answers(core, &kept);
                }
                self.pass_on(core, &kept, Some(link));
                self.release(&Wait::Change(document, kept.admitted.hash));
                self.unpark(core, document, Some(kept.admitted.hash));
            }
            Err(NotAdmitted::Known) => {
                let actor = envelope.value().actor();
                if let Some(warm) = self.documents.warm(document)
                    && let Some(tip) = warm.document().version_vector().get(&actor)
                {
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

    pub(super) fn refuse(&mut self, core: &mut Core, link: LinkId, why: String) {
        tracing::warn!(%why, "not admitted");
        if let Some(from) = self.peers.peer(link) {
            core.tell(Event::NotAdmitted { from, why });
        }
    }

    /// Sends a change that a document has just taken in to those who lack it, and tells of it.
    pub(super) fn pass_on(&mut self, core: &mut Core, kept: &Kept, from: Option<LinkId>) {
        let Kept { document, admitted, bytes, .. } = kept;
        self.sync.add_envelope(core.now, *document, admitted.actor, kept.tip(), bytes, from);
        self.tell_answers(core, kept);
    }

    /// Says what an admitted change changed, or that it came too late.
    fn tell_answers(&self, core: &mut Core, kept: &Kept) {
        let Kept { document, author: by, admitted, .. } = kept;
        let (workspace, by) = (self.id, *by);
        let Some(opening) = self.documents.opening(document) else { return };
        let made_on = self.chain.made_on(&opening);
        let late = made_on.is_some_and(|made_on| !covers(made_on, &admitted.actor, admitted.seq));
        for question in admitted.questions.clone() {
            core.tell(if late {
                Event::NotIncluded { workspace, opening, question, by }
            } else {
                Event::Answer { workspace, opening, question, by }
            });
        }
    }

    /// Reads a document from the disk if it is not in memory. Returns whether it is.
    pub(super) fn warm_up(&mut self, core: &mut Core, opening: OpeningId) -> bool {
        let Ok(document) = self.chain.request(&opening).map(|request| request.document()) else {
            return false;
        };
        if self.documents.want(document, opening) {
            core.load(self.id, document);
        }
        self.warm(&document).is_some()
    }

    /// The rows of a document are here.
    pub(crate) fn loaded(&mut self, core: &mut Core, document: DocumentId, loaded: Loaded) {
        let Some(opening) = self.documents.opening(&document) else { return };
        let Ok(request) = self.chain.request(&opening) else { return };
        let (host, open) = (self.chain.state().host().unwrap_or(core.me), request.is_open());
        core.work.changes += loaded.rows.len() as u64;
        let Some((filled, loading)) = self.documents.loaded(core.me, request, host, loaded) else {
            return;
        };
        // Before anything is said of it to anybody.
        self.repair(core, document, filled);
        let Loading { waiting, turned_away } = loading;
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
            self.settled(&opening);
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
        let Some(opening) = self.documents.opening(&document) else { return };
        let Some(loading) = self.documents.load_failed(&document) else { return };
        if rejoinder_identity::mutant!("mutant-failed-read-not-answered") {
            return;
        }
        self.turn_away(core, document, loading, &Refused::Unreadable(why.clone()));
        if first && self.open_request(&opening).is_ok() {
            core.tell(Event::Unreadable { workspace: self.id, opening, why });
        }
    }

    /// A document does not come: each that waits for it hears why, and what came for it is sent
    /// again by those who have it.
    pub(super) fn turn_away(
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
        let opening = self.documents.opening(&document);
        match opening.filter(|opening| self.open_request(opening).is_ok()) {
            Some(opening) if self.warm(&document).is_none() => drop(self.warm_up(core, opening)),
            Some(_) | None => core.reads.forget(&document),
        }
    }

    /// A peer lacks envelopes of a document.
    pub(super) fn envelopes_wanted(
        &mut self,
        core: &mut Core,
        link: LinkId,
        document: DocumentId,
        after: BTreeMap<ActorId, u64>,
        budget: usize,
    ) {
        let lacking = match self.documents.lacking(&document, &after, budget) {
            Some(lacking) => lacking,
            None if core.reads.failing(&document).is_some() => Vec::new(),
            None => match self.documents.wait(&document, Waiting::Wanted { link, after, budget }) {
                None => Vec::new(),
                Some(first) => {
                    if first {
                        core.load(self.id, document);
                    }
                    return;
                }
            },
        };
        self.sync.send_envelopes(core.now, link, document, lacking);
    }

    /// Envelopes of a document are on the disk.
    pub(super) fn envelopes_stored(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        actor: ActorId,
        seq: u64,
        count: usize,
    ) {
        self.documents.stored(&document, count);
        self.sync.stored(core.now, Item::Envelope { document, actor, seq });
    }

    /// A record was made on what was on the host's disk: this device's own changes among it are
    /// acknowledged, whether or not a peer ever said so to this run.
    pub(super) fn acknowledged_by_record(&mut self, opening: &OpeningId) {
        let Ok(document) = self.chain.request(opening).map(|request| request.document()) else {
            return;
        };
        if let Some(made_on) = self.chain.made_on(opening) {
            self.documents.acknowledged_by_record(document, made_on);
        }
    }

    /// Notes that a request is settled: its document may leave memory after a while.
    pub(super) fn settled(&mut self, opening: &OpeningId) {
        self.acknowledged_by_record(opening);
        if let Ok(request) = self.chain.request(opening) {
            self.documents.retire(request.document());
        }
    }

    /// A request is open again: its document must not leave memory.
    pub(super) fn keep_in_memory(&mut self, opening: &OpeningId) {
        if let Ok(request) = self.chain.request(opening) {
            self.documents.keep_in_memory(&request.document());
        }
    }
}

/// After damage.
impl Workspace {
    /// Brings what is said of a document to what its rows were.
    fn repair(&mut self, core: &mut Core, document: DocumentId, filled: Filled) {
        if rejoinder_identity::mutant!("mutant-damage-not-corrected") {
            return;
        }
        for why in &filled.own_refused {
            tell_own_refused(core, &document, why);
        }
        let left_over = core.left_over.remove(&document).unwrap_or_default();
        let to_peers = self.sync.version_vector(&document);
        let said = Said { to_peers: &to_peers, left_over: &left_over };
        let Some(repaired) = self.documents.repair(core.me, document, filled, &said) else {
            return;
        };
        core.store(repaired.batch, After::Nothing);
        self.sync.correct_document(core.now, document, &repaired.held);
        let mine = ActorId::of_author(&core.me, &document, &core.incarnation);
        if to_peers.get(&mine) > repaired.held.get(&mine) {
            // Others may have what is lost: no other change may get a number of those.
            core.begin_incarnation();
        }
        if repaired.damaged > 0 {
            let rows = BTreeMap::from([(Table::Envelopes, repaired.damaged)]);
            core.tell(Event::Damaged { rows });
        }
        if repaired.own_missing > 0 {
            core.tell(Event::OwnMissing { changes: repaired.own_missing, proposals: 0 });
        }
    }

    /// Takes in what lay on the disk and had to wait for a change that has come, or for the
    /// structure of a revision.
    pub(super) fn unpark(
        &mut self,
        core: &mut Core,
        document: DocumentId,
        came: Option<ChangeHash>,
    ) {
        let (unparked, tried) = self.documents.unpark(core.me, document, came);
        core.work.changes += tried;
        for one in unparked {
            match one {
                Unparked::Kept(kept, batch) => self.unparked(core, &kept, batch),
                Unparked::OwnRefused(why) => tell_own_refused(core, &document, &why),
                Unparked::Useless(batch) => core.store(batch, After::Nothing),
            }
        }
    }

    fn unparked(&mut self, core: &mut Core, kept: &Kept, batch: Batch) {
        let (document, actor, seq) = (kept.document, kept.admitted.actor, kept.admitted.seq);
        let stored = Stored::Envelopes { document, actor, seq, count: 1, command: None };
        core.store(batch, After::In(self.id, stored));
        self.pass_on(core, kept, None);
        self.release(&Wait::Change(document, kept.admitted.hash));
    }
}

/// Says that something this device wrote is not shown and not sent, though it has it.
fn tell_own_refused(core: &mut Core, document: &DocumentId, why: &str) {
    let why = format!("a change of this device in {document}, which it keeps: {why}");
    tracing::error!(%why, "not admitted");
    core.tell(Event::NotAdmitted { from: core.me, why });
}
