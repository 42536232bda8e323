//! Everything of a workspace again, for a home's file that is made again.

use rejoinder_identity::DocumentId;

use super::Workspace;
use crate::{
    core::{After, Core},
    store::Batch,
};

impl Workspace {
    pub(crate) fn write_again(&mut self, core: &mut Core) {
        self.save_row(core, After::Nothing);
        for device in self.chain.state().members().keys() {
            core.save_card(device);
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
