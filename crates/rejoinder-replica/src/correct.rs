//! A document that was read from a damaged disk: what is said of it becomes what is there, and
//! what others have of the rest is taken in again.

use std::collections::BTreeMap;

use rejoinder_answers::NotAdmitted;
use rejoinder_identity::{ActorId, DocumentId, Tip, VersionVector};
use rejoinder_sync::{Envelope, Wait};

use crate::{
    core::{After, Core, Stored},
    document::{Behind, Filled, Slot},
    envelopes::note,
    event::Event,
    rows::{self, VersionRow},
    store::{Batch, Table},
    workspace::Workspace,
};

impl Workspace {
    /// Brings what is said of a document, here and on the disk, to what its rows were.
    pub(crate) fn correct(&mut self, core: &mut Core, document: DocumentId, filled: Filled) {
        if rejoinder_identity::mutant!("mutant-damage-not-corrected") {
            return;
        }
        let Some(warm) = self.warm(&document) else { return };
        let Filled { unusable, authors, own_refused } = filled;
        for why in own_refused {
            tell_own_refused(core, &document, &why);
        }
        let left_over = core.left_over.remove(&document).unwrap_or_default();
        let (said, held) =
            (self.sync.version_vector(&document), warm.document().version_vector().clone());
        if said == held && unusable.is_empty() && left_over.is_empty() {
            return;
        }
        let behind = warm.behind.len();
        tracing::warn!(%document, unusable = unusable.len(), behind, "not what was said of it");
        let mut batch = Batch::default();
        for (actor, tip) in held.iter().filter(|(actor, tip)| said.get(*actor) != Some(*tip)) {
            let author = authors[actor];
            let row = VersionRow { author, tip: *tip };
            batch.put(
                Table::VersionVectors,
                rows::version_key(&document, actor),
                rows::value(&row),
            );
            if author == core.me {
                self.own_written(document, *actor, tip.seq);
            }
        }
        // Also what was said of it before its log was lost: a row that stays makes this home one that
        // carries, at its next start, what it has lost.
        let rows = said.keys().chain(left_over.keys());
        for actor in rows.filter(|actor| !held.contains_key(*actor)) {
            batch.delete(Table::VersionVectors, rows::version_key(&document, actor));
        }
        let damaged = unusable.len() as u64;
        for key in unusable {
            batch.delete(Table::Envelopes, key);
        }
        core.store(batch, After::Nothing);
        self.sync.correct_document(core.now, document, &held);
        let mine = ActorId::of_author(&core.me, &document, &core.incarnation);
        if said.get(&mine) > held.get(&mine) {
            // Others may have what is lost: no other change may get a number of those.
            core.begin_incarnation();
        }
        if damaged > 0 {
            core.tell(Event::Damaged { rows: BTreeMap::from([(Table::Envelopes, damaged)]) });
        }
        // As at any start, nothing says yet which of these a peer has.
        for (actor, (author, tip)) in &left_over {
            if *author == core.me {
                self.own.written(document, *actor, tip.seq);
            }
        }
        let changes = self.own_missing(&document, &held);
        if changes > 0 {
            core.tell(Event::OwnMissing { changes, proposals: 0 });
        }
    }

    /// How many of this device's own changes are not there any more.
    fn own_missing(&mut self, document: &DocumentId, held: &VersionVector) -> u64 {
        self.own.cut(document, |actor| held.get(actor).map_or(0, |tip| tip.seq))
    }

    /// Takes in what lay on the disk and had to wait for something before it, if that has come.
    pub(crate) fn admit_behind(&mut self, core: &mut Core, document: DocumentId) {
        // In rounds, and not each from within the one before it: thousands may wait in a row.
        let mut some = true;
        while std::mem::take(&mut some) {
            let Some(warm) = self.slots.get_mut(&document).and_then(Slot::warm_mut) else { return };
            for behind in std::mem::take(&mut warm.behind) {
                some |= self.admit_one_behind(core, document, behind);
            }
        }
    }

    /// Whether something was taken in, on which others may wait.
    fn admit_one_behind(&mut self, core: &mut Core, document: DocumentId, behind: Behind) -> bool {
        let Some(warm) = self.slots.get_mut(&document).and_then(Slot::warm_mut) else {
            return false;
        };
        let Envelope { author, incarnation, change, .. } = behind.envelope.value();
        let (author, bytes) = (*author, behind.envelope.bytes().clone());
        core.work.changes += 1;
        let admitted = warm.document_mut().admit(author, *incarnation, change);
        if let Err(NotAdmitted::Missing(_)) = admitted {
            warm.behind.push(behind);
            return false;
        }
        if let Err(why @ (NotAdmitted::Refused(_) | NotAdmitted::Fork { .. })) = &admitted
            && author == core.me
        {
            tell_own_refused(core, &document, &why.to_string());
            warm.own_refused.push(behind);
            return false;
        }
        let mut batch = Batch::default();
        batch.delete(Table::Envelopes, behind.key);
        let Ok(admitted) = admitted else {
            // Somebody had it, and sent it again; or it follows nothing that anybody has.
            core.store(batch, After::Nothing);
            return false;
        };
        let (actor, seq) = (admitted.actor, admitted.seq);
        let tip = Tip { seq, hash: admitted.hash };
        warm.keep(actor, seq, bytes.clone());
        note(&mut batch, warm, document, author, &admitted, &bytes);
        let stored = Stored::Envelopes { document, actor, seq, count: 1, command: None };
        core.store(batch, After::In(self.id, stored));
        if author == core.me {
            self.own_written(document, actor, seq);
        }
        self.sync.add_envelope(core.now, document, actor, tip, &bytes, None);
        self.tell_answers(core, &document, author, &admitted);
        self.release(&Wait::Change(document, admitted.hash));
        true
    }
}

/// Says that something this device wrote is not shown and not sent, though it has it.
fn tell_own_refused(core: &mut Core, document: &DocumentId, why: &str) {
    let why = format!("a change of this device in {document}, which it keeps: {why}");
    tracing::error!(%why, "not admitted");
    core.tell(Event::NotAdmitted { from: core.me, why });
}
