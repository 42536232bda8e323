//! Support for known faults in documents: see `rejoinder_identity::mutant`.

use rejoinder_identity::{DocumentId, Verified, mutant};
use rejoinder_sync::Envelope;

use super::Documents;
use crate::core::Core;

/// Each change that comes has all that are there checked again.
const ALL_AGAIN: &str = "mutant-all-checked-again-for-each-change";

impl Documents {
    /// Checks again what a document has taken in.
    pub(crate) fn check_all_again(&mut self, core: &mut Core, document: &DocumentId) {
        if !mutant::is(ALL_AGAIN) {
            return;
        }
        let Some(warm) = self.warm_mut(document) else { return };
        for one in warm.envelopes().to_vec() {
            core.work.changes += 1;
            if let Ok(envelope) = Verified::<Envelope>::from_bytes(&one.bytes) {
                let Envelope { author, incarnation, change, .. } = envelope.value();
                let _known = warm.document_mut().admit(*author, *incarnation, change);
            }
        }
    }
}
