//! The machine: what is held here, and the links.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use rejoinder_identity::{DocumentId, ProposalId, RecordId, Timestamp, VersionVector, hash};

use crate::{
    Effect, ItemKind, LinkId,
    held::Held,
    limits,
    link::Link,
    log::Log,
    message::{Position, Summary},
    talk::Talk,
};

/// The items of one workspace that are held here, and for each link those that the other side is
/// known to have.
///
/// # How to drive it
///
/// - Tell it at the start what the disk holds (`restore_…`), and then each item when it was
///   admitted (`add_…`) and again when the disk has it ([`stored`](Self::stored)).
/// - Tell it of links, give it the frames that come, in order and whole, and call
///   [`timeout`](Self::timeout) when [`poll_timeout`](Self::poll_timeout) says so.
/// - After each of these, take effects until there is none. Do each, or at least note it, before
///   the next is taken.
///
/// Frames of a link arrive in the order in which they were sent, or the link is down. One side may
/// hear of the link later than the other and ignore what came before: that is only positions.
/// Nothing that was learned over a link outlives it.
///
/// # What "in sync" means
///
/// Each side tells its *position*, the log's head and a hash over all version vectors and open
/// proposals, soon after it changed, behind everything that it had to send. A link is in sync at
/// one end when the position last told by the other end is the position here at this moment. So it
/// is never said while the two positions differ. What the other side did since it told its position
/// cannot be known here. When nothing is on its way in either direction, one end says it if and
/// only if the other does, and only when both hold the same.
#[derive(Debug)]
pub struct Sync {
    pub(crate) held: Held,
    pub(crate) links: BTreeMap<LinkId, Link>,
    pub(crate) now: Timestamp,
    pub(crate) effects: VecDeque<Effect>,
    pub(crate) inbox: VecDeque<(LinkId, Inbound)>,
    /// Links that may have something to say, in turns.
    pub(crate) speakers: VecDeque<LinkId>,
    pub(crate) has_room: bool,
    seed: [u8; 32],
    draws: u64,
    #[cfg(rejoinder_mutants)]
    pub(crate) kept: BTreeMap<rejoinder_identity::PeerId, Link>,
}

/// Something that came over a link and is dealt with in its turn.
#[derive(Debug)]
pub(crate) enum Inbound {
    Item(ItemKind, Vec<u8>),
    Position(Position),
    Summary(Summary),
    /// All before this was dealt with when this is taken: a frame of this length.
    End(usize),
}

impl Sync {
    /// Returns a workspace of which nothing is held. The seed is for the jitter of comparisons.
    pub fn new(seed: [u8; 32]) -> Self {
        Self {
            held: Held::default(),
            links: BTreeMap::new(),
            now: Timestamp::default(),
            effects: VecDeque::new(),
            inbox: VecDeque::new(),
            speakers: VecDeque::new(),
            has_room: true,
            seed,
            draws: 0,
            #[cfg(rejoinder_mutants)]
            kept: BTreeMap::new(),
        }
    }

    /// Restores the log on the disk. Call it before there are links, as the other two.
    pub fn restore_log(&mut self, epoch: u64, records: Vec<RecordId>) {
        self.held.restore_log(Log::restore(epoch, records));
    }

    /// Restores a document on the disk.
    pub fn restore_document(&mut self, document: DocumentId, version_vector: &VersionVector) {
        self.held.restore_document(document, version_vector);
    }

    /// Restores an unanswered proposal on the disk.
    pub fn restore_proposal(&mut self, id: ProposalId) {
        self.held.restore_proposal(id);
    }

    /// A link to a member is up.
    pub fn link_up(&mut self, now: Timestamp, link: LinkId) {
        self.now = now;
        let compare = self.next_comparison();
        self.links.insert(link, Link::new(Talk::new(now, compare)));
        self.wake(link);
    }

    /// A link is down. Items that came over it before are still handed out.
    pub fn link_down(&mut self, link: LinkId) {
        self.links.remove(&link);
        self.speakers.retain(|speaker| *speaker != link);
        self.held.forget_link(link);
    }

    /// Something went wrong here or there: an item was dropped, a write failed. Compares when the
    /// last comparison was [`COMPARE_SOONEST`](limits::COMPARE_SOONEST) ago.
    pub fn compare_soon(&mut self, now: Timestamp, link: LinkId) {
        self.now = now;
        if let Some(link) = self.links.get_mut(&link) {
            link.talk.compare_soon(now);
        }
    }

    /// Says whether there is room here for more items from links. While there is none, no peer gets
    /// credit, so that each stops after a window. Items on their way still come.
    pub fn set_room(&mut self, now: Timestamp, room: bool) {
        self.now = now;
        if self.has_room != room {
            self.has_room = room;
            self.wake_all();
        }
    }

    /// Returns whether the other side's last position is ours.
    pub fn in_sync(&self, link: LinkId) -> bool {
        self.links.get(&link).is_some_and(|link| link.in_sync)
    }

    /// Returns the bytes that are about to leave on the fullest link.
    pub fn leaving(&self) -> usize {
        self.links.values().map(|link| link.outbox.bytes()).max().unwrap_or(0)
    }

    /// The time of [`poll_timeout`](Self::poll_timeout) has come.
    pub fn timeout(&mut self, now: Timestamp) {
        self.now = now;
        let ids: Vec<LinkId> = self.links.keys().copied().collect();
        for id in ids {
            let next = self.next_comparison();
            let Some(link) = self.links.get_mut(&id) else { continue };
            let compares = link.talk.timeout(now, next, link.in_sync);
            if compares && link.theirs.is_none() {
                self.effects.push_back(Effect::Unheard(id));
            }
            self.wake(id);
        }
    }

    /// Returns the time at which to call [`timeout`](Self::timeout).
    pub fn poll_timeout(&self) -> Option<Timestamp> {
        let log_length = self.held.log.length();
        self.links.values().filter_map(|link| link.talk.next(link.is_caught_up(log_length))).min()
    }

    pub(crate) fn wake(&mut self, id: LinkId) {
        if let Some(link) = self.links.get_mut(&id) {
            link.send_cards();
            if !std::mem::replace(&mut link.queued, true) {
                self.speakers.push_back(id);
            }
        }
    }

    pub(crate) fn wake_all(&mut self) {
        let ids: Vec<LinkId> = self.links.keys().copied().collect();
        ids.into_iter().for_each(|id| self.wake(id));
    }

    /// Draws the time of the next comparison: three to five quarters of the regular one from now.
    fn next_comparison(&mut self) -> Timestamp {
        self.draws += 1;
        let drawn = hash("sync-jitter", &[&self.seed, &self.draws.to_le_bytes()]);
        let share = u32::from(u16::from_le_bytes([drawn.0[0], drawn.0[1]]));
        let base: Duration = limits::COMPARE * 3 / 4;
        self.now.after(base + limits::COMPARE / 2 * share / u32::from(u16::MAX))
    }
}
