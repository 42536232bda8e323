//! What must hold at every moment, whatever breaks: checked at each event and each look at a peer.

use std::collections::BTreeMap;

use rejoinder::{HomeEvent, OpeningId, RequestStatus, RequestView, WorkspaceId, WorkspaceView};
use rejoinder_identity::RecordId;

/// What was seen anywhere so far.
#[derive(Debug, Default)]
pub(crate) struct Safety {
    /// The head of each log at each length, and at whom it was seen first. Equal heads of equal
    /// length make logs that are prefixes of one another: a record names the one before it.
    heads: BTreeMap<(WorkspaceId, u64), (RecordId, String)>,
    /// How each request was settled, and at whom that was seen first.
    settled: BTreeMap<OpeningId, (String, String)>,
}

impl Safety {
    pub(crate) fn event(&mut self, peer: &str, event: &HomeEvent) -> Result<(), String> {
        match event {
            HomeEvent::Opened(view)
            | HomeEvent::Decided(view)
            | HomeEvent::Ended(view)
            | HomeEvent::Resumed(view)
            | HomeEvent::Answer { request: view, .. }
            | HomeEvent::NotIncluded { request: view, .. } => self.request(peer, view),
            HomeEvent::NotAdmitted { why, .. } => {
                Err(format!("{peer} refused what an honest peer sent: {why}"))
            }
            HomeEvent::Listening { .. }
            | HomeEvent::LinkUp { .. }
            | HomeEvent::LinkDown { .. }
            | HomeEvent::Joined { .. }
            | HomeEvent::JoinRefused { .. }
            | HomeEvent::ApprovalNeeded { .. }
            | HomeEvent::Member { .. }
            | HomeEvent::Fate { .. }
            | HomeEvent::Void { .. }
            | HomeEvent::Chat { .. }
            | HomeEvent::InSync { .. }
            | HomeEvent::DiskFailing { .. }
            | HomeEvent::DiskRecovered
            | HomeEvent::Missed(_) => Ok(()),
        }
    }

    pub(crate) fn workspace(&mut self, peer: &str, view: &WorkspaceView) -> Result<(), String> {
        let place = (view.id, view.log_length);
        let head = (view.log_head, peer.to_owned());
        let (first, at) = self.heads.entry(place).or_insert(head);
        if *first != view.log_head {
            return Err(format!(
                "the logs of {at} and {peer} differ within their first {} records",
                view.log_length
            ));
        }
        view.requests.iter().try_for_each(|request| self.request(peer, request))
    }

    fn request(&mut self, peer: &str, view: &RequestView) -> Result<(), String> {
        let how = match &view.status {
            RequestStatus::Open | RequestStatus::Suspended => return Ok(()),
            RequestStatus::Decided { response, by, proposal } => {
                format!("{response:?} by {by}, proposal {proposal}")
            }
            RequestStatus::Ended(how) => format!("{how:?}"),
        };
        let settled = format!("{how}: {}", view.projection.to_json());
        let here = (settled, peer.to_owned());
        let (first, at) = self.settled.entry(view.opening).or_insert_with(|| here.clone());
        if *first != here.0 {
            return Err(format!(
                "request {} is settled at {at} as {first}, at {peer} as {}",
                view.opening, here.0
            ));
        }
        Ok(())
    }
}
