//! Changes of what is held here: an item was admitted, answered or made durable.

use std::sync::Arc;

use rejoinder_identity::{ActorId, DocumentId, ProposalId, RecordId, Timestamp, Tip};

use crate::{Effect, Item, ItemKind, LinkId, Sync, key::Key};

impl Sync {
    /// The log has one more record, of this epoch. `from` is the link it came over; `None` if it
    /// was made here, and is on the disk already.
    pub fn add_record(
        &mut self,
        now: Timestamp,
        epoch: u64,
        id: RecordId,
        bytes: &Arc<[u8]>,
        from: Option<LinkId>,
    ) {
        self.now = now;
        self.held.add_record(epoch, id, from);
        let item = Item::Record { length: self.held.log.length() };
        self.spread(item, ItemKind::Record, bytes, from);
    }

    /// The records beyond the first `length` are void. Those of the newer epoch follow.
    pub fn truncate_log(&mut self, now: Timestamp, length: u64) {
        self.now = now;
        self.held.truncate_log(length);
        self.links.values_mut().for_each(|link| link.truncate_log(length));
        self.held_changed();
    }

    /// An actor's next change was admitted to a document; it is now the actor's tip.
    pub fn add_envelope(
        &mut self,
        now: Timestamp,
        document: DocumentId,
        actor: ActorId,
        tip: Tip,
        bytes: &Arc<[u8]>,
        from: Option<LinkId>,
    ) {
        self.now = now;
        self.held.add_envelope(document, actor, tip, from);
        let item = Item::Envelope { document, actor, seq: tip.seq };
        self.spread(item, ItemKind::Envelope, bytes, from);
    }

    /// A proposal was admitted that no record has answered.
    pub fn add_proposal(
        &mut self,
        now: Timestamp,
        id: ProposalId,
        bytes: &Arc<[u8]>,
        from: Option<LinkId>,
    ) {
        self.now = now;
        self.held.add_proposal(id, from);
        self.spread(Item::Proposal(id), ItemKind::Proposal, bytes, from);
    }

    /// A record answered a proposal.
    pub fn drop_proposal(&mut self, now: Timestamp, id: &ProposalId) {
        self.now = now;
        if !self.held.drop_proposal(id) {
            return;
        }
        self.links.values_mut().for_each(|link| link.forget(Key::Proposal(*id)));
        self.held_changed();
    }

    /// A document no longer exists: the record that opened it is void. A peer that still has it
    /// gets the log, and then drops it too.
    pub fn forget_document(&mut self, now: Timestamp, document: &DocumentId) {
        self.now = now;
        for key in self.held.forget_document(document) {
            self.links.values_mut().for_each(|link| link.forget(key));
        }
        self.held_changed();
    }

    /// Sends a device's newest address card over every link except the one it came from. A peer
    /// that is not linked now gets it with the next link's hello.
    pub fn push_card(&mut self, now: Timestamp, bytes: &Arc<[u8]>, from: Option<LinkId>) {
        self.now = now;
        for (id, link) in &mut self.links {
            if Some(*id) != from {
                link.push_card(bytes);
            }
        }
        self.wake_all();
    }

    /// Sends a card over one link alone: it came after that link's hello was written.
    pub fn push_card_to(&mut self, now: Timestamp, link: LinkId, bytes: &Arc<[u8]>) {
        self.now = now;
        if let Some(other) = self.links.get_mut(&link) {
            other.push_card(bytes);
        }
        self.wake(link);
    }

    /// An item that came over a link was here already. `item` is the last that is held here of its
    /// log or actor. The other side is told when it is stored.
    ///
    /// This does not mean that the other side holds all that is held here: it may have sent an old
    /// item.
    pub fn seen_again(&mut self, now: Timestamp, link: LinkId, item: Item) {
        self.now = now;
        let Some(other) = self.links.get_mut(&link) else { return };
        if self.held.also_at(item, link) {
            other.acknowledging.add(item);
        }
        self.wake(link);
    }

    /// The disk has an item, and all before it of its log or actor. The links that sent it are
    /// told. Call it for every record, even for one that has become void meanwhile, in the order of
    /// the writes.
    pub fn stored(&mut self, now: Timestamp, item: Item) {
        self.now = now;
        let was_all_stored = self.held.all_stored();
        let links = &mut self.links;
        self.held.stored(item, |id| {
            if let Some(link) = links.get_mut(&id) {
                link.acknowledging.add(item);
            }
        });
        if self.held.all_stored() != was_all_stored {
            let soon = now.after(crate::limits::POSITION);
            self.links.values_mut().for_each(|link| link.talk.tell_by(soon));
        }
        self.wake_all();
    }

    /// Offers a new item to all links except the one it came from.
    fn spread(&mut self, item: Item, kind: ItemKind, bytes: &Arc<[u8]>, from: Option<LinkId>) {
        for (id, link) in &mut self.links {
            if Some(*id) == from {
                link.has(&self.held, item);
            } else {
                link.offer(&self.held, item, kind, bytes);
            }
        }
        self.held_changed();
    }

    pub(crate) fn held_changed(&mut self) {
        for (id, link) in &mut self.links {
            if link.held_changed(self.now) {
                self.effects.push_back(Effect::InSync(*id, false));
            }
        }
        self.wake_all();
    }
}
