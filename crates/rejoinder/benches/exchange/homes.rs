//! Two homes of this process, linked over loopback: the thing that is measured.

use std::{
    net::Ipv4Addr,
    sync::{Arc, atomic::Ordering},
};

use rejoinder::{Home, Host, Invite, Request, Turn, Workspace, environment::Environment};
use tempfile::TempDir;

use crate::{
    Outcome,
    counting::{Counting, Sent},
    work,
};

/// One home that asks, and one that answers with it.
pub(crate) struct Homes {
    pub(crate) here: Home,
    pub(crate) there: Home,
    sent: Sent,
    _scratch: TempDir,
}

/// A workspace that both are in.
pub(crate) struct Shared {
    host: Host,
    turn: Turn,
    workspace: Workspace,
    asked: usize,
}

impl Homes {
    pub(crate) async fn open() -> Outcome<Self> {
        let (scratch, sent) = (tempfile::tempdir()?, Sent::default());
        let open = |name: &'static str| {
            let network = Arc::new(Counting(Arc::clone(&sent)));
            let environment = Environment { network, ..Environment::real() };
            let options = Home::options().name(name).listen((Ipv4Addr::LOCALHOST, 0).into());
            options.environment(environment).open(scratch.path().join(name))
        };
        let (here, there) = (open("here").await?, open("there").await?);
        Ok(Self { here, there, sent, _scratch: scratch })
    }

    /// A new workspace.
    pub(crate) async fn share(&self) -> Outcome<Shared> {
        let host = self.here.create_workspace("a benchmark").await?;
        let turn = host.start_turn("go").await?;
        let workspace = self.there.join(host.ticket(Invite::default()).await?).await?;
        workspace.joined().await?;
        Ok(Shared { host, turn, workspace, asked: 0 })
    }

    /// The bytes that both have sent so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub(crate) async fn close(self) {
        self.there.close().await;
        self.here.close().await;
    }
}

impl Shared {
    /// A request that nobody has answered, as both see it.
    pub(crate) async fn ask(&mut self) -> Outcome<(Request, Request)> {
        self.asked += 1;
        let asked = self.turn.ask(work::form(&format!("r{}", self.asked))).await?;
        let here = asked.request().clone();
        let mut requests = self.workspace.requests();
        while requests.next().await.is_some() {
            if let Some(there) = self.workspace.request_opened(here.opening()).await? {
                // Its document is in memory when it was read.
                there.read().await?;
                return Ok((here, there));
            }
        }
        Err("the home was closed".into())
    }

    /// Waits until both hold the same, on both disks.
    pub(crate) async fn synced(&self) -> Outcome<()> {
        let (here, there) = tokio::join!(self.host.workspace().synced(), self.workspace.synced());
        here?;
        there?;
        Ok(())
    }
}
