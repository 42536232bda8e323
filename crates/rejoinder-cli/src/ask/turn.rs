//! The turn of a request: the request is taken up or raised, and its turn completed in the end.

use rejoinder::{Asked, NotDone, Refused, Request, RequestStatus, RequestView, Turn};

use super::Asking;
use crate::{failure::Failure, plain};

impl Asking<'_> {
    /// The request that an earlier run asked and whose end it has told nobody.
    pub(super) async fn taken_up(&self) -> Result<Option<Request>, Failure> {
        let Some(asked) = self.host.asked(self.id()).await? else { return Ok(None) };
        let view = asked.request().view().await?;
        match view.status {
            RequestStatus::Open => {}
            RequestStatus::Suspended => self.host.resume(view.turn.clone()).await?,
            // It is printed, whatever form is given now.
            RequestStatus::Decided { .. } | RequestStatus::Ended(_) => {
                return Ok(Some(asked.request().clone()));
            }
        }
        let mut form = self.form.request.clone();
        form.answers = None;
        if view.request == form && view.rules == self.form.rules() {
            return Ok(Some(asked.request().clone()));
        }
        self.console.say("the form is another one now: its open request changes with it");
        let turn = self.host.turn(view.turn);
        let asked = self.ask_in(&turn).await.map_err(|why| self.unasked(why))?;
        Ok(Some(asked.request().clone()))
    }

    /// Raises the request, in a turn of its own unless one is active: one left by a run that was
    /// killed before it could ask, or one with another open request.
    pub(super) async fn raise(&self) -> Result<Request, Failure> {
        if self.deadline.is_some_and(|deadline| deadline.is_over()) {
            return Err(Failure::unreadable("until", "the time given by --until is over already"));
        }
        let turn = match self.host.active_turn().await? {
            Some(turn) => turn,
            None => {
                let message = self.form.request.message.clone();
                self.host.start_turn(message.unwrap_or_else(|| self.id().to_owned())).await?
            }
        };
        match self.ask_in(&turn).await {
            Ok(asked) => Ok(asked.request().clone()),
            Err(why) => {
                self.complete_turn(&turn).await?;
                Err(self.unasked(why))
            }
        }
    }

    async fn ask_in(&self, turn: &Turn) -> Result<Asked, NotDone> {
        turn.ask_keeping(self.form.request.clone(), self.form.rules()).await
    }

    /// Turns the engine's refusal into a failure. If the form is at fault, it names the file.
    #[expect(clippy::wildcard_enum_match_arm, reason = "two of many reasons are the form's")]
    fn unasked(&self, why: NotDone) -> Failure {
        match &why {
            NotDone::Refused(Refused::Form(_) | Refused::Skeleton(_)) => {
                Failure::unreadable("form", format!("{}: {why}", plain::line(&self.form.name)))
            }
            _ => why.into(),
        }
    }

    /// Completes the turn of a decided request, unless another request in it is open, or has ended
    /// without being printed.
    pub(super) async fn complete(&self, view: &RequestView) -> Result<(), Failure> {
        match view.status {
            RequestStatus::Decided { .. } => {
                self.complete_turn(&self.host.turn(view.turn.clone())).await
            }
            RequestStatus::Open | RequestStatus::Suspended | RequestStatus::Ended(_) => Ok(()),
        }
    }

    async fn complete_turn(&self, turn: &Turn) -> Result<(), Failure> {
        let untold = self.host.untold().await?;
        let requests = self.host.workspace().view().await?.requests;
        let in_turn = || requests.iter().filter(|other| other.turn == *turn.id());
        if let Some(open) = in_turn().find(|other| other.status == RequestStatus::Open) {
            let open = plain::name(open.id.as_str());
            self.console.say(&format!("request {open} is open still, and nobody waits for it"));
            return Ok(());
        }
        if let Some(over) = in_turn().find(|other| untold.contains(&other.opening)) {
            let over = plain::name(over.id.as_str());
            let say = format!(
                "request {over} has ended too: `rejoinder ask` with its form and id prints that"
            );
            self.console.say(&say);
            return Ok(());
        }
        match turn.clone().complete().await {
            Ok(()) => Ok(()),
            // A member cancelled it at the same moment: it is over all the same.
            Err(NotDone::Refused(why)) => {
                tracing::debug!(%why, "the turn is over already");
                Ok(())
            }
            Err(NotDone::Closed(closed)) => Err(closed.into()),
        }
    }
}
