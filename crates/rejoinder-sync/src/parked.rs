//! Items that came before what they depend on, until it is there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rejoinder_identity::{ChangeHash, DocumentId, PeerId, RecordId};

use crate::{ItemKind, LinkId, limits};

/// The thing that an item waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wait {
    /// A document that the log does not know yet.
    Document(DocumentId),
    /// A member that the log does not know yet.
    Author(PeerId),
    /// A change of a document.
    Change(DocumentId, ChangeHash),
    /// A record of the log.
    Record(RecordId),
}

impl Wait {
    /// Returns whether the wait may never end: a relaying peer may have invented the author.
    fn is_for_a_stranger(&self) -> bool {
        match self {
            Self::Author(_) => true,
            Self::Document(_) | Self::Change(..) | Self::Record(_) => false,
        }
    }
}

/// An item that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedItem {
    /// The link it came over.
    pub link: LinkId,
    /// Its kind.
    pub kind: ItemKind,
    /// The item as it came.
    pub bytes: Vec<u8>,
}

/// There is no room for an item. It is dropped; the next comparison brings it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Overflow {
    /// Its author has as much parked as one author may.
    #[error("too much of {} is parked", .0.short())]
    Author(PeerId),
    /// A link has brought as much that is parked as one link may.
    #[error("too much of link {} is parked", .0.0)]
    Link(LinkId),
    /// The pool is full, or the share of it for authors unknown to the log.
    #[error("too much is parked")]
    Pool,
}

#[derive(Debug, Clone, Copy, Default)]
struct Load {
    items: usize,
    bytes: usize,
}

impl Load {
    fn has_room(self, size: usize, items: usize, bytes: usize) -> bool {
        self.items < items && self.bytes.saturating_add(size) <= bytes
    }

    fn add(&mut self, size: usize) {
        self.items += 1;
        self.bytes += size;
    }

    fn take(&mut self, size: usize) {
        self.items -= 1;
        self.bytes -= size;
    }
}

/// An item in the pool, its author, and the links that brought it.
#[derive(Debug)]
struct Entry {
    author: PeerId,
    item: ParkedItem,
    /// The links that brought it, or brought it again.
    links: BTreeSet<LinkId>,
}

/// A bounded pool of waiting items. When it is full, the newest gives way, so that nobody can push
/// out items that others have parked.
#[derive(Debug, Default)]
pub struct Parked {
    waiting: BTreeMap<Wait, VecDeque<Entry>>,
    authors: BTreeMap<PeerId, Load>,
    links: BTreeMap<LinkId, Load>,
    strangers: Load,
    total: Load,
}

impl Parked {
    /// Returns an empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps an item of `author` until [`release`](Self::release) of what it waits for, or until
    /// all links that brought it are gone. The same item is kept once.
    ///
    /// # Errors
    ///
    /// There is no room.
    pub fn park(&mut self, author: PeerId, wait: Wait, item: ParkedItem) -> Result<(), Overflow> {
        let (size, link) = (item.bytes.len(), item.link);
        let from = self.links.get(&link).copied().unwrap_or_default();
        let room_of_link = from.has_room(size, limits::PARKED_LINK, limits::PARKED_LINK_BYTES);
        let known = self.waiting.get_mut(&wait).and_then(|places| {
            places
                .iter_mut()
                .find(|entry| entry.item.bytes == item.bytes && entry.item.kind == item.kind)
        });
        if let Some(known) = known {
            if room_of_link && known.links.insert(link) {
                self.links.entry(link).or_default().add(size);
            }
            return Ok(());
        }
        let load = self.authors.get(&author).copied().unwrap_or_default();
        if !load.has_room(size, limits::PARKED, limits::PARKED_BYTES) {
            return Err(Overflow::Author(author));
        }
        if !room_of_link {
            return Err(Overflow::Link(link));
        }
        let (items, bytes) = (limits::PARKED_STRANGERS, limits::PARKED_STRANGERS_BYTES);
        if !self.total.has_room(size, limits::PARKED_TOTAL, limits::PARKED_TOTAL_BYTES)
            || (wait.is_for_a_stranger() && !self.strangers.has_room(size, items, bytes))
        {
            return Err(Overflow::Pool);
        }
        if wait.is_for_a_stranger() {
            self.strangers.add(size);
        }
        self.authors.entry(author).or_default().add(size);
        self.links.entry(link).or_default().add(size);
        self.total.add(size);
        let entry = Entry { author, item, links: BTreeSet::from([link]) };
        self.waiting.entry(wait).or_default().push_back(entry);
        Ok(())
    }

    /// A link is gone, and with it the items that no other link brought.
    pub fn forget_link(&mut self, link: LinkId) {
        if !self.links.contains_key(&link) {
            return;
        }
        for (wait, places) in std::mem::take(&mut self.waiting) {
            for mut entry in places {
                if entry.links.remove(&link) {
                    count_out(&mut self.links, link, entry.item.bytes.len());
                }
                match entry.links.first() {
                    Some(other) => {
                        if entry.item.link == link {
                            entry.item.link = *other;
                        }
                        self.waiting.entry(wait).or_default().push_back(entry);
                    }
                    None => _ = self.leave(&wait, entry),
                }
            }
        }
    }

    /// Takes out the items that waited for this, in the order of arrival.
    pub fn release(&mut self, wait: &Wait) -> Vec<ParkedItem> {
        let places = self.waiting.remove(wait).unwrap_or_default();
        places.into_iter().map(|entry| self.leave(wait, entry)).collect()
    }

    /// Takes out all items that waited for any change of a document: its structure has grown.
    pub fn release_document(&mut self, document: &DocumentId) -> Vec<ParkedItem> {
        let first = Wait::Change(*document, ChangeHash([0; 32]));
        let last = Wait::Change(*document, ChangeHash([0xff; 32]));
        let waits: Vec<_> = self.waiting.range(first..=last).map(|(wait, _)| *wait).collect();
        waits.iter().flat_map(|wait| self.release(wait)).collect()
    }

    /// Returns the number of items that wait.
    pub fn len(&self) -> usize {
        self.total.items
    }

    /// Returns whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn leave(&mut self, wait: &Wait, entry: Entry) -> ParkedItem {
        let Entry { author, item, links } = entry;
        let size = item.bytes.len();
        self.total.take(size);
        if wait.is_for_a_stranger() {
            self.strangers.take(size);
        }
        count_out(&mut self.authors, author, size);
        for link in links {
            count_out(&mut self.links, link, size);
        }
        item
    }
}

/// Subtracts a load, and removes the line of an author or link that has nothing parked any more.
fn count_out<K: Ord>(loads: &mut BTreeMap<K, Load>, whose: K, size: usize) {
    let load = loads.get_mut(&whose).expect("each author and link with a parked item is counted");
    load.take(size);
    if load.items == 0 {
        loads.remove(&whose);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: usize, size: usize) -> ParkedItem {
        let mut bytes = number.to_le_bytes().to_vec();
        bytes.resize(size, 0);
        ParkedItem { link: LinkId(1), kind: ItemKind::Envelope, bytes }
    }

    const ANA: PeerId = PeerId([1; 32]);
    const WAIT: Wait = Wait::Document(DocumentId([7; 32]));

    #[test]
    fn released_in_the_order_of_arrival_and_once() {
        let mut parked = Parked::new();
        for number in [3, 1, 2, 3] {
            parked.park(ANA, WAIT, item(number, 8)).unwrap();
        }
        parked.park(ANA, Wait::Author(ANA), item(9, 8)).unwrap();
        assert_eq!(parked.len(), 4, "the second 3 is the first");
        assert_eq!(parked.release(&WAIT), [item(3, 8), item(1, 8), item(2, 8)]);
        assert_eq!(parked.release(&WAIT), []);
        assert_eq!(parked.release(&Wait::Author(ANA)), [item(9, 8)]);
        assert!(parked.is_empty() && parked.authors.is_empty() && parked.total.bytes == 0);
    }

    #[test]
    fn what_waits_for_any_change_of_a_document() {
        let mut parked = Parked::new();
        let document = DocumentId([7; 32]);
        let change = |byte| Wait::Change(document, ChangeHash([byte; 32]));
        let other = Wait::Change(DocumentId([8; 32]), ChangeHash([1; 32]));
        for (number, wait) in [change(0), change(0xff), other, WAIT].into_iter().enumerate() {
            parked.park(ANA, wait, item(number, 8)).unwrap();
        }
        assert_eq!(parked.release_document(&document), [item(0, 8), item(1, 8)]);
        assert_eq!(parked.release_document(&document), []);
        assert_eq!(parked.len(), 2);
    }

    #[test]
    fn an_author_has_so_many_items() {
        let mut parked = Parked::new();
        for number in 0..limits::PARKED {
            parked.park(ANA, WAIT, item(number, 8)).unwrap();
        }
        assert_eq!(parked.park(ANA, WAIT, item(999, 8)), Err(Overflow::Author(ANA)));
        parked.park(PeerId([2; 32]), WAIT, item(999, 8)).unwrap();
        assert_eq!(parked.release(&WAIT).len(), limits::PARKED + 1);
        parked.park(ANA, WAIT, item(999, 8)).unwrap();
    }

    #[test]
    fn an_author_has_so_many_bytes() {
        let mut parked = Parked::new();
        parked.park(ANA, WAIT, item(0, limits::PARKED_BYTES - 8)).unwrap();
        assert_eq!(parked.park(ANA, WAIT, item(1, 9)), Err(Overflow::Author(ANA)));
        parked.park(ANA, WAIT, item(1, 8)).unwrap();
    }

    fn from(link: u64, number: usize) -> ParkedItem {
        ParkedItem { link: LinkId(link), ..item(number, 16) }
    }

    fn author(number: usize) -> PeerId {
        PeerId([u8::try_from(number / limits::PARKED).unwrap() + 10; 32])
    }

    #[test]
    fn a_link_has_its_own_room() {
        let mut parked = Parked::new();
        for number in 0..limits::PARKED_LINK {
            parked.park(author(number), WAIT, from(1, number)).unwrap();
        }
        let link = LinkId(1);
        assert_eq!(parked.park(ANA, WAIT, from(1, 99_999)), Err(Overflow::Link(link)));
        parked.park(ANA, WAIT, from(2, 99_999)).unwrap();
        parked.forget_link(link);
        assert_eq!(parked.release(&WAIT), [from(2, 99_999)]);
        assert!(parked.is_empty() && parked.authors.is_empty() && parked.links.is_empty());
    }

    #[test]
    fn what_two_links_brought_stays_until_both_are_gone() {
        let mut parked = Parked::new();
        for link in [1, 2] {
            parked.park(ANA, WAIT, from(link, 7)).unwrap();
        }
        assert_eq!(parked.len(), 1);
        parked.forget_link(LinkId(1));
        assert_eq!(parked.len(), 1);
        parked.forget_link(LinkId(2));
        assert!(parked.is_empty() && parked.links.is_empty());
        for link in [1, 2] {
            parked.park(ANA, WAIT, from(link, 7)).unwrap();
        }
        parked.forget_link(LinkId(1));
        assert_eq!(parked.release(&WAIT), [from(2, 7)], "of the link that is there");
        assert!(parked.links.is_empty() && parked.total.bytes == 0);
    }

    #[test]
    fn whom_the_log_does_not_know_leaves_room_for_members() {
        let mut parked = Parked::new();
        let links = |number: usize| (number / limits::PARKED_LINK) as u64;
        for number in 0..limits::PARKED_STRANGERS {
            let wait = Wait::Author(author(number));
            parked.park(author(number), wait, from(links(number), number)).unwrap();
        }
        let stranger = PeerId([9; 32]);
        let wait = Wait::Author(stranger);
        assert_eq!(parked.park(stranger, wait, from(99, 0)), Err(Overflow::Pool));
        for number in parked.len()..limits::PARKED_TOTAL {
            parked.park(author(number), WAIT, from(links(number), number)).unwrap();
        }
        assert_eq!(parked.park(ANA, WAIT, from(99, 0)), Err(Overflow::Pool));
        parked.forget_link(LinkId(0));
        parked.park(stranger, wait, from(99, 0)).unwrap();
    }
}
