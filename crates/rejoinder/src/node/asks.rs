//! Devices that asked to join and wait for an answer.

use std::collections::BTreeMap;

use rejoinder_identity::Timestamp;
use rejoinder_quic::JoinAsk;
use rejoinder_replica::{AskId, Input};

use crate::limits;

/// Devices that wait for an answer. How many may wait at once is bounded by the endpoint.
#[derive(Debug, Default)]
pub(crate) struct Asks {
    waiting: BTreeMap<AskId, (Timestamp, JoinAsk)>,
    next: u64,
}

impl Asks {
    /// A device asks; the replica is to be told.
    pub(crate) fn asked(&mut self, now: Timestamp, mut ask: JoinAsk) -> Input {
        // Those that were not answered in time have left.
        self.waiting.retain(|_, (until, _)| *until > now);
        let id = AskId(self.next);
        self.next += 1;
        let (device, bytes) = (ask.device, std::mem::take(&mut ask.ask));
        self.waiting.insert(id, (now.after(limits::JOIN_ANSWER), ask));
        Input::JoinAsked { ask: id, device, bytes }
    }

    pub(crate) fn answer(&mut self, id: AskId, answer: Vec<u8>) {
        if let Some((_, ask)) = self.waiting.remove(&id) {
            ask.answer(answer);
        }
    }
}
