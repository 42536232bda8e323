//! Disks that stall and fail: what was not stored is not called so.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::{StorageBackend, backends::InMemoryBackend};
use rejoinder::{
    Event, Fate,
    environment::{Backend, Directory},
};

use crate::support::{directories, form, let_in, open, options, soon, submitted, until_answer};

/// A disk in memory that can be told to stall, or to be full.
#[derive(Debug, Clone, Default)]
struct Disk(Arc<State>);

#[derive(Debug, Default)]
struct State {
    memory: InMemoryBackend,
    stalled: Mutex<bool>,
    released: Condvar,
    full: AtomicBool,
}

impl Disk {
    fn stall(&self, stalled: bool) {
        *self.0.stalled.lock().unwrap() = stalled;
        self.0.released.notify_all();
    }

    fn fill(&self, full: bool) {
        self.0.full.store(full, Ordering::SeqCst);
    }
}

impl Backend for Disk {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.clone()))
    }

    fn place(&self) -> String {
        "a disk in memory".into()
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.0.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let stalled = self.0.stalled.lock().unwrap();
        drop(self.0.released.wait_while(stalled, |stalled| *stalled).unwrap());
        if self.0.full.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.0.memory.write(offset, data)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn carried_means_on_a_peers_disk() {
    let [at_host, at_a, at_b] = directories();
    let host_home = open("host", at_host.path()).await;
    let host = host_home.create_workspace("release train").await.unwrap();
    host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let disk = Disk::default();
    let place = Directory::new(at_b.path()).with_backend(Box::new(disk.clone()));
    let b = options("b").open_at(place).await.unwrap();
    let in_b = let_in(&host, &b).await;
    let a = open("a", at_a.path()).await;
    let in_a = let_in(&host, &a).await;
    let at_a = soon("the request", in_a.open_request()).await.unwrap();
    let at_b = soon("the request", in_b.open_request()).await.unwrap();
    soon("a link between a and b", a.until_links(|links| links.len() == 2)).await.unwrap();
    host_home.close().await;

    disk.stall(true);
    at_a.submit("env", "prod").await.unwrap();
    let proposal = at_a.accept().await.unwrap();
    at_a.submit("notes", "after the accept").await.unwrap();
    // What came before it on the same link is there too, and none of it is on the disk.
    until_answer(&at_b, "notes", submitted("after the accept")).await;
    let mut fate = proposal.fate();
    let first = fate.next().await.unwrap();
    assert!(matches!(first, Fate::Saved | Fate::Carried(0)), "{first:?}");

    disk.stall(false);
    soon("carrying", async { while fate.next().await.unwrap() != Fate::Carried(1) {} }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_recovers_without_a_restart() {
    let [at] = directories();
    let disk = Disk::default();
    let place = Directory::new(at.path()).with_backend(Box::new(disk.clone()));
    let home = options("ana").open_at(place).await.unwrap();
    let host = home.create_workspace("release train").await.unwrap();
    let asked = host.start_turn("Deploy 1.4").await.unwrap().ask(form("r1")).await.unwrap();
    let mut events = home.events().unwrap();

    disk.fill(true);
    let request = asked.request().clone();
    let saved = tokio::spawn(async move { request.submit("env", "prod").await });
    soon("the failure", async {
        while !matches!(events.next().await.unwrap().event(), Some(Event::DiskFailing(_))) {}
    })
    .await;
    assert_eq!(asked.request().submit("notes", "no").await.unwrap_err().code(), "disk");
    assert_eq!(asked.request().view().await.unwrap().id.as_str(), "r1", "reading goes on");

    disk.fill(false);
    soon("the recovery", async {
        while !matches!(events.next().await.unwrap().event(), Some(Event::DiskRecovered)) {}
    })
    .await;
    let _saved_or_refused = soon("the first answer", saved).await.unwrap();
    asked.request().submit("notes", "yes").await.unwrap();
    home.close().await;
    let place = Directory::new(at.path()).with_backend(Box::new(disk));
    let home = options("ana").open_at(place).await.unwrap();
    let workspace = home.workspace(host.workspace().id()).await.unwrap().unwrap();
    let request = workspace.request("r1").await.unwrap().unwrap();
    until_answer(&request, "env", submitted("prod")).await;
    until_answer(&request, "notes", submitted("yes")).await;
}
