//! What the form wants done, done.

use rejoinder::{Edit, NotDone};

use super::FormOnTerminal;
use crate::{
    failure::Failure,
    prompt::{Action, Input},
};

impl FormOnTerminal<'_> {
    /// A refusal is told to the person.
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
        match self.done(action).await {
            Ok(()) => Ok(()),
            Err(NotDone::Refused(why)) => {
                self.refused = true;
                if let Some(question) = written {
                    self.tell(Input::NotTaken(question));
                }
                self.tell(Input::Said(why.to_string()));
                Ok(())
            }
            Err(NotDone::Closed(closed)) => Err(closed.into()),
        }
    }

    async fn done(&mut self, action: Action) -> Result<(), NotDone> {
        let Some((request, _)) = &self.shown else { return Ok(()) };
        match action {
            Action::Draft { question, value } => {
                self.edit(Edit::Draft { question: question.into(), value }).await
            }
            Action::Submit { question, value } => {
                let (question, value) = (question.into(), Some(value));
                self.edit(Edit::Submit { question, value }).await
            }
            Action::Skip { question } => {
                self.edit(Edit::Skip { question: question.into(), freeform: Vec::new() }).await
            }
            Action::Clear { question } => {
                self.edit(Edit::Clear { question: question.into() }).await
            }
            Action::Take { question, peer } => match peer.parse() {
                Ok(peer) => request.take(question, peer).await,
                Err(_) => Ok(()),
            },
            Action::Complete(response) => {
                let proposal = request.complete(response, Default::default()).await?;
                self.proposed = Some(proposal.id());
                Ok(())
            }
            // Of the form itself, and done there.
            Action::Next | Action::Stop | Action::Quit => Ok(()),
        }
    }

    /// An edit on what the form shows: what came since is merged with it, and if the request has
    /// ended since, it is kept.
    async fn edit(&self, edit: Edit) -> Result<(), NotDone> {
        let (Some((request, _)), Some(seen)) = (&self.shown, self.prompt.seen()) else {
            return Err(NotDone::Refused(rejoinder::Refused::NotOpen));
        };
        request.edit_on(seen, edit).await
    }
}
