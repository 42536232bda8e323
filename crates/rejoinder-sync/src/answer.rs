//! Items that were fetched for a link come.

use std::{collections::BTreeMap, sync::Arc};

use rejoinder_identity::{DocumentId, ProposalId, Timestamp};

use crate::{Fetched, Item, ItemKind, LinkId, Sync, key::Key};

impl Sync {
    /// Answers [`Effect::WantRecords`](crate::Effect::WantRecords). An empty list says that they
    /// can't be had now.
    pub fn send_records(&mut self, now: Timestamp, id: LinkId, from: u64, records: Vec<Arc<[u8]>>) {
        self.now = now;
        let Some(link) = self.links.get_mut(&id) else { return };
        let mut any = false;
        for (index, bytes) in (from..self.held.log.length()).zip(&records) {
            if link.owed.records() == Some(index) {
                let item = Item::Record { length: index + 1 };
                // Those behind one that no link takes are not asked for again and again.
                any |= link.push(ItemKind::Record, item, bytes).is_ok();
            }
        }
        link.owed.records_came(any);
        self.wake(id);
    }

    /// Answers [`Effect::WantEnvelopes`](crate::Effect::WantEnvelopes). An empty list says that
    /// they can't be had now.
    pub fn send_envelopes(
        &mut self,
        now: Timestamp,
        id: LinkId,
        document: DocumentId,
        envelopes: Vec<Fetched>,
    ) {
        self.now = now;
        let Some(link) = self.links.get_mut(&id) else { return };
        let mut any = !link.owed.owes_in(&document);
        for Fetched { actor, seq, bytes } in envelopes {
            let key = Key::Envelopes(document, actor);
            if link.owed.is_next(&key, seq) {
                let item = Item::Envelope { document, actor, seq };
                if link.push(ItemKind::Envelope, item, &bytes).is_ok() {
                    any = true;
                    link.owed.has(&key, seq, self.held.seq(&key));
                }
            }
        }
        link.owed.envelopes_came(document, any);
        self.wake(id);
    }

    /// Answers [`Effect::WantProposals`](crate::Effect::WantProposals).
    pub fn send_proposals(
        &mut self,
        now: Timestamp,
        id: LinkId,
        proposals: Vec<(ProposalId, Arc<[u8]>)>,
    ) {
        self.now = now;
        let Some(link) = self.links.get_mut(&id) else { return };
        let proposals: BTreeMap<_, _> = proposals.into_iter().collect();
        let mut any = false;
        for (proposal, bytes) in proposals {
            let key = Key::Proposal(proposal);
            if link.owed.is_next(&key, 1)
                && link.push(ItemKind::Proposal, Item::Proposal(proposal), &bytes).is_ok()
            {
                any = true;
                link.owed.has(&key, 1, 1);
            }
        }
        link.owed.proposals_came(any);
        self.wake(id);
    }
}
