//! Items that came before what they depend on, until it is there.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
};

use rejoinder_identity::{ChangeHash, DocumentId, PeerId, RecordId};

use crate::{ItemKind, LinkId, limits};

/// What an item waits for.
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

/// An item that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedItem {
    /// The link it came over, which may be gone by the time the item is released.
    pub link: LinkId,
    /// What it is.
    pub kind: ItemKind,
    /// The item as it came.
    pub bytes: Vec<u8>,
}

/// There is no room for an item. It is dropped; the next comparison brings it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overflow {
    /// Its author has as much parked as one author may.
    Author(PeerId),
    /// The pool is full.
    Pool,
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Author(author) => write!(f, "too much of {} is parked", author.short()),
            Self::Pool => f.write_str("too much is parked"),
        }
    }
}

impl std::error::Error for Overflow {}

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

/// A bounded pool of items that wait. The newest gives way when it is full, so that nobody can
/// push out what others have parked.
#[derive(Debug, Default)]
pub struct Parked {
    waiting: BTreeMap<Wait, VecDeque<(PeerId, ParkedItem)>>,
    authors: BTreeMap<PeerId, Load>,
    total: Load,
}

impl Parked {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps an item of `author` until [`release`](Self::release) of what it waits for. The same
    /// item is kept once.
    ///
    /// # Errors
    ///
    /// There is no room.
    pub fn park(&mut self, author: PeerId, wait: Wait, item: ParkedItem) -> Result<(), Overflow> {
        let size = item.bytes.len();
        let known = self.waiting.get(&wait).is_some_and(|items| {
            items.iter().any(|(_, parked)| parked.bytes == item.bytes && parked.kind == item.kind)
        });
        if known {
            return Ok(());
        }
        let load = self.authors.get(&author).copied().unwrap_or_default();
        if !load.has_room(size, limits::PARKED, limits::PARKED_BYTES) {
            return Err(Overflow::Author(author));
        }
        if !self.total.has_room(size, limits::PARKED_TOTAL, limits::PARKED_TOTAL_BYTES) {
            return Err(Overflow::Pool);
        }
        self.authors.entry(author).or_default().add(size);
        self.total.add(size);
        self.waiting.entry(wait).or_default().push_back((author, item));
        Ok(())
    }

    /// What waited for this, in the order in which it came.
    pub fn release(&mut self, wait: &Wait) -> Vec<ParkedItem> {
        let items = self.waiting.remove(wait).unwrap_or_default();
        items.into_iter().map(|(author, item)| self.leave(author, item)).collect()
    }

    /// All that waited for changes of a document, whichever they are: its structure has grown.
    pub fn release_document(&mut self, document: &DocumentId) -> Vec<ParkedItem> {
        let first = Wait::Change(*document, ChangeHash([0; 32]));
        let last = Wait::Change(*document, ChangeHash([0xff; 32]));
        let waits: Vec<_> = self.waiting.range(first..=last).map(|(wait, _)| *wait).collect();
        waits.iter().flat_map(|wait| self.release(wait)).collect()
    }

    /// How many items wait.
    pub fn len(&self) -> usize {
        self.total.items
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn leave(&mut self, author: PeerId, item: ParkedItem) -> ParkedItem {
        let size = item.bytes.len();
        self.total.take(size);
        let load = self.authors.get_mut(&author).expect("the author of a parked item is counted");
        load.take(size);
        if load.items == 0 {
            self.authors.remove(&author);
        }
        item
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

    #[test]
    fn invented_authors_have_a_bound_together() {
        let mut parked = Parked::new();
        for number in 0..limits::PARKED_TOTAL {
            let author = PeerId([u8::try_from(number / limits::PARKED).unwrap() + 10; 32]);
            parked.park(author, WAIT, item(number, 8)).unwrap();
        }
        assert_eq!(parked.park(ANA, WAIT, item(0, 16)), Err(Overflow::Pool));
    }
}
