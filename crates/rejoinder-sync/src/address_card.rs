//! The addresses at which a device says that it can be reached.

use std::net::SocketAddr;

use rejoinder_identity::{Kind, PeerId, Signable};
use serde::{Deserialize, Serialize};

use crate::limits;

/// A device's list of its addresses, signed by the device. The highest counter wins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressCard {
    /// The device. A reader checks that it signed the card.
    pub device: PeerId,
    /// The addresses, the best first.
    pub addresses: Vec<SocketAddr>,
    /// A number that goes up with every change.
    pub counter: u64,
}

impl AddressCard {
    /// Returns whether it is short enough to be kept and forwarded.
    pub fn fits(&self) -> bool {
        self.addresses.len() <= limits::CARD_ADDRESSES
    }
}

impl Signable for AddressCard {
    const KIND: Kind = Kind::AddressCard;
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::to_bytes;

    use super::*;

    #[test]
    fn golden() {
        let addresses = vec![SocketAddr::from(([127, 0, 0, 1], 4433))];
        let card = AddressCard { device: PeerId([9; 32]), addresses, counter: 300 };
        let expected = [&[9; 32][..], &[1, 0, 127, 0, 0, 1, 0xd1, 0x22, 0xac, 0x02]].concat();
        assert_eq!(to_bytes(&card), expected);
    }

    #[test]
    fn of_bounded_length() {
        let addresses = vec![SocketAddr::from(([1, 2, 3, 4], 5)); limits::CARD_ADDRESSES];
        let mut card = AddressCard { device: PeerId([9; 32]), addresses, counter: 1 };
        assert!(card.fits());
        card.addresses.push(SocketAddr::from(([1, 2, 3, 4], 5)));
        assert!(!card.fits());
    }
}
