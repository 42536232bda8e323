//! Wishes: proposals of members and joins of devices, carried until a record answers them.

use rejoinder_finalizer::{Checked, Join, Proposal};
use rejoinder_identity::{Kind, PeerId, ProposalId};
use rejoinder_sync::{Item, ItemKind, LinkId, ParkedItem, Wait};

use crate::{
    core::{After, Core, Stored},
    input::{AskId, CommandId},
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

impl Workspace {
    /// A proposal or join came over a link.
    pub(crate) fn wish_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        let content = match Content::read(bytes, &self.id) {
            Ok(content) => content,
            Err(error) => return core.close(link, format!("proposal: {error:?}")),
        };
        let (id, author) = (content.id(), content.author());
        match self.carry(core, content, Some(link), None, None) {
            Ok(()) | Err(NotCarried::Answered) => {}
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
        self.may_carry(&content)?;
        let arrival = core.next_arrival;
        core.next_arrival += 1;
        let bytes = content.bytes().clone();
        let row = ProposalRow { arrival, bytes: bytes.to_vec() };
        let mut batch = Batch::default();
        batch.put(Table::Proposals, rows::proposal_key(&self.id, &id), rows::value(&row));
        tracing::debug!(proposal = %id, author = %content.author().short(), "proposal");
        self.wishes.insert(id, Wish { content, arrival, stored: false });
        core.store(batch, After::In(self.id, Stored::Wish { id, command, ask }));
        #[cfg(rejoinder_mutants)]
        if rejoinder_identity::mutant::is("mutant-proposal-not-carried") {
            return Ok(());
        }
        self.sync.add_proposal(core.now, id, &bytes, from);
        Ok(())
    }

    fn may_carry(&mut self, content: &Content) -> Result<(), NotCarried> {
        let (id, author) = (content.id(), content.author());
        let answered = self.log.state().answered(&id).is_some();
        #[cfg(rejoinder_mutants)]
        let answered =
            answered && !rejoinder_identity::mutant::is("mutant-proposal-answered-twice");
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
                let invite = join.value().invite;
                let vouched = self.log.state().invites().contains_key(&invite);
                if !vouched && self.member(&author).is_none() {
                    return Err(NotCarried::Unknown(invite));
                }
                let joins = self.wishes.values().filter(|wish| match &wish.content {
                    Content::Proposal(_) => false,
                    Content::Join(_) => true,
                });
                if joins.count() >= limits::WAITING_JOINS {
                    return Err(NotCarried::TooMany);
                }
                Ok(())
            }
        }
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
