//! What the form wants done, done.

use rejoinder::{NotDone, Request, Value};

use super::FormOnTerminal;
use crate::{
    failure::Failure,
    prompt::{Action, Input, rebase, text_of},
    shown,
};

impl FormOnTerminal<'_> {
    /// A refusal is told to the person.
    pub(super) async fn act(&mut self, action: Action) -> Result<(), Failure> {
        match self.done(action).await {
            Ok(()) => Ok(()),
            Err(NotDone::Refused(why)) => {
                self.refused = true;
                self.tell(Input::Said(why.to_string()));
                Ok(())
            }
            Err(closed @ NotDone::Closed) => Err(closed.into()),
        }
    }

    async fn done(&mut self, action: Action) -> Result<(), NotDone> {
        let Some((request, _)) = &self.shown else { return Ok(()) };
        match action {
            Action::Type { question, base, text } => {
                let value = typed(request, &question, &base, &text).await?;
                request.draft(question, value).await
            }
            Action::Draft { question, value } => request.draft(question, Value::Ahp(value)).await,
            Action::Submit { question, value } => request.submit(question, Value::Ahp(value)).await,
            Action::Skip { question } => request.skip(question).await,
            Action::Clear { question } => request.clear(question).await,
            Action::Take { question, peer } => match peer.parse() {
                Ok(peer) => request.take(question, peer).await,
                Err(_) => Ok(()),
            },
            Action::Complete(response) => {
                let proposal = request.complete(response, Default::default()).await?;
                self.proposed = Some(proposal.id());
                Ok(())
            }
            Action::Quit => Ok(()),
        }
    }
}

/// The text as it is with what was typed, whatever others made of it meanwhile.
async fn typed(
    request: &Request,
    question: &str,
    base: &str,
    text: &str,
) -> Result<String, NotDone> {
    let view = shown::request(&request.view().await?);
    let now = view.answers.get(question).map(|held| text_of(Some(&held.answer)));
    Ok(rebase(base, text, text.chars().count(), &now.unwrap_or_default()).0)
}
