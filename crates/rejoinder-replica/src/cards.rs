//! Where devices can be reached: the signed address cards, the highest counter of each device.

use std::{collections::BTreeMap, net::SocketAddr, sync::Arc};

use rejoinder_identity::{PeerId, SecretKey, Verified};
use rejoinder_sync::AddressCard;

use crate::limits;

/// The newest card of each device.
#[derive(Debug, Default)]
pub(crate) struct Cards {
    by_device: BTreeMap<PeerId, Verified<AddressCard>>,
}

impl Cards {
    /// Takes a card if it is its device's own and newer than the one that is here; returns its
    /// device then. Of devices that are no members (yet) it takes so many: a card may come before
    /// the record that makes its device one.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        is_member: impl Fn(&PeerId) -> bool,
    ) -> Option<PeerId> {
        let card = Verified::<AddressCard>::from_bytes(bytes).ok()?;
        let device = card.value().device;
        if !is_member(&device) && !self.by_device.contains_key(&device) {
            let strangers = self.by_device.keys().filter(|known| !is_member(known)).count();
            if strangers >= limits::STRANGERS_CARDS {
                return None;
            }
        }
        let newer = self
            .by_device
            .get(&device)
            .is_none_or(|known| known.value().counter < card.value().counter);
        if card.signer() != device || !newer {
            return None;
        }
        self.by_device.insert(device, card);
        Some(device)
    }

    /// This device's next card.
    pub(crate) fn sign(
        &mut self,
        key: &SecretKey,
        addresses: Vec<SocketAddr>,
        counter: u64,
    ) -> Arc<[u8]> {
        let device = key.public();
        let card = Verified::sign(key, AddressCard { device, addresses, counter });
        let bytes = card.bytes().clone();
        self.by_device.insert(device, card);
        bytes
    }

    pub(crate) fn addresses(&self, device: &PeerId) -> &[SocketAddr] {
        self.by_device.get(device).map_or(&[], |card| &card.value().addresses)
    }

    pub(crate) fn counter(&self, device: &PeerId) -> Option<u64> {
        self.by_device.get(device).map(|card| card.value().counter)
    }

    pub(crate) fn bytes(&self, device: &PeerId) -> Option<&Arc<[u8]>> {
        self.by_device.get(device).map(Verified::bytes)
    }

    /// The own card first, then those of the devices that `shown` says, as many as a hello holds.
    pub(crate) fn for_hello(&self, me: &PeerId, shown: impl Fn(&PeerId) -> bool) -> Vec<Vec<u8>> {
        let own = self.by_device.get(me).into_iter();
        let others = self.by_device.iter().filter(|(device, _)| *device != me && shown(device));
        let mut size = 0;
        own.chain(others.map(|(_, card)| card))
            .map(|card| card.bytes().to_vec())
            .take(limits::HELLO_CARDS)
            .take_while(|card| {
                size += card.len() + 3;
                size < limits::HELLO - 64
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(key: &SecretKey, device: PeerId, counter: u64) -> Arc<[u8]> {
        let addresses = vec![SocketAddr::from(([127, 0, 0, 1], 1))];
        Verified::sign(key, AddressCard { device, addresses, counter }).bytes().clone()
    }

    #[test]
    fn the_highest_counter_wins_and_only_the_owner_signs() {
        let (key, other) = (SecretKey::from_seed([1; 32]), SecretKey::from_seed([2; 32]));
        let me = key.public();
        let mut cards = Cards::default();
        let nobody = |_: &PeerId| false;
        assert_eq!(cards.take(&card(&key, me, 2), nobody), Some(me));
        assert_eq!(cards.take(&card(&key, me, 1), nobody), None, "older");
        assert_eq!(cards.take(&card(&key, me, 2), nobody), None, "the same");
        assert_eq!(cards.take(&card(&other, me, 9), nobody), None, "forged");
        assert_eq!(cards.take(b"nonsense", nobody), None);
        assert_eq!(cards.take(&card(&key, me, 3), nobody), Some(me));
        assert_eq!(cards.addresses(&me).len(), 1);
        assert_eq!(cards.addresses(&other.public()), []);
        assert_eq!(cards.for_hello(&other.public(), |_| false).len(), 0);
        assert_eq!(cards.for_hello(&me, |_| false).len(), 1);
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
            assert!(cards.take(&card(&key, key.public(), 1), |_| false).is_some());
        }
        let one_more = key(limits::STRANGERS_CARDS);
        let bytes = card(&one_more, one_more.public(), 1);
        assert_eq!(cards.take(&bytes, |_| false), None);
        assert_eq!(
            cards.take(&bytes, |device| *device == one_more.public()),
            Some(one_more.public())
        );
        let first = key(0);
        assert!(cards.take(&card(&first, first.public(), 2), |_| false).is_some(), "it has moved");
    }
}
