//! The state of one link: all that is known of its other side, for as long as the link lives.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    sync::Arc,
};

use rejoinder_identity::{ActorId, DocumentId, ProposalId, Timestamp};

use crate::{
    Item, ItemKind,
    flow::{Inflow, Outflow},
    held::Held,
    key::{Key, LogOrKey},
    limits,
    message::Position,
    outbox::{Outbox, TooLong},
    owed::Owed,
    talk::Talk,
};

/// The keys for which the other side has said what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    Nothing,
    Below(Key),
    All,
}

/// Acknowledgements that leave together.
#[derive(Debug, Default)]
pub(crate) struct Acknowledging {
    pub(crate) log: u64,
    pub(crate) envelopes: BTreeMap<(DocumentId, ActorId), u64>,
    pub(crate) proposals: BTreeSet<ProposalId>,
}

impl Acknowledging {
    pub(crate) fn add(&mut self, item: Item) {
        match item {
            Item::Record { length } => self.log = self.log.max(length),
            Item::Envelope { document, actor, seq } => {
                let stored = self.envelopes.entry((document, actor)).or_default();
                *stored = seq.max(*stored);
            }
            Item::Proposal(id) => _ = self.proposals.insert(id),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.log == 0 && self.envelopes.is_empty() && self.proposals.is_empty()
    }
}

/// One link.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) outflow: Outflow,
    pub(crate) inflow: Inflow,
    pub(crate) outbox: Outbox,
    pub(crate) owed: Owed,
    pub(crate) known: Known,
    pub(crate) acknowledging: Acknowledging,
    pub(crate) talk: Talk,
    /// The last position that the other side told.
    pub(crate) theirs: Option<Position>,
    /// Whether, at the last check, the peer's position equalled ours.
    pub(crate) in_sync: bool,
    /// Something changed since the last check.
    pub(crate) look: bool,
    /// The peer was said to have stored all that is held here.
    pub(crate) all_carried: bool,
    /// It waits for its turn to speak.
    pub(crate) queued: bool,
    /// Address cards that are to be sent when there is room, and not before the other side has
    /// told its position.
    pub(crate) cards: VecDeque<Arc<[u8]>>,
}

impl Link {
    pub(crate) fn new(talk: Talk) -> Self {
        Self {
            outflow: Outflow::default(),
            inflow: Inflow::default(),
            outbox: Outbox::default(),
            owed: Owed::default(),
            known: Known::Nothing,
            acknowledging: Acknowledging::default(),
            talk,
            theirs: None,
            in_sync: false,
            look: false,
            all_carried: false,
            queued: false,
            cards: VecDeque::new(),
        }
    }

    /// Sends a card, now or as soon as possible. If too many wait, the oldest are dropped.
    pub(crate) fn push_card(&mut self, bytes: &Arc<[u8]>) {
        if self.cards.len() >= limits::CARDS {
            self.cards.pop_front();
        }
        self.cards.push_back(bytes.clone());
        self.send_cards();
    }

    /// Sends cards that have waited, as far as there is room.
    pub(crate) fn send_cards(&mut self) {
        while let Some(bytes) = self.cards.front()
            && self.theirs.is_some()
            && self.has_room(bytes.len())
            && let Some(bytes) = self.cards.pop_front()
        {
            // One that is too long is dropped: nobody keeps track of cards.
            let _dropped = self.outbox.push(ItemKind::AddressCard, None, &bytes);
        }
    }

    fn knows(&self, key: &Key) -> bool {
        match self.known {
            Known::Nothing => false,
            Known::Below(end) => *key < end,
            Known::All => true,
        }
    }

    /// Returns whether so many bytes can be sent without waiting. An item larger than any window
    /// goes when nothing else is on its way.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let (room, waiting) = (self.outflow.room(), self.outbox.bytes() + self.owed.reserved());
        waiting + bytes <= room || (waiting == 0 && room >= limits::WINDOW - limits::HEARD)
    }

    /// Offers a new item that did not come from the other side. It is pushed at once, unless an
    /// item that it depends on has not been sent yet, or the other side stalls. Then only its name
    /// is kept.
    pub(crate) fn offer(&mut self, held: &Held, item: Item, kind: ItemKind, bytes: &Arc<[u8]>) {
        let (key, seq) = match item.place() {
            LogOrKey::Log(length) => return self.offer_record(length, bytes),
            LogOrKey::Of(key, seq) => (key, seq),
        };
        if !self.knows(&key) {
            // The comparison will find out.
            return;
        }
        let behind = self.owed.lacks_records(held.log.length())
            || match key {
                Key::Envelopes(document, _) => self.owed.owes_in(&document),
                Key::Proposal(_) => false,
            };
        if !behind && self.has_room(bytes.len()) {
            let _dropped = self.push(kind, item, bytes);
        } else if !self.owed.owes(&key) {
            self.owed.owe(key, seq - 1);
        }
    }

    fn offer_record(&mut self, length: u64, bytes: &Arc<[u8]>) {
        if self.owed.records().is_some_and(|known| known + 1 == length)
            && self.has_room(bytes.len())
        {
            let _dropped = self.push(ItemKind::Record, Item::Record { length }, bytes);
        }
    }

    /// Puts an item into the outbox.
    ///
    /// # Errors
    ///
    /// It is too long for any link, and was dropped. The other side still lacks it.
    pub(crate) fn push(
        &mut self,
        kind: ItemKind,
        item: Item,
        bytes: &Arc<[u8]>,
    ) -> Result<(), TooLong> {
        self.outbox.push(kind, Some(item), bytes)?;
        match item.place() {
            LogOrKey::Of(key, seq) => self.outflow.will_send(key, seq),
            LogOrKey::Log(length) => {
                self.owed.set_records(length);
                self.outflow.will_send_log(length);
            }
        }
        Ok(())
    }

    /// The other side has this item, since it sent it.
    pub(crate) fn has(&mut self, held: &Held, item: Item) {
        match item.place() {
            LogOrKey::Log(length) => self.owed.has_records(length),
            LogOrKey::Of(key, seq) => {
                self.owed.has(&key, seq, held.seq(&key));
                self.will_not_send(key, seq);
            }
        }
    }

    /// Of this key nothing needs to be sent up to this number.
    pub(crate) fn will_not_send(&mut self, key: Key, seq: u64) {
        if self.outflow.flying(&key) > 0 {
            self.outflow.will_not_send(&key, seq);
            self.outbox.drop_if(|waiting| match waiting.place() {
                LogOrKey::Log(_) => false,
                LogOrKey::Of(other, number) => other == key && number <= seq,
            });
        }
    }

    /// This key no longer exists: the other side needs nothing of it.
    pub(crate) fn forget(&mut self, key: Key) {
        self.owed.has(&key, u64::MAX, 0);
        self.will_not_send(key, u64::MAX);
    }

    /// Records beyond this are void.
    pub(crate) fn truncate_log(&mut self, length: u64) {
        self.owed.truncate_log(length);
        self.outflow.log_cut();
        self.outbox.drop_if(|item| match item.place() {
            LogOrKey::Log(place) => place > length,
            LogOrKey::Of(..) => false,
        });
        // Acknowledging the void branch would be read as acknowledging what replaces it.
        self.acknowledging.log = self.acknowledging.log.min(length);
    }

    /// Our position has changed. Returns whether the link was in sync until now.
    pub(crate) fn held_changed(&mut self, now: Timestamp) -> bool {
        let was_in_sync = std::mem::take(&mut self.in_sync);
        if was_in_sync {
            self.talk.turned(now);
        } else {
            self.look = true;
        }
        self.all_carried = false;
        self.talk.tell_by(now.after(limits::POSITION));
        was_in_sync
    }

    /// Returns whether the other side lacks nothing that could be sent now.
    pub(crate) fn is_caught_up(&self, log_length: u64) -> bool {
        self.outbox.is_empty() && self.owed.is_done(log_length) && self.talk.part().is_none()
    }
}
