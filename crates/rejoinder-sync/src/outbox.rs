//! Items that are about to leave over a link, in order.

use std::{collections::VecDeque, sync::Arc};

use crate::{
    Item, ItemKind,
    key::{Key, LogOrKey},
    limits,
    list::{Bytes, List},
    message::{Items, Message},
};

#[derive(Debug)]
struct Outgoing {
    kind: ItemKind,
    /// The item; `None` for a card, which nobody keeps track of.
    item: Option<Item>,
    bytes: Arc<[u8]>,
}

/// The items of one link that wait for a frame.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    items: VecDeque<Outgoing>,
    bytes: usize,
}

/// An item that no link takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong;

/// A frame of items, and what is in it.
pub(crate) struct Frame {
    pub(crate) bytes: Vec<u8>,
    pub(crate) contents: Vec<(Key, u64)>,
    /// The length of the log with the last record in it.
    pub(crate) log: Option<u64>,
}

impl Outbox {
    /// Puts an item at the end.
    ///
    /// # Errors
    ///
    /// It is longer than an item of its kind may be: the other side would close the link. No item
    /// that is made or admitted here should be, but one may have come from outside in another way.
    /// So it is dropped, without a panic.
    pub(crate) fn push(
        &mut self,
        kind: ItemKind,
        item: Option<Item>,
        bytes: &Arc<[u8]>,
    ) -> Result<(), TooLong> {
        if bytes.len() > kind.limit() {
            return Err(TooLong);
        }
        self.bytes += bytes.len();
        self.items.push_back(Outgoing { kind, item, bytes: bytes.clone() });
        Ok(())
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Takes out items that have become superfluous.
    pub(crate) fn drop_if(&mut self, superfluous: impl Fn(&Item) -> bool) {
        self.items.retain(|outgoing| !outgoing.item.as_ref().is_some_and(&superfluous));
        self.bytes = self.items.iter().map(|outgoing| outgoing.bytes.len()).sum();
    }

    /// Returns the next frame, with as many items as it holds.
    pub(crate) fn next_frame(&mut self) -> Option<Frame> {
        let (mut size, mut taken) = (0, Vec::new());
        while let Some(outgoing) = self.items.front()
            && taken.len() < limits::ITEMS
            && (taken.is_empty() || size + outgoing.bytes.len() <= limits::FRAME_TARGET)
        {
            size += outgoing.bytes.len();
            taken.extend(self.items.pop_front());
        }
        if taken.is_empty() {
            return None;
        }
        self.bytes -= size;
        let items = taken.iter().map(|outgoing| (outgoing.kind as u8, Bytes(&outgoing.bytes)));
        let bytes = Message::Items(Items(List(items.collect()))).to_frame();
        let (mut contents, mut log) = (Vec::new(), None);
        for item in taken.iter().filter_map(|outgoing| outgoing.item) {
            match item.place() {
                LogOrKey::Log(length) => log = Some(length),
                LogOrKey::Of(key, seq) => contents.push((key, seq)),
            }
        }
        Some(Frame { bytes, contents, log })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_link_takes_is_dropped() {
        let mut outbox = Outbox::default();
        let kind = ItemKind::AddressCard;
        let of = |length| -> Arc<[u8]> { vec![0; length].into() };
        assert_eq!(outbox.push(kind, None, &of(limits::CARD + 1)), Err(TooLong));
        assert!(outbox.is_empty() && outbox.bytes() == 0 && outbox.next_frame().is_none());
        assert_eq!(outbox.push(kind, None, &of(limits::CARD)), Ok(()));
        assert_eq!(outbox.bytes(), limits::CARD);
    }
}
