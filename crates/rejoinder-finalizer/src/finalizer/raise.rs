//! The host asks: a request is opened, or an open one gets another text.

use ahp_types::state::ChatInputRequest;
use rejoinder_identity::{DocumentId, OpeningId, RequestId, Timestamp};

use super::{Finalizer, turn::parsed};
use crate::{
    checked::Checked,
    limits,
    log::Log,
    record::{Body, Raised, Record},
    refusal::{BadCall, HostCannot, Refusal},
};

/// A request that the host program raises.
#[derive(Debug, Clone, Copy)]
pub struct Raise<'a> {
    /// AHP's `ChatInputRequest` as JSON. Its `answers` are not recorded here: they belong in the
    /// skeleton.
    pub request: &'a str,
    /// Whether an accept that displaces an answer is refused.
    pub strict: bool,
}

/// The document and the revision for which a skeleton is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skeleton {
    /// The document; it is new with revision 1.
    pub document: DocumentId,
    /// The open request that gets another text; `None` if one is opened.
    pub opening: Option<OpeningId>,
    /// The revision, from 1.
    pub revision: u32,
}

/// Why a request was not raised.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RaiseError<E> {
    /// The finalizer said no.
    #[error("{0}")]
    Refused(Refusal),
    /// No skeleton could be made.
    #[error("{0}")]
    Skeleton(E),
}

impl Finalizer {
    /// Makes the record that raises a request: the next revision when one with its id is open,
    /// else an opening.
    ///
    /// # Errors
    ///
    /// No turn is active, the request can't be read or is too large, or `skeleton` fails.
    pub fn raise<E>(
        &self,
        log: &Log,
        now: Timestamp,
        raise: &Raise<'_>,
        skeleton: impl FnOnce(Skeleton) -> Result<Vec<u8>, E>,
    ) -> Result<Checked<Record>, RaiseError<E>> {
        let (request, place) = self.place(log, raise).map_err(RaiseError::Refused)?;
        let skeleton = skeleton(place).map_err(RaiseError::Skeleton)?;
        let raised = Raised { opening: place.opening, request, skeleton, strict: raise.strict };
        self.write(log, now, Body::Raised(raised)).map_err(RaiseError::Refused)
    }

    fn place(&self, log: &Log, raise: &Raise<'_>) -> Result<(String, Skeleton), Refusal> {
        if !self.is_current(log) {
            return Err(Refusal::Host(HostCannot::NotHost));
        }
        let state = log.state();
        state.active()?;
        let request: ChatInputRequest = serde_json::from_str(raise.request).map_err(|error| {
            Refusal::Caller(BadCall::Malformed { why: format!("the request: {error}") })
        })?;
        let json = without_answers(raise.request)?;
        if let Some(open) = state.open_request(&RequestId(request.id)) {
            let place = Skeleton {
                document: open.document(),
                opening: Some(open.opening()),
                revision: open.revision() + 1,
            };
            return Ok((json, place));
        }
        if state.open_requests().len() >= limits::OPEN_REQUESTS {
            let limit = u32::try_from(limits::OPEN_REQUESTS).unwrap_or(u32::MAX);
            return Err(Refusal::Host(HostCannot::TooManyOpen { limit }));
        }
        let position = log.position();
        let document = DocumentId::of_opening(
            &self.workspace,
            self.epoch,
            &self.incarnation,
            position.length,
            &position.head,
        );
        Ok((json, Skeleton { document, opening: None, revision: 1 }))
    }
}

/// Verbatim where there is nothing to remove.
fn without_answers(json: &str) -> Result<String, Refusal> {
    let mut request = parsed("the request", json)?;
    let removed = request.as_object_mut().and_then(|keys| keys.remove("answers"));
    Ok(removed.map_or_else(|| json.to_owned(), |_| request.to_string()))
}
