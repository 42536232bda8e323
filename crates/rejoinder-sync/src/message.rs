//! The messages on a link, and their encoding.
//!
//! A frame is a version byte, a kind byte and a body in postcard. A kind that this release doesn't
//! know is ignored, and so is what follows a body: a later release may add kinds (reconciliation by
//! difference, presence) and fields, and stay understood.

use rejoinder_identity::{ActorId, DecodeError, DocumentId, Hash, ProposalId, RecordId};
use serde::{Deserialize, Serialize};

use crate::{
    ItemKind, Misbehaved,
    key::{Key, Line},
    limits,
    list::{Bytes, List},
    log::LogPosition,
};

pub(crate) const VERSION: u8 = 1;
/// The kind of a frame that is not for [`Sync`](crate::Sync), see
/// [`introduction_in`](crate::introduction_in).
pub(crate) const INTRODUCTION: u8 = 6;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message<'a> {
    Position(Position),
    Summary(Summary),
    Items(Items<'a>),
    Stored(Stored),
    Heard(Heard),
}

/// All that is held, in a hundred bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    pub(crate) log: LogPosition,
    /// Over the version vectors of all documents and the ids of the unanswered proposals.
    pub(crate) digest: Hash,
    /// Whether all of it is on the disk.
    pub(crate) all_stored: bool,
    /// Asks for a comparison if the other side's position is not the same.
    pub(crate) compare: bool,
}

/// The items held under the keys from `from` up to, but not including, `until`. The parts of a
/// summary come in order. The part that begins at the start carries the log; the part without an
/// end is the last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Summary {
    /// Whether it answers a summary: an answer is not answered.
    pub(crate) answer: bool,
    pub(crate) log: Option<LogSummary>,
    pub(crate) from: Option<Key>,
    pub(crate) until: Option<Key>,
    pub(crate) lines: List<Line, { limits::LINES }>,
}

/// The records that are held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogSummary {
    pub(crate) position: LogPosition,
    /// The number of records on the disk.
    pub(crate) stored: u64,
    pub(crate) trail: List<(u64, RecordId), { limits::TRAIL }>,
}

/// Items as they came from their makers, each after the number of its kind. Items of kinds that
/// this release doesn't know are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Items<'a>(#[serde(borrow)] pub(crate) List<(u8, Bytes<'a>), { limits::ITEMS }>);

/// Items that came over the link and are now on the disk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// The number of records, and the last of them; `(0, None)` says nothing.
    pub(crate) log: (u64, Option<RecordId>),
    /// A document, an actor, and the number up to which all its changes are on the disk.
    pub(crate) envelopes: List<(DocumentId, ActorId, u64), { limits::ACKNOWLEDGED }>,
    pub(crate) proposals: List<ProposalId, { limits::ACKNOWLEDGED }>,
}

/// The credit of the other side: the bytes of its summaries and items that were dealt with, in
/// whole frames since the link came up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Heard {
    pub(crate) bytes: u64,
}

impl<'a> Message<'a> {
    pub(crate) fn to_frame(&self) -> Vec<u8> {
        match self {
            Self::Position(body) => frame(1, body),
            Self::Summary(body) => frame(2, body),
            Self::Items(body) => frame(3, body),
            Self::Stored(body) => frame(4, body),
            Self::Heard(body) => frame(5, body),
        }
    }

    /// Returns `None` for a message of a later release.
    pub(crate) fn from_frame(frame: &'a [u8]) -> Result<Option<Self>, Misbehaved> {
        if frame.len() > limits::FRAME {
            return Err(Misbehaved::FrameTooLarge { bytes: frame.len() });
        }
        let [version, kind, body @ ..] = frame else {
            return Err(unreadable("frame", "too short"));
        };
        if *version != VERSION {
            return Err(Misbehaved::Version(*version));
        }
        Ok(Some(match kind {
            1 => Self::Position(read("position", body)?),
            2 => Self::Summary(read("summary", body)?),
            3 => Self::Items(read("items", body)?),
            4 => Self::Stored(read("acknowledgement", body)?),
            5 => Self::Heard(read("credit", body)?),
            // Of a later release; or an introduction, and with whom we speak is known.
            _ => return Ok(None),
        }))
    }
}

impl ItemKind {
    pub(crate) fn of_number(number: u8) -> Option<Self> {
        [Self::Record, Self::Envelope, Self::Proposal, Self::AddressCard]
            .into_iter()
            .find(|kind| *kind as u8 == number)
    }

    /// Returns the length that an item of this kind may have.
    pub(crate) fn limit(self) -> usize {
        match self {
            Self::Record => limits::RECORD,
            Self::Envelope => limits::ENVELOPE,
            Self::Proposal => limits::PROPOSAL,
            Self::AddressCard => limits::CARD,
        }
    }
}

fn frame(kind: u8, body: &impl Serialize) -> Vec<u8> {
    postcard::to_extend(body, vec![VERSION, kind])
        .expect("every sequence of ours knows its length, and a vector grows")
}

fn read<'a, T: Deserialize<'a>>(what: &'static str, body: &'a [u8]) -> Result<T, Misbehaved> {
    postcard::take_from_bytes(body)
        .map(|(value, _later)| value)
        .map_err(|error| unreadable(what, error))
}

fn unreadable(what: &'static str, why: impl std::fmt::Display) -> Misbehaved {
    Misbehaved::Unreadable(DecodeError::new(what, why))
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::{ChangeHash, Tip};

    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn golden(message: &Message<'_>, expected: &str) {
        let frame = message.to_frame();
        assert_eq!(hex(&frame), expected.replace(' ', ""));
        assert_eq!(Message::from_frame(&frame).unwrap().as_ref(), Some(message));
        // A field more, in a later release.
        let longer = [&frame[..], b"later"].concat();
        assert_eq!(Message::from_frame(&longer).unwrap().as_ref(), Some(message));
        for length in 0..frame.len() {
            assert!(Message::from_frame(&frame[..length]).is_err(), "cut to {length}");
        }
    }

    fn position() -> LogPosition {
        LogPosition { epoch: 1, length: 300, head: RecordId([0xaa; 32]) }
    }

    #[test]
    fn golden_position() {
        let digest = Hash([0xbb; 32]);
        let message = Position { log: position(), digest, all_stored: true, compare: false };
        let (aa, bb) = ("aa".repeat(32), "bb".repeat(32));
        golden(&Message::Position(message), &format!("0101 01ac02{aa} {bb} 01 00"));
    }

    #[test]
    fn golden_summary() {
        let (document, actor) = (DocumentId([1; 32]), ActorId([2; 16]));
        let tip = Tip { seq: 4, hash: ChangeHash([3; 32]) };
        let message = Summary {
            answer: true,
            log: Some(LogSummary {
                position: position(),
                stored: 299,
                trail: List(vec![(300, RecordId([0xaa; 32]))]),
            }),
            from: None,
            until: Some(Key::Envelopes(document, actor)),
            lines: List(vec![
                Line::Proposal { id: ProposalId([5; 32]), stored: false },
                Line::Envelopes { document, actor, tip, unstored: 1 },
            ]),
        };
        let [aa, one, three, five] = ["aa", "01", "03", "05"].map(|byte| byte.repeat(32));
        let two = "02".repeat(16);
        golden(
            &Message::Summary(message),
            &format!(
                "0102 01 01 01ac02{aa} ab02 01ac02{aa} 00 01 01{one}{two} \
                 02 00{five}00 01{one}{two}04{three}01"
            ),
        );
    }

    #[test]
    fn golden_items() {
        let items = List(vec![(2, Bytes(b"env")), (99, Bytes(b""))]);
        golden(&Message::Items(Items(items)), "0103 02 0203656e76 6300");
    }

    #[test]
    fn golden_stored() {
        let message = Stored {
            log: (7, Some(RecordId([1; 32]))),
            envelopes: List(vec![(DocumentId([2; 32]), ActorId([3; 16]), 300)]),
            proposals: List(vec![ProposalId([4; 32])]),
        };
        let [one, two, four] = ["01", "02", "04"].map(|byte| byte.repeat(32));
        let three = "03".repeat(16);
        golden(&Message::Stored(message), &format!("0104 0701{one} 01{two}{three}ac02 01{four}"));
    }

    #[test]
    fn golden_heard() {
        golden(&Message::Heard(Heard { bytes: 300 }), "0105 ac02");
    }

    #[test]
    fn what_a_later_release_adds_is_ignored() {
        assert_eq!(Message::from_frame(&[1, 77, 1, 2, 3]), Ok(None));
        assert_eq!(Message::from_frame(&[2, 1]), Err(Misbehaved::Version(2)));
    }

    #[test]
    fn lengths_are_not_believed() {
        // Two thousand million items in eight bytes.
        let frame = [1, 3, 0xff, 0xff, 0xff, 0xff, 0x07, 2];
        assert!(matches!(Message::from_frame(&frame), Err(Misbehaved::Unreadable(_))));
        let items = |count| Message::Items(Items(List(vec![(2, Bytes(b"")); count]))).to_frame();
        assert!(Message::from_frame(&items(limits::ITEMS)).is_ok());
        assert!(Message::from_frame(&items(limits::ITEMS + 1)).is_err());
        let large = vec![1; limits::FRAME + 1];
        let bytes = large.len();
        assert_eq!(Message::from_frame(&large), Err(Misbehaved::FrameTooLarge { bytes }));
    }
}
