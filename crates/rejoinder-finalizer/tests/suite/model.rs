//! A chat and its requests, as simply as they can be told.

use ahp_types::state::ChatInputResponseKind;
use rejoinder_finalizer::TurnEnd;
use rejoinder_identity::OpeningId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    Open,
    Suspended,
    Decided(ChatInputResponseKind),
    Ended(TurnEnd),
}

#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub id: u8,
    pub turn: u8,
    pub revision: u32,
    pub answered: bool,
    pub stands: Stands,
    pub opening: OpeningId,
}

/// Finished turns with whether they failed resumably, the active one, and all requests ever.
#[derive(Debug, Default)]
pub struct Model {
    pub finished: Vec<(u8, bool)>,
    pub active: Option<u8>,
    pub failed_last: bool,
    pub requests: Vec<ModelRequest>,
}

impl Model {
    /// Requests of turns that failed resumably come and go with what their turn may do.
    pub fn follow_turns(&mut self) {
        let Self { finished, active, requests, .. } = self;
        let resumable = finished.last().filter(|(_, failed)| *failed && active.is_none());
        for request in requests {
            let is_last = resumable.is_some_and(|(turn, _)| *turn == request.turn);
            let kept = finished.iter().any(|(turn, failed)| *turn == request.turn && *failed);
            request.stands = match request.stands {
                Stands::Suspended if !kept => Stands::Ended(TurnEnd::Truncated),
                Stands::Suspended if !is_last => Stands::Ended(TurnEnd::Failed),
                Stands::Ended(TurnEnd::Failed) if is_last && kept => Stands::Suspended,
                stands => stands,
            };
        }
    }

    pub fn end(&mut self, how: TurnEnd, resumable: bool) -> bool {
        let Some(turn) = self.active.take() else { return false };
        let suspends = how == TurnEnd::Failed && resumable;
        self.finished.push((turn, suspends));
        self.failed_last = how == TurnEnd::Failed;
        self.leave_open(if suspends { Stands::Suspended } else { Stands::Ended(how) });
        self.follow_turns();
        true
    }

    pub fn leave_open(&mut self, stands: Stands) {
        for request in self.requests.iter_mut().filter(|asked| asked.stands == Stands::Open) {
            request.stands = stands;
        }
    }

    pub fn start(&mut self, turn: u8) -> bool {
        let known = self.finished.iter().any(|(finished, _)| *finished == turn);
        if self.active.is_some() || known {
            return false;
        }
        self.active = Some(turn);
        self.follow_turns();
        true
    }

    pub fn truncate(&mut self, turn: Option<u8>) -> bool {
        let keep = match turn {
            None => 0,
            Some(turn) => match self.finished.iter().position(|(id, _)| *id == turn) {
                None => return false,
                Some(index) => index + 1,
            },
        };
        // A turn that is gone for good settles what might still have come back.
        let gone: Vec<u8> = self.finished.drain(keep..).map(|(turn, _)| turn).collect();
        for request in &mut self.requests {
            if gone.contains(&request.turn) && request.stands == Stands::Suspended {
                request.stands = Stands::Ended(TurnEnd::Truncated);
            } else if gone.contains(&request.turn) {
                request.turn = u8::MAX;
            }
        }
        self.active = None;
        self.failed_last = false;
        self.leave_open(Stands::Ended(TurnEnd::Truncated));
        self.follow_turns();
        true
    }

    pub fn resume(&mut self, turn: u8) -> bool {
        if self.active.is_some() || self.finished.last() != Some(&(turn, true)) {
            return false;
        }
        self.finished.pop();
        self.active = Some(turn);
        for request in &mut self.requests {
            if request.turn == turn && request.stands == Stands::Suspended {
                request.stands = Stands::Open;
            }
        }
        true
    }

    pub fn status(&self) -> u32 {
        let open = self.requests.iter().any(|request| request.stands == Stands::Open);
        match self.active {
            Some(_) if open => 24,
            Some(_) => 8,
            None if self.failed_last => 2,
            None => 1,
        }
    }
}
