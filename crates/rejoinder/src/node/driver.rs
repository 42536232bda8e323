//! Drives the disk: batches that wait together are committed together, in the order in which the
//! replica asked. It runs beside the node, in a thread or in a task, and ends after the node,
//! with the last write.

use std::{any::Any, time::Duration};

use rejoinder_identity::SecretKey;
use rejoinder_replica::{Batch, Input, Load, LoadId, Restored, WriteId};
use rejoinder_storage::{Store, StoreError};
use tokio::{
    sync::{mpsc, oneshot},
    time::sleep,
};

use crate::{
    environment::{DiskDriver, DiskLatency},
    error::OpenError,
    limits,
    place::{Place, StoreAt, Taken},
};

/// A request to the disk.
#[derive(Debug)]
pub(super) enum Job {
    Write { round: u64, id: WriteId, batch: Batch },
    Load(LoadId, Load),
    Keep(Batch),
}

/// A driver that has not opened its store yet.
pub(super) struct Opening {
    pub(super) place: Box<dyn Place>,
    pub(super) fresh: [u8; 32],
    pub(super) opened: oneshot::Sender<OpenResult>,
    pub(super) answers: mpsc::UnboundedSender<Input>,
}

/// The opened home. If opening failed, the place comes back.
type OpenResult = Result<(SecretKey, Restored), (OpenError, Box<dyn Place>)>;

impl Opening {
    /// Opens where it runs, so that a slow disk holds up nobody.
    pub(super) fn spawn(
        self,
        how: DiskDriver,
        asked: mpsc::UnboundedReceiver<Job>,
    ) -> Result<(), OpenError> {
        match how {
            DiskDriver::Thread => {
                let run = move || self.open().map(|driver| driver.run(asked));
                std::thread::Builder::new()
                    .name("rejoinder-disk".into())
                    .spawn(run)
                    .map_err(|error| OpenError::disk("start", "the disk's thread", error))?;
            }
            // Not among the node's own tasks, which end before the last write.
            DiskDriver::Task(pace) => {
                tokio::spawn(async move {
                    if let Some(driver) = self.open() {
                        driver.run_as_task(asked, &*pace).await;
                    }
                });
            }
        }
        Ok(())
    }

    fn open(mut self) -> Option<Driver> {
        let opened = self.place.take(self.fresh).and_then(|Taken { key, store, hold }| {
            let opened = match store {
                StoreAt::File(path) => Store::open_file(&path),
                StoreAt::CopyOf(path) => Store::open_copy(&path),
                StoreAt::Backend(backend) => Store::open(backend),
            };
            opened.map(|(store, restored)| (key, store, restored, hold)).map_err(OpenError::Store)
        });
        match opened {
            Ok((key, store, restored, hold)) => {
                // When whoever opens has given up meanwhile, the home is free again at once.
                self.opened.send(Ok((key, restored))).ok()?;
                Some(Driver {
                    store,
                    failed: None,
                    answers: self.answers,
                    unheard: Vec::new(),
                    _hold: hold,
                })
            }
            Err(error) => {
                let _given_up = self.opened.send(Err((error, self.place)));
                None
            }
        }
    }
}

/// The fields are dropped in this order: the lock goes after the store and before the node hears
/// that this is the end.
struct Driver {
    store: Store,
    /// The last round that failed, see [`Disk`](super::disk::Disk).
    failed: Option<u64>,
    /// Answers that were not sent yet.
    unheard: Vec<Input>,
    _hold: Box<dyn Any + Send>,
    answers: mpsc::UnboundedSender<Input>,
}

/// Writes that are committed together.
#[derive(Default)]
struct Group {
    /// The write that the round belongs to. `None` if it has only rows of the shell's own.
    round: Option<u64>,
    ids: Vec<WriteId>,
    batches: Vec<Batch>,
}

impl Driver {
    fn run(mut self, mut asked: mpsc::UnboundedReceiver<Job>) {
        let mut jobs = Vec::new();
        while asked.blocking_recv_many(&mut jobs, limits::DISK_GROUP) > 0 {
            self.work(&mut jobs);
            self.answer();
        }
    }

    async fn run_as_task(
        mut self,
        mut asked: mpsc::UnboundedReceiver<Job>,
        pace: &dyn DiskLatency,
    ) {
        let mut jobs = Vec::new();
        while asked.recv_many(&mut jobs, limits::DISK_GROUP).await > 0 {
            pass(pace.until_done()).await;
            self.work(&mut jobs);
            pass(pace.until_heard()).await;
            self.answer();
        }
    }

    /// Commits what was asked before a read, so that the read sees it.
    fn work(&mut self, jobs: &mut Vec<Job>) {
        let mut group = Group::default();
        for job in jobs.drain(..) {
            match job {
                Job::Write { round, id, batch } => {
                    group.round = Some(round);
                    group.ids.push(id);
                    group.batches.push(batch);
                }
                Job::Keep(batch) => group.batches.push(batch),
                Job::Load(id, load) => {
                    self.commit(std::mem::take(&mut group));
                    self.load(id, &load);
                }
            }
        }
        self.commit(group);
        self.tell_salvaged();
    }

    /// The rounds of a group are the same: the node begins the next one when none waits.
    fn commit(&mut self, group: Group) {
        if group.batches.is_empty() {
            return;
        }
        let committed = if group.round.is_some() && group.round <= self.failed {
            Err("a write before it failed".to_owned())
        } else {
            self.store.commit(&group.batches).map_err(|error: StoreError| error.to_string())
        };
        if committed.is_err() {
            self.failed = self.failed.max(group.round);
        }
        self.unheard.extend(group.ids.into_iter().map(|id| match &committed {
            Ok(()) => Input::Stored(id),
            Err(why) => Input::StoreFailed(id, why.clone()),
        }));
    }

    fn load(&mut self, id: LoadId, load: &Load) {
        self.unheard.push(match self.store.load(load) {
            Ok(loaded) => Input::Loaded(id, loaded),
            Err(error) => Input::LoadFailed(id, error.to_string()),
        });
    }

    /// Says if the file had to be made anew meanwhile.
    fn tell_salvaged(&mut self) {
        self.unheard.extend(self.store.take_salvaged().into_iter().map(Input::Salvaged));
    }

    /// A node that was dropped hears nothing more; what it asked for is written all the same.
    fn answer(&mut self) {
        for answer in self.unheard.drain(..) {
            let _node_is_gone = self.answers.send(answer);
        }
    }
}

async fn pass(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}
