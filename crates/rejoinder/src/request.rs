//! A request, for those who answer it.

use std::collections::BTreeMap;

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputQuestion, ChatInputRequest,
    ChatInputResponseKind,
};
use rejoinder_identity::{OpeningId, OptionId, PeerId, QuestionId, RequestId, WorkspaceId};
use rejoinder_replica::{Command, Edit, RequestStatus, RequestView, Version};

use crate::{
    error::{Closed, NotDone},
    handle::{Handle, Topic},
    proposal::Proposal,
    states::States,
    value::Value,
};

/// A request of a workspace. Every edit returns when it is saved; others see it before.
#[derive(Debug, Clone)]
pub struct Request {
    handle: Handle,
    workspace: WorkspaceId,
    opening: OpeningId,
    id: RequestId,
}

impl Request {
    pub(crate) fn new(handle: Handle, view: &RequestView) -> Self {
        let RequestView { workspace, opening, id, .. } = view;
        Self { handle, workspace: *workspace, opening: *opening, id: id.clone() }
    }

    /// The id that the agent gave it.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// Its id, which never changes.
    pub fn opening(&self) -> OpeningId {
        self.opening
    }

    /// The request, its answers, and how it stands.
    ///
    /// # Errors
    ///
    /// See [`NotDone`]: a request that was truncated or voided is no more.
    pub async fn view(&self) -> Result<RequestView, NotDone> {
        let (workspace, opening) = (self.workspace, self.opening);
        let view = self.handle.read(move |replica| replica.request(&workspace, &opening)).await?;
        view.ok_or(NotDone::Refused(rejoinder_replica::Refused::NoRequest))
    }

    /// As [`view`](Self::view), with its document read into memory first: of a settled request it
    /// then tells what came too late for the decision.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn read(&self) -> Result<RequestView, NotDone> {
        let (workspace, opening) = (self.workspace, self.opening);
        self.handle.order(Command::Read { workspace, opening }).await?;
        self.view().await
    }

    /// The request, its answers and how it stands, and how that changes.
    pub fn watch(&self) -> States<RequestView> {
        self.states(Topic::Request(self.workspace, self.opening))
    }

    fn states(&self, topic: Topic) -> States<RequestView> {
        let (workspace, opening) = (self.workspace, self.opening);
        States::new(&self.handle, topic, move |replica| replica.request(&workspace, &opening))
    }

    /// Waits until it is neither open nor suspended.
    ///
    /// # Errors
    ///
    /// The home was closed, or the request is no more.
    pub async fn settled(&self) -> Result<RequestView, Closed> {
        let settled = |view: RequestView| match view.status {
            RequestStatus::Open | RequestStatus::Suspended => None,
            RequestStatus::Decided { .. } | RequestStatus::Ended(_) => Some(view),
        };
        self.watch_status().find(settled).await
    }

    /// The program that asked has what became of it.
    pub(crate) async fn handed_over(&self) -> Result<(), NotDone> {
        let Self { workspace, opening, .. } = *self;
        self.handle.order(Command::HandedOver { workspace, opening }).await
    }

    /// As [`watch`](Self::watch), but without a new state for each edit.
    pub(crate) fn watch_status(&self) -> States<RequestView> {
        self.states(Topic::Status(self.workspace, self.opening))
    }

    /// Leaves a value as a draft. On a submitted answer it takes that back.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn draft(
        &self,
        question: impl Into<QuestionId>,
        value: impl Into<Value>,
    ) -> Result<(), NotDone> {
        let (question, value) = (question.into(), value.into());
        let value = self.answering(&question, value).await?;
        self.edit(Edit::Draft { question, value }).await
    }

    /// Types in a text question: `delete` characters from the one at `at` on go, `insert` comes
    /// there.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn type_text(
        &self,
        question: impl Into<QuestionId>,
        at: usize,
        delete: usize,
        insert: impl Into<String>,
    ) -> Result<(), NotDone> {
        let (question, insert) = (question.into(), insert.into());
        self.edit(Edit::Type { question, at, delete, insert }).await
    }

    /// Ticks or unticks an option of a multi-select.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn toggle(
        &self,
        question: impl Into<QuestionId>,
        option: impl Into<OptionId>,
        on: bool,
    ) -> Result<(), NotDone> {
        let (question, option) = (question.into(), option.into());
        self.edit(Edit::Toggle { question, option, on }).await
    }

    /// Submits a value as the answer.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn submit(
        &self,
        question: impl Into<QuestionId>,
        value: impl Into<Value>,
    ) -> Result<(), NotDone> {
        let (question, value) = (question.into(), value.into());
        let value = self.answering(&question, value).await?;
        self.edit(Edit::Submit { question, value: Some(value) }).await
    }

    /// Submits the draft as it stands.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn submit_draft(&self, question: impl Into<QuestionId>) -> Result<(), NotDone> {
        self.edit(Edit::Submit { question: question.into(), value: None }).await
    }

    /// Skips a question.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn skip(&self, question: impl Into<QuestionId>) -> Result<(), NotDone> {
        self.skip_with(question, Vec::new()).await
    }

    /// Skips a question, and says something instead.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn skip_with(
        &self,
        question: impl Into<QuestionId>,
        freeform: Vec<String>,
    ) -> Result<(), NotDone> {
        self.edit(Edit::Skip { question: question.into(), freeform }).await
    }

    /// Back to no answer.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn clear(&self, question: impl Into<QuestionId>) -> Result<(), NotDone> {
        self.edit(Edit::Clear { question: question.into() }).await
    }

    /// Submits another's answer from a conflict.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn take(&self, question: impl Into<QuestionId>, from: PeerId) -> Result<(), NotDone> {
        let Self { workspace, opening, .. } = *self;
        let question = question.into();
        self.handle.order(Command::Take { workspace, opening, question, from }).await
    }

    /// Any edit.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn edit(&self, edit: Edit) -> Result<(), NotDone> {
        let Self { workspace, opening, .. } = *self;
        self.handle.order(Command::Edit { workspace, opening, edit }).await
    }

    /// Any edit by somebody who saw the answers as they were in `seen`, from a view's own `seen`:
    /// it is made beside whatever came since, and merges with that by character. A text that was
    /// typed is told whole, as a draft. If the request has ended since, the edit is kept as what
    /// came too late. The view must hold what the same person wrote before: one edit, then a new
    /// view.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn edit_on(&self, seen: &Version, edit: Edit) -> Result<(), NotDone> {
        let (workspace, opening) = (self.workspace, self.opening);
        let (edit, seen) = (Box::new(edit), seen.clone());
        self.handle.order(Command::EditOn { workspace, opening, edit, seen }).await
    }

    /// Proposes to accept the request with the answers that are on the screen now. Returns
    /// when the proposal is saved; the host decides.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn accept(&self) -> Result<Proposal, NotDone> {
        self.complete(ChatInputResponseKind::Accept, BTreeMap::new()).await
    }

    /// Proposes to decline the request. Returns when the proposal is saved.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn decline(&self) -> Result<Proposal, NotDone> {
        self.complete(ChatInputResponseKind::Decline, BTreeMap::new()).await
    }

    /// Proposes to cancel the request. Returns when the proposal is saved.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn cancel(&self) -> Result<Proposal, NotDone> {
        self.complete(ChatInputResponseKind::Cancel, BTreeMap::new()).await
    }

    /// Proposes any completion, with answers that override those on the screen.
    ///
    /// # Errors
    ///
    /// See [`NotDone`].
    pub async fn complete(
        &self,
        response: ChatInputResponseKind,
        answers: BTreeMap<QuestionId, ChatInputAnswer>,
    ) -> Result<Proposal, NotDone> {
        let Self { workspace, opening, .. } = *self;
        let command = Command::Complete { workspace, opening, response, answers };
        let reply = self.handle.command(command).await?;
        Ok(Proposal::of_reply(&self.handle, workspace, reply))
    }

    /// Converts a value to AHP's type for this question. Values that are typed already pass
    /// through.
    async fn answering(
        &self,
        question: &QuestionId,
        value: Value,
    ) -> Result<ChatInputAnswerValue, NotDone> {
        let view = match value {
            Value::Text(_) => Some(self.view().await?),
            Value::Number(_) | Value::Boolean(_) | Value::Many(_) | Value::Ahp(_) => None,
        };
        Ok(value.answering(view.as_ref().and_then(|view| asked(&view.request, question))))
    }
}

/// The question of that id.
fn asked<'a>(request: &'a ChatInputRequest, id: &QuestionId) -> Option<&'a ChatInputQuestion> {
    request.questions.iter().flatten().find(|question| id_of(question) == Some(id.as_str()))
}

fn id_of(question: &ChatInputQuestion) -> Option<&str> {
    match question {
        ChatInputQuestion::Text(question) => Some(&question.id),
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            Some(&question.id)
        }
        ChatInputQuestion::Boolean(question) => Some(&question.id),
        ChatInputQuestion::SingleSelect(question) => Some(&question.id),
        ChatInputQuestion::MultiSelect(question) => Some(&question.id),
        // Nobody can answer one of a kind that this release doesn't know.
        ChatInputQuestion::Unknown(_) => None,
    }
}
