//! The invariants that hold at every moment, whatever breaks. They are checked at each event and at
//! each look at a peer.

use std::collections::BTreeMap;

use rejoinder::{
    Event, Fate, HomeEvent, OpeningId, ProposalId, RequestStatus, RequestView, WorkspaceId,
    WorkspaceView,
    environment::{Backlog, Work},
};
use rejoinder_identity::RecordId;

/// The most links of one peer: the number of items that may wait grows with them. No world has more
/// peers.
const LINKS: usize = 32;

/// The most that one call of a replica may compute. The unit is a frame with all that it releases,
/// a document that is read, or a log that is cut; in a world each has a few hundred items. The most
/// in forty worlds was 265 items, 186 records and 265 changes. This is seven times as much; a
/// quadratic algorithm would need thirty times this.
const WORK: Work = Work { items: 2_000, records: 2_000, changes: 2_000 };

/// Checks that a bounded number of items waits inside a peer.
pub(crate) fn bounded(peer: &str, backlog: &Backlog) -> Result<(), String> {
    let most = Backlog::most(LINKS);
    if backlog.is_within(&most) {
        return Ok(());
    }
    Err(format!("at {peer} more waits than may: {backlog:?}, at most {most:?}"))
}

/// Checks that the work of one call is bounded: it grows with the size of the data, not with its
/// square.
pub(crate) fn computed(peer: &str, work: &Work) -> Result<(), String> {
    if work.is_within(&WORK) {
        return Ok(());
    }
    Err(format!("{peer} computed more at one go than may be: {work:?}, at most {WORK:?}"))
}

/// Everything that was seen at any peer so far.
#[derive(Debug, Default)]
pub(crate) struct Safety {
    /// The head of each log at each length, and the peer where it was seen first. If logs of equal
    /// length have equal heads, each is a prefix of the longer ones: a record names the one before
    /// it.
    heads: BTreeMap<(WorkspaceId, u64), (RecordId, String)>,
    /// The decision on each request, and the peer where it was seen first.
    decided: BTreeMap<OpeningId, (String, String)>,
    /// The end of each request at each length of the log, and the peer where it was seen first.
    ended: BTreeMap<(OpeningId, u64), (String, String)>,
    /// The final fate of each proposal.
    fates: BTreeMap<ProposalId, Fate>,
}

impl Safety {
    pub(crate) fn event(&mut self, peer: &str, event: &HomeEvent) -> Result<(), String> {
        if let Some(view) = event.request() {
            self.request(peer, view)?;
        }
        if let Some(Event::Fate { proposal, fate, .. }) = event.event() {
            self.fate(peer, *proposal, fate)?;
        }
        if let Some(Event::NotAdmitted { why, .. }) = event.event() {
            return Err(format!("{peer} refused what an honest peer sent: {why}"));
        }
        Ok(())
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
        for request in &view.requests {
            self.request(peer, request)?;
            self.ended(peer, view.log_length, request)?;
        }
        Ok(())
    }

    /// Checks that a proposal is answered once.
    fn fate(&mut self, peer: &str, proposal: ProposalId, fate: &Fate) -> Result<(), String> {
        match fate {
            Fate::Saved | Fate::Carried(_) | Fate::Received => return Ok(()),
            Fate::Granted | Fate::Refused(_) => {}
        }
        let first = self.fates.entry(proposal).or_insert_with(|| fate.clone());
        if first != fate {
            return Err(format!("{peer}: proposal {proposal} was {first:?} and is {fate:?}"));
        }
        Ok(())
    }

    fn request(&mut self, peer: &str, view: &RequestView) -> Result<(), String> {
        let RequestStatus::Decided { response, by, proposal } = &view.status else {
            return Ok(());
        };
        let how = format!("{response:?} by {by}, proposal {proposal}");
        let here = (format!("{how}: {}", view.projection.to_json()), peer.to_owned());
        let (first, at) = self.decided.entry(view.opening).or_insert_with(|| here.clone());
        if *first != here.0 {
            return Err(format!(
                "request {} is decided at {at} as {first}, at {peer} as {}",
                view.opening, here.0
            ));
        }
        Ok(())
    }

    /// Checks the end of a request. It may change with the length of the log: once a later turn is
    /// truncated, a failed turn may be resumed.
    fn ended(&mut self, peer: &str, length: u64, view: &RequestView) -> Result<(), String> {
        let RequestStatus::Ended(how) = view.status else { return Ok(()) };
        let here = (format!("{how:?}: {}", view.projection.to_json()), peer.to_owned());
        let place = (view.opening, length);
        let (first, at) = self.ended.entry(place).or_insert_with(|| here.clone());
        if *first != here.0 {
            return Err(format!(
                "with {length} records request {} has ended at {at} as {first}, at {peer} as {}",
                view.opening, here.0
            ));
        }
        Ok(())
    }
}
