//! Coming in: what a device asks with, what a member answers, and what the asker makes of it.

use rejoinder_finalizer::{Checked, Join, Ruling};
use rejoinder_identity::{PeerId, Ticket, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};

use crate::{
    core::{After, Core},
    event::Event,
    input::{AskId, CommandId},
    output::Reply,
    proposals::{Content, NotCarried},
    refused::Refused,
    store::Batch,
    workspace::Workspace,
};

/// A member's answer to a device that asks to join, or says that it is a member. It tells nothing
/// about the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum JoinAnswer {
    /// You are a member: link with me.
    Member,
    /// It is on its way to the host; ask again.
    Waiting,
    /// The host said no, or a record of it did. That ends the asking, so nobody else says it.
    Refused(String),
    /// This device can't say: it is in no such workspace, or can't judge what was sent. Ask others.
    Unknown,
    /// Too many wait here already: ask again, or others.
    Busy,
}

impl JoinAnswer {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }
}

/// True if the answer to [`Replica::introductions`](crate::Replica::introductions) is that a link
/// will be taken now.
pub fn is_let_in(answer: &[u8]) -> bool {
    from_bytes("join answer", answer).is_ok_and(|answer: JoinAnswer| answer == JoinAnswer::Member)
}

impl Workspace {
    /// Answers a device at the door. `None` if the answer comes later.
    pub(crate) fn join_asked(
        &mut self,
        core: &mut Core,
        ask: AskId,
        device: PeerId,
        bytes: &[u8],
    ) -> Option<JoinAnswer> {
        if let Some(let_in) = self.introduce(core, device, bytes) {
            return Some(if let_in { JoinAnswer::Member } else { JoinAnswer::Unknown });
        }
        let content = match Content::read(bytes, &self.id) {
            Ok(content @ Content::Join(_)) if content.author() == device => content,
            Ok(_) => return Some(self.no(core, "that is not a join of this device".into())),
            Err(error) => return Some(self.no(core, format!("{error:?}"))),
        };
        if self.member(&device).is_some() {
            return Some(JoinAnswer::Member);
        }
        let id = content.id();
        match self.carry(core, content, None, None, Some(ask)) {
            Ok(()) => None,
            Err(NotCarried::Known) => Some(JoinAnswer::Waiting),
            Err(NotCarried::Answered) => Some(self.join_answer(&id).unwrap_or(JoinAnswer::Waiting)),
            // The host knows every invite; another member may be behind.
            Err(NotCarried::Unknown(_)) if !self.is_host(core) => Some(JoinAnswer::Waiting),
            Err(NotCarried::Unknown(_)) => {
                Some(JoinAnswer::Refused("the ticket is not one of this workspace".into()))
            }
            // A newer one of the same device waits in its place.
            Err(NotCarried::Superseded) => Some(JoinAnswer::Waiting),
            Err(NotCarried::NotGranted(refusal)) => Some(JoinAnswer::Refused(refusal.to_string())),
            Err(NotCarried::TooMany) => Some(JoinAnswer::Busy),
            Err(NotCarried::NotInOrder(why)) => Some(self.no(core, why)),
        }
    }

    fn is_host(&self, core: &Core) -> bool {
        self.chain.state().host() == Some(core.me)
    }

    /// Turns a join down. Only the host has the last word: this device may
    /// be of another release, or have lost what it would judge by.
    fn no(&self, core: &Core, why: String) -> JoinAnswer {
        if self.is_host(core) { JoinAnswer::Refused(why) } else { JoinAnswer::Unknown }
    }

    /// The log's answer to a join.
    pub(super) fn join_answer(&self, id: &rejoinder_identity::ProposalId) -> Option<JoinAnswer> {
        Some(match &self.chain.state().answered(id)?.ruling {
            Ruling::Granted | Ruling::Decided(_) => JoinAnswer::Member,
            Ruling::Refused(refusal) => JoinAnswer::Refused(refusal.to_string()),
        })
    }

    /// A member that we asked has answered.
    pub(crate) fn join_answered(&mut self, core: &mut Core, by: PeerId, bytes: &[u8]) {
        match from_bytes::<JoinAnswer>("join answer", bytes) {
            Ok(JoinAnswer::Member) => {
                tracing::info!(by = %by.short(), "let in");
                core.tell(Event::PeersChanged);
            }
            Ok(JoinAnswer::Waiting) => {
                core.tell(Event::JoinWaits { workspace: self.id, at: by });
            }
            Ok(JoinAnswer::Busy) => tracing::debug!(by = %by.short(), "too many wait at its door"),
            Ok(JoinAnswer::Unknown)
                if rejoinder_identity::mutant!("mutant-join-ended-by-anybody") =>
            {
                let why = "this device is in no such workspace".into();
                core.tell(Event::JoinRefused { workspace: self.id, why });
            }
            Ok(JoinAnswer::Unknown) => tracing::debug!(by = %by.short(), "can't say about a join"),
            Ok(JoinAnswer::Refused(why)) => {
                core.tell(Event::JoinRefused { workspace: self.id, why });
            }
            Err(error) => tracing::warn!(by = %by.short(), %error, "unreadable answer to a join"),
        }
    }

    /// Asks with a ticket, or finds the way back with it: a member needs no seat.
    pub(crate) fn ask_to_join(
        &mut self,
        core: &mut Core,
        command: CommandId,
        ticket: &Ticket,
    ) -> Result<(), Refused> {
        core.may_write()?;
        let fresh = core.nonce();
        let nonce = self.access.next_nonce(&self.id, core.now, fresh);
        let join = Checked::<Join>::sign(&core.key, &ticket.invite, self.id, &core.name, nonce)
            .map_err(|error| Refused::Name(error.to_string()))?;
        self.access.ask(ticket.hints.clone(), &join);
        self.save_row(core, After::Reply(command, Reply::Workspace(self.id)));
        core.tell(Event::PeersChanged);
        Ok(())
    }

    /// Stores what this home knows of the workspace beside its log.
    pub(crate) fn save_row(&self, core: &mut Core, after: After) {
        let mut batch = Batch::default();
        self.access.rows(&self.id, &mut batch);
        core.store(batch, after);
    }
}
