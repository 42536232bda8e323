//! How a workspace is shown.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputAnswer;
use rejoinder_answers::{Answer, NotIncluded, Projection, answer_from_json};
use rejoinder_finalizer::{Embedded, Request, Status};
use rejoinder_identity::{OpeningId, QuestionId};

use crate::{
    core::Core,
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
        let (projection, not_included) = match settled(request.status()) {
            None => {
                let merged = warm.map(|warm| warm.document.projection(&warm.form));
                (merged.unwrap_or_default(), Vec::new())
            }
            Some(embedded) => {
                let late = warm.map_or_else(Vec::new, |warm| {
                    warm.document.not_included(&warm.form, &embedded.frontier)
                });
                (shown(embedded), late)
            }
        };
        self.assemble(request, projection, not_included)
    }

    fn assemble(
        &self,
        request: &Request,
        projection: Projection,
        not_included: Vec<NotIncluded>,
    ) -> RequestView {
        RequestView {
            workspace: self.id,
            opening: request.opening(),
            id: request.id().clone(),
            document: request.document(),
            turn: request.turn().clone(),
            revision: request.revision(),
            request: request.request().clone(),
            status: status(request.status()),
            projection,
            not_included,
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
