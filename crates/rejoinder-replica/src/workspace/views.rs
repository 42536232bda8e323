//! Views of a workspace.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputAnswer;
use rejoinder_answers::{Answer, Projection, Version, answer_from_json};
use rejoinder_finalizer::{Embedded, Request, Status};
use rejoinder_identity::{OpeningId, ProposalId, QuestionId, RecordId};

use crate::{
    core::Core,
    event::Fate,
    view::{ChatView, MemberView, RequestStatus, RequestView, WorkspaceView},
    workspace::Workspace,
};

impl Workspace {
    pub(crate) fn view(&self, core: &Core) -> WorkspaceView {
        let state = self.chain.state();
        WorkspaceView {
            id: self.id,
            title: state.title().to_owned(),
            can_host: self.access.root().is_some(),
            hosting: self.hosting.is_some(),
            member: self.member(&core.me).is_some(),
            members: self.members().collect(),
            log_length: self.chain.position().length,
            log_head: self.chain.position().head,
            requests: state.requests().map(|request| self.request_view(request)).collect(),
            waiting: self.waiting(),
            uncarried: self.uncarried(),
        }
    }

    /// This device's own proposals that the host may still grant, and how far each has come.
    fn waiting(&self) -> BTreeMap<ProposalId, Fate> {
        let own = self.proposals.own_waiting().into_iter();
        own.filter_map(|id| Some((id, self.proposals.fate(self.chain.log(), &id)?)))
            .filter(|(_, fate)| !matches!(fate, Fate::Refused(_)))
            .collect()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = MemberView> {
        let state = self.chain.state();
        state.members().iter().map(|(device, member)| MemberView {
            device: *device,
            name: member.name.clone(),
            role: member.role,
            host: state.host() == Some(*device),
        })
    }

    pub(crate) fn view_of(&self, opening: &OpeningId) -> Option<RequestView> {
        self.chain.state().request(opening).map(|request| self.request_view(request))
    }

    fn request_view(&self, request: &Request) -> RequestView {
        let warm = self.warm(&request.document());
        let mut view = self.plain_view(request);
        match (settled(request.status()), warm) {
            (None, Some(warm)) => {
                view.projection = warm.shown(None).projection;
                view.seen = Some(warm.document().version());
            }
            (None, None) => view.seen = Some(Version::default()),
            (Some((record, embedded)), warm) => {
                view.projection = shown(embedded);
                if rejoinder_identity::mutant!("mutant-late-drafts-leak-in")
                    && let Some(warm) = warm
                {
                    view.projection = warm.shown(None).projection;
                }
                if let Some(warm) = warm {
                    let of = Some((record, embedded, &view.projection));
                    let shown = warm.shown(of);
                    (view.passed_over, view.not_included) = (shown.passed_over, shown.not_included);
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
            rules: self
                .warm(&request.document())
                .map(|warm| warm.form().rules())
                .unwrap_or_default(),
            status: status(request.status()),
            here: self.warm(&request.document()).is_some(),
            projection: Projection::default(),
            seen: None,
            passed_over: BTreeMap::new(),
            not_included: Vec::new(),
        }
    }

    /// The chat and its session, with the answers in their parts.
    pub(crate) fn chat(&self) -> ChatView {
        let (chat, session) = self.chain.state().shown(|request| {
            let warm = self.warm(&request.document());
            let answers = warm.map(|warm| warm.shown(None).projection.answers);
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

/// The record that settled a request, and what it embeds. `None` while it is open.
fn settled(status: &Status) -> Option<(RecordId, &Embedded)> {
    match status {
        Status::Open => None,
        Status::Decided(decision) => Some((decision.record, &decision.embedded)),
        Status::Suspended(ended) | Status::Ended(ended) => Some((ended.record, &ended.embedded)),
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
