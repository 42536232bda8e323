//! Support for known faults: see `rejoinder_identity::mutant`.

use rejoinder_identity::mutant;

use crate::{
    core::{After, Stored},
    refused::Refused,
    replica::Replica,
    store::WriteId,
};

/// A change that was sent, and whose write failed, is forgotten: the next one takes its number.
const REUSED: &str = "mutant-seq-reused-after-a-failed-write";

impl Replica {
    /// Forgets a write that failed, if the fault says so. Returns whether it did.
    pub(crate) fn forgot(&mut self, id: WriteId, why: &str) -> bool {
        let own_edit = |after: &After| {
            matches!(after, After::In(_, Stored::Envelopes { command: Some(_), .. }))
        };
        if !mutant::is(REUSED) {
            return false;
        }
        let Some(After::In(workspace, Stored::Envelopes { document, command, .. })) =
            self.core().give_up(id, own_edit)
        else {
            return false;
        };
        self.with(workspace, |workspace, core| {
            workspace.lose_memory(&document);
            if let Some(command) = command {
                core.reply(command, Err(Refused::Disk(why.to_owned())));
            }
        });
        true
    }
}
