//! What became of a request, and that the program which asked has not taken it yet. Only the home
//! that asked keeps this: no other member needs it, so it is in no record.
//!
//! A request is untold from the record that raises it, in the same write, until the program says
//! that it has the outcome. Turns have no part in it: several requests can share one.

use rejoinder_finalizer::Status;
use rejoinder_identity::OpeningId;

use crate::{
    core::{After, Core},
    input::CommandId,
    output::Reply,
    refused::Refused,
    rows,
    store::{Batch, Table},
    workspace::Workspace,
};

impl Workspace {
    /// The requests whose outcomes the program has not taken, in the order of their openings.
    pub(crate) fn untold(&self) -> Vec<OpeningId> {
        let state = self.log.state();
        state.requests().map(|request| request.opening()).filter(|it| self.is_untold(it)).collect()
    }

    fn is_untold(&self, opening: &OpeningId) -> bool {
        self.untold.contains(opening)
    }

    /// The program has what became of a request; it must be over.
    pub(crate) fn handed_over(
        &mut self,
        core: &mut Core,
        id: CommandId,
        opening: &OpeningId,
    ) -> Result<(), Refused> {
        match self.request(opening).map(|request| request.status()) {
            Ok(Status::Open | Status::Suspended(_)) => return Err(Refused::NotOver),
            // One that was removed is over too.
            Ok(Status::Decided(_) | Status::Ended(_)) | Err(_) => {}
        }
        core.may_write()?;
        let mut batch = Batch::default();
        if self.untold.remove(opening) {
            batch.delete(Table::Meta, rows::untold_key(&self.id, opening));
        }
        core.store(batch, After::Reply(id, Reply::Saved));
        Ok(())
    }

    /// Notes in the write of a record that it raises a request.
    pub(crate) fn note_raised(&mut self, batch: &mut Batch, opening: OpeningId) {
        if rejoinder_identity::mutant!("mutant-outcome-told-to-nobody") {
            return;
        }
        self.untold.insert(opening);
        batch.put(Table::Meta, rows::untold_key(&self.id, &opening), Vec::new());
    }

    /// Notes in the write of a host's first record what is untold in a home of an earlier release,
    /// or in one that has lost rows which may have said so: what waits for a decision, and what was
    /// settled in a turn that goes on. Earlier releases completed the turn when they had told.
    pub(crate) fn note_untold(&mut self, batch: &mut Batch) {
        if std::mem::replace(&mut self.notes_untold, true) {
            return;
        }
        batch.put(Table::Meta, rows::notes_untold_key(&self.id), Vec::new());
        let state = self.log.state();
        let active = state.active_turn();
        let untold = state.requests().filter(|request| match request.status() {
            Status::Open | Status::Suspended(_) => true,
            Status::Decided(_) | Status::Ended(_) => active.as_ref() == Some(request.turn()),
        });
        let untold: Vec<_> = untold.map(|request| request.opening()).collect();
        untold.into_iter().for_each(|opening| self.note_raised(batch, opening));
    }

    /// Every row of this, for a file that was made anew.
    pub(crate) fn write_untold_again(&self, batch: &mut Batch) {
        if self.notes_untold {
            batch.put(Table::Meta, rows::notes_untold_key(&self.id), Vec::new());
        }
        for opening in &self.untold {
            batch.put(Table::Meta, rows::untold_key(&self.id, opening), Vec::new());
        }
    }
}
