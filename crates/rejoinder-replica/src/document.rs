//! One document of a workspace: in memory or on the disk, and what waits for it to be read.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rejoinder_answers::{Document, Edit, EditRefused, Form, NotAdmitted, Version, Writer, Written};
use rejoinder_finalizer::Request;
use rejoinder_identity::{ActorId, OpeningId, PeerId, Verified};
use rejoinder_sync::{Envelope, Fetched, LinkId};

use crate::{
    cache::Cache, command::Command, input::CommandId, rows::envelope_place_of_key, store::Loaded,
};

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
    Loading(Loading),
    /// Here.
    Warm(Box<Warm>),
}

/// What waits for a document.
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

/// A document in memory, with the envelopes that it is a view of.
#[derive(Debug)]
pub(crate) struct Warm {
    document: Document,
    /// The questions as they are now.
    form: Form,
    /// What it was last shown as.
    pub(crate) cache: Cache,
    /// In the order in which they were admitted: none before one that it depends on.
    envelopes: Vec<Fetched>,
    /// The place of the next envelope in the document's own order.
    pub(crate) next_place: u64,
    /// Envelopes that are not on the disk yet. Such a document is never dropped from memory.
    pub(crate) unstored: usize,
    /// Envelopes that wait for those before them, which were damaged.
    pub(crate) behind: Vec<Behind>,
    /// Envelopes that this device signed and that no document lets in, as an earlier release wrote
    /// some: they stay on the disk, and are in nothing that is shown.
    pub(crate) own_refused: Vec<Behind>,
}

/// An envelope on the disk that is not in the document.
#[derive(Debug)]
pub(crate) struct Behind {
    /// Its row.
    pub(crate) key: Vec<u8>,
    pub(crate) envelope: Verified<Envelope>,
}

/// What the rows of a document were.
#[derive(Debug, Default)]
pub(crate) struct Filled {
    /// The keys of those that can't be used, now or ever.
    pub(crate) unusable: Vec<Vec<u8>>,
    /// Whose the actors are.
    pub(crate) authors: BTreeMap<ActorId, PeerId>,
    /// Why what this device wrote itself is not let in.
    pub(crate) own_refused: Vec<String>,
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
        let form = Form::raised(request.request(), request.json());
        Self {
            document,
            form,
            cache: Cache::default(),
            envelopes: Vec::new(),
            next_place: 0,
            unstored: 0,
            behind: Vec::new(),
            own_refused: Vec::new(),
        }
    }

    /// Takes in the rows that the disk holds of it. One that can't be used is left out: the peers
    /// have it still. One that needs such a one waits for it. What `me` signed is never given up:
    /// nobody else may have it.
    pub(crate) fn fill(&mut self, me: PeerId, loaded: Loaded) -> Filled {
        let mut filled = Filled { unusable: loaded.damaged, ..Filled::default() };
        for (key, bytes) in loaded.rows {
            let place = envelope_place_of_key(&key).unwrap_or(0);
            self.next_place = self.next_place.max(place.saturating_add(1));
            let Ok(envelope) = Verified::<Envelope>::from_bytes(&bytes) else {
                filled.unusable.push(key);
                continue;
            };
            let Envelope { author, incarnation, change, .. } = envelope.value();
            match self.document.admit(*author, *incarnation, change) {
                Ok(admitted) => {
                    filled.authors.insert(admitted.actor, *author);
                    self.keep(admitted.actor, admitted.seq, envelope.bytes().clone());
                }
                Err(NotAdmitted::Missing(_)) => self.behind.push(Behind { key, envelope }),
                Err(NotAdmitted::Known) => {}
                Err(why @ (NotAdmitted::Fork { .. } | NotAdmitted::Refused(_)))
                    if *author == me =>
                {
                    filled.own_refused.push(why.to_string());
                    self.own_refused.push(Behind { key, envelope });
                }
                Err(not_admitted @ (NotAdmitted::Fork { .. } | NotAdmitted::Refused(_))) => {
                    tracing::error!(place, ?not_admitted, "an envelope can't be used");
                    filled.unusable.push(key);
                }
            }
        }
        filled
    }

    /// Keeps the envelope of a change that the document has just taken in.
    pub(crate) fn keep(&mut self, actor: ActorId, seq: u64, bytes: Arc<[u8]>) {
        self.envelopes.push(Fetched { actor, seq, bytes });
    }

    /// What it says.
    pub(crate) fn document(&self) -> &Document {
        &self.document
    }

    /// To write in it: what it was shown as is over.
    pub(crate) fn document_mut(&mut self) -> &mut Document {
        self.cache.forget();
        &mut self.document
    }

    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// Writes what a person answers, who has seen everything unless it is said what.
    pub(crate) fn edit(
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
    pub(crate) fn set_form(&mut self, form: Form) {
        self.cache.forget();
        self.form = form;
    }

    /// All envelopes.
    pub(crate) fn envelopes(&self) -> &[Fetched] {
        &self.envelopes
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

    /// Lets something wait for the document; says whether the disk must be asked for it.
    ///
    /// # Panics
    ///
    /// When the document is in memory: nothing needs to wait then.
    pub(crate) fn wait(&mut self, wait: impl FnOnce(&mut Loading)) -> bool {
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
