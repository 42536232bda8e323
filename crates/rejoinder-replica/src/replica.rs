//! The machine: what happened is routed to the workspace that it is about, and what that wants
//! done comes out.

mod links;
mod shown;

use std::collections::BTreeMap;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use rejoinder_identity::{Incarnation, PeerId, SecretKey, Timestamp, WorkspaceId};
use rejoinder_sync::LinkId;

use crate::{
    access::Access,
    core::{After, Core},
    input::Input,
    output::Output,
    reads::ReadFailed,
    restore::{RestoreError, restore},
    store::{LoadId, Loaded, Restored, WriteId},
    work::Work,
    workspace::Workspace,
};

/// The identity of a replica.
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
            core.save_device(After::Nothing);
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

    /// Returns what to do next, `None` if it waits for something to happen.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.core.next_output()
    }

    /// When to say [`Input::Timeout`], at the latest.
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let syncs = self.workspaces.values().filter_map(Workspace::poll_timeout);
        syncs.chain(self.core.writes().timeout()).chain(self.core.reads.timeout()).min()
    }
}

/// Routing of an input to the workspace that it is about.
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

    pub(crate) fn add_workspace(&mut self, id: WorkspaceId) -> &mut Workspace {
        let seed = self.core.draw();
        let new = || Workspace::new(id, seed, Access::default());
        let workspace = self.workspaces.entry(id).or_insert_with(new);
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
}

/// Time and the disk.
impl Replica {
    /// People look at open requests first; the others are read when they are asked for, except
    /// those of which something is known to be damaged.
    fn read_open_documents(&mut self) {
        for id in self.ids() {
            self.with(id, |workspace, core| {
                workspace.read_open_documents(core);
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
                workspace.timeout(core);
            });
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
