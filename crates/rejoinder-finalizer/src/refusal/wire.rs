//! Reasons in bytes. Code and text travel beside the reason, for those who do not know it.

use rejoinder_identity::{from_bytes, to_bytes};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Refusal;

pub(crate) fn serialize<S: Serializer>(
    refusal: &Refusal,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    (to_bytes(refusal), refusal.code(), refusal.to_string()).serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Refusal, D::Error> {
    let (bytes, code, text) = <(Vec<u8>, String, String)>::deserialize(deserializer)?;
    Ok(from_bytes("reason", &bytes).unwrap_or(Refusal::Other { code, text }))
}
