//! A home that is open: the device, its workspaces and its links.

use std::net::SocketAddr;

use rejoinder_identity::{Incarnation, PeerId, Ticket, WorkspaceId};
use rejoinder_replica::{Backlog, Command, Replica, Reply, Work};
use tokio::task::JoinHandle;

use crate::{
    error::{Closed, NotDone},
    events::Events,
    handle::{Call, Handle, Topic},
    host::Host,
    links::LinkView,
    node,
    states::States,
    workspace::Workspace,
};

/// A home that is open. While it is, it links with the members of its workspaces and carries what
/// is theirs. Dropping it ends all that, and loses nothing that was saved; [`close`](Self::close)
/// also hands over what others lack, and says goodbye.
#[derive(Debug)]
#[must_use = "dropping a home closes it"]
pub struct Home {
    handle: Handle,
    node: JoinHandle<()>,
    me: PeerId,
    incarnation: Incarnation,
}

impl Home {
    pub(crate) fn start(opened: node::Opened) -> Self {
        let node::Opened { node, handle, me, incarnation } = opened;
        Self { handle, node: tokio::spawn(node.run()), me, incarnation }
    }

    /// This device.
    pub fn me(&self) -> PeerId {
        self.me
    }

    /// This run of the home.
    pub fn incarnation(&self) -> Incarnation {
        self.incarnation
    }

    /// Makes a workspace, which this device hosts. Returns when it is saved.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn create_workspace(&self, title: impl Into<String>) -> Result<Host, NotDone> {
        self.host_by(Command::CreateWorkspace { title: title.into() }).await
    }

    /// Hosts a workspace that this home made. Returns when this run is on record as its host.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn host(&self, workspace: WorkspaceId) -> Result<Host, NotDone> {
        self.host_by(Command::Host(workspace)).await
    }

    async fn host_by(&self, command: Command) -> Result<Host, NotDone> {
        let Reply::Workspace(id) = self.handle.command(command).await? else {
            unreachable!("a workspace is the reply to that");
        };
        Ok(Host::new(self.handle.clone(), self.me, id))
    }

    /// Asks to join a workspace, or finds the way back to one. Returns when that is saved; it goes
    /// on until this device is let in, also after a restart: see [`Workspace::joined`].
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn join(&self, ticket: Ticket) -> Result<Workspace, NotDone> {
        let Reply::Workspace(id) = self.handle.command(Command::Join(Box::new(ticket))).await?
        else {
            unreachable!("a workspace is the reply to that");
        };
        Ok(Workspace::new(self.handle.clone(), id))
    }

    /// The workspaces of this home, those too that have not let it in yet.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, Closed> {
        let ids = self.handle.read(|replica| replica.workspaces()).await?;
        Ok(ids.into_iter().map(|id| Workspace::new(self.handle.clone(), id)).collect())
    }

    /// That workspace, if it is one of this home.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn workspace(&self, id: WorkspaceId) -> Result<Option<Workspace>, Closed> {
        Ok(self.workspaces().await?.into_iter().find(|workspace| workspace.id() == id))
    }

    /// The ids of this home's workspaces, and how they change.
    pub fn watch_workspaces(&self) -> States<Vec<WorkspaceId>> {
        States::new(&self.handle, Topic::Workspaces, |replica| Some(replica.workspaces()))
    }

    /// Everything that happens from now on, in order. The first event says where this home can be
    /// reached.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub fn events(&self) -> Result<Events, Closed> {
        self.handle.events()
    }

    /// The work that waits inside. An idle home has none.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn backlog(&self) -> Result<Backlog, Closed> {
        self.handle.read(Replica::backlog).await
    }

    /// The most that the home has computed at one go, since it was opened.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn work(&self) -> Result<Work, Closed> {
        self.handle.read(Replica::work).await
    }

    /// The links as they are.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn links(&self) -> Result<Vec<LinkView>, Closed> {
        self.handle.ask(Call::Links).await
    }

    /// Waits until the links are so. Returns them.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn until_links(
        &self,
        so: impl Fn(&[LinkView]) -> bool,
    ) -> Result<Vec<LinkView>, Closed> {
        let mut changes = States::new(&self.handle, Topic::Links, |_| Some(()));
        loop {
            changes.next().await.ok_or_else(|| self.handle.closed())?;
            let links = self.links().await?;
            if so(&links) {
                return Ok(links);
            }
        }
    }

    /// The addresses at which this home can be reached.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn addresses(&self) -> Result<Vec<SocketAddr>, Closed> {
        self.handle.ask(Call::Addresses).await
    }

    /// Says goodbye on all links, and neither dials nor accepts any more. Returns when that is so.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn offline(&self) -> Result<(), Closed> {
        self.handle.ask(Call::Offline).await
    }

    /// Dials and accepts again.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn online(&self) -> Result<(), Closed> {
        self.handle.ask(Call::Online).await
    }

    /// Changes the name by which others know this device where it joins from now on.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn rename(&self, name: impl Into<String>) -> Result<(), NotDone> {
        self.handle.order(Command::Name(name.into())).await
    }

    /// Closes the home: linked members get what they lack, for a few seconds at most, then a
    /// goodbye; what waits for the disk is written; the directory is free when this returns.
    pub async fn close(mut self) {
        if self.handle.call(Call::Close).is_ok() {
            // It was aborted: then there is nothing more to wait for.
            let _ended = (&mut self.node).await;
        }
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        self.node.abort();
    }
}
