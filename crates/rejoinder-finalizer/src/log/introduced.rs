//! Introductions: a log does not know a member yet, but another peer's log does. That peer shows
//! the record, with the certificate to check its signature by. The records between may follow
//! later.

use rejoinder_identity::{PeerId, Verified, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};

use super::Log;
use crate::{
    certificate::EpochCertificate,
    limits,
    record::{Body, Record},
};

/// An introduction, as it is sent.
#[derive(Serialize, Deserialize)]
struct Introduction {
    /// The signed certificate of the epoch in which the device became a member.
    certificate: Vec<u8>,
    /// The record that made it one. `None` if the certificate did, since it is the host.
    added: Option<Vec<u8>>,
}

/// Proof that a host with the root key's certificate made this device a member. Only a check makes
/// one.
///
/// It holds until the log says otherwise: see [`Log::awaits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Introduced {
    device: PeerId,
    epoch: u64,
    host: PeerId,
    /// The place of the record; `None` if the certificate alone says it.
    seq: Option<u64>,
}

impl Introduced {
    /// The member.
    pub fn device(&self) -> PeerId {
        self.device
    }
}

impl Log {
    /// An introduction that shows peers with shorter logs that a device is a member. `None` if it
    /// is not one here.
    pub fn introduction(&self, device: &PeerId) -> Option<Vec<u8>> {
        let record = self.record(self.state.members().get(device)?.since)?;
        let by_certificate = matches!(record.value().body, Body::EpochStarted(_));
        let added = (!by_certificate).then(|| record.bytes().to_vec());
        let epoch = record.value().epoch;
        let start = self.records.partition_point(|other| other.value().epoch < epoch);
        let Body::EpochStarted(started) = &self.records.get(start)?.value().body else {
            return None;
        };
        Some(to_bytes(&Introduction { certificate: started.certificate.clone(), added }))
    }

    /// Checks an introduction of that device that anyone sent, from the workspace's id alone.
    /// `None` if it proves nothing, or nothing that this log does not know better.
    pub fn introduced(&self, bytes: &[u8], device: &PeerId) -> Option<Introduced> {
        if bytes.len() > limits::INTRODUCTION {
            return None;
        }
        let Introduction { certificate, added } = from_bytes("introduction", bytes).ok()?;
        let certificate = EpochCertificate::verify(&certificate, &self.workspace).ok()?;
        let EpochCertificate { epoch, host, .. } = certificate;
        let seq = match added {
            None if host == *device => None,
            None => return None,
            Some(record) => {
                let record = Verified::<Record>::from_bytes(&record).ok()?;
                let Record { workspace, epoch: under, seq, body, .. } = record.value();
                let Body::MemberAdded(added) = body else { return None };
                let in_place = *workspace == self.workspace && *under == epoch;
                if !in_place || record.signer() != host || added.device != *device {
                    return None;
                }
                Some(*seq)
            }
        };
        Some(Introduced { device: *device, epoch, host, seq }).filter(|one| self.awaits(one))
    }

    /// Whether the record that made this device a member may still come: it stands beyond the end
    /// of this log, and no newer epoch that is known here has made it void.
    pub fn awaits(&self, introduced: &Introduced) -> bool {
        let Introduced { epoch, host, seq, .. } = *introduced;
        epoch > self.state.epoch
            || (epoch == self.state.epoch
                && self.state.host() == Some(host)
                && seq.is_some_and(|seq| seq >= self.length()))
    }
}
