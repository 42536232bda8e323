//! What a known fault needs: see `rejoinder_identity::mutant`.

use rejoinder_identity::{Verified, mutant};
use rejoinder_sync::Envelope;

use crate::{
    core::{After, Core, Stored},
    document::{Memory, Slot, Warm},
    refused::Refused,
    replica::Replica,
    store::WriteId,
};

/// A change that was sent, and whose write failed, is forgotten: the next one takes its number.
const REUSED: &str = "mutant-seq-reused-after-a-failed-write";

impl Replica {
    /// Whether a write that failed was forgotten.
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
            workspace.slots.entry(document).and_modify(|slot: &mut Slot| {
                slot.memory = Memory::Cold;
            });
            if let Some(command) = command {
                core.reply(command, Err(Refused::Disk(why.to_owned())));
            }
        });
        true
    }
}

/// Each change that comes has all that are there checked again.
const ALL_AGAIN: &str = "mutant-all-checked-again-for-each-change";

impl Warm {
    /// Checks again what the document has taken in.
    pub(crate) fn check_all_again(&mut self, core: &mut Core) {
        if !mutant::is(ALL_AGAIN) {
            return;
        }
        for one in self.envelopes().to_vec() {
            core.work.changes += 1;
            if let Ok(envelope) = Verified::<Envelope>::from_bytes(&one.bytes) {
                let Envelope { author, incarnation, change, .. } = envelope.value();
                let _known = self.document_mut().admit(*author, *incarnation, change);
            }
        }
    }
}
