//! The spelling of AHP's response kinds in our bytes: numbers of ours, and not the order in which a
//! foreign crate declares them.

use ahp_types::state::ChatInputResponseKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub(crate) fn serialize<S: Serializer>(
    response: &ChatInputResponseKind,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let number: u8 = match response {
        ChatInputResponseKind::Accept => 0,
        ChatInputResponseKind::Decline => 1,
        ChatInputResponseKind::Cancel => 2,
    };
    number.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ChatInputResponseKind, D::Error> {
    match u8::deserialize(deserializer)? {
        0 => Ok(ChatInputResponseKind::Accept),
        1 => Ok(ChatInputResponseKind::Decline),
        2 => Ok(ChatInputResponseKind::Cancel),
        other => Err(D::Error::custom(format!("response {other}"))),
    }
}

/// AHP's word for it.
pub(crate) fn word(response: ChatInputResponseKind) -> &'static str {
    match response {
        ChatInputResponseKind::Accept => "accept",
        ChatInputResponseKind::Decline => "decline",
        ChatInputResponseKind::Cancel => "cancel",
    }
}
