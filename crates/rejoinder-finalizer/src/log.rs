//! The log of a workspace: a chain of records that every peer checks from the root key, so that
//! it may come through anyone.

mod error;
mod introduced;

use std::sync::Arc;

use rejoinder_identity::{RecordId, Verified, WorkspaceId};

pub use self::{error::LogError, introduced::Introduced};

use crate::{
    certificate::{BadCertificate, EpochCertificate},
    change::{Appended, LogChange, Voided},
    checked::Checked,
    limits,
    record::{Body, Record},
    state::State,
};

/// A verified log, and its state.
#[derive(Debug, Clone)]
pub struct Log {
    workspace: WorkspaceId,
    records: Vec<Verified<Record>>,
    state: State,
}

/// The end of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogPosition {
    /// The current epoch; 0 while the log is empty.
    pub epoch: u64,
    /// The number of records; the next one has this `seq`.
    pub length: u64,
    /// The last record; [`RecordId::NONE`] while the log is empty.
    pub head: RecordId,
}

impl Log {
    /// An empty log of that workspace.
    pub fn new(workspace: WorkspaceId) -> Self {
        Self { workspace, records: Vec::new(), state: State::new(workspace) }
    }

    /// The workspace.
    pub fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    /// Its end.
    pub fn position(&self) -> LogPosition {
        LogPosition { epoch: self.state.epoch, length: self.length(), head: self.head() }
    }

    /// The state that its records add up to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A record.
    pub fn record(&self, seq: u64) -> Option<&Verified<Record>> {
        self.records.get(usize::try_from(seq).ok()?)
    }

    /// A record as it came: to store and to serve.
    pub fn bytes(&self, seq: u64) -> Option<&Arc<[u8]>> {
        self.record(seq).map(Verified::bytes)
    }

    fn length(&self) -> u64 {
        self.records.len() as u64
    }

    fn head(&self) -> RecordId {
        self.id_before(self.length()).expect("every place up to the length has a record before it")
    }

    /// The record that one at `seq` must follow, if it is here.
    fn id_before(&self, seq: u64) -> Option<RecordId> {
        match seq.checked_sub(1) {
            None => Some(RecordId::NONE),
            Some(before) => self.record(before).map(|record| record.id().into()),
        }
    }

    /// Checks bytes that anyone sent: signature, place in the chain, and for an epoch's first
    /// record the certificate of the root key.
    ///
    /// # Errors
    ///
    /// [`LogError`] says what to do; most of them are nobody's fault.
    pub fn check(&self, bytes: &[u8]) -> Result<Checked<Record>, LogError> {
        // Before anything is parsed. The limit of its kind follows.
        if bytes.len() > limits::LARGE_RECORD {
            return Err(LogError::TooLarge { size: bytes.len(), limit: limits::LARGE_RECORD });
        }
        let verified = Verified::from_bytes(bytes).map_err(LogError::Signature)?;
        self.place(&verified)?;
        Ok(Checked::by_us(verified))
    }

    /// Appends a record and folds it. A record of a newer epoch may cut the log before.
    ///
    /// # Errors
    ///
    /// The log has changed since the record was checked.
    pub fn append(&mut self, record: Checked<Record>) -> Result<Appended, LogError> {
        let record = record.into_verified();
        self.place(&record)?;
        let seq = record.value().seq;
        let mut changes = Vec::new();
        if seq < self.length() {
            changes.push(LogChange::Voided(self.cut(seq)));
        }
        let id = record.id().into();
        changes.extend(self.state.fold(record.value(), id));
        self.records.push(record);
        Ok(Appended { record: id, seq, changes })
    }

    fn place(&self, verified: &Verified<Record>) -> Result<(), LogError> {
        let record = verified.value();
        if record.workspace != self.workspace {
            return Err(LogError::Elsewhere);
        }
        let (size, limit) = (verified.bytes().len(), size_limit(&record.body));
        if size > limit {
            return Err(LogError::TooLarge { size, limit });
        }
        if self.record(record.seq).is_some_and(|held| held.id() == verified.id()) {
            return Err(LogError::Known);
        }
        match &record.body {
            Body::EpochStarted(started) => {
                let certificate = EpochCertificate::verify(&started.certificate, &self.workspace)
                    .map_err(LogError::Certificate)?;
                self.place_start(verified, &certificate)
            }
            Body::InviteIssued(_)
            | Body::MemberAdded(_)
            | Body::Published(_)
            | Body::Raised(_)
            | Body::Decided(_)
            | Body::Refused(_)
            | Body::TurnEnded(_)
            | Body::Unknown { .. } => self.place_next(verified),
        }
    }

    /// The highest valid epoch wins: its start may stand anywhere in this log, and cuts it there.
    fn place_start(
        &self,
        verified: &Verified<Record>,
        certificate: &EpochCertificate,
    ) -> Result<(), LogError> {
        let record = verified.value();
        let mismatch = |what| Err(LogError::Certificate(BadCertificate::Mismatch(what)));
        if certificate.epoch != record.epoch {
            return mismatch("epoch");
        }
        if certificate.host != verified.signer() {
            return mismatch("device");
        }
        if certificate.head != record.prev {
            return mismatch("head");
        }
        if record.epoch < self.state.epoch {
            return Err(LogError::Void);
        }
        if record.epoch == self.state.epoch {
            // Another start than the one here, which would be `Known`: two runs of one host.
            return Err(LogError::Fork { seq: record.seq });
        }
        match self.id_before(record.seq) {
            None => Err(LogError::Gap { next: self.length() }),
            Some(before) if before == record.prev => Ok(()),
            Some(_) => Err(LogError::Diverged { seq: record.seq }),
        }
    }

    /// All other records stand at the end, under the current epoch.
    fn place_next(&self, verified: &Verified<Record>) -> Result<(), LogError> {
        let record = verified.value();
        let length = self.length();
        if record.epoch < self.state.epoch {
            return Err(LogError::Void);
        }
        if record.epoch > self.state.epoch {
            // The start of its epoch is not here. If that is beyond our end, we only lack records.
            return Err(if record.seq > length {
                LogError::Gap { next: length }
            } else {
                LogError::Diverged { seq: record.seq }
            });
        }
        if self.state.host() != Some(verified.signer()) {
            return Err(LogError::NotHost { signer: verified.signer() });
        }
        if record.seq > length {
            return Err(LogError::Gap { next: length });
        }
        if record.seq < length || record.prev != self.head() {
            // The right host signed it, and it is not the record that it signed for this place.
            return Err(LogError::Fork { seq: record.seq });
        }
        Ok(())
    }

    /// Forgets the records from `from` on and folds the others again.
    fn cut(&mut self, from: u64) -> Voided {
        let keep = usize::try_from(from).expect("a place in this log fits in memory");
        let records = self.length() - from;
        self.records.truncate(keep);
        // A fold can't be undone.
        let mut state = State::new(self.workspace);
        for record in &self.records {
            state.fold(record.value(), record.id().into());
        }
        let before = std::mem::replace(&mut self.state, state);
        Voided::between(from, records, &before, &self.state)
    }
}

/// The limit on a record's frame.
pub(crate) fn size_limit(body: &Body) -> usize {
    match body {
        // We can't know which kinds of a later release are large: the host has checked.
        Body::Decided(_) | Body::TurnEnded(_) | Body::Unknown { .. } => limits::LARGE_RECORD,
        Body::EpochStarted(_)
        | Body::InviteIssued(_)
        | Body::MemberAdded(_)
        | Body::Published(_)
        | Body::Raised(_)
        | Body::Refused(_) => limits::RECORD,
    }
}
