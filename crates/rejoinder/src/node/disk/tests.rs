//! The disk of a node, with one in memory that fails when it is told so.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use redb::{StorageBackend, backends::InMemoryBackend};
use rejoinder_replica::Table;
use rejoinder_storage::Backend;

use super::*;
use crate::{
    environment::DiskLatency,
    place::{StoreAt, Taken},
};

/// A disk in memory whose syncs fail when it is told so.
#[derive(Debug, Clone, Default)]
struct Faulty {
    memory: Arc<InMemoryBackend>,
    fails: Arc<AtomicBool>,
    failures: Arc<AtomicUsize>,
    syncs: Arc<AtomicUsize>,
}

impl Backend for Faulty {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.clone()))
    }

    fn place(&self) -> String {
        "a faulty disk".into()
    }
}

impl StorageBackend for Faulty {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        if self.fails.load(Ordering::SeqCst) {
            self.failures.fetch_add(1, Ordering::SeqCst);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.syncs.fetch_add(1, Ordering::SeqCst);
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.memory.write(offset, data)
    }
}

#[derive(Debug)]
struct InMemory(Faulty);

impl Place for InMemory {
    fn take(&mut self, fresh: [u8; 32]) -> Result<Taken, OpenError> {
        Ok(Taken {
            key: SecretKey::from_seed(fresh),
            store: StoreAt::Backend(Box::new(self.0.clone())),
            hold: Box::new(()),
        })
    }
}

/// A disk whose work takes no time.
#[derive(Debug)]
struct AtOnce;

impl DiskLatency for AtOnce {
    fn until_done(&self) -> Duration {
        Duration::ZERO
    }

    fn until_heard(&self) -> Duration {
        Duration::ZERO
    }
}

fn task() -> DiskDriver {
    DiskDriver::Task(Arc::new(AtOnce))
}

async fn open(how: DiskDriver, faulty: &Faulty) -> Disk {
    let opened = Disk::open(how, Box::new(InMemory(faulty.clone())), [1; 32]).await;
    opened.map_err(|(error, _)| error).expect("it opens").disk
}

fn row(number: u8) -> Batch {
    let mut batch = Batch::default();
    batch.put(Table::Records, vec![number], vec![]);
    batch
}

async fn rows(disk: &mut Disk) -> Vec<u8> {
    disk.load(LoadId(9), Load { table: Table::Records, prefix: vec![] });
    match disk.answered().await {
        Some(Input::Loaded(LoadId(9), loaded)) => {
            loaded.rows.into_iter().map(|(key, _)| key[0]).collect()
        }
        other => panic!("not the rows: {other:?}"),
    }
}

/// The next answer: which write, and whether it is stored.
async fn next(disk: &mut Disk) -> (u64, bool) {
    match disk.answered().await {
        Some(Input::Stored(id)) => (id.0, true),
        Some(Input::StoreFailed(id, _)) => (id.0, false),
        other => panic!("not about a write: {other:?}"),
    }
}

#[tokio::test]
async fn a_write_on_its_way_fails_with_the_one_before_it_though_the_disk_is_well_again() {
    let faulty = Faulty::default();
    let mut disk = open(task(), &faulty).await;
    faulty.fails.store(true, Ordering::SeqCst);
    disk.write(WriteId(0), row(0));
    while faulty.failures.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    faulty.fails.store(false, Ordering::SeqCst);
    // The node has not heard of the failure, and asks for a write that may depend on it.
    disk.write(WriteId(1), row(1));
    assert_eq!(next(&mut disk).await, (0, false));
    disk.write(WriteId(2), row(2));
    assert_eq!(next(&mut disk).await, (1, false));
    assert_eq!(next(&mut disk).await, (2, false));
    // Now it has heard of all: what it asks for again is written.
    disk.write(WriteId(0), row(0));
    assert_eq!(next(&mut disk).await, (0, true));
    assert_eq!(rows(&mut disk).await, [0]);
}

#[tokio::test]
async fn writes_that_wait_together_are_committed_together_and_a_read_sees_them() {
    let faulty = Faulty::default();
    let mut disk = open(task(), &faulty).await;
    let before = faulty.syncs.load(Ordering::SeqCst);
    disk.write(WriteId(0), row(0));
    assert_eq!(next(&mut disk).await, (0, true));
    let one = faulty.syncs.load(Ordering::SeqCst) - before;
    for number in 1..=100 {
        disk.write(WriteId(number.into()), row(number));
    }
    disk.load(LoadId(9), Load { table: Table::Records, prefix: vec![] });
    for number in 1..=100 {
        assert_eq!(next(&mut disk).await, (number, true));
    }
    let hundred = faulty.syncs.load(Ordering::SeqCst) - before - one;
    assert_eq!(hundred, one, "one commit");
    let Some(Input::Loaded(_, loaded)) = disk.answered().await else { panic!("no rows") };
    assert_eq!(loaded.rows.len(), 101);
}

#[tokio::test]
async fn what_was_asked_for_is_written_before_it_is_closed() {
    for how in [DiskDriver::Thread, task()] {
        let faulty = Faulty::default();
        let mut disk = open(how.clone(), &faulty).await;
        disk.write(WriteId(0), row(7));
        disk.close().await;
        let mut disk = open(how.clone(), &faulty).await;
        assert_eq!(rows(&mut disk).await, [7], "{how:?}");
    }
}
