//! The finalizer writes the log for the host, one record at a time. Its caller stores a record
//! before anybody hears of it, appends it, and only then asks for the next.

mod act;
mod admit;
mod complete;
mod decide;
mod fit;
mod member_action;
mod raise;
mod turn;

pub use self::{
    act::HostAction,
    raise::{Raise, RaiseError, Skeleton},
};

use rejoinder_identity::{
    Incarnation, PeerId, ProposalId, RecordId, SecretKey, Timestamp, Verified, WorkspaceId,
};

use crate::{
    certificate::EpochCertificate,
    checked::Checked,
    limits,
    log::{Log, size_limit},
    record::{Body, EpochStarted, Record, Refused},
    refusal::{BadCall, HostCannot, Refusal},
};

/// Writes one epoch of a workspace's log.
#[derive(Debug)]
pub struct Finalizer {
    device: SecretKey,
    workspace: WorkspaceId,
    epoch: u64,
    incarnation: Incarnation,
}

/// The answer to a proposal or a join.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "it is taken apart at once, and mostly a record")]
pub enum Verdict {
    /// Store and append this record: it answers it.
    Record(Checked<Record>),
    /// That record has answered it; there is nothing to do.
    Answered(RecordId),
    /// This log does not know its author as a member: keep it until that changes.
    Stranger(PeerId),
    /// A person must decide whether the device may join.
    NeedsApproval,
    /// Another epoch is current: this finalizer no longer answers.
    NotHost,
}

/// The member and the proposal on whose behalf a record is written.
#[derive(Debug, Clone, Copy, Default)]
struct OnBehalf {
    origin: Option<PeerId>,
    grants: Option<ProposalId>,
}

impl Finalizer {
    /// Starts the next epoch of a log. The record is its first: nothing is written before it is
    /// appended. `name` is shown beside the host.
    ///
    /// # Errors
    ///
    /// `root` is not the workspace's root key, or the name is above the limit.
    pub fn start_epoch(
        log: &Log,
        root: &SecretKey,
        device: SecretKey,
        name: &str,
        incarnation: Incarnation,
        now: Timestamp,
    ) -> Result<(Self, Checked<Record>), Refusal> {
        let workspace = log.workspace();
        if WorkspaceId::of_root(&root.public()) != workspace {
            return Err(Refusal::Host(HostCannot::NotHost));
        }
        if name.len() > limits::NAME {
            return Err(Refusal::Caller(BadCall::Malformed {
                why: format!("a name above {} bytes", limits::NAME),
            }));
        }
        let position = log.position();
        let certificate = EpochCertificate {
            workspace,
            epoch: position.epoch.saturating_add(1),
            host: device.public(),
            head: position.head,
            incarnation,
        };
        let finalizer = Self { device, workspace, epoch: certificate.epoch, incarnation };
        let body = Body::EpochStarted(EpochStarted {
            certificate: Verified::sign(root, certificate).bytes().to_vec(),
            name: name.to_owned(),
        });
        let record = finalizer.sign(log, now, body)?;
        Ok((finalizer, record))
    }

    /// The epoch that it writes.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Whether its epoch is the current one of that log.
    pub fn is_current(&self, log: &Log) -> bool {
        let state = log.state();
        log.workspace() == self.workspace
            && state.epoch() == self.epoch
            && state.host() == Some(self.device.public())
            && state.incarnation() == Some(self.incarnation)
    }

    fn write(&self, log: &Log, now: Timestamp, body: Body) -> Result<Checked<Record>, Refusal> {
        if !self.is_current(log) {
            return Err(Refusal::Host(HostCannot::NotHost));
        }
        self.sign(log, now, body)
    }

    fn sign(&self, log: &Log, now: Timestamp, body: Body) -> Result<Checked<Record>, Refusal> {
        let position = log.position();
        let limit = size_limit(&body);
        let record = Record {
            workspace: self.workspace,
            epoch: self.epoch,
            seq: position.length,
            prev: position.head,
            at: now,
            body,
        };
        let verified = Verified::sign(&self.device, record);
        let size = verified.bytes().len();
        if size > limit {
            return Err(Refusal::Caller(BadCall::RecordTooLarge {
                size: size as u64,
                limit: limit as u64,
            }));
        }
        Ok(Checked::by_us(verified))
    }

    /// The record that does what was asked, or the one that refuses it. There is always one.
    fn answer(
        &self,
        log: &Log,
        now: Timestamp,
        proposal: ProposalId,
        author: PeerId,
        granted: Result<Body, Refusal>,
    ) -> Verdict {
        let refuse =
            |reason| self.write(log, now, Body::Refused(Refused { proposal, author, reason }));
        let written = granted
            .and_then(|body| self.write(log, now, body))
            .or_else(refuse)
            // The refusal itself can exceed the record limit, since it quotes ids chosen by others.
            // Then refuse with "too large", which always fits.
            .or_else(refuse);
        match written {
            Ok(record) => Verdict::Record(record),
            Err(_) => Verdict::NotHost,
        }
    }
}
