//! Turns: published actions, the ends of turns, and their effect on requests.

use ahp::reducers::ReduceOutcome;
use ahp_types::{
    actions::{ChatTurnStartedAction, StateAction},
    state::{ResponsePart, SessionInputRequest},
};
use rejoinder_identity::TurnId;

use super::Folding;
use crate::{
    change::LogChange,
    conversation::{Channel, Standing, read_action},
    record::{EndedRequest, Published, TurnEnded},
    request::{Ended, Status, TurnEnd},
    state::{Ruling, State},
};

impl Folding<'_> {
    pub(super) fn published(&mut self, published: &Published) {
        if let Some(channel) = self.state.channel(&published.channel)
            && let Ok(action) = read_action(&published.action)
        {
            self.publish(channel, &action);
        }
        if let Some(proposal) = published.grants {
            self.answer(proposal, Ruling::Granted);
        }
    }

    fn publish(&mut self, channel: Channel, action: &StateAction) {
        if !may_be_published(action) {
            return;
        }
        match (channel, action) {
            (Channel::Chat, StateAction::ChatTurnStarted(start)) => self.turn_started(start),
            (Channel::Chat, StateAction::ChatTurnResume(resume)) => {
                if self.reduce(Channel::Chat, action) {
                    self.changes
                        .push(LogChange::TurnResumed { turn: resume.turn_id.clone().into() });
                    self.follow_turns(TurnEnd::Failed, &[]);
                }
            }
            _ => {
                if self.reduce(channel, action) {
                    self.changes.push(LogChange::Published);
                }
            }
        }
    }

    fn turn_started(&mut self, start: &ChatTurnStartedAction) {
        if !self.state.conversation.may_start(start) {
            return;
        }
        self.reduce(Channel::Chat, &StateAction::ChatTurnStarted(start.clone()));
        let turn = TurnId(start.turn_id.clone());
        self.state.starts.insert(turn.clone(), self.record.at);
        self.changes.push(LogChange::TurnStarted { turn });
        // The failed turn before it is no longer the last, so it can't be resumed any more.
        self.follow_turns(TurnEnd::Failed, &[]);
    }

    pub(super) fn reduce(&mut self, channel: Channel, action: &StateAction) -> bool {
        self.state.conversation.reduce(channel, action) == ReduceOutcome::Applied
    }

    pub(super) fn turn_ended(&mut self, ended: &TurnEnded) {
        if self.state.channel(&ended.channel) == Some(Channel::Chat)
            && let Ok(action) = read_action(&ended.action)
            && let Some(how) = how_it_ends(&action, ended.how)
        {
            let turn = self.state.active_turn();
            if self.reduce(Channel::Chat, &action) {
                self.changes.push(LogChange::TurnEnded { turn, how });
                self.follow_turns(how, &ended.requests);
            }
        }
        if let Some(proposal) = ended.grants {
            self.answer(proposal, Ruling::Granted);
        }
    }

    /// Brings the requests that may still change in line with their turns. Open ones whose turn
    /// ended show the answers that the end embeds; a start or a resume ends none.
    fn follow_turns(&mut self, how: TurnEnd, embedded: &[EndedRequest]) {
        for opening in self.state.unsettled.clone() {
            let request = &self.state.requests[&opening];
            let standing = self.state.conversation.standing(&request.turn);
            let found = embedded.iter().find(|ended| ended.opening == opening);
            let ends = || Ended {
                how: if standing == Standing::Gone { TurnEnd::Truncated } else { how },
                embedded: found.map(|ended| ended.embedded.clone()).unwrap_or_default(),
                record: self.id,
            };
            let next = follow(&request.status, standing, ends);
            if next == request.status {
                continue;
            }
            self.changes.push(match &next {
                Status::Open => LogChange::RequestReopened { opening },
                Status::Suspended(_) => LogChange::RequestSuspended { opening },
                Status::Ended(ended) => LogChange::RequestEnded { opening, how: ended.how },
                Status::Decided(_) => LogChange::RequestDecided { opening },
            });
            self.state.requests.get_mut(&opening).expect("it was found above").status = next;
            self.show(&opening);
        }
        let State { unsettled, requests, conversation, .. } = &mut *self.state;
        unsettled.retain(|opening| {
            let request = &requests[opening];
            match request.status {
                Status::Open | Status::Suspended(_) => true,
                // A truncation may make its turn the last one again.
                Status::Ended(_) => conversation.failed_resumably(&request.turn),
                Status::Decided(_) => false,
            }
        });
    }
}

/// The status of a request, given the state of its turn.
fn follow(status: &Status, standing: Standing, ends: impl FnOnce() -> Ended) -> Status {
    let finished = |ended: Ended, resumable: bool| {
        if resumable { Status::Suspended(ended) } else { Status::Ended(ended) }
    };
    match (status, standing) {
        (Status::Decided(decision), _) => Status::Decided(decision.clone()),
        (Status::Open | Status::Suspended(_) | Status::Ended(_), Standing::Active) => Status::Open,
        (Status::Open, Standing::Finished { resumable }) => finished(ends(), resumable),
        (Status::Suspended(ended) | Status::Ended(ended), Standing::Finished { resumable }) => {
            finished(ended.clone(), resumable)
        }
        (Status::Open, Standing::Gone) => Status::Ended(ends()),
        // Its answers are those of the failure; the truncation only took the hope of a resume.
        (Status::Suspended(ended), Standing::Gone) => {
            let Ended { record, .. } = ends();
            Status::Ended(Ended {
                how: TurnEnd::Truncated,
                embedded: ended.embedded.clone(),
                record,
            })
        }
        (Status::Ended(ended), Standing::Gone) => Status::Ended(ended.clone()),
    }
}

fn how_it_ends(action: &StateAction, said: TurnEnd) -> Option<TurnEnd> {
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other action of AHP ends a turn")]
    match action {
        StateAction::ChatTurnComplete(_) => Some(TurnEnd::Completed),
        StateAction::ChatTurnCancelled(_) if said == TurnEnd::Expired => Some(TurnEnd::Expired),
        StateAction::ChatTurnCancelled(_) => Some(TurnEnd::Cancelled),
        StateAction::ChatError(_) => Some(TurnEnd::Failed),
        StateAction::ChatTruncated(_) => Some(TurnEnd::Truncated),
        _ => None,
    }
}

/// Whether an action may be published as it is. Not if it has a record body of its own, or creates
/// or removes chats or requests: every request needs an opening, and every end embeds answers.
pub(crate) fn may_be_published(action: &StateAction) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else is AHP's alone")]
    match action {
        StateAction::ChatInputRequested(_)
        | StateAction::ChatInputAnswerChanged(_)
        | StateAction::ChatInputCompleted(_)
        | StateAction::ChatTurnComplete(_)
        | StateAction::ChatTurnCancelled(_)
        | StateAction::ChatError(_)
        | StateAction::ChatTruncated(_)
        | StateAction::ChatTurnsLoaded(_)
        | StateAction::SessionChatAdded(_)
        | StateAction::SessionChatRemoved(_)
        | StateAction::SessionChatUpdated(_)
        | StateAction::SessionDefaultChatChanged(_) => false,
        StateAction::SessionInputNeededSet(set) => {
            !matches!(set.request, SessionInputRequest::ChatInput(_))
        }
        StateAction::ChatResponsePart(appended) => {
            !matches!(appended.part, ResponsePart::InputRequest(_))
        }
        _ => true,
    }
}
