//! The number of each reason on the wire, and the order of its fields. Numbers are never changed,
//! and never used again; a new reason gets the next one.

use std::fmt;

use ahp_types::state::ChatInputResponseKind;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, SeqAccess, Visitor},
};

use super::{BadAnswers, BadCall, HostCannot, NoAccess, Over, Refusal};

/// Writes both directions of the table: a number, and the fields after it.
macro_rules! numbers {
    ($($number:literal => $who:ident($kind:ident::$name:ident
            $({ $($field:ident $(as $bytes:ident)?),+ })?),)+
        else $other:literal => Other { $code:ident, $text:ident },
    ) => {
        impl Serialize for Refusal {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$who($kind::$name $({ $($field),+ })?) => {
                        let number: u32 = $number;
                        (number, ($($(field!($field $($bytes)?),)+)?)).serialize(serializer)
                    })+
                    Self::Other { $code, $text } => {
                        let number: u32 = $other;
                        (number, ($code, $text)).serialize(serializer)
                    }
                }
            }
        }

        /// Reads the fields that belong to a number.
        fn read<'de, A: SeqAccess<'de>>(number: u32, fields: A) -> Result<Refusal, A::Error> {
            match number {
                $($number => {
                    let ($($(pattern!($field $($bytes)?),)+)?) = next(fields)?;
                    Ok(Refusal::$who($kind::$name $({ $($field),+ })?))
                })+
                $other => {
                    let ($code, $text) = next(fields)?;
                    Ok(Refusal::Other { $code, $text })
                }
                unknown => Err(A::Error::custom(format!("reason {unknown}"))),
            }
        }
    };
}

macro_rules! field {
    ($field:ident) => {
        $field
    };
    ($field:ident $bytes:ident) => {
        $bytes(*$field)
    };
}

macro_rules! pattern {
    ($field:ident) => {
        $field
    };
    ($field:ident $bytes:ident) => {
        $bytes($field)
    };
}

numbers! {
    0 => Nobody(Over::AlreadyDecided { by, response as Response, decision }),
    1 => Nobody(Over::NoOpenRequest { ended }),
    2 => Answerer(BadAnswers::RequestChanged { revision }),
    3 => Answerer(BadAnswers::RequiredUnanswered { questions }),
    4 => Answerer(BadAnswers::Invalid { questions }),
    5 => Answerer(BadAnswers::Stale { questions }),
    6 => Answerer(BadAnswers::TooLarge { question }),
    7 => Caller(BadCall::TurnActive { turn }),
    8 => Nobody(Over::AlreadyStarted { turn }),
    9 => Caller(BadCall::NoActiveTurn),
    10 => Caller(BadCall::OtherTurn { active }),
    11 => Caller(BadCall::NoSuchTurn { turn }),
    12 => Caller(BadCall::NotResumable { turn }),
    13 => Host(HostCannot::NotTakenUp { requests }),
    14 => Caller(BadCall::OriginNotUser),
    15 => Caller(BadCall::HostOnly { action }),
    16 => Host(HostCannot::Unsupported { what }),
    17 => Caller(BadCall::Malformed { why }),
    18 => Caller(BadCall::NoEffect { action }),
    19 => Caller(BadCall::NoSuchChannel { channel }),
    20 => Owner(NoAccess::NotAllowed { role }),
    21 => Caller(BadCall::RecordTooLarge { size, limit }),
    22 => Host(HostCannot::TooManyOpen { limit }),
    23 => Owner(NoAccess::UnknownInvite),
    24 => Owner(NoAccess::InviteExpired { expired }),
    25 => Owner(NoAccess::NoSeatLeft { seats }),
    26 => Owner(NoAccess::NotApproved),
    27 => Host(HostCannot::NotHost),
    else 28 => Other { code, text },
}

/// A response by its number of ours.
#[derive(Serialize, Deserialize)]
struct Response(#[serde(with = "crate::response")] ChatInputResponseKind);

impl<'de> Deserialize<'de> for Refusal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, Numbered)
    }
}

struct Numbered;

impl<'de> Visitor<'de> for Numbered {
    type Value = Refusal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of a reason, and its fields")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Refusal, A::Error> {
        read(next(&mut parts)?, parts)
    }
}

fn next<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(mut parts: A) -> Result<T, A::Error> {
    parts.next_element()?.ok_or_else(|| A::Error::custom("it ends too soon"))
}
