//! The id of the request that is made of an elicitation.

use rejoinder_identity::RequestId;
use sha2::{Digest, Sha256};

/// The id of a request that is made from these bytes: the same question asked again is the same
/// request, which is taken up and not asked twice.
pub fn request_id(bytes: &[u8]) -> RequestId {
    let hash = Sha256::digest(bytes);
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    RequestId(format!("mcp-{hex}"))
}
