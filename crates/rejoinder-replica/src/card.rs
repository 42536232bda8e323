//! One address card, checked: the only form in which a card is kept, offered and dialled, wherever
//! it came from.

use std::{net::SocketAddr, sync::Arc};

use rejoinder_identity::{PeerId, SecretKey, Verified};
use rejoinder_sync::{AddressCard, limits};

/// A card that its device signed, and that everybody takes: it is short, and each of its addresses
/// can be one device's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Card(Verified<AddressCard>);

impl Card {
    /// The card in these bytes, of a hello, an item or a row. None: nobody is to see it.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > limits::CARD {
            return None;
        }
        let card = Verified::<AddressCard>::from_bytes(bytes).ok()?;
        let AddressCard { device, addresses, .. } = card.value();
        let sound =
            card.signer() == *device && card.value().fits() && addresses.iter().all(can_be_dialled);
        sound.then_some(Self(card))
    }

    /// This device's own.
    pub(crate) fn sign(key: &SecretKey, addresses: Vec<SocketAddr>, counter: u64) -> Self {
        let device = key.public();
        Self(Verified::sign(key, AddressCard { device, addresses, counter }))
    }

    pub(crate) fn device(&self) -> PeerId {
        self.0.value().device
    }

    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.0.value().addresses
    }

    pub(crate) fn counter(&self) -> u64 {
        self.0.value().counter
    }

    pub(crate) fn bytes(&self) -> &Arc<[u8]> {
        self.0.bytes()
    }
}

/// Those of a device's addresses that others take from a card, the best first.
pub(crate) fn for_a_card(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    addresses.into_iter().filter(can_be_dialled).take(limits::CARD_ADDRESSES).collect()
}

/// True if it can be the address of one device. Whoever signs a card makes every member send
/// packets there, so it must not be one that a whole network listens to.
fn can_be_dialled(address: &SocketAddr) -> bool {
    let ip = address.ip().to_canonical();
    let everybody = match ip {
        std::net::IpAddr::V4(ip) => ip.is_broadcast(),
        std::net::IpAddr::V6(_) => false,
    };
    address.port() != 0 && !ip.is_unspecified() && !ip.is_multicast() && !everybody
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_for_oneself_is_taken_by_all() {
        let key = SecretKey::from_seed([1; 32]);
        let last = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535".parse().unwrap();
        let mut addresses = vec![SocketAddr::from(([0, 0, 0, 0], 1)); 3];
        addresses.extend(vec![last; limits::CARD_ADDRESSES + 1]);
        let card = Card::sign(&key, for_a_card(addresses), u64::MAX);
        assert_eq!(card.addresses(), vec![last; limits::CARD_ADDRESSES]);
        assert_eq!(Card::read(card.bytes()), Some(card));
    }
}
