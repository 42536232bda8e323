//! The machine: what happened is routed to the workspace that it is about, and what that wants
//! done comes out.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rejoinder_identity::{
    Hint, Incarnation, OpeningId, PeerId, ProposalId, SecretKey, Timestamp, WorkspaceId,
};
use rejoinder_sync::LinkId;

use crate::{
    backlog::Backlog,
    core::{After, Core, Stored},
    dispatch::save_device,
    event::{Event, Fate},
    hello::Hello,
    input::{AskId, Input},
    limits,
    output::Output,
    reads::ReadFailed,
    restore::{RestoreError, restore},
    store::{LoadId, Loaded, Restored, WriteId},
    view::{ChatView, MemberView, RequestView, WorkspaceView},
    work::Work,
    workspace::JoinAnswer,
    workspace::Workspace,
    workspace::save_card,
};

/// What a replica is.
#[derive(Debug)]
pub struct Config {
    /// The device's key.
    pub key: SecretKey,
    /// This run of the home: fresh random bytes each time.
    pub incarnation: Incarnation,
    /// The name to be known by, if the home has none yet.
    pub name: String,
}

/// The state machine of one device for its workspaces.
///
/// Tell it what happened with [`handle`](Self::handle), then do what
/// [`poll_output`](Self::poll_output) says until it says nothing more, and come back at
/// [`poll_timeout`](Self::poll_timeout). It opens nothing, waits for nothing and reads no clock.
#[derive(Debug)]
pub struct Replica {
    core: Core,
    workspaces: BTreeMap<WorkspaceId, Workspace>,
    links: BTreeMap<LinkId, PeerId>,
    /// The most of a call.
    work: Work,
}

impl Replica {
    /// A replica of what its home held when it was opened. All its random draws come from `seed`.
    ///
    /// # Errors
    ///
    /// The home is damaged; the error names the row.
    pub fn new(config: Config, seed: [u8; 32], restored: Restored) -> Result<Self, RestoreError> {
        let rng = ChaCha20Rng::from_seed(seed);
        let mut core = Core::new(config.key, config.incarnation, rng);
        let workspaces = restore(&mut core, restored)?;
        if core.name.is_empty() {
            core.name = config.name;
        }
        if core.card_counter_lost {
            save_device(&mut core, After::Nothing);
        }
        let mut replica = Self { core, workspaces, links: BTreeMap::new(), work: Work::default() };
        replica.read_open_documents();
        Ok(replica)
    }

    /// Tells it what happened. `now` never runs backwards; if it does, it stands still.
    pub fn handle(&mut self, now: Timestamp, input: Input) {
        self.core.now = self.core.now.max(now);
        self.core.work = Work::default();
        match input {
            Input::Timeout => self.timeout(),
            Input::LinkUp { link, peer, hello } => self.link_up(link, peer, &hello),
            Input::Frame { link, bytes } => self.frame(link, &bytes),
            Input::LinkDown { link } => self.link_down(link),
            Input::JoinAsked { ask, device, bytes } => self.join_asked(ask, device, &bytes),
            Input::JoinAnswered { by, bytes, workspace } => {
                self.with(workspace, |workspace, core| workspace.join_answered(core, by, &bytes));
            }
            Input::Stored(id) => self.stored(id),
            #[cfg(rejoinder_mutants)]
            Input::StoreFailed(id, why) if self.forgot(id, &why) => {}
            Input::StoreFailed(id, why) => self.core.store_failed(id, why),
            Input::Loaded(id, loaded) => self.loaded(id, loaded),
            Input::Salvaged(salvaged) => self.salvaged(salvaged),
            Input::LoadFailed(id, why) => self.load_failed(id, why),
            Input::Command(id, command) => self.command(id, command),
        }
        self.work = self.work.max(self.core.work);
    }

    /// What to do next; none when it waits for something to happen.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.core.next_output()
    }

    /// When to say [`Input::Timeout`], at the latest.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let syncs = self.workspaces.values().filter_map(|one| one.sync.poll_timeout());
        syncs.chain(self.core.writes().timeout()).chain(self.core.reads.timeout()).min()
    }

    /// This device.
    pub fn me(&self) -> PeerId {
        self.core.me
    }

    /// As which incarnation it writes now; another one after a failed write.
    pub fn incarnation(&self) -> Incarnation {
        self.core.incarnation
    }

    /// What to say first on a link to `peer`. It names the run of the home, not as whom that run
    /// writes: after a failed write two links of one run would count as two copies of the home, and
    /// a third, which is one, would find no room.
    pub fn hello(&self, peer: &PeerId) -> Hello {
        let shared: Vec<_> = self.workspaces.values().filter(|one| one.is_let_in(peer)).collect();
        let cards = self.core.cards.for_hello(&self.core.me, |device| {
            shared.iter().any(|workspace| workspace.member(device).is_some())
        });
        Hello { version: Hello::VERSION, incarnation: self.core.run, cards }
    }

    /// Whom to link with, and where each was last known to be.
    pub fn peers(&self) -> BTreeMap<PeerId, Vec<SocketAddr>> {
        let mut peers: BTreeMap<PeerId, Vec<SocketAddr>> = BTreeMap::new();
        for workspace in self.workspaces.values() {
            let members = workspace.chain.state().members().keys();
            let hinted = workspace.access.hints().iter().map(|hint| &hint.device);
            let introduced = workspace.introduced();
            for peer in
                members.chain(hinted).chain(introduced).filter(|peer| **peer != self.core.me)
            {
                let addresses = peers.entry(*peer).or_default();
                let hints = workspace.access.hints().iter().filter(|hint| hint.device == *peer);
                let hinted = hints.flat_map(|hint| &hint.addresses);
                for address in self.core.cards.addresses(peer).iter().chain(hinted) {
                    if !addresses.contains(address) {
                        addresses.push(*address);
                    }
                }
            }
        }
        peers
    }

    /// Whether a device may link with this one.
    pub fn may_link(&self, peer: &PeerId) -> bool {
        *peer != self.core.me && self.workspaces.values().any(|one| one.deals_with(peer))
    }

    /// The workspaces of this home.
    pub fn workspaces(&self) -> Vec<WorkspaceId> {
        self.workspaces.keys().copied().collect()
    }

    /// One of them, as it is shown.
    pub fn workspace(&self, id: &WorkspaceId) -> Option<WorkspaceView> {
        self.workspaces.get(id).map(|workspace| workspace.view(&self.core))
    }

    /// The members of a workspace.
    pub fn members(&self, id: &WorkspaceId) -> Vec<MemberView> {
        self.workspaces.get(id).into_iter().flat_map(Workspace::members).collect()
    }

    /// One request, as it is shown.
    pub fn request(&self, id: &WorkspaceId, opening: &OpeningId) -> Option<RequestView> {
        self.workspaces.get(id)?.view_of(opening)
    }

    /// The requests that this device's host asked and whose outcomes its program has not taken.
    pub fn untold(&self, id: &WorkspaceId) -> Vec<OpeningId> {
        let workspace = self.workspaces.get(id);
        workspace.map(|one| one.outcomes.untold(one.chain.state())).unwrap_or_default()
    }

    /// The chat of a workspace and its session.
    pub fn chat(&self, id: &WorkspaceId) -> Option<ChatView> {
        self.workspaces.get(id).map(Workspace::chat)
    }

    /// How far a proposal of this device has come.
    pub fn fate(&self, id: &WorkspaceId, proposal: &ProposalId) -> Option<Fate> {
        let workspace = self.workspaces.get(id)?;
        workspace.proposals.fate(workspace.chain.log(), proposal)
    }

    /// Whether a link is up, log heads and version vectors are equal with every linked member, and every
    /// own edit and proposal is on a peer's disk.
    pub fn synced(&self, id: &WorkspaceId) -> bool {
        self.workspaces.get(id).is_some_and(Workspace::synced)
    }

    /// Whether every linked member has the whole log on its disk.
    pub fn delivered(&self, id: &WorkspaceId) -> bool {
        self.workspaces.get(id).is_some_and(Workspace::delivered)
    }

    /// What waits in it.
    pub fn backlog(&self) -> Backlog {
        let workspaces = || self.workspaces.values();
        Backlog {
            parked: workspaces().map(|workspace| workspace.parked.len()).max().unwrap_or(0),
            unwritten: self.core.writes().bytes(),
            unread: self.core.reads.held(),
            leaving: workspaces().map(|workspace| workspace.sync.leaving()).max().unwrap_or(0),
        }
    }

    /// The most that one call of [`handle`](Self::handle) has computed so far, of each kind.
    pub fn work(&self) -> Work {
        self.work
    }

    /// What to ask whom, of a workspace that has not let this device in.
    pub fn join_ask(&self, id: &WorkspaceId) -> Option<(Vec<u8>, Vec<Hint>)> {
        let workspace = self.workspaces.get(id)?;
        if workspace.member(&self.core.me).is_some() {
            return None;
        }
        let join = workspace.access.join()?;
        Some(([&id.0[..], join].concat(), workspace.access.hints().to_vec()))
    }

    /// What to ask a member that does not let this device in, one after the other until an answer
    /// [lets it in](crate::is_let_in): it may have been away when this device became one.
    pub fn introductions(&self, peer: &PeerId) -> Vec<Vec<u8>> {
        let shared = self.workspaces.values().filter(|one| one.member(peer).is_some());
        let asks =
            shared.filter_map(|one| Some([&one.id.0[..], &one.introduction(&self.core)?].concat()));
        asks.take(limits::INTRODUCTIONS).collect()
    }

    /// The name by which others know this device.
    pub fn name(&self) -> &str {
        &self.core.name
    }
}

impl Replica {
    /// Does something in a workspace, and then what follows from it.
    pub(crate) fn with<T>(
        &mut self,
        id: WorkspaceId,
        does: impl FnOnce(&mut Workspace, &mut Core) -> T,
    ) -> Option<T> {
        let workspace = self.workspaces.get_mut(&id)?;
        let done = does(workspace, &mut self.core);
        workspace.pump(&mut self.core);
        self.link_new_members(id);
        if let Some(workspace) = self.workspaces.get_mut(&id) {
            workspace.tell_state(&mut self.core);
        }
        Some(done)
    }

    /// A record may have made the other side of a link a member.
    fn link_new_members(&mut self, id: WorkspaceId) {
        let Some(workspace) = self.workspaces.get_mut(&id) else { return };
        if self.links.len() == workspace.peers.len() {
            return;
        }
        for (link, peer) in &self.links {
            workspace.link_up(&mut self.core, *link, *peer);
        }
        workspace.pump(&mut self.core);
    }

    pub(crate) fn add_workspace(&mut self, id: WorkspaceId) -> &mut Workspace {
        let seed = self.core.draw();
        let workspace = self.workspaces.entry(id).or_insert_with(|| Workspace::new(id, seed));
        // A home that has forgotten a workspace, and is let in again, has proposed things.
        for pending in self.core.left_over_proposals.remove(&id).unwrap_or_default() {
            workspace.restore_proposal(self.core.me, pending);
        }
        workspace
    }

    pub(crate) fn has(&self, id: &WorkspaceId) -> bool {
        self.workspaces.contains_key(id)
    }

    pub(crate) fn core(&mut self) -> &mut Core {
        &mut self.core
    }

    fn ids(&self) -> Vec<WorkspaceId> {
        self.workspaces.keys().copied().collect()
    }

    /// People look at open requests first; the others are read when they are asked for, but for
    /// those of which something is known to be damaged.
    fn read_open_documents(&mut self) {
        for id in self.ids() {
            self.with(id, |workspace, core| {
                let suspect = workspace.documents.take_suspect();
                let open = workspace.chain.state().open_requests();
                let open = open.iter().map(|one| one.opening());
                let openings: BTreeSet<_> = open.chain(suspect).collect();
                for opening in openings {
                    workspace.warm_up(core, opening);
                }
            });
        }
    }

    fn timeout(&mut self) {
        self.core.retry();
        for (id, document) in self.core.reads.due(self.core.now) {
            self.with(id, |workspace, core| workspace.read_again(core, document));
        }
        for id in self.ids() {
            self.with(id, |workspace, core| {
                let due = workspace.sync.poll_timeout().is_some_and(|at| at <= core.now);
                if due {
                    workspace.sync.timeout(core.now);
                }
            });
        }
    }

    fn link_up(&mut self, link: LinkId, peer: PeerId, hello: &[u8]) {
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
                save_card(core, device);
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

    fn link_down(&mut self, link: LinkId) {
        if let Some(peer) = self.links.remove(&link) {
            tracing::info!(peer = %peer.short(), link = link.0, "link down");
            for id in self.ids() {
                self.with(id, |workspace, _| workspace.link_down(link));
            }
        }
    }

    fn frame(&mut self, link: LinkId, bytes: &[u8]) {
        let Some((id, message)) = bytes.split_first_chunk() else {
            return self.core.close(link, "a frame without a workspace".into());
        };
        let Some(peer) = self.links.get(&link).copied() else { return };
        self.with(WorkspaceId(*id), |workspace, core| {
            workspace.frame(core, link, peer, message);
        });
    }

    fn join_asked(&mut self, ask: AskId, device: PeerId, bytes: &[u8]) {
        // A join over the air says first which workspace it is for.
        let answer = bytes.split_first_chunk().and_then(|(id, join)| {
            let id = WorkspaceId(*id);
            self.with(id, |workspace, core| workspace.join_asked(core, ask, device, join))
        });
        if let Some(answer) = answer.unwrap_or(Some(JoinAnswer::Unknown)) {
            self.core.answer_join(ask, answer.to_bytes());
        }
    }

    fn stored(&mut self, id: WriteId) {
        match self.core.stored(id) {
            None | Some(After::Nothing) => {}
            Some(After::Card(card, command)) => self.card_stored(card, command),
            Some(After::Reply(command, reply)) => self.core.reply(command, Ok(reply)),
            Some(After::In(id, stored)) => {
                self.with(id, |workspace, core| workspace.stored(core, stored));
            }
        }
    }

    fn loaded(&mut self, id: LoadId, loaded: Loaded) {
        if let Some((workspace, document)) = self.core.reads.done(id) {
            self.with(workspace, |workspace, core| workspace.loaded(core, document, loaded));
        }
    }

    fn load_failed(&mut self, id: LoadId, why: String) {
        if let Some(failed) = self.core.reads.failed(self.core.now, id, why.clone()) {
            let ReadFailed { workspace, document, first } = failed;
            tracing::error!(%document, %why, "a document can't be read");
            self.with(workspace, |workspace, core| {
                workspace.load_failed(core, document, why, first);
            });
        }
    }
}

impl Workspace {
    /// Does what follows until nothing follows.
    fn pump(&mut self, core: &mut Core) {
        self.sync.take_in(core.now, !core.writes().full());
        loop {
            self.pump_sync(core);
            if !self.pump_host(core) && self.released.is_empty() {
                break;
            }
        }
    }

    fn stored(&mut self, core: &mut Core, stored: Stored) {
        match stored {
            Stored::Records { length } => {
                self.sync.stored(core.now, rejoinder_sync::Item::Record { length });
            }
            Stored::HostRecord => self.host_record_stored(core),
            Stored::Envelopes { document, actor, seq, count, command } => {
                self.envelopes_stored(core, document, actor, seq, count);
                if let Some(command) = command {
                    core.reply(command, Ok(crate::output::Reply::Saved));
                }
            }
            Stored::Proposal { id, command, ask } => {
                self.proposal_stored(core, id);
                if let Some(command) = command {
                    core.reply(command, Ok(crate::output::Reply::Proposed(id)));
                }
                if let Some(ask) = ask {
                    self.join_stored(core, id, ask);
                }
            }
        }
    }
}
