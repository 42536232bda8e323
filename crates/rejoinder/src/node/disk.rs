//! The node's end of the disk: what was asked of it and not answered yet. The other end is the
//! [driver](super::driver).

use std::collections::BTreeSet;

use rejoinder_identity::SecretKey;
use rejoinder_replica::{Batch, Input, Load, LoadId, Restored, WriteId};
use tokio::sync::{mpsc, oneshot};

use super::driver::{Job, Opening};
use crate::{environment::DiskDriver, error::OpenError, place::Place};

/// The node's end of the disk.
#[derive(Debug)]
pub(crate) struct Disk {
    jobs: mpsc::UnboundedSender<Job>,
    answers: mpsc::UnboundedReceiver<Input>,
    /// Writes that were asked for and not answered.
    waiting: BTreeSet<WriteId>,
    /// Reads likewise.
    reading: BTreeSet<LoadId>,
    /// Writes of a round in which one failed all fail from there on; the next round begins when
    /// all of them have been heard of. So none overtakes one that it may depend on.
    round: u64,
    failing: bool,
}

/// The disk of a home that was opened, and what was read from it first.
#[derive(Debug)]
pub(crate) struct OpenedDisk {
    pub(crate) disk: Disk,
    pub(crate) key: SecretKey,
    pub(crate) restored: Restored,
}

impl Disk {
    /// Takes the home and opens its store. Gives the place back when that failed.
    pub(crate) async fn open(
        how: DiskDriver,
        place: Box<dyn Place>,
        fresh: [u8; 32],
    ) -> Result<OpenedDisk, (OpenError, Option<Box<dyn Place>>)> {
        let (jobs, asked) = mpsc::unbounded_channel();
        let (answered, answers) = mpsc::unbounded_channel();
        let (opened, opening) = oneshot::channel();
        let start = Opening { place, fresh, opened, answers: answered };
        start.spawn(how, asked).map_err(|error| (error, None))?;
        let (key, restored) = match opening.await {
            Ok(Ok(opened)) => opened,
            Ok(Err((error, place))) => return Err((error, Some(place))),
            Err(_) => return Err((OpenError::Interrupted, None)),
        };
        let (waiting, reading) = (BTreeSet::new(), BTreeSet::new());
        let disk = Self { jobs, answers, waiting, reading, round: 0, failing: false };
        Ok(OpenedDisk { disk, key, restored })
    }

    pub(crate) fn write(&mut self, id: WriteId, batch: Batch) {
        self.waiting.insert(id);
        self.ask(Job::Write { round: self.round, id, batch });
    }

    pub(crate) fn load(&mut self, id: LoadId, load: Load) {
        self.reading.insert(id);
        self.ask(Job::Load(id, load));
    }

    /// Writes a row of the shell's own, of which nobody waits to hear.
    pub(crate) fn keep(&self, batch: Batch) {
        self.ask(Job::Keep(batch));
    }

    fn ask(&self, job: Job) {
        // The driver ends after this sender is gone. If its thread is, no write is ever answered,
        // so nothing is promised that isn't so.
        if self.jobs.send(job).is_err() {
            tracing::error!("the disk's driver is gone");
        }
    }

    /// True if no write waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// True if a read waits.
    pub(crate) fn is_reading(&self) -> bool {
        !self.reading.is_empty()
    }

    /// The disk's next answer.
    pub(crate) async fn answered(&mut self) -> Option<Input> {
        let answer = self.answers.recv().await?;
        if let Input::Stored(id) | Input::StoreFailed(id, _) = &answer {
            self.waiting.remove(id);
            self.failing |= matches!(answer, Input::StoreFailed(..));
            if self.failing && self.waiting.is_empty() {
                self.failing = false;
                self.round += 1;
            }
        }
        if let Input::Loaded(id, _) | Input::LoadFailed(id, _) = &answer {
            self.reading.remove(id);
        }
        Some(answer)
    }

    /// Waits until all that was asked for is written and the home is free again.
    pub(crate) async fn close(self) {
        let Self { jobs, mut answers, .. } = self;
        drop(jobs);
        while answers.recv().await.is_some() {}
    }
}

#[cfg(test)]
mod tests;
