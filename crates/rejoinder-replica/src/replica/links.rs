//! The links of a replica: whom to link with, and what comes over a link for which workspace.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use rejoinder_identity::{Hint, PeerId, WorkspaceId};
use rejoinder_sync::LinkId;

use super::Replica;
use crate::{event::Event, hello::Hello, input::AskId, limits, workspace::JoinAnswer};

/// Links to make.
impl Replica {
    /// The devices to link with, and where each was last known to be.
    pub fn peers(&self) -> BTreeMap<PeerId, Vec<SocketAddr>> {
        let mut peers: BTreeMap<PeerId, Vec<SocketAddr>> = BTreeMap::new();
        for workspace in self.workspaces.values() {
            for peer in workspace.devices().filter(|peer| **peer != self.core.me) {
                let addresses = peers.entry(*peer).or_default();
                let hinted = workspace.hinted_addresses(peer);
                for address in self.core.cards.addresses(peer).iter().chain(hinted) {
                    if !addresses.contains(address) {
                        addresses.push(*address);
                    }
                }
            }
        }
        peers
    }

    /// True if a device may link with this one.
    pub fn may_link(&self, peer: &PeerId) -> bool {
        *peer != self.core.me && self.workspaces.values().any(|one| one.deals_with(peer))
    }

    /// The first message on a link to `peer`. It names the run of the home, not as whom that run
    /// writes: after a failed write two links of one run would count as two copies of the home, and
    /// a third, which is one, would find no room.
    pub fn hello(&self, peer: &PeerId) -> Hello {
        let shared: Vec<_> = self.workspaces.values().filter(|one| one.is_let_in(peer)).collect();
        let cards = self.core.cards.for_hello(&self.core.me, |device| {
            shared.iter().any(|workspace| workspace.member(device).is_some())
        });
        Hello { version: Hello::VERSION, incarnation: self.core.run, cards }
    }

    /// The request to join a workspace that has not let this device in, and whom to ask.
    pub fn join_ask(&self, id: &WorkspaceId) -> Option<(Vec<u8>, Vec<Hint>)> {
        let workspace = self.workspaces.get(id)?;
        if workspace.member(&self.core.me).is_some() {
            return None;
        }
        let (join, hints) = workspace.join_ask()?;
        Some(([&id.0[..], join].concat(), hints.to_vec()))
    }

    /// Introductions to a member that does not let this device in, to be sent one after the other
    /// until an answer [lets it in](crate::is_let_in): it may have been away when this device
    /// became one.
    pub fn introductions(&self, peer: &PeerId) -> Vec<Vec<u8>> {
        let shared = self.workspaces.iter().filter(|(_, one)| one.member(peer).is_some());
        let asks = shared
            .filter_map(|(id, one)| Some([&id.0[..], &one.introduction(&self.core)?].concat()));
        asks.take(limits::INTRODUCTIONS).collect()
    }
}

/// Inputs from links.
impl Replica {
    pub(super) fn link_up(&mut self, link: LinkId, peer: PeerId, hello: &[u8]) {
        let hello = match Hello::from_bytes(hello) {
            Ok(hello) => hello,
            Err(error) => return self.core.close(link, error.to_string()),
        };
        tracing::info!(peer = %peer.short(), link = link.0, "link up");
        self.links.insert(link, peer);
        self.take_cards(&hello.cards);
        for id in self.ids() {
            self.with(id, |workspace, core| workspace.link_up(core, link, peer));
        }
    }

    /// Cards that a hello brought. Those who are linked already hear of them too: else two members
    /// who know each other through this one alone would never find each other without it.
    fn take_cards(&mut self, cards: &[Vec<u8>]) {
        let Self { core, workspaces, .. } = self;
        let is_member =
            |device: &PeerId| workspaces.values().any(|one| one.member(device).is_some());
        let newer: BTreeSet<_> =
            cards.iter().filter_map(|card| core.take_card(card, is_member)).collect();
        for device in &newer {
            core.card_came(*device);
            if is_member(device) {
                core.save_card(device);
            }
        }
        if !newer.is_empty() {
            core.tell(Event::PeersChanged);
        }
        for id in self.ids() {
            self.with(id, |workspace, core| {
                for device in &newer {
                    if workspace.member(device).is_some() {
                        workspace.pass_on_card(core, device, None);
                    }
                }
            });
        }
    }

    pub(super) fn link_down(&mut self, link: LinkId) {
        if let Some(peer) = self.links.remove(&link) {
            tracing::info!(peer = %peer.short(), link = link.0, "link down");
            for id in self.ids() {
                self.with(id, |workspace, _| workspace.link_down(link));
            }
        }
    }

    pub(super) fn frame(&mut self, link: LinkId, bytes: &[u8]) {
        let Some((id, message)) = bytes.split_first_chunk() else {
            return self.core.close(link, "a frame without a workspace".into());
        };
        let Some(peer) = self.links.get(&link).copied() else { return };
        self.with(WorkspaceId(*id), |workspace, core| {
            workspace.frame(core, link, peer, message);
        });
    }

    pub(super) fn join_asked(&mut self, ask: AskId, device: PeerId, bytes: &[u8]) {
        // A join over the air says first which workspace it is for.
        let answer = bytes.split_first_chunk().and_then(|(id, join)| {
            let id = WorkspaceId(*id);
            self.with(id, |workspace, core| workspace.join_asked(core, ask, device, join))
        });
        if let Some(answer) = answer.unwrap_or(Some(JoinAnswer::Unknown)) {
            self.core.answer_join(ask, answer.to_bytes());
        }
    }

    /// A record may have made the other side of a link a member.
    pub(super) fn link_new_members(&mut self, id: WorkspaceId) {
        let Some(workspace) = self.workspaces.get_mut(&id) else { return };
        if self.links.len() == workspace.links() {
            return;
        }
        for (link, peer) in &self.links {
            workspace.link_up(&mut self.core, *link, *peer);
        }
        workspace.pump(&mut self.core);
    }
}
