//! The links of a node: which there are, what is sent on them, which of them are doubted.

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{PeerId, Timestamp};
use rejoinder_quic::{CloseCode, Closed, Link, LinkReceiver, LinkSender, NotSent};
use rejoinder_replica::LinkId;
use tokio::task::AbortHandle;

use super::{
    reach::PING,
    roster::{Roster, Run},
};
use crate::{limits, links::LinkView};

/// The links of a node.
#[derive(Debug)]
pub(crate) struct Links {
    roster: Roster,
    linked: BTreeMap<LinkId, Linked>,
    next: u64,
}

#[derive(Debug)]
struct Linked {
    sender: LinkSender,
    since: Timestamp,
    /// Until when it must have answered a ping.
    doubted: Option<Timestamp>,
    reader: Option<AbortHandle>,
}

/// A link that is no more.
#[derive(Debug)]
pub(crate) struct Parted {
    pub(crate) link: LinkId,
    pub(crate) peer: PeerId,
    pub(crate) closed: Closed,
    /// True if it was the last one to that device.
    pub(crate) last: bool,
}

/// A new link.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) link: LinkId,
    pub(crate) sender: LinkSender,
    pub(crate) receiver: LinkReceiver,
    /// Those that it replaced.
    pub(crate) superseded: Vec<Parted>,
}

impl Links {
    pub(crate) fn new(me: PeerId) -> Self {
        Self { roster: Roster::new(me), linked: BTreeMap::new(), next: 0 }
    }

    /// Hellos were exchanged. Not every link may stay.
    pub(crate) fn meet(&mut self, now: Timestamp, link: Link, run: Run) -> Option<Joined> {
        let id = LinkId(self.next);
        self.next += 1;
        let met = self.roster.meet(id, run);
        for doubted in met.doubted {
            self.doubt(now, doubted);
        }
        if !met.stays {
            link.close(CloseCode::Busy, "two runs of this home are linked already");
            return None;
        }
        let (sender, receiver) = link.split();
        let linked = Linked { sender: sender.clone(), since: now, doubted: None, reader: None };
        self.linked.insert(id, linked);
        let close = |older: LinkId| self.close(older, CloseCode::Superseded, "");
        let superseded = met.superseded.into_iter().filter_map(close).collect();
        Some(Joined { link: id, sender, receiver, superseded })
    }

    /// The task that reads a link; it ends with it.
    pub(crate) fn read_by(&mut self, link: LinkId, reader: AbortHandle) {
        if let Some(linked) = self.linked.get_mut(&link) {
            linked.reader = Some(reader);
        }
    }

    /// Asks a link whether it lives.
    fn doubt(&mut self, now: Timestamp, link: LinkId) {
        if let Some(linked) = self.linked.get_mut(&link)
            && linked.doubted.is_none()
        {
            linked.doubted = Some(now.after(limits::PING));
            // A link that is closed already is on its way out.
            let _closed = linked.sender.send(PING.to_vec());
        }
    }

    /// Asks every link whether it lives: the machine slept, or the network is another one.
    pub(crate) fn doubt_all(&mut self, now: Timestamp) {
        let all: Vec<_> = self.linked.keys().copied().collect();
        for link in all {
            self.doubt(now, link);
        }
    }

    pub(crate) fn pong(&mut self, link: LinkId) {
        if let Some(linked) = self.linked.get_mut(&link) {
            linked.doubted = None;
        }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Timestamp> {
        self.linked.values().filter_map(|linked| linked.doubted).min()
    }

    /// Closes the links that were asked whether they live and did not answer.
    pub(crate) fn close_silent(&mut self, now: Timestamp) -> Vec<Parted> {
        let late = |linked: &Linked| linked.doubted.is_some_and(|until| until <= now);
        let silent: Vec<_> =
            self.linked.iter().filter(|(_, linked)| late(linked)).map(|(link, _)| *link).collect();
        silent
            .into_iter()
            .filter_map(|link| self.close(link, CloseCode::Unresponsive, "no answer to a ping"))
            .collect()
    }

    pub(crate) fn close_all(&mut self, code: CloseCode, reason: &str) -> Vec<Parted> {
        let all: Vec<_> = self.linked.keys().copied().collect();
        all.into_iter().filter_map(|link| self.close(link, code, reason)).collect()
    }

    /// Closes a link from this side.
    pub(crate) fn close(&mut self, link: LinkId, code: CloseCode, reason: &str) -> Option<Parted> {
        if let Some(linked) = self.linked.get(&link) {
            linked.sender.close(code, reason);
            // Nothing that it has read since is of interest.
            linked.reader.as_ref().map(AbortHandle::abort);
        }
        self.part(link, Closed::Here { code, reason: reason.to_owned() })
    }

    /// A link is gone.
    pub(crate) fn part(&mut self, link: LinkId, closed: Closed) -> Option<Parted> {
        self.linked.remove(&link)?;
        let (run, left) = self.roster.part(link)?;
        Some(Parted { link, peer: run.peer, closed, last: !left })
    }

    pub(crate) fn is_linked(&self, peer: &PeerId) -> bool {
        self.roster.is_linked(peer)
    }

    /// True if a link is there, so that what it brings counts.
    pub(crate) fn has(&self, link: LinkId) -> bool {
        self.linked.contains_key(&link)
    }

    /// The devices that are linked.
    pub(crate) fn peers(&self) -> BTreeSet<PeerId> {
        self.roster.links().map(|(_, run)| run.peer).collect()
    }

    pub(crate) fn send(&self, link: LinkId, frame: Vec<u8>) {
        let Some(linked) = self.linked.get(&link) else { return };
        match linked.sender.send(frame) {
            // One that is closed says so to its reader.
            Ok(()) | Err(NotSent::Closed | NotSent::TooSlow) => {}
            Err(error @ NotSent::TooLong { .. }) => tracing::error!(%error, "a frame was not sent"),
        }
    }

    /// The links to devices that may no longer link.
    pub(crate) fn forbidden(&self, may_link: impl Fn(&PeerId) -> bool) -> Vec<LinkId> {
        let links = self.roster.links().filter(|(_, run)| !may_link(&run.peer));
        links.map(|(link, _)| link).collect()
    }

    pub(crate) fn views(&self) -> Vec<LinkView> {
        let view = |(link, run): (LinkId, Run)| {
            let linked = self.linked.get(&link)?;
            Some(LinkView {
                peer: run.peer,
                incarnation: run.incarnation,
                address: linked.sender.remote_address(),
                since: linked.since,
                queued: linked.sender.queued(),
            })
        };
        self.roster.links().filter_map(view).collect()
    }
}
