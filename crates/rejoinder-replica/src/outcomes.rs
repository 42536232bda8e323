//! The requests that this home's program asked and whose outcomes it has not taken yet. Only the
//! home that asked keeps this: no other member needs it, so it is in no record.
//!
//! A request is untold from the record that raises it, in the same write, until the program says
//! that it has the outcome. Turns have no part in it: several requests can share one.

use std::collections::BTreeSet;

use rejoinder_finalizer::{State, Status};
use rejoinder_identity::{OpeningId, WorkspaceId};

use crate::{
    rows,
    store::{Batch, Table},
};

/// The outcomes that the program has not taken.
#[derive(Debug, Default)]
pub(crate) struct Outcomes {
    untold: BTreeSet<OpeningId>,
    /// True once this home notes those: not before it hosts, nor in a home of an earlier release.
    noted: bool,
}

impl Outcomes {
    /// Adds a request that was untold when the home was closed.
    pub(crate) fn restore(&mut self, opening: OpeningId) {
        self.untold.insert(opening);
    }

    /// Notes whether the rows are complete.
    pub(crate) fn restore_noted(&mut self, noted: bool) {
        self.noted = noted;
    }

    /// Those whose outcomes the program has not taken, in the order of their openings.
    pub(crate) fn untold(&self, state: &State) -> Vec<OpeningId> {
        let openings = state.requests().map(|request| request.opening());
        openings.filter(|opening| self.untold.contains(opening)).collect()
    }

    /// Notes that the program has one, and in `batch` that its row goes.
    pub(crate) fn told(&mut self, workspace: &WorkspaceId, opening: &OpeningId, batch: &mut Batch) {
        if self.untold.remove(opening) {
            batch.delete(Table::Meta, rows::untold_key(workspace, opening));
        }
    }

    /// Forgets one without a word, as a fault of an earlier release did.
    #[cfg(rejoinder_mutants)]
    pub(crate) fn forget(&mut self, opening: &OpeningId) {
        self.untold.remove(opening);
    }

    /// Notes in the write of a record that it raises a request.
    pub(crate) fn raised(
        &mut self,
        workspace: &WorkspaceId,
        opening: OpeningId,
        batch: &mut Batch,
    ) {
        if rejoinder_identity::mutant!("mutant-outcome-told-to-nobody") {
            return;
        }
        self.untold.insert(opening);
        batch.put(Table::Meta, rows::untold_key(workspace, &opening), Vec::new());
    }

    /// Notes in the write of a host's first record what is untold in a home of an earlier release,
    /// or in one that has lost rows which may have said so: what waits for a decision, and what was
    /// settled in a turn that goes on. Earlier releases completed the turn when they had told.
    pub(crate) fn begin(&mut self, workspace: &WorkspaceId, state: &State, batch: &mut Batch) {
        if std::mem::replace(&mut self.noted, true) {
            return;
        }
        batch.put(Table::Meta, rows::notes_untold_key(workspace), Vec::new());
        let active = state.active_turn();
        let untold = state.requests().filter(|request| match request.status() {
            Status::Open | Status::Suspended(_) => true,
            Status::Decided(_) | Status::Ended(_) => active.as_ref() == Some(request.turn()),
        });
        for request in untold {
            self.raised(workspace, request.opening(), batch);
        }
    }

    /// Every row, for a file that is made again.
    pub(crate) fn rows(&self, workspace: &WorkspaceId, batch: &mut Batch) {
        if self.noted {
            batch.put(Table::Meta, rows::notes_untold_key(workspace), Vec::new());
        }
        for opening in &self.untold {
            batch.put(Table::Meta, rows::untold_key(workspace, opening), Vec::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RowOp;

    #[test]
    fn what_is_raised_stays_until_it_is_told_and_its_row_with_it() {
        let (workspace, opening) = (WorkspaceId([1; 32]), OpeningId([2; 32]));
        let mut outcomes = Outcomes::default();
        let mut batch = Batch::default();
        outcomes.raised(&workspace, opening, &mut batch);
        let mut rows = Batch::default();
        outcomes.rows(&workspace, &mut rows);
        assert_eq!(rows, batch);
        let mut batch = Batch::default();
        outcomes.told(&workspace, &opening, &mut batch);
        let key = rows::untold_key(&workspace, &opening);
        assert_eq!(batch.changes, [RowOp::Delete(Table::Meta, key)]);
        let mut batch = Batch::default();
        outcomes.told(&workspace, &opening, &mut batch);
        outcomes.rows(&workspace, &mut batch);
        assert!(batch.is_empty(), "it is told once");
    }
}
