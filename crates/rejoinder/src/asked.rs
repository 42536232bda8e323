//! A request, for the program that asked.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder_identity::QuestionId;
use rejoinder_replica::{RequestStatus, RequestView, TurnEnd};

use crate::{
    error::{Closed, NotDone},
    request::Request,
};

/// A request that this device's host asked.
#[derive(Debug, Clone)]
pub struct Asked {
    request: Request,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Accepted, with the submitted and the skipped answers.
    Accepted(BTreeMap<QuestionId, ChatInputAnswer>),
    /// Declined.
    Declined,
    /// Cancelled.
    Cancelled,
    /// Its turn ended without a response.
    Ended(TurnEnd),
    /// Its turn failed, and may be resumed: see [`Asked::resumed`].
    Suspended,
    /// The home was closed. The request is open still, and found again by
    /// [`Host::asked`](crate::Host::asked) after a restart.
    Interrupted,
}

/// The outcome of a request, told to the program that asked. A program that forgets to take it,
/// or crashes before, is told again by its next run: at least once, and once when nothing crashes.
#[derive(Debug, Clone)]
#[must_use = "an outcome that is not taken is told again"]
pub struct Told {
    outcome: Outcome,
    request: Request,
}

impl Told {
    /// The outcome, to store it or pass it on before it is taken.
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Takes it. Returns when that is on the disk: this opening of the request is not found by
    /// [`Host::asked`](crate::Host::asked) any more, and the same id is asked anew. A request that
    /// is suspended or was interrupted has no end yet, and is found again all the same.
    ///
    /// # Errors
    ///
    /// See [`NotDone`]. It will be told again.
    pub async fn taken(self) -> Result<Outcome, NotDone> {
        match &self.outcome {
            Outcome::Accepted(_) | Outcome::Declined | Outcome::Cancelled | Outcome::Ended(_) => {
                self.request.handed_over().await?
            }
            Outcome::Suspended | Outcome::Interrupted => {}
        }
        Ok(self.outcome)
    }
}

impl Asked {
    pub(crate) fn new(request: Request) -> Self {
        Self { request }
    }

    /// The request itself, to look at it or to answer it from here.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Waits for what becomes of it. Until the program has [`taken`](Told::taken) that,
    /// [`Host::asked`](crate::Host::asked) finds this request, also after a restart.
    pub async fn outcome(&self) -> Told {
        let outcome = self.request.watch_status().find(|view| outcome(&view)).await;
        let outcome = outcome.unwrap_or(Outcome::Interrupted);
        Told { outcome, request: self.request.clone() }
    }

    /// Waits until it is no longer suspended: its turn was resumed, or is over for good.
    ///
    /// # Errors
    ///
    /// The home was closed.
    pub async fn resumed(&self) -> Result<(), Closed> {
        let resumed = |view: RequestView| (view.status != RequestStatus::Suspended).then_some(());
        self.request.watch_status().find(resumed).await
    }
}

fn outcome(view: &RequestView) -> Option<Outcome> {
    Some(match &view.status {
        RequestStatus::Open => return None,
        RequestStatus::Suspended => Outcome::Suspended,
        RequestStatus::Ended(how) => Outcome::Ended(*how),
        RequestStatus::Decided { response, .. } => match response {
            ChatInputResponseKind::Accept => Outcome::Accepted(answers(view)),
            ChatInputResponseKind::Decline => Outcome::Declined,
            ChatInputResponseKind::Cancel => Outcome::Cancelled,
        },
    })
}

/// The part keeps drafts too; they are no answers.
fn answers(view: &RequestView) -> BTreeMap<QuestionId, ChatInputAnswer> {
    let given =
        view.projection.answers.iter().filter_map(|(question, answer)| match &answer.answer {
            ChatInputAnswer::Draft(_) => None,
            given @ (ChatInputAnswer::Submitted(_) | ChatInputAnswer::Skipped(_)) => {
                Some((question.clone(), given.clone()))
            }
        });
    given.collect()
}
