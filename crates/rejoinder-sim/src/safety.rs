//! Invariants that hold at every moment, whatever breaks: checked at each event and each look at a
//! peer.

use std::collections::BTreeMap;

use rejoinder::{
    Event, Fate, HomeEvent, OpeningId, ProposalId, RequestStatus, RequestView, WorkspaceId,
    WorkspaceView,
    environment::{Backlog, Work},
};
use rejoinder_identity::RecordId;

/// Links to a peer: what waits may grow with them. No world has more peers.
const LINKS: usize = 32;

/// The most that one call of a replica may compute. What is looked at at one go is a frame with
/// what it releases, a document that is read, or a log that is cut; in a world each of them has a
/// few hundred. The most that forty worlds had was 265 items, 186 records and 265 changes; this is
/// seven times as much, and a square of those would be thirty times this.
const WORK: Work = Work { items: 2_000, records: 2_000, changes: 2_000 };

/// What waits inside a peer is bounded.
pub(crate) fn bounded(peer: &str, backlog: &Backlog) -> Result<(), String> {
    let most = Backlog::most(LINKS);
    if backlog.is_within(&most) {
        return Ok(());
    }
    Err(format!("at {peer} more waits than may: {backlog:?}, at most {most:?}"))
}

/// What a peer computes at one go is bounded, and grows with what there is, not with its square.
pub(crate) fn computed(peer: &str, work: &Work) -> Result<(), String> {
    if work.is_within(&WORK) {
        return Ok(());
    }
    Err(format!("{peer} computed more at one go than may be: {work:?}, at most {WORK:?}"))
}

/// What was seen anywhere so far.
#[derive(Debug, Default)]
pub(crate) struct Safety {
    /// The head of each log at each length, and at whom it was seen first. Equal heads of equal
    /// length make logs that are prefixes of one another: a record names the one before it.
    heads: BTreeMap<(WorkspaceId, u64), (RecordId, String)>,
    /// How each request was decided, and at whom that was seen first.
    decided: BTreeMap<OpeningId, (String, String)>,
    /// How each request has ended by each length of the log, and at whom that was seen first.
    ended: BTreeMap<(OpeningId, u64), (String, String)>,
    /// How each proposal was answered.
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

    /// A proposal is answered once.
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

    /// What a turn's end made of a request. It need not be for ever: with a later turn truncated, a
    /// failed one may be resumed.
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
