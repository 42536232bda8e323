//! Wishes: proposals of members and joins of devices, carried until a record answers them.

use rejoinder_finalizer::{Checked, Join, Proposal, Refusal};
use rejoinder_identity::{Kind, Nonce, PeerId, ProposalId};
use rejoinder_sync::{Item, ItemKind, LinkId, ParkedItem, Wait};

use crate::{
    core::{After, Core, Stored},
    input::{AskId, CommandId},
    join::JoinAnswer,
    limits,
    rows::{self, ProposalRow},
    store::{Batch, Table},
    workspace::Workspace,
};

/// Something that waits for the host.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) content: Content,
    /// Its place in the order in which this home durably received it; none until it is stored.
    pub(crate) arrival: u64,
    pub(crate) stored: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Content {
    Proposal(Box<Checked<Proposal>>),
    Join(Box<Checked<Join>>),
}

/// Why a wish that somebody sent is not carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotCarried {
    /// Broken or forged.
    NotInOrder(String),
    /// A record answers it.
    Answered,
    /// It is here.
    Known,
    /// Its author, or the invite that vouches for it, is not known here.
    Unknown(PeerId),
    /// There are too many of its kind.
    TooMany,
    /// A newer join of the same device waits here.
    Superseded,
    /// The log says already that its invite can't bring it in.
    NotGranted(Refusal),
}

impl Content {
    /// Reads and checks.
    pub(crate) fn read(
        bytes: &[u8],
        workspace: &rejoinder_identity::WorkspaceId,
    ) -> Result<Self, NotCarried> {
        let broken =
            |error: rejoinder_finalizer::NotInOrder| NotCarried::NotInOrder(error.to_string());
        if bytes.first() == Some(&(Kind::Join as u8)) {
            let join = Checked::<Join>::read(bytes, workspace).map_err(broken)?;
            return Ok(Self::Join(Box::new(join)));
        }
        let proposal = Checked::<Proposal>::read(bytes, workspace).map_err(broken)?;
        Ok(Self::Proposal(Box::new(proposal)))
    }

    pub(crate) fn id(&self) -> ProposalId {
        match self {
            Self::Proposal(proposal) => proposal.proposal_id(),
            Self::Join(join) => join.proposal_id(),
        }
    }

    /// Who signed.
    pub(crate) fn author(&self) -> PeerId {
        match self {
            Self::Proposal(proposal) => proposal.signer(),
            Self::Join(join) => join.signer(),
        }
    }

    pub(crate) fn bytes(&self) -> &std::sync::Arc<[u8]> {
        match self {
            Self::Proposal(proposal) => proposal.bytes(),
            Self::Join(join) => join.bytes(),
        }
    }
}

/// Which of a device's joins is the newer one, alike for everybody: its nonces grow.
fn newness(join: &Checked<Join>) -> (Nonce, ProposalId) {
    (join.value().nonce, join.proposal_id())
}

impl Workspace {
    /// A proposal or join came over a link.
    pub(crate) fn wish_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
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

    /// Stores a wish and passes it on.
    pub(crate) fn carry(
        &mut self,
        core: &mut Core,
        content: Content,
        from: Option<LinkId>,
        command: Option<CommandId>,
        ask: Option<AskId>,
    ) -> Result<(), NotCarried> {
        let id = content.id();
        self.may_carry(core, &content, ask.is_some())?;
        let arrival = core.next_arrival;
        core.next_arrival += 1;
        let bytes = content.bytes().clone();
        let row = ProposalRow { arrival, bytes: bytes.to_vec() };
        let mut batch = Batch::default();
        if let Content::Join(join) = &content {
            // One waits for each device, the newest.
            for older in self.joins_of(&join.value().device) {
                if rejoinder_identity::mutant!("mutant-older-joins-stay") {
                    continue;
                }
                batch.delete(Table::Proposals, rows::proposal_key(&self.id, &older));
                self.drop_join(core, &older, &JoinAnswer::Waiting);
            }
        }
        batch.put(Table::Proposals, rows::proposal_key(&self.id, &id), rows::value(&row));
        tracing::debug!(proposal = %id, author = %content.author().short(), "proposal");
        self.wishes.insert(id, Wish { content, arrival, stored: false });
        core.store(batch, After::In(self.id, Stored::Wish { id, command, ask }));
        if rejoinder_identity::mutant!("mutant-proposal-not-carried") {
            return Ok(());
        }
        self.sync.add_proposal(core.now, id, &bytes, from);
        Ok(())
    }

    fn may_carry(
        &mut self,
        core: &Core,
        content: &Content,
        at_door: bool,
    ) -> Result<(), NotCarried> {
        let (id, author) = (content.id(), content.author());
        let answered = self.log.state().answered(&id).is_some();
        let answered = answered && !rejoinder_identity::mutant!("mutant-proposal-answered-twice");
        if answered {
            return Err(NotCarried::Answered);
        }
        if self.wishes.contains_key(&id) {
            return Err(NotCarried::Known);
        }
        match content {
            Content::Proposal(_) => {
                self.member(&author).ok_or(NotCarried::Unknown(author))?;
                self.unanswered.hold(author, id).map_err(|_| NotCarried::TooMany)
            }
            Content::Join(join) => {
                if self.member(&author).is_some() {
                    return Err(NotCarried::Answered);
                }
                self.may_carry_join(core, join, at_door)
            }
        }
    }

    /// What comes over a link is at another member's already: to leave it there would keep the two
    /// apart for as long as it waits. So what is asked of this door is judged by more.
    fn may_carry_join(
        &self,
        core: &Core,
        join: &Checked<Join>,
        at_door: bool,
    ) -> Result<(), NotCarried> {
        let Join { device, invite, .. } = join.value();
        let Some(held) = self.log.state().invites().get(invite) else {
            return Err(NotCarried::Unknown(*invite));
        };
        if at_door && held.taken >= held.seats {
            return Err(NotCarried::NotGranted(Refusal::NoSeatLeft { seats: held.seats }));
        }
        if at_door && self.hosting.is_some() && core.now > held.expires {
            let expired = held.expires;
            return Err(NotCarried::NotGranted(Refusal::InviteExpired { expired }));
        }
        let (mut all, mut of_invite) = (0, 0);
        for other in self.joins() {
            let theirs = other.value();
            if theirs.device != *device {
                all += 1;
                of_invite += usize::from(theirs.invite == *invite);
            } else if newness(other) > newness(join) {
                return Err(NotCarried::Superseded);
            }
        }
        let full = all >= limits::WAITING_JOINS
            || (at_door && of_invite >= limits::WAITING_JOINS_PER_INVITE);
        if full { Err(NotCarried::TooMany) } else { Ok(()) }
    }

    fn joins(&self) -> impl Iterator<Item = &Checked<Join>> {
        self.wishes.values().filter_map(|wish| match &wish.content {
            Content::Proposal(_) => None,
            Content::Join(join) => Some(&**join),
        })
    }

    /// The joins of a device that wait here: one, or several in a home of an older release.
    pub(crate) fn joins_of(&self, device: &PeerId) -> Vec<ProposalId> {
        let of_it = self.joins().filter(|join| join.value().device == *device);
        of_it.map(Checked::<Join>::proposal_id).collect()
    }

    /// A device became a member: the joins that it still has here are answered by that.
    pub(crate) fn drop_joins_of(&mut self, core: &mut Core, device: &PeerId) {
        let mut batch = Batch::default();
        if rejoinder_identity::mutant!("mutant-older-joins-stay") {
            return;
        }
        for id in self.joins_of(device) {
            // The one that the record names is dropped with its answer.
            if self.log.state().answered(&id).is_none() {
                batch.delete(Table::Proposals, rows::proposal_key(&self.id, &id));
                self.drop_join(core, &id, &JoinAnswer::Member);
            }
        }
        if !batch.is_empty() {
            core.store(batch, After::Nothing);
        }
    }

    fn drop_join(&mut self, core: &mut Core, id: &ProposalId, answer: &JoinAnswer) {
        self.wishes.remove(id);
        self.sync.drop_proposal(core.now, id);
        self.answer_those_at_the_door(core, id, answer);
    }

    /// A wish is on this disk.
    pub(crate) fn wish_stored(&mut self, core: &mut Core, id: ProposalId) {
        self.sync.stored(core.now, Item::Proposal(id));
        let Some(wish) = self.wishes.get_mut(&id) else { return };
        wish.stored = true;
        if let Some(course) = self.courses.get_mut(&id) {
            course.saved = true;
            self.tell_fate(core, id);
        }
        if let Some(hosting) = &mut self.hosting {
            hosting.queue_wish(id);
        }
    }
}
