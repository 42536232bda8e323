//! The ticket: one word that can be pasted, and that lets a device ask to join.

use std::{fmt, net::SocketAddr, str::FromStr};

use data_encoding::BASE32_NOPAD;
use serde::{Deserialize, Serialize};

use crate::{
    encoding::{from_bytes, to_bytes},
    hash::hash,
    id::{PeerId, WorkspaceId},
    key::SecretKey,
    limits,
    role::Role,
    timestamp::Timestamp,
};

const PREFIX: &str = "rejoin1";
const CHECKSUM: usize = 4;

/// Where a member can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// The device that must answer there, proven by its key.
    pub device: PeerId,
    /// The addresses to try.
    pub addresses: Vec<SocketAddr>,
}

/// A permission to ask to join a workspace.
///
/// It prints as `rejoin1` and base32, and is a secret until it is used up or has expired. Its
/// `Debug` therefore hides the key.
#[derive(Clone)]
pub struct Ticket {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The invite's key: its holder may ask.
    pub invite: SecretKey,
    /// The number of devices that it may bring in.
    pub seats: u16,
    /// When the host stops honouring it. The host's clock counts, not the joiner's.
    pub expires: Timestamp,
    /// The role of those who join.
    pub role: Role,
    /// Up to three members that can be asked.
    pub hints: Vec<Hint>,
}

/// A text that is not a ticket.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TicketError {
    /// It doesn't begin with `rejoin1`.
    #[error("a ticket begins with {PREFIX}")]
    Prefix,
    /// Far too long.
    #[error("a ticket is not that long")]
    Length,
    /// A character that no ticket has; its place, counted from 1.
    #[error("the ticket is damaged: character {place} can't stand in a ticket")]
    Character {
        /// The place of the character, from 1.
        place: usize,
    },
    /// The checksum is wrong: a character was changed or lost.
    #[error("the ticket is damaged: a character was changed or lost; copy it again")]
    Checksum,
    /// The checksum is right, but a newer release wrote the content.
    #[error("the ticket was made by a newer release")]
    Unknown,
    /// It names more members to ask than [`limits::HINTS`].
    #[error("the ticket names {count} members to ask, at most {}", limits::HINTS)]
    Hints {
        /// The number of them.
        count: usize,
    },
    /// It names more addresses of one member than [`limits::HINT_ADDRESSES`].
    #[error("the ticket names {count} addresses of one member, at most {}", limits::HINT_ADDRESSES)]
    Addresses {
        /// The number of them.
        count: usize,
    },
}

#[derive(Serialize, Deserialize)]
struct Wire {
    workspace: WorkspaceId,
    invite: [u8; 32],
    seats: u16,
    expires: Timestamp,
    role: Role,
    hints: Vec<Hint>,
}

impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = to_bytes(&Wire {
            workspace: self.workspace,
            invite: *self.invite.seed(),
            seats: self.seats,
            expires: self.expires,
            role: self.role,
            hints: self.hints.clone(),
        });
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        let mut text = BASE32_NOPAD.encode(&bytes);
        text.make_ascii_lowercase();
        write!(f, "{PREFIX}{text}")
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("workspace", &self.workspace)
            .field("invite", &self.invite.public())
            .field("seats", &self.seats)
            .field("expires", &self.expires)
            .field("role", &self.role)
            .field("hints", &self.hints)
            .finish()
    }
}

impl FromStr for Ticket {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Self, TicketError> {
        let text = text.trim();
        if text.len() > limits::TICKET {
            return Err(TicketError::Length);
        }
        let lower = text.to_ascii_lowercase();
        let rest = lower.strip_prefix(PREFIX).ok_or(TicketError::Prefix)?;
        if let Some((place, _)) =
            rest.chars().enumerate().find(|(_, c)| !matches!(c, 'a'..='z' | '2'..='7'))
        {
            return Err(TicketError::Character { place: PREFIX.len() + place + 1 });
        }
        let bytes = BASE32_NOPAD
            .decode(rest.to_ascii_uppercase().as_bytes())
            .map_err(|_| TicketError::Checksum)?;
        let (body, sum) = bytes.split_last_chunk::<CHECKSUM>().ok_or(TicketError::Checksum)?;
        if *sum != checksum(body) {
            return Err(TicketError::Checksum);
        }
        let wire: Wire = from_bytes("ticket", body).map_err(|_| TicketError::Unknown)?;
        if wire.hints.len() > limits::HINTS {
            return Err(TicketError::Hints { count: wire.hints.len() });
        }
        let most = wire.hints.iter().map(|hint| hint.addresses.len()).max().unwrap_or(0);
        if most > limits::HINT_ADDRESSES {
            return Err(TicketError::Addresses { count: most });
        }
        Ok(Self {
            workspace: wire.workspace,
            invite: SecretKey::from_seed(wire.invite),
            seats: wire.seats,
            expires: wire.expires,
            role: wire.role,
            hints: wire.hints,
        })
    }
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let hash = hash("ticket", &[body]);
    *hash.0.first_chunk().expect("a hash is longer than a checksum")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket() -> Ticket {
        Ticket {
            workspace: WorkspaceId([1; 32]),
            invite: SecretKey::from_seed([2; 32]),
            seats: 8,
            expires: Timestamp::from_millis(1_796_083_200_000),
            role: Role::Collaborator,
            hints: vec![Hint {
                device: PeerId([3; 32]),
                addresses: vec!["127.0.0.1:4433".parse().unwrap(), "[::1]:1".parse().unwrap()],
            }],
        }
    }

    #[test]
    fn golden_and_back() {
        let text = ticket().to_string();
        assert_eq!(
            text,
            "rejoin1aeaqcaibaeaqcaibaeaqcaibaeaqcaibaeaqcaibaeaqcaibaeaqeaqcaibaeaqcaibaeaqcaibaeaq\
             caibaeaqcaibaeaqcaibaeaqiqdall3wfnabacaydambqgaydambqgaydambqgaydambqgaydambqgaydambqg\
             aydaiah6aaaahiseaiaaaaaaaaaaaaaaaaaaaaaaaabagoy4b5t"
        );
        let again: Ticket = format!(" {}\n", text.to_uppercase()).parse().unwrap();
        assert_eq!(again.to_string(), text);
    }

    #[test]
    fn every_changed_character_is_noticed() {
        let text = ticket().to_string();
        for place in 0..text.len() {
            for other in ['a', '7', 'q', '!', 'é'] {
                let mut chars: Vec<char> = text.chars().collect();
                if chars[place] == other {
                    continue;
                }
                chars[place] = other;
                let changed: String = chars.into_iter().collect();
                // The last character may carry bits that belong to no byte; all else is covered.
                assert!(changed.parse::<Ticket>().is_err(), "place {place}, {other}");
            }
        }
    }

    #[test]
    fn every_lost_character_is_noticed() {
        let text = ticket().to_string();
        for length in 0..text.len() {
            assert!(text[..length].parse::<Ticket>().is_err());
        }
        assert_eq!("hello".parse::<Ticket>().unwrap_err(), TicketError::Prefix);
        let place = TicketError::Character { place: 10 };
        assert_eq!("rejoin1ab!cd".parse::<Ticket>().unwrap_err(), place);
    }

    #[test]
    fn what_is_too_many_is_said() {
        let address = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        let hint = |addresses: usize| {
            let ports = 1..=u16::try_from(addresses).unwrap();
            Hint { device: PeerId([3; 32]), addresses: ports.map(address).collect() }
        };
        let check = |hints: Vec<Hint>, expected: &str| {
            let read = Ticket { hints, ..ticket() }.to_string().parse::<Ticket>();
            let said = read.map_or_else(|error| error.to_string(), |_| "a ticket".to_owned());
            assert_eq!(said, expected);
        };
        check(vec![hint(16), hint(1), hint(1)], "a ticket");
        check(vec![hint(1); 4], "the ticket names 4 members to ask, at most 3");
        check(vec![hint(1), hint(17)], "the ticket names 17 addresses of one member, at most 16");
    }

    #[test]
    fn debug_hides_the_key() {
        let shown = format!("{:?}", ticket());
        assert!(!shown.contains("[2, 2"), "{shown}");
    }
}
