//! Carrying proposals of members and joins of devices: each is stored here and passed on, until a
//! record answers it.

use rejoinder_identity::{PeerId, ProposalId};
use rejoinder_sync::{Item, ItemKind, LinkId, ParkedItem, Wait};

use super::Workspace;
use crate::{
    core::{After, Core, Stored},
    event::Event,
    input::{AskId, CommandId},
    proposals::{Content, From, NotCarried},
    rows::{self, ProposalRow},
    store::{Batch, Table},
    workspace::JoinAnswer,
};

impl Workspace {
    /// Takes in a proposal or join that came over a link.
    pub(super) fn proposal_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        let content = match Content::read(bytes, &self.id) {
            Ok(content) => content,
            Err(error) => return core.close(link, format!("proposal: {error:?}")),
        };
        let (id, author) = (content.id(), content.author());
        match self.carry(core, content, Some(link), None, None) {
            Ok(()) | Err(NotCarried::Answered | NotCarried::Superseded) => {}
            Err(NotCarried::Known) => {
                self.sync.seen_again(core.now, link, Item::Proposal(id));
            }
            Err(NotCarried::Unknown(whom)) => {
                let item = ParkedItem { link, kind: ItemKind::Proposal, bytes: bytes.to_vec() };
                if let Err(overflow) = self.parked.park(author, Wait::Author(whom), item) {
                    tracing::warn!(%overflow, "not parked");
                }
            }
            Err(NotCarried::TooMany) => {
                self.refuse(core, link, format!("too many proposals by {}", author.short()));
            }
            Err(NotCarried::NotInOrder(why)) => core.close(link, why),
            Err(NotCarried::NotGranted(refusal)) => {
                self.refuse(core, link, format!("a join of {}: {refusal}", author.short()));
            }
        }
    }

    /// Stores a proposal or join and passes it on.
    pub(super) fn carry(
        &mut self,
        core: &mut Core,
        content: Content,
        from: Option<LinkId>,
        command: Option<CommandId>,
        ask: Option<AskId>,
    ) -> Result<(), NotCarried> {
        let id = content.id();
        let asked = match ask {
            None => From::Member,
            Some(_) => From::Door { host: self.hosting.is_some() },
        };
        self.proposals.admit(self.chain.log(), core.now, &content, asked)?;
        let arrival = core.next_arrival;
        core.next_arrival += 1;
        let bytes = content.bytes().clone();
        let row = ProposalRow { arrival, bytes: bytes.to_vec() };
        let mut batch = Batch::default();
        if let Content::Join(join) = &content {
            // One waits for each device, the newest.
            for older in self.proposals.joins_of(&join.value().device) {
                if rejoinder_identity::mutant!("mutant-older-joins-stay") {
                    continue;
                }
                batch.delete(Table::Proposals, rows::proposal_key(&self.id, &older));
                self.drop_join(core, &older, &JoinAnswer::Waiting);
            }
        }
        batch.put(Table::Proposals, rows::proposal_key(&self.id, &id), rows::value(&row));
        tracing::debug!(proposal = %id, author = %content.author().short(), "proposal");
        self.proposals.insert(content, arrival);
        core.store(batch, After::In(self.id, Stored::Proposal { id, command, ask }));
        if rejoinder_identity::mutant!("mutant-proposal-not-carried") {
            return Ok(());
        }
        self.sync.add_proposal(core.now, id, &bytes, from);
        Ok(())
    }

    /// Drops the joins that a device still has here: it became a member, which answers them.
    pub(super) fn drop_joins_of(&mut self, core: &mut Core, device: &PeerId) {
        let mut batch = Batch::default();
        if rejoinder_identity::mutant!("mutant-older-joins-stay") {
            return;
        }
        for id in self.proposals.joins_of(device) {
            // The one that the record names is dropped with its answer.
            if self.chain.state().answered(&id).is_none() {
                batch.delete(Table::Proposals, rows::proposal_key(&self.id, &id));
                self.drop_join(core, &id, &JoinAnswer::Member);
            }
        }
        if !batch.is_empty() {
            core.store(batch, After::Nothing);
        }
    }

    fn drop_join(&mut self, core: &mut Core, id: &ProposalId, answer: &JoinAnswer) {
        self.proposals.remove_join(id);
        self.sync.drop_proposal(core.now, id);
        self.answer_those_at_the_door(core, id, answer);
    }

    /// A proposal or join is on this disk.
    pub(super) fn proposal_stored(&mut self, core: &mut Core, id: ProposalId) {
        self.sync.stored(core.now, Item::Proposal(id));
        if !self.proposals.stored(&id) {
            return;
        }
        self.tell_fate(core, id);
        if let Some(hosting) = &mut self.hosting {
            hosting.queue_proposal(id);
        }
    }

    /// Tells how far one of this device's own proposals has come, if that is news.
    pub(super) fn tell_fate(&mut self, core: &mut Core, proposal: ProposalId) {
        if let Some(fate) = self.proposals.news(self.chain.log(), &proposal) {
            tracing::debug!(%proposal, ?fate, "fate");
            core.tell(Event::Fate { workspace: self.id, proposal, fate });
        }
    }

    /// A request is over, or open again: so are the completions that this device has proposed.
    pub(super) fn tell_completions(
        &mut self,
        core: &mut Core,
        opening: &rejoinder_identity::OpeningId,
    ) {
        for proposal in self.proposals.own_completions(opening) {
            self.tell_fate(core, proposal);
        }
    }

    /// Notes that a peer has a proposal on its disk.
    pub(super) fn proposal_acknowledged(&mut self, core: &mut Core, by: PeerId, id: ProposalId) {
        if self.proposals.acknowledged(self.chain.log(), by, &id) {
            self.tell_fate(core, id);
        }
    }
}
