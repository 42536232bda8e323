//! Addresses of devices: the signed address cards, the highest counter of each
//! device. What a card must be is [`Card`]'s.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use rejoinder_identity::PeerId;

use crate::{card::Card, limits};

/// The newest card of each device.
#[derive(Debug, Default)]
pub(crate) struct Cards {
    by_device: BTreeMap<PeerId, Card>,
}

impl Cards {
    /// Takes a card if it is newer than the one that is here; returns its device then. Of devices
    /// that are no members (yet) it takes so many: a card may come before the record that makes its
    /// device one.
    pub(crate) fn take(
        &mut self,
        card: Card,
        is_member: impl Fn(&PeerId) -> bool,
    ) -> Option<PeerId> {
        let device = card.device();
        if !is_member(&device) && !self.by_device.contains_key(&device) {
            let strangers = self.by_device.keys().filter(|known| !is_member(known)).count();
            if strangers >= limits::STRANGERS_CARDS {
                return None;
            }
        }
        let known = self.by_device.get(&device);
        if known.is_some_and(|known| known.counter() >= card.counter()) {
            return None;
        }
        self.by_device.insert(device, card);
        Some(device)
    }

    pub(crate) fn addresses(&self, device: &PeerId) -> &[SocketAddr] {
        self.by_device.get(device).map_or(&[], Card::addresses)
    }

    pub(crate) fn counter(&self, device: &PeerId) -> Option<u64> {
        self.by_device.get(device).map(Card::counter)
    }

    pub(crate) fn get(&self, device: &PeerId) -> Option<&Card> {
        self.by_device.get(device)
    }

    pub(crate) fn bytes(&self, device: &PeerId) -> Option<&Arc<[u8]>> {
        self.by_device.get(device).map(Card::bytes)
    }

    /// The own card first, then those of the devices that `shown` says, as many as a hello holds:
    /// behind one that has no room left there may be a shorter one.
    pub(crate) fn for_hello(&self, me: &PeerId, shown: impl Fn(&PeerId) -> bool) -> Vec<Vec<u8>> {
        let own = self.by_device.get(me).into_iter();
        let others = self.by_device.iter().filter(|(device, _)| *device != me && shown(device));
        let mut size = 0;
        own.chain(others.map(|(_, card)| card))
            .map(|card| card.bytes().to_vec())
            .filter(|card| {
                let with_it = size + card.len() + 3;
                let fits = with_it < limits::HELLO - 64;
                if fits {
                    size = with_it;
                }
                fits
            })
            .take(limits::HELLO_CARDS)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::{SecretKey, Verified};
    use rejoinder_sync::AddressCard;

    use super::*;

    fn card(key: &SecretKey, counter: u64) -> Card {
        Card::sign(key, vec![SocketAddr::from(([127, 0, 0, 1], 1))], counter)
    }

    #[test]
    fn the_highest_counter_wins_and_only_the_owner_signs() {
        let (key, other) = (SecretKey::from_seed([1; 32]), SecretKey::from_seed([2; 32]));
        let me = key.public();
        let mut cards = Cards::default();
        let nobody = |_: &PeerId| false;
        assert_eq!(cards.take(card(&key, 2), nobody), Some(me));
        assert_eq!(cards.take(card(&key, 1), nobody), None, "older");
        assert_eq!(cards.take(card(&key, 2), nobody), None, "the same");
        let forged = AddressCard { device: me, addresses: vec![], counter: 9 };
        assert_eq!(Card::read(Verified::sign(&other, forged).bytes()), None);
        assert_eq!(Card::read(b"nonsense"), None);
        assert_eq!(cards.take(card(&key, 3), nobody), Some(me));
        assert_eq!(cards.addresses(&me).len(), 1);
        assert_eq!(cards.addresses(&other.public()), []);
        assert_eq!(cards.for_hello(&other.public(), |_| false).len(), 0);
        assert_eq!(cards.for_hello(&me, |_| false).len(), 1);
    }

    #[test]
    fn a_hello_holds_what_has_room_in_it() {
        let mut cards = Cards::default();
        let long = vec![SocketAddr::from(([0x2001, 0xdb8, 0, 0, 0, 0, 0, 1], 5)); 32];
        // In the order of their ids the long ones and the short ones are mixed.
        for number in 0..=255 {
            let key = SecretKey::from_seed([number; 32]);
            let addresses = if number % 2 == 0 { long.clone() } else { vec![] };
            cards.take(Card::sign(&key, addresses, 1), |_| true).unwrap();
        }
        let me = SecretKey::from_seed([0; 32]).public();
        let hello = cards.for_hello(&me, |_| true);
        let size: usize = hello.iter().map(|card| card.len() + 3).sum();
        let shortest = hello.iter().map(Vec::len).min().unwrap();
        assert!(size < limits::HELLO && size + shortest + 3 >= limits::HELLO - 64, "{size}");
        assert_eq!(Some(&hello[0]), cards.bytes(&me).map(|own| own.to_vec()).as_ref());
    }

    #[test]
    fn strangers_have_a_bound_and_members_none() {
        let key = |number: usize| {
            let mut seed = [0; 32];
            seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
            SecretKey::from_seed(seed)
        };
        let mut cards = Cards::default();
        for number in 0..limits::STRANGERS_CARDS {
            let key = key(number);
            assert!(cards.take(card(&key, 1), |_| false).is_some());
        }
        let one_more = key(limits::STRANGERS_CARDS);
        assert_eq!(cards.take(card(&one_more, 1), |_| false), None);
        assert_eq!(
            cards.take(card(&one_more, 1), |device| *device == one_more.public()),
            Some(one_more.public())
        );
        let first = key(0);
        assert!(cards.take(card(&first, 2), |_| false).is_some(), "it has moved");
    }
}
