//! The simulated disk of one machine: it holds a home, and behaves as disks do. It loses unsynced
//! writes, tears writes, fails, fills up, rots, and can be set back or copied.

use std::{
    any::Any,
    io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use redb::StorageBackend;
use rejoinder::{
    OpenError, SecretKey,
    environment::{Backend, DiskLatency, Place, StoreAt, Taken},
};
use tokio::time::Instant;

use crate::{
    draws::Draws,
    fault::{Fired, MachineFault, Mishap},
    ground::Ground,
    moment::Work,
};

/// The smallest unit of a torn write.
const SECTOR: usize = 512;

/// A disk with a home on it. It outlives the processes that use it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Disk(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    /// The seed of the device's key.
    key: Option<[u8; 32]>,
    home: File,
    /// The file that replaces the home's if that is damaged.
    beside: File,
    /// The number of the process that has the disk. Operations of older processes are refused.
    process: u64,
    held: bool,
    /// The time that one round of operations takes.
    latency: Duration,
    /// The extra time that the next round takes.
    stall: Duration,
    /// The time until which the round under way stalls.
    stalls_until: Option<Instant>,
    full: bool,
    /// True if every read fails.
    unreadable: bool,
    /// The number of syncs that are to fail.
    failing: u32,
    /// The number of writes until the process dies in one.
    dies_in: Option<u32>,
    snapshots: Vec<Vec<u8>>,
}

#[derive(Debug, Default)]
struct File {
    /// The bytes as the process sees them.
    now: Vec<u8>,
    /// The bytes that a crash leaves.
    synced: Vec<u8>,
    unsynced: Vec<Write>,
}

impl File {
    fn of(bytes: Vec<u8>) -> Self {
        Self { now: bytes.clone(), synced: bytes, unsynced: Vec::new() }
    }
}

/// One of the files of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Home,
    Beside,
}

#[derive(Debug)]
enum Write {
    Bytes(u64, Vec<u8>),
    Len(u64),
}

impl Write {
    fn apply(&self, to: &mut Vec<u8>) {
        match self {
            Self::Len(len) => to.resize(*len as usize, 0),
            Self::Bytes(offset, bytes) => {
                let range = *offset as usize..*offset as usize + bytes.len();
                to.resize(to.len().max(range.end), 0);
                to[range].copy_from_slice(bytes);
            }
        }
    }
}

impl Inner {
    fn file(&mut self, which: Which) -> &mut File {
        match which {
            Which::Home => &mut self.home,
            Which::Beside => &mut self.beside,
        }
    }
}

impl Disk {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the home on the disk, for a new process.
    pub(crate) fn place(&self, fired: Fired) -> SimPlace {
        SimPlace { disk: self.clone(), fired }
    }

    /// Ends the process as a crash does. Each unsynced write is kept, lost or torn.
    pub(crate) fn crash(&self, draws: &mut Draws, fired: &Fired) {
        let mut inner = self.lock();
        // An unfinished file is not looked for after a crash.
        inner.beside = File::default();
        let mut unsynced = std::mem::take(&mut inner.home.unsynced);
        // Sorted by place, so that the order of writes in a page cache makes no difference.
        unsynced.sort_by_key(|write| match write {
            Write::Len(_) => (0, 0),
            Write::Bytes(offset, _) => (1, *offset),
        });
        for write in unsynced {
            match (draws.below(3), write) {
                (0, _) => fired.count(Mishap::LostWrite),
                (1, Write::Bytes(offset, mut bytes)) if bytes.len() > SECTOR => {
                    let sectors = (bytes.len() / SECTOR) as u64;
                    bytes.truncate(draws.below(sectors) as usize * SECTOR);
                    fired.count(Mishap::TornWrite);
                    Write::Bytes(offset, bytes).apply(&mut inner.home.synced);
                }
                (_, write) => write.apply(&mut inner.home.synced),
            }
        }
        inner.home.now = inner.home.synced.clone();
        inner.process += 1;
        (inner.held, inner.dies_in, inner.failing) = (false, None, 0);
        (inner.stall, inner.stalls_until) = (Duration::ZERO, None);
    }

    pub(crate) fn set_latency(&self, latency: Duration) {
        self.lock().latency = latency;
    }

    pub(crate) fn set_full(&self, full: bool) {
        self.lock().full = full;
    }

    /// Makes the next round take longer by this time.
    pub(crate) fn stall(&self, longer: Duration) {
        self.lock().stall = longer;
    }

    /// True if the round under way stalls.
    pub(crate) fn stalls(&self) -> bool {
        self.lock().stalls_until.is_some_and(|until| Instant::now() < until)
    }

    pub(crate) fn set_unreadable(&self, unreadable: bool) {
        self.lock().unreadable = unreadable;
    }

    pub(crate) fn fail_syncs(&self, times: u32) {
        self.lock().failing = times;
    }

    /// Makes the process die in one of its next writes: see [`Disk::died`].
    pub(crate) fn die_in(&self, writes: u32) {
        self.lock().dies_in = Some(writes);
    }

    /// Takes back [`die_in`](Self::die_in).
    pub(crate) fn live(&self) {
        self.lock().dies_in = None;
    }

    /// True if the process died in a write.
    pub(crate) fn died(&self) -> bool {
        self.lock().dies_in == Some(0)
    }

    pub(crate) fn flip_bit(&self, draws: &mut Draws) {
        let mut inner = self.lock();
        let bit = draws.below(inner.home.synced.len() as u64 * 8) as usize;
        let flip = |bytes: &mut Vec<u8>| {
            if let Some(byte) = bytes.get_mut(bit / 8) {
                *byte ^= 1 << (bit % 8);
            }
        };
        flip(&mut inner.home.synced);
        flip(&mut inner.home.now);
    }

    /// Takes a snapshot of the durable state. Returns its number.
    pub(crate) fn snapshot(&self) -> usize {
        let mut inner = self.lock();
        let bytes = inner.home.synced.clone();
        inner.snapshots.push(bytes);
        inner.snapshots.len() - 1
    }

    /// Sets a disk that no process uses back to a snapshot.
    pub(crate) fn restore(&self, snapshot: usize) {
        let mut inner = self.lock();
        inner.home = File::of(inner.snapshots[snapshot].clone());
    }

    /// Returns a new disk with a copy of this home.
    pub(crate) fn copy(&self) -> Self {
        let inner = self.lock();
        let (key, synced) = (inner.key, inner.home.synced.clone());
        drop(inner);
        let copy = Self::default();
        {
            let mut copied = copy.lock();
            (copied.key, copied.home) = (key, File::of(synced));
        }
        copy
    }

    fn handle(&self, inner: &Inner) -> Handle {
        let (disk, process) = (self.clone(), inner.process);
        Handle { disk, which: Which::Home, process, fired: Fired::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().home.synced.len()
    }
}

/// A disk's latency, for the process of a peer.
#[derive(Debug)]
pub(crate) struct Paced {
    pub(crate) disk: Disk,
    pub(crate) ground: Arc<Ground>,
    pub(crate) peer: String,
}

impl DiskLatency for Paced {
    fn until_done(&self) -> Duration {
        self.ground.works(&self.peer, Work::Rounds);
        let mut inner = self.disk.lock();
        let stall = std::mem::take(&mut inner.stall);
        if !stall.is_zero() {
            inner.stalls_until = Some(Instant::now() + inner.latency + stall);
        }
        inner.latency + stall
    }

    fn until_heard(&self) -> Duration {
        self.disk.lock().latency / 4
    }
}

/// The home on a disk, for one process to take.
#[derive(Debug)]
pub(crate) struct SimPlace {
    disk: Disk,
    fired: Fired,
}

impl Place for SimPlace {
    fn take(&mut self, fresh: [u8; 32]) -> Result<Taken, OpenError> {
        let mut inner = self.disk.lock();
        if inner.held {
            // It is held by this very process, so the engine waits for it.
            let pid = Some(std::process::id());
            return Err(OpenError::InUse { home: PathBuf::from("simulated"), pid });
        }
        inner.held = true;
        inner.process += 1;
        let process = inner.process;
        let key = SecretKey::from_seed(*inner.key.get_or_insert(fresh));
        drop(inner);
        let (disk, fired) = (self.disk.clone(), self.fired.clone());
        let handle = Handle { disk: disk.clone(), which: Which::Home, process, fired };
        let hold: Box<dyn Any + Send> = Box::new(Hold { disk, process });
        Ok(Taken { key, store: StoreAt::Backend(Box::new(handle)), hold })
    }
}

struct Hold {
    disk: Disk,
    process: u64,
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut inner = self.disk.lock();
        if inner.process == self.process {
            inner.held = false;
        }
    }
}

/// A disk, as one process sees it.
#[derive(Debug, Clone)]
struct Handle {
    disk: Disk,
    which: Which,
    process: u64,
    fired: Fired,
}

impl Handle {
    fn alive(&self) -> io::Result<MutexGuard<'_, Inner>> {
        let inner = self.disk.lock();
        if inner.process != self.process || inner.dies_in == Some(0) {
            return Err(io::Error::other("the process is dead"));
        }
        Ok(inner)
    }

    fn writable(&self) -> io::Result<MutexGuard<'_, Inner>> {
        let mut inner = self.alive()?;
        if let Some(left) = &mut inner.dies_in {
            *left -= 1;
            if *left == 0 {
                self.fired.count(MachineFault::CrashInWrite);
                return Err(io::Error::other("the process died in this write"));
            }
        }
        if inner.full {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(inner)
    }
}

impl Backend for Handle {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        drop(self.alive()?);
        Ok(Box::new(self.clone()))
    }

    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.alive()?.beside = File::default();
        Ok(Box::new(Self { which: Which::Beside, ..self.clone() }))
    }

    fn replace(&self) -> io::Result<String> {
        let mut inner = self.writable()?;
        // Unsynced writes to the new file are lost, as if the machine died now.
        let new = File::of(std::mem::take(&mut inner.beside).synced);
        let old = std::mem::replace(&mut inner.home, new);
        inner.snapshots.push(old.synced);
        Ok(format!("snapshot {}", inner.snapshots.len() - 1))
    }

    fn place(&self) -> String {
        "simulated".into()
    }
}

impl StorageBackend for Handle {
    fn len(&self) -> io::Result<u64> {
        Ok(self.alive()?.file(self.which).now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut inner = self.alive()?;
        if inner.unreadable {
            self.fired.count(MachineFault::FailedRead);
            return Err(io::Error::other("the read failed"));
        }
        let now = &inner.file(self.which).now;
        let range = offset as usize..offset as usize + out.len();
        out.copy_from_slice(now.get(range).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut inner = self.writable()?;
        let file = inner.file(self.which);
        file.now.resize(len as usize, 0);
        file.unsynced.push(Write::Len(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut inner = self.writable()?;
        if inner.failing > 0 {
            inner.failing -= 1;
            self.fired.count(MachineFault::FailedSync);
            return Err(io::Error::other("the sync failed"));
        }
        let File { unsynced, synced, .. } = inner.file(self.which);
        for write in unsynced.drain(..) {
            write.apply(synced);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut inner = self.writable()?;
        let file = inner.file(self.which);
        let range = offset as usize..offset as usize + data.len();
        file.now.get_mut(range).ok_or(io::ErrorKind::UnexpectedEof)?.copy_from_slice(data);
        file.unsynced.push(Write::Bytes(offset, data.to_vec()));
        Ok(())
    }
}

/// A disk without a process, as it is.
impl Backend for Disk {
    fn open(&self) -> io::Result<Box<dyn StorageBackend>> {
        let mut inner = self.lock();
        inner.process += 1;
        Ok(Box::new(self.handle(&inner)))
    }

    fn open_beside(&self) -> io::Result<Box<dyn StorageBackend>> {
        let handle = self.handle(&self.lock());
        handle.open_beside()
    }

    fn replace(&self) -> io::Result<String> {
        let handle = self.handle(&self.lock());
        handle.replace()
    }

    fn place(&self) -> String {
        "a copy of a simulated disk".into()
    }
}
