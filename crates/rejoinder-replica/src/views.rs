//! How a workspace is shown.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputAnswer;
use rejoinder_answers::{Answer, Projection, answer_from_json};
use rejoinder_finalizer::{Embedded, Request, Status};
use rejoinder_identity::{OpeningId, QuestionId};

use crate::{
    core::Core,
    document::Warm,
    view::{ChatView, MemberView, RequestStatus, RequestView, WorkspaceView},
    workspace::Workspace,
};

impl Workspace {
    pub(crate) fn view(&self, core: &Core) -> WorkspaceView {
        let state = self.log.state();
        let members = state.members().iter().map(|(device, member)| MemberView {
            device: *device,
            name: member.name.clone(),
            role: member.role,
            host: state.host() == Some(*device),
        });
        let waiting = self.courses.keys().filter(|id| self.wishes.contains_key(*id));
        WorkspaceView {
            id: self.id,
            title: state.title().to_owned(),
            can_host: self.root.is_some(),
            hosting: self.hosting.is_some(),
            member: self.member(&core.me).is_some(),
            members: members.collect(),
            log_length: self.log.position().length,
            log_head: self.log.position().head,
            requests: state.requests().map(|request| self.request_view(request)).collect(),
            waiting: waiting.filter_map(|id| Some((*id, self.fate(id)?))).collect(),
            uncarried: self.uncarried(),
        }
    }

    pub(crate) fn view_of(&self, opening: &OpeningId) -> Option<RequestView> {
        self.log.state().request(opening).map(|request| self.request_view(request))
    }

    fn request_view(&self, request: &Request) -> RequestView {
        let warm = self.warm(&request.document());
        let mut view = self.plain_view(request);
        match (settled(request.status()), warm) {
            (None, Some(warm)) => view.projection = warm.document.projection(&warm.form),
            (None, None) => {}
            (Some(embedded), warm) => {
                view.projection = shown(embedded);
                #[cfg(rejoinder_mutants)]
                if rejoinder_identity::mutant::is("mutant-late-drafts-leak-in")
                    && let Some(warm) = warm
                {
                    view.projection = warm.document.projection(&warm.form);
                }
                if let Some(Warm { document, form, .. }) = warm {
                    let (frontier, answers) = (&embedded.frontier, &view.projection.answers);
                    view.passed_over = document.passed_over(form, frontier, answers);
                    view.not_included = document.not_included(form, frontier);
                }
            }
        }
        view
    }

    fn plain_view(&self, request: &Request) -> RequestView {
        RequestView {
            workspace: self.id,
            opening: request.opening(),
            id: request.id().clone(),
            document: request.document(),
            turn: request.turn().clone(),
            revision: request.revision(),
            request: request.request().clone(),
            status: status(request.status()),
            projection: Projection::default(),
            passed_over: BTreeMap::new(),
            not_included: Vec::new(),
        }
    }

    /// The chat and its session, with the answers in their parts.
    pub(crate) fn chat(&self) -> ChatView {
        let (chat, session) = self.log.state().shown(|request| {
            let warm = self.warm(&request.document());
            let answers = warm.map(|warm| warm.document.projection(&warm.form).answers);
            let plain = |(question, answer): (QuestionId, Answer)| (question, answer.answer);
            answers.unwrap_or_default().into_iter().map(plain).collect::<BTreeMap<_, _>>()
        });
        ChatView { chat, session }
    }
}

fn status(status: &Status) -> RequestStatus {
    match status {
        Status::Open => RequestStatus::Open,
        Status::Suspended(_) => RequestStatus::Suspended,
        Status::Decided(decision) => RequestStatus::Decided {
            response: decision.response,
            by: decision.by,
            proposal: decision.proposal,
        },
        Status::Ended(ended) => RequestStatus::Ended(ended.how),
    }
}

/// What the record that settled a request embeds; none while it is open.
fn settled(status: &Status) -> Option<&Embedded> {
    match status {
        Status::Open => None,
        Status::Decided(decision) => Some(&decision.embedded),
        Status::Suspended(ended) | Status::Ended(ended) => Some(&ended.embedded),
    }
}

/// The answers that a record embeds. The host wrote them; one that this release can't read is
/// not shown.
fn shown(embedded: &Embedded) -> Projection {
    let read = |answer: &str| -> Option<ChatInputAnswer> { answer_from_json(answer).ok() };
    let answers = embedded.answers.iter().filter_map(|(question, settled)| {
        let answer = read(&settled.answer)?;
        Some((question.clone(), Answer { answer, authors: settled.authors.clone() }))
    });
    Projection { answers: answers.collect(), ..Projection::default() }
}
