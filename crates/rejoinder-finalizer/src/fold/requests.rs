//! Requests: raised, raised again, decided; and the content of their parts.

use std::collections::BTreeMap;

use ahp_types::{
    actions::{ChatInputCompletedAction, ChatInputRequestedAction, StateAction},
    state::ChatInputRequest,
};
use rejoinder_identity::{DocumentId, OpeningId, RequestId};

use super::Folding;
use crate::{
    change::LogChange,
    conversation::Channel,
    record::{Decided, Raised, Record},
    request::{Decision, Request, Status},
    state::{Ruling, State},
};

impl Folding<'_> {
    pub(super) fn raised(&mut self, raised: &Raised) {
        let Ok(mut request) = serde_json::from_str::<ChatInputRequest>(&raised.request) else {
            return;
        };
        // The answers that it came with are in the skeleton.
        request.answers = None;
        match raised.opening {
            None => self.opened(raised, request),
            Some(opening) => self.revised(raised, opening, request),
        }
    }

    fn opened(&mut self, raised: &Raised, request: ChatInputRequest) {
        let (Some(turn), Some(incarnation)) = (self.state.active_turn(), self.state.incarnation())
        else {
            return;
        };
        let id = RequestId(request.id.clone());
        // Both would be one part: AHP tells open requests apart by their ids.
        if self.state.open_request(&id).is_some() {
            return;
        }
        let opening = self.id.as_opening();
        let Record { workspace, epoch, seq, prev, at, .. } = self.record;
        let index = self.request_part(&request);
        let request = Request {
            id,
            opening,
            document: DocumentId::of_opening(workspace, *epoch, &incarnation, *seq, prev),
            turn,
            index,
            opened: *at,
            request,
            json: raised.request.clone(),
            skeletons: vec![raised.skeleton.clone()],
            strict: raised.strict,
            status: Status::Open,
        };
        self.state.requests.insert(opening, request);
        self.state.order.push(opening);
        self.state.unsettled.insert(opening);
        self.changes.push(LogChange::RequestRaised { opening, revision: 1 });
    }

    fn revised(&mut self, raised: &Raised, opening: OpeningId, request: ChatInputRequest) {
        let Some(held) = self.state.requests.get_mut(&opening) else { return };
        if !held.is_open() || held.id.0 != request.id {
            return;
        }
        held.request = request.clone();
        held.json.clone_from(&raised.request);
        held.skeletons.push(raised.skeleton.clone());
        held.strict = raised.strict;
        let revision = held.revision();
        self.request_part(&request);
        self.changes.push(LogChange::RequestRaised { opening, revision });
    }

    /// Appends or updates the part, and tells the place of the last part.
    fn request_part(&mut self, request: &ChatInputRequest) -> usize {
        let requested = ChatInputRequestedAction { request: request.clone() };
        self.reduce(Channel::Chat, &StateAction::ChatInputRequested(requested));
        let parts = self.state.conversation.chat.active_turn.as_ref();
        parts.map_or(0, |turn| turn.response_parts.len().saturating_sub(1))
    }

    pub(super) fn decided(&mut self, decided: &Decided) {
        let opening = decided.opening;
        let open = self.state.request(&opening).is_some_and(Request::is_open);
        let open = open || rejoinder_identity::mutant!("mutant-second-completion-wins");
        if open {
            self.decide(decided);
            self.changes.push(LogChange::RequestDecided { opening });
        }
        self.answer(decided.proposal, Ruling::Decided(opening));
    }

    fn decide(&mut self, decided: &Decided) {
        let request =
            self.state.requests.get_mut(&decided.opening).expect("the caller found it open");
        request.status = Status::Decided(Decision {
            response: decided.response,
            revision: decided.revision,
            by: decided.by,
            proposal: decided.proposal,
            embedded: decided.embedded.clone(),
            displaced: decided.displaced.clone(),
            record: self.id,
        });
        let completed = ChatInputCompletedAction {
            request_id: request.id.0.clone(),
            response: decided.response,
            answers: None,
        };
        self.state.unsettled.remove(&decided.opening);
        self.reduce(Channel::Chat, &StateAction::ChatInputCompleted(completed));
        self.show(&decided.opening);
    }

    /// Fills the part from its status, and not from what the reducers merged.
    pub(super) fn show(&mut self, opening: &OpeningId) {
        let State { requests, conversation, .. } = &mut *self.state;
        let request = &requests[opening];
        let Some(part) = conversation.part(&request.turn, request.index) else { return };
        let answers = match &request.status {
            Status::Open => BTreeMap::new(),
            Status::Suspended(ended) | Status::Ended(ended) => ended.embedded.readable(),
            Status::Decided(decision) => decision.embedded.readable(),
        };
        part.request.answers = (!answers.is_empty()).then(|| answers.into_iter().collect());
    }
}
