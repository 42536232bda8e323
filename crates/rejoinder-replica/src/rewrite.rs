//! The file of an open home was damaged and made anew: what is in memory is written again, and
//! what is not is read and checked. So nothing is lost that this run knows.

use rejoinder_identity::DocumentId;

use crate::{
    core::{After, Core},
    dispatch::save_device,
    event::Event,
    replica::Replica,
    store::{Batch, Salvaged},
    workspace::Workspace,
    workspace::save_card,
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
        for document in self.documents.ids() {
            self.write_document_again(core, document);
        }
    }

    fn write_document_again(&mut self, core: &mut Core, document: DocumentId) {
        match (self.documents.rows(&document), self.documents.opening(&document)) {
            (Some(rows), _) => core.store(rows, After::Nothing),
            (None, Some(opening)) => drop(self.warm_up(core, opening)),
            (None, None) => {}
        }
    }
}
