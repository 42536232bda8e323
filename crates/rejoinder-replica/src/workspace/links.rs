//! The links of a workspace: who is there, and what [`Sync`](rejoinder_sync::Sync) wants done.

use rejoinder_identity::PeerId;
use rejoinder_sync::{Carried, Effect, LinkId};

use crate::{
    core::Core,
    event::Event,
    workspace::{Told, Workspace},
};

impl Workspace {
    /// A link to a device is up. It is of this workspace when the device was let in.
    pub(crate) fn link_up(&mut self, core: &mut Core, link: LinkId, peer: PeerId) {
        if self.deals_with(&peer) && !self.peers.contains(link) {
            self.peers.insert(link, peer);
            self.sync.link_up(core.now, link);
            #[cfg(rejoinder_mutants)]
            self.sync.take_up(link, peer);
            for device in core.card_news() {
                if device != peer
                    && self.member(&device).is_some()
                    && let Some(bytes) = core.cards.bytes(&device).cloned()
                {
                    self.sync.push_card_to(core.now, link, &bytes);
                }
            }
        }
    }

    pub(crate) fn link_down(&mut self, link: LinkId) {
        self.introductions.forget_link(link);
        if let Some(_peer) = self.peers.remove(link) {
            #[cfg(rejoinder_mutants)]
            self.sync.keep(link, _peer);
            self.sync.link_down(link);
            self.parked.forget_link(link);
        }
    }

    pub(crate) fn frame(&mut self, core: &mut Core, link: LinkId, peer: PeerId, bytes: &[u8]) {
        if !self.peers.contains(link) {
            return self.stranger_said(core, link, peer, bytes);
        }
        if let Err(misbehaved) = self.sync.receive(core.now, link, bytes) {
            core.close(link, misbehaved.to_string());
        }
    }

    /// Does what replication wants, until it wants nothing more. What is released by that comes
    /// before the next thing.
    pub(super) fn pump_sync(&mut self, core: &mut Core) {
        loop {
            self.follow(core);
            let Some(effect) = self.sync.poll_effect() else { return };
            match effect {
                Effect::Send(link, frame) => core.send(link, &self.id, &frame),
                Effect::Arrived { link, kind, bytes } => self.arrived(core, link, kind, &bytes),
                Effect::WantRecords { link, from, budget } => {
                    self.records_wanted(core, link, from, budget);
                }
                Effect::WantEnvelopes { link, document, after, budget } => {
                    self.envelopes_wanted(core, link, document, after, budget);
                }
                Effect::WantProposals { link, ids } => {
                    let proposals = ids
                        .into_iter()
                        .filter_map(|id| Some((id, self.proposals.get(&id)?.bytes().clone())))
                        .collect();
                    self.sync.send_proposals(core.now, link, proposals);
                }
                Effect::Carried { link, carried } => self.carried(core, link, carried),
                Effect::InSync(link, yes) => self.peers.set_in_sync(link, yes),
                Effect::Unheard(link) => {
                    if let Some(introduction) = self.introduction(core) {
                        core.send(link, &self.id, &introduction);
                    }
                }
            }
        }
    }

    fn records_wanted(&mut self, core: &mut Core, link: LinkId, from: u64, budget: usize) {
        self.sync.send_records(core.now, link, from, self.chain.from(from, budget));
    }

    fn carried(&mut self, core: &mut Core, link: LinkId, carried: Carried) {
        let Some(peer) = self.peers.peer(link) else { return };
        match carried {
            Carried::Everything => {
                self.documents.all_acknowledged();
                self.peers.whole_log_acknowledged(link, self.chain.position().length);
                for proposal in self.proposals.own_waiting() {
                    self.proposal_acknowledged(core, peer, proposal);
                }
            }
            Carried::These { envelopes, proposals, log_length } => {
                for (document, actor, seq) in envelopes {
                    self.documents.acknowledged(document, actor, seq);
                }
                for proposal in proposals {
                    self.proposal_acknowledged(core, peer, proposal);
                }
                self.peers.log_acknowledged(link, log_length);
            }
        }
    }

    /// Tells what is so now of what is counted and not said by any one thing that happens: a link
    /// that comes or goes, an acknowledgement, a record and a read can each change it.
    pub(crate) fn tell_state(&mut self, core: &mut Core) {
        let (before, workspace) = (self.told, self.id);
        self.told = Told { in_sync: self.peers.all_in_sync(), uncarried: self.uncarried() };
        #[cfg(rejoinder_mutants)]
        let before = self.untold_changes(before);
        if self.told.uncarried != before.uncarried {
            core.tell(Event::Uncarried { workspace, count: self.told.uncarried });
        }
        if self.told.in_sync != before.in_sync {
            core.tell(Event::InSync { workspace, yes: self.told.in_sync });
        }
    }

    /// The state that was told before, without the changes that a fault does not tell.
    #[cfg(rejoinder_mutants)]
    fn untold_changes(&self, before: Told) -> Told {
        Told {
            in_sync: match rejoinder_identity::mutant!("mutant-in-sync-and-not-told") {
                true => self.told.in_sync,
                false => before.in_sync,
            },
            uncarried: match rejoinder_identity::mutant!("mutant-carried-and-not-told") {
                true => self.told.uncarried,
                false => before.uncarried,
            },
        }
    }

    /// True if every linked member has the same and every own edit and proposal is on a peer's
    /// disk.
    pub(crate) fn synced(&self) -> bool {
        self.peers.all_in_sync() && self.uncarried() == 0 && !self.proposals.any_alone()
    }

    /// True if every linked member has the whole log on its disk.
    pub(crate) fn delivered(&self) -> bool {
        self.peers.all_have_log(self.chain.position().length)
    }

    pub(super) fn card_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        let is_member = |device: &PeerId| self.chain.state().members().contains_key(device);
        if let Some(device) = core.take_card(bytes, is_member) {
            if is_member(&device) {
                core.save_card(&device);
            }
            core.card_came(device);
            core.tell(Event::PeersChanged);
            self.pass_on_card(core, &device, Some(link));
        }
    }

    /// Tells the linked members where a device is now.
    pub(crate) fn pass_on_card(&mut self, core: &mut Core, device: &PeerId, from: Option<LinkId>) {
        if let Some(bytes) = core.cards.bytes(device).cloned() {
            self.sync.push_card(core.now, &bytes, from);
        }
    }
}
