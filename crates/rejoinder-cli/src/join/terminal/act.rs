//! Carries out what the form wants done.

use rejoinder::{Edit, Event, NotDone, ProposalId, Refused, Request, Version};

use super::{FormOnTerminal, Shown};
use crate::{
    failure::Failure,
    prompt::{Action, Input},
};

impl FormOnTerminal<'_> {
    /// Carries out an action. Returns when it is saved, or when the disk has begun to refuse it:
    /// the engine keeps trying, and the form shows what happens meanwhile. The person is told of a
    /// refusal.
    pub(super) async fn act(&mut self, action: Action) -> Result<(), Failure> {
        let written = match &action {
            Action::Draft { question, .. } | Action::Submit { question, .. } => {
                Some(question.clone())
            }
            Action::Skip { .. }
            | Action::Clear { .. }
            | Action::Take { .. }
            | Action::Complete(_)
            | Action::Next
            | Action::Stop
            | Action::Quit => None,
        };
        let Some(Shown { request, .. }) = &self.shown else { return Ok(()) };
        let doing = done(request.clone(), self.prompt.seen().cloned(), action);
        tokio::pin!(doing);
        let mut happened = Vec::new();
        let done = loop {
            tokio::select! {
                biased;
                done = &mut doing => break done,
                event = self.events.next() => {
                    let Some(event) = event else { return Err(self.events.closed().into()) };
                    let failing = matches!(event.event(), Some(Event::DiskFailing(_)));
                    happened.push(event);
                    if failing {
                        break Ok(None);
                    }
                }
            }
        };
        match done {
            Ok(proposal) => self.proposed = proposal.or(self.proposed),
            Err(NotDone::Refused(why)) => {
                self.refused = true;
                if let Some(question) = written {
                    self.tell(Input::NotTaken(question));
                }
                self.tell(Input::Said(why.to_string()));
            }
            Err(NotDone::Closed(closed)) => return Err(closed.into()),
        }
        for event in happened {
            self.event(event).await?;
        }
        Ok(())
    }
}

/// Carries out an action, and returns the proposal that it made, if any. Edits are based on what
/// the form shows: they are merged with newer ones, and kept if the request has ended meanwhile.
async fn done(
    request: Request,
    seen: Option<Version>,
    action: Action,
) -> Result<Option<ProposalId>, NotDone> {
    let edit = match action {
        Action::Draft { question, value } => Edit::Draft { question: question.into(), value },
        Action::Submit { question, value } => {
            Edit::Submit { question: question.into(), value: Some(value) }
        }
        Action::Skip { question } => Edit::Skip { question: question.into(), freeform: Vec::new() },
        Action::Clear { question } => Edit::Clear { question: question.into() },
        Action::Take { question, peer } => {
            if let Ok(peer) = peer.parse() {
                request.take(question, peer).await?;
            }
            return Ok(None);
        }
        Action::Complete(response) => {
            let proposal = request.complete(response, Default::default()).await?;
            return Ok(Some(proposal.id()));
        }
        // The form itself has carried these out.
        Action::Next | Action::Stop | Action::Quit => return Ok(None),
    };
    let seen = seen.ok_or(NotDone::Refused(Refused::NotOpen))?;
    request.edit_on(&seen, edit).await?;
    Ok(None)
}
