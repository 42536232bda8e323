//! State that the workspaces of a replica share: its key, its draws, its writes and its outputs.

use std::{
    collections::{BTreeMap, VecDeque},
    net::SocketAddr,
};

use rand_chacha::ChaCha20Rng;
use rand_core::Rng;
use rejoinder_answers::Writer;
use rejoinder_identity::{
    ActorId, DocumentId, Incarnation, Nonce, PeerId, ProposalId, SecretKey, Timestamp, Tip,
    WorkspaceId,
};
use rejoinder_sync::LinkId;

use crate::{
    card::Card,
    cards::Cards,
    event::Event,
    input::{AskId, CommandId},
    limits,
    output::{Output, Reply},
    proposals::Pending,
    reads::Reads,
    refused::Refused,
    rows::{self, DeviceRow},
    store::{Batch, Load, Table},
    work::Work,
    writes::{Failed, Writes},
};

/// The consequence of a write that is durable.
#[derive(Debug)]
pub(crate) enum After {
    /// Nothing.
    Nothing,
    /// This device's new card may leave: its counter is never used for another.
    Card(Card, Option<CommandId>),
    /// A command is done.
    Reply(CommandId, Reply),
    /// Something of a workspace.
    In(WorkspaceId, Stored),
}

/// Something of a workspace that is durable.
#[derive(Debug)]
pub(crate) enum Stored {
    /// Records from elsewhere: the log up to this length.
    Records { length: u64 },
    /// The host's own record, which nobody has heard of until now.
    HostRecord,
    /// Changes of a document.
    Envelopes {
        document: DocumentId,
        actor: ActorId,
        seq: u64,
        count: usize,
        command: Option<CommandId>,
    },
    /// A proposal or join.
    Proposal { id: ProposalId, command: Option<CommandId>, ask: Option<AskId> },
}

#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) key: SecretKey,
    pub(crate) me: PeerId,
    pub(crate) name: String,
    /// This run of the home. A link belongs to it, whatever this run writes as.
    pub(crate) run: Incarnation,
    /// As whom this device writes: the run at first, and another after a failed write.
    pub(crate) incarnation: Incarnation,
    pub(crate) now: Timestamp,
    pub(crate) cards: Cards,
    pub(crate) card_counter: u64,
    /// The addresses that this device was last told are its own. `None` before it was told any.
    addresses: Option<Vec<SocketAddr>>,
    /// The card that was signed last in this run; it may not be on the disk yet.
    signed: Option<Card>,
    /// When it signed cards because others had newer ones of a life that it has forgotten.
    outdone: VecDeque<Timestamp>,
    /// True once it was told that there is another copy of this home.
    is_copy_told: bool,
    /// The counter was lost with its row: the next card must be newer than any that others have.
    pub(crate) card_counter_lost: bool,
    /// Documents that have rows on the disk, and that no log which is here knows (yet): what is
    /// there of them is read when their log comes again. With what their version vector rows say.
    pub(crate) left_over: BTreeMap<DocumentId, BTreeMap<ActorId, (PeerId, Tip)>>,
    /// Proposals on the disk of workspaces that are not known any more.
    pub(crate) left_over_proposals: BTreeMap<WorkspaceId, Vec<Pending>>,
    /// Devices whose cards came lately, and when.
    card_news: VecDeque<(Timestamp, PeerId)>,
    /// The place that the next durably received proposal takes in the order of this home.
    pub(crate) next_arrival: u64,
    pub(crate) reads: Reads,
    /// Work that was computed in this call.
    pub(crate) work: Work,
    rng: ChaCha20Rng,
    outputs: VecDeque<Output>,
    writes: Writes<After>,
}

impl Core {
    pub(crate) fn new(key: SecretKey, run: Incarnation, rng: ChaCha20Rng) -> Self {
        Self {
            me: key.public(),
            key,
            name: String::new(),
            run,
            incarnation: run,
            now: Timestamp::default(),
            cards: Cards::default(),
            card_counter: 0,
            addresses: None,
            signed: None,
            outdone: VecDeque::new(),
            is_copy_told: false,
            card_counter_lost: false,
            left_over: BTreeMap::new(),
            left_over_proposals: BTreeMap::new(),
            card_news: VecDeque::new(),
            next_arrival: 0,
            reads: Reads::default(),
            work: Work::default(),
            rng,
            outputs: VecDeque::new(),
            writes: Writes::new(),
        }
    }

    pub(crate) fn draw<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.fill_bytes(&mut bytes);
        bytes
    }

    pub(crate) fn nonce(&mut self) -> Nonce {
        Nonce(self.draw())
    }

    /// A card came, in a hello or as an item. Gives its device if it is newer than what is here.
    pub(crate) fn take_card(
        &mut self,
        bytes: &[u8],
        is_member: impl Fn(&PeerId) -> bool,
    ) -> Option<PeerId> {
        let card = Card::read(bytes)?;
        if card.device() == self.me {
            self.outdo(&card);
            return None;
        }
        self.cards.take(card, is_member)
    }

    /// Others have a card of this device that this home doesn't know: it was set back, or copied.
    /// They would believe that one and not what is signed here, so what is here is signed again,
    /// above it. What that card says is never taken for one's own addresses.
    ///
    /// Two copies of a home that both run would do so to each other without end, so it is done a
    /// few times; after that the next card is above it, and nothing is said before.
    fn outdo(&mut self, past: &Card) {
        if rejoinder_identity::mutant!("mutant-set-back-address-not-outdone") {
            return;
        }
        let known = self.cards.bytes(&self.me) == Some(past.bytes());
        if past.counter() < self.card_counter || (past.counter() == self.card_counter && known) {
            return;
        }
        self.card_counter = past.counter();
        if !std::mem::replace(&mut self.is_copy_told, true) {
            self.tell(Event::OwnCopy);
        }
        let now = self.now;
        self.outdone.retain(|at| now.since(*at) < limits::CARD_NEWS);
        if let Some(addresses) = self.addresses.clone()
            && self.outdone.len() < limits::OUTDONE
        {
            self.outdone.push_back(now);
            self.sign_card(addresses, None);
        }
    }

    /// Signs a card with these addresses and stores it. It leaves when it is on the disk, with its
    /// counter: after a crash in between another of the same counter would be another card.
    pub(crate) fn sign_card(&mut self, addresses: Vec<SocketAddr>, command: Option<CommandId>) {
        self.card_counter = self.card_counter.saturating_add(1);
        let card = Card::sign(&self.key, addresses, self.card_counter);
        self.signed = Some(card.clone());
        let mut batch = Batch::default();
        let row = DeviceRow { name: self.name.clone(), card_counter: self.card_counter };
        batch.put(Table::Meta, rows::DEVICE.to_vec(), rows::value(&row));
        batch.put(Table::Addresses, rows::card_key(&self.me), card.bytes().to_vec());
        self.store(batch, After::Card(card, command));
    }

    /// Stores what this home is called.
    pub(crate) fn save_device(&mut self, after: After) {
        let row = DeviceRow { name: self.name.clone(), card_counter: self.card_counter };
        let mut batch = Batch::default();
        batch.put(Table::Meta, rows::DEVICE.to_vec(), rows::value(&row));
        self.store(batch, after);
    }

    /// Stores the newest card of a device.
    pub(crate) fn save_card(&mut self, device: &PeerId) {
        let Some(bytes) = self.cards.bytes(device).cloned() else { return };
        let mut batch = Batch::default();
        batch.put(Table::Addresses, rows::card_key(device), bytes.to_vec());
        self.store(batch, After::Nothing);
    }

    /// True if these are the addresses of this device, and its newest card, on the disk or about to
    /// be, says so and is above all that is known to be out there.
    pub(crate) fn advertises(&mut self, addresses: &[SocketAddr]) -> bool {
        self.addresses = Some(addresses.to_vec());
        let newest = self.signed.as_ref().or_else(|| self.cards.get(&self.me));
        newest.is_some_and(|card| {
            card.counter() == self.card_counter && card.addresses() == addresses
        })
    }

    pub(crate) fn card_came(&mut self, device: PeerId) {
        self.card_news.retain(|(_, other)| *other != device);
        self.card_news.push_back((self.now, device));
    }

    /// Devices whose cards came so lately that a hello may have been written before.
    pub(crate) fn card_news(&mut self) -> Vec<PeerId> {
        let now = self.now;
        self.card_news.retain(|(came, _)| now.since(*came) < limits::CARD_NEWS);
        self.card_news.iter().map(|(_, device)| *device).collect()
    }

    pub(crate) fn next_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    pub(crate) fn tell(&mut self, event: Event) {
        self.outputs.push_back(Output::Tell(event));
    }

    pub(crate) fn reply(&mut self, command: CommandId, result: Result<Reply, Refused>) {
        self.outputs.push_back(Output::Reply(command, result));
    }

    pub(crate) fn answer_join(&mut self, ask: AskId, bytes: Vec<u8>) {
        self.outputs.push_back(Output::AnswerJoin(ask, bytes));
    }

    pub(crate) fn send(&mut self, link: LinkId, workspace: &WorkspaceId, message: &[u8]) {
        self.outputs.push_back(Output::Send(link, [&workspace.0, message].concat()));
    }

    pub(crate) fn close(&mut self, link: LinkId, why: String) {
        self.outputs.push_back(Output::Close(link, why));
    }

    pub(crate) fn load(&mut self, workspace: WorkspaceId, document: DocumentId) {
        let id = self.reads.ask(workspace, document);
        let load = Load { table: Table::Envelopes, prefix: document.0.to_vec() };
        self.outputs.push_back(Output::Load(id, load));
    }

    pub(crate) fn store(&mut self, batch: Batch, after: After) {
        if let Some((id, batch)) = self.writes.ask(batch, after) {
            self.outputs.push_back(Output::Store(id, batch));
        }
    }

    pub(crate) fn stored(&mut self, id: crate::store::WriteId) -> Option<After> {
        let (after, recovered) = self.writes.stored(id)?;
        if recovered {
            self.tell(Event::DiskRecovered);
            self.retry();
        }
        Some(after)
    }

    /// Notes a failed write. What is written from now on is written as another incarnation: no
    /// later change of this run may follow one of which nobody knows whether it is on the disk.
    pub(crate) fn store_failed(&mut self, id: crate::store::WriteId, why: String) {
        if self.writes.failed(self.now, id, why.clone()) == Failed::First {
            self.begin_incarnation();
            self.tell(Event::DiskFailing(why));
        }
    }

    #[cfg(rejoinder_mutants)]
    pub(crate) fn give_up(
        &mut self,
        id: crate::store::WriteId,
        which: impl Fn(&After) -> bool,
    ) -> Option<After> {
        self.writes.give_up(id, which)
    }

    /// Begins another incarnation: what is written from now on follows nothing that was written
    /// before.
    pub(crate) fn begin_incarnation(&mut self) {
        self.incarnation = Incarnation(self.draw());
    }

    /// As whom this device writes now.
    pub(crate) fn writer(&self) -> Writer {
        Writer { device: self.me, incarnation: self.incarnation, now: self.now }
    }

    pub(crate) fn retry(&mut self) {
        for (id, batch) in self.writes.due(self.now) {
            self.outputs.push_back(Output::Store(id, batch));
        }
    }

    pub(crate) fn writes(&self) -> &Writes<After> {
        &self.writes
    }

    /// Refuses what a person wants to write while the disk refuses writes.
    pub(crate) fn may_write(&self) -> Result<(), Refused> {
        self.writes.failing().map_or(Ok(()), |why| Err(Refused::Disk(why.to_owned())))
    }
}
