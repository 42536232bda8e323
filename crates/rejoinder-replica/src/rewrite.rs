//! The file of an open home was damaged and made anew: what is in memory is written again, and
//! what is not is read and checked. So nothing is lost that this run knows.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{DocumentId, Verified};
use rejoinder_sync::Envelope;

use crate::{
    core::{After, Core},
    dispatch::save_device,
    document::{Behind, Warm},
    event::Event,
    links::save_card,
    replica::Replica,
    rows::{self, VersionRow},
    store::{Batch, Salvaged, Table},
    workspace::Workspace,
};

impl Replica {
    pub(crate) fn salvaged(&mut self, salvaged: Salvaged) {
        let lost = salvaged.lost > 0;
        self.core().tell(Event::Salvaged(salvaged));
        if !lost {
            return;
        }
        save_device(self.core(), After::Nothing);
        for id in self.workspaces() {
            self.with(id, Workspace::write_again);
        }
    }
}

impl Workspace {
    fn write_again(&mut self, core: &mut Core) {
        self.save_row(core, After::Nothing);
        for device in self.chain.state().members().keys() {
            save_card(core, device);
        }
        let mut batch = Batch::default();
        self.chain.rows(&mut batch);
        self.proposals.rows(&self.id, &mut batch);
        self.outcomes.rows(&self.id, &mut batch);
        core.store(batch, After::Nothing);
        let documents: Vec<DocumentId> = self.slots.keys().copied().collect();
        for document in documents {
            self.write_document_again(core, document);
        }
    }

    fn write_document_again(&mut self, core: &mut Core, document: DocumentId) {
        let Some(slot) = self.slots.get_mut(&document) else { return };
        let opening = slot.opening;
        let Some(warm) = slot.warm() else {
            self.warm_up(core, opening);
            return;
        };
        core.store(warm.all_rows(&document), After::Nothing);
    }
}

impl Warm {
    /// Every row of a document, each place of it written or cleared.
    fn all_rows(&self, document: &DocumentId) -> Batch {
        let key = |place| rows::envelope_key(document, place);
        let mut batch = Batch::default();
        let mut taken = BTreeSet::new();
        for Behind { key, envelope } in self.behind.iter().chain(&self.own_refused) {
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
}
