//! One document in memory, with the envelopes that it is a view of.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rejoinder_answers::{
    Document, Edit, EditRefused, Form, NotAdmitted, Projection, Version, Writer, Written,
};
use rejoinder_finalizer::{Embedded, Request};
use rejoinder_identity::{ActorId, ChangeHash, DocumentId, PeerId, RecordId, Verified};
use rejoinder_sync::{Envelope, Fetched};

use super::cache::{Cache, Shown};
use crate::{
    rows::{self, VersionRow, envelope_place_of_key},
    store::{Batch, Loaded, Table},
};

/// A document in memory, with the envelopes that it is a view of.
#[derive(Debug)]
pub(crate) struct Warm {
    document: Document,
    /// The questions as they are now.
    form: Form,
    /// Its last view.
    cache: Cache,
    /// In the order in which they were admitted: none before one that it depends on.
    envelopes: Vec<Fetched>,
    /// The place of the next envelope in the document's own order.
    pub(super) next_place: u64,
    /// Envelopes that are not on the disk yet. Such a document is never dropped from memory.
    pub(super) unstored: usize,
    /// Envelopes that wait for those before them, which were damaged: by the first change that
    /// each still lacks. Fourteen of them were tried again at each of 307 changes that came in one
    /// call, until they were looked up by what came.
    pub(super) behind: BTreeMap<ChangeHash, Vec<Behind>>,
    /// Envelopes that this device signed and that no document lets in, as an earlier release wrote
    /// some: they stay on the disk, and are in nothing that is shown.
    pub(super) own_refused: Vec<Behind>,
}

/// An envelope on the disk that is not in the document.
#[derive(Debug)]
pub(super) struct Behind {
    /// Its row.
    pub(super) key: Vec<u8>,
    pub(super) envelope: Verified<Envelope>,
}

/// The result of reading a document's rows.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// The keys of those that can't be used, now or ever.
    pub(super) unusable: Vec<Vec<u8>>,
    /// The authors of the actors.
    pub(super) authors: BTreeMap<ActorId, PeerId>,
    /// The reasons why what this device wrote itself is not let in.
    pub(crate) own_refused: Vec<String>,
}

impl Warm {
    /// A document with the structure that the log gives it, and nothing written in it.
    pub(super) fn new(request: &Request, host_of: impl Fn(usize) -> PeerId) -> Self {
        let mut document = Document::new(request.document());
        for (index, skeleton) in request.skeletons().iter().enumerate() {
            // The log's fold took these records in; a skeleton that is not in order leaves its
            // questions unanswerable, for everybody.
            if let Err(error) = document.admit_skeleton(skeleton, host_of(index)) {
                tracing::warn!(document = %request.document(), %error, "skeleton not admitted");
            }
        }
        let form = Form::raised(request.request(), request.json());
        Self {
            document,
            form,
            cache: Cache::default(),
            envelopes: Vec::new(),
            next_place: 0,
            unstored: 0,
            behind: BTreeMap::new(),
            own_refused: Vec::new(),
        }
    }

    /// Takes in the rows that the disk holds of it. One that can't be used is left out: the peers
    /// have it still. One that needs such a one waits for it. What `me` signed is never given up:
    /// nobody else may have it.
    pub(super) fn fill(&mut self, me: PeerId, loaded: Loaded) -> Filled {
        let mut filled = Filled { unusable: loaded.damaged, ..Filled::default() };
        for (key, bytes) in loaded.rows {
            let place = envelope_place_of_key(&key).unwrap_or(0);
            self.next_place = self.next_place.max(place.saturating_add(1));
            let Ok(envelope) = Verified::<Envelope>::from_bytes(&bytes) else {
                filled.unusable.push(key);
                continue;
            };
            // What this row releases may release more: a loop, for thousands may wait in a row.
            let mut next = vec![Behind { key, envelope }];
            while let Some(one) = next.pop() {
                let Some(hash) = self.fill_one(me, one, &mut filled) else { continue };
                next.extend(self.behind.remove(&hash).into_iter().flatten());
            }
        }
        filled
    }

    /// Takes in one row. Returns the hash of its change if the document has it from now on.
    fn fill_one(&mut self, me: PeerId, one: Behind, filled: &mut Filled) -> Option<ChangeHash> {
        let Envelope { author, incarnation, change, .. } = one.envelope.value();
        match self.document.admit(*author, *incarnation, change) {
            Ok(admitted) => {
                filled.authors.insert(admitted.actor, *author);
                self.keep(admitted.actor, admitted.seq, one.envelope.bytes().clone());
                return Some(admitted.hash);
            }
            Err(NotAdmitted::Missing(missing)) => self.wait_behind(&missing, one),
            Err(NotAdmitted::Known) => {}
            Err(why @ (NotAdmitted::Fork { .. } | NotAdmitted::Refused(_))) if *author == me => {
                filled.own_refused.push(why.to_string());
                self.own_refused.push(one);
            }
            Err(not_admitted @ (NotAdmitted::Fork { .. } | NotAdmitted::Refused(_))) => {
                tracing::error!(key = ?one.key, ?not_admitted, "an envelope can't be used");
                filled.unusable.push(one.key);
            }
        }
        None
    }

    /// Notes that an envelope waits for changes, of which there is at least one.
    pub(super) fn wait_behind(&mut self, missing: &[ChangeHash], one: Behind) {
        if let Some(first) = missing.first() {
            self.behind.entry(*first).or_default().push(one);
        }
    }

    /// Keeps the envelope of a change that the document has just taken in.
    pub(super) fn keep(&mut self, actor: ActorId, seq: u64, bytes: Arc<[u8]>) {
        self.envelopes.push(Fetched { actor, seq, bytes });
    }

    /// The document itself.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// To write in it: what it was shown as is over.
    pub(super) fn document_mut(&mut self) -> &mut Document {
        self.cache.forget();
        &mut self.document
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Writes what a person answers, who has seen everything unless it is said what.
    pub(super) fn edit(
        &mut self,
        writer: &Writer,
        edit: &Edit,
        seen: Option<&Version>,
    ) -> Result<Vec<Written>, EditRefused> {
        self.cache.forget();
        match seen {
            None => self.document.edit(&self.form, writer, edit),
            Some(seen) => self.document.edit_on(&self.form, writer, edit, seen),
        }
    }

    /// Other questions are asked.
    pub(super) fn set_form(&mut self, form: Form) {
        self.cache.forget();
        self.form = form;
    }

    /// All envelopes.
    pub(crate) fn envelopes(&self) -> &[Fetched] {
        &self.envelopes
    }

    /// The envelopes that somebody lacks, as many as come to about `budget` bytes, at least one.
    pub(super) fn lacking(&self, after: &BTreeMap<ActorId, u64>, budget: usize) -> Vec<Fetched> {
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

    /// Every row of a document, each place of it written or cleared.
    pub(super) fn all_rows(&self, document: &DocumentId) -> Batch {
        let key = |place| rows::envelope_key(document, place);
        let mut batch = Batch::default();
        let mut taken = BTreeSet::new();
        for Behind { key, envelope } in self.behind.values().flatten().chain(&self.own_refused) {
            batch.put(Table::Envelopes, key.clone(), envelope.bytes().to_vec());
            taken.insert(key);
        }
        let mut free = (0..).map(key).filter(|key| !taken.contains(key));
        for fetched in self.envelopes() {
            let Some(key) = free.next() else { break };
            batch.put(Table::Envelopes, key, fetched.bytes.to_vec());
        }
        for key in free.take_while(|key| *key < rows::envelope_key(document, self.next_place)) {
            batch.delete(Table::Envelopes, key);
        }
        let authors = self.envelopes().iter().filter_map(|fetched| {
            let envelope = Verified::<Envelope>::from_bytes(&fetched.bytes).ok()?;
            Some((fetched.actor, envelope.value().author))
        });
        for (actor, author) in authors.collect::<BTreeMap<_, _>>() {
            let Some(tip) = self.document().version_vector().get(&actor).copied() else { continue };
            let row = VersionRow { author, tip };
            batch.put(
                Table::VersionVectors,
                rows::version_key(document, &actor),
                rows::value(&row),
            );
        }
        batch
    }

    /// The document's view, beside the record that settled its request, if one did.
    pub(crate) fn shown(&self, settled: Option<(RecordId, &Embedded, &Projection)>) -> Shown {
        let (document, form) = (self.document(), self.form());
        self.cache.get(settled.map(|(record, ..)| record), || match settled {
            None => Shown { projection: document.projection(form), ..Shown::default() },
            Some((_, embedded, projection)) => Shown {
                passed_over: document.passed_over(
                    form,
                    &embedded.version_vector,
                    &projection.answers,
                ),
                not_included: document.not_included(form, &embedded.version_vector),
                ..Shown::default()
            },
        })
    }
}
