//! What the workspaces of a replica share: its key, its draws, its writes and what it has to say.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rand_chacha::ChaCha20Rng;
use rand_core::Rng;
use rejoinder_identity::{
    ActorId, DocumentId, Incarnation, Nonce, PeerId, ProposalId, SecretKey, Timestamp, WorkspaceId,
};
use rejoinder_sync::LinkId;

use crate::{
    cards::Cards,
    event::Event,
    input::{AskId, CommandId},
    limits,
    output::{Output, Reply},
    reads::Reads,
    refused::Refused,
    store::{Batch, Load, Table},
    wish::Wish,
    writes::{Failed, Writes},
};

/// What follows a write when it is durable.
#[derive(Debug)]
pub(crate) enum After {
    /// Nothing.
    Nothing,
    /// A command is done.
    Reply(CommandId, Reply),
    /// Something of a workspace.
    In(WorkspaceId, Stored),
}

/// What of a workspace is durable.
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
    Wish { id: ProposalId, command: Option<CommandId>, ask: Option<AskId> },
}

#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) key: SecretKey,
    pub(crate) me: PeerId,
    pub(crate) name: String,
    pub(crate) incarnation: Incarnation,
    pub(crate) now: Timestamp,
    pub(crate) cards: Cards,
    pub(crate) card_counter: u64,
    /// The counter was lost with its row: the next card must be newer than any that others have.
    pub(crate) card_counter_lost: bool,
    /// Documents that have rows on the disk, and that no log which is here knows (yet): what is
    /// there of them is read when their log comes again.
    pub(crate) left_over: BTreeSet<DocumentId>,
    /// Wishes on the disk of workspaces that are not known any more.
    pub(crate) left_over_wishes: BTreeMap<WorkspaceId, Vec<Wish>>,
    /// Whose card came lately, and when.
    card_news: VecDeque<(Timestamp, PeerId)>,
    /// The place that the next durably received wish takes in the order of this home.
    pub(crate) next_arrival: u64,
    pub(crate) reads: Reads,
    rng: ChaCha20Rng,
    outputs: VecDeque<Output>,
    writes: Writes<After>,
}

impl Core {
    pub(crate) fn new(key: SecretKey, incarnation: Incarnation, rng: ChaCha20Rng) -> Self {
        Self {
            me: key.public(),
            key,
            name: String::new(),
            incarnation,
            now: Timestamp::default(),
            cards: Cards::default(),
            card_counter: 0,
            card_counter_lost: false,
            left_over: BTreeSet::new(),
            left_over_wishes: BTreeMap::new(),
            card_news: VecDeque::new(),
            next_arrival: 0,
            reads: Reads::default(),
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

    pub(crate) fn card_came(&mut self, device: PeerId) {
        self.card_news.retain(|(_, other)| *other != device);
        self.card_news.push_back((self.now, device));
    }

    /// Whose card came so lately that a hello may have been written before.
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

    /// What is written from now on follows nothing that was written before.
    pub(crate) fn begin_incarnation(&mut self) {
        self.incarnation = Incarnation(self.draw());
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
