//! The engine's views and fates as the command shows them.

use rejoinder::{
    Answer, How, MemberView, PeerId, QuestionId, Refusal, RequestStatus, refusal::Over,
};

use crate::{
    event::{Event, Fate},
    limits,
    names::Names,
    outcome::{Answers, Ended},
    view::{self, Held, RequestView, Status, WorkspaceView},
};

/// A request.
pub fn request(view: &rejoinder::RequestView) -> RequestView {
    let projection = &view.projection;
    let answers = projection.answers.iter();
    let conflicts =
        projection.conflicts.iter().chain(&view.passed_over).map(|(question, conflicts)| {
            let conflicts =
                conflicts.iter().map(|conflict| held(&conflict.answer, &conflict.authors));
            (question.to_string(), conflicts.collect())
        });
    let rules = view.rules.iter();
    let mut shown = RequestView {
        request: view.request.clone(),
        rules: rules.map(|(question, rules)| (question.to_string(), rules.clone())).collect(),
        answers: answers.map(|(question, answer)| answered(question, answer)).collect(),
        conflicts: conflicts.collect(),
        not_included: Default::default(),
        status: status(&view.status),
        seen: view.seen.clone(),
    };
    for late in &view.not_included {
        let of_question = shown.not_included.entry(late.question.to_string()).or_default();
        of_question.push(held(&late.answer, &[late.author]));
    }
    shown
}

fn answered(question: &QuestionId, answer: &Answer) -> (String, Held) {
    (question.to_string(), held(&answer.answer, &answer.authors))
}

fn held(answer: &rejoinder::ChatInputAnswer, authors: &[PeerId]) -> Held {
    Held { answer: answer.clone(), by: authors.iter().map(PeerId::to_string).collect() }
}

fn status(status: &RequestStatus) -> Status {
    match status {
        RequestStatus::Open => Status::Open,
        RequestStatus::Suspended => Status::Suspended,
        RequestStatus::Decided { response, by, .. } => {
            Status::Decided { response: *response, by: by.to_string() }
        }
        RequestStatus::Ended(how) => Status::Ended(ended(*how)),
    }
}

/// How a turn ended.
pub fn ended(how: How) -> Ended {
    match how {
        How::Completed => Ended::Completed,
        How::Cancelled => Ended::Cancelled,
        How::Failed => Ended::Failed,
        How::Truncated => Ended::Truncated,
        How::Expired => Ended::Expired,
    }
}

/// The answers of a part, drafts included.
pub fn answers(view: &rejoinder::RequestView) -> Answers {
    let answers = view.projection.answers.iter();
    answers.map(|(question, answer)| (question.to_string(), answer.answer.clone())).collect()
}

/// How far a proposal of this device, `me`, came.
pub fn fate(fate: &rejoinder::Fate, me: PeerId) -> Fate {
    match fate {
        rejoinder::Fate::Saved => Fate::Saved,
        rejoinder::Fate::Carried(count) => {
            Fate::Carried { count: u32::try_from(*count).unwrap_or(u32::MAX) }
        }
        rejoinder::Fate::Received => Fate::Received,
        rejoinder::Fate::Granted => Fate::Decided { by: me.to_string() },
        rejoinder::Fate::Refused(refusal) => Fate::Refused {
            reason: refusal.code().to_owned(),
            questions: refusal.questions().iter().map(QuestionId::to_string).collect(),
            by: decided_by(refusal).map(|by| by.to_string()),
        },
    }
}

/// Who was first, if that is why.
#[expect(clippy::wildcard_enum_match_arm, reason = "one reason of many names a peer")]
fn decided_by(refusal: &Refusal) -> Option<PeerId> {
    match refusal {
        Refusal::Nobody(Over::AlreadyDecided { by, .. }) => Some(*by),
        _ => None,
    }
}

/// A member, as an event.
pub fn member(member: &MemberView) -> Event {
    let MemberView { device, name, role, .. } = member;
    Event::Member { peer: device.to_string(), name: bounded(name), role: role.to_string() }
}

/// A name as far as one may be long: whoever asks to join has no longer one, but a host can call a
/// member as it likes.
fn bounded(name: &str) -> String {
    if name.len() <= limits::NAME {
        return name.to_owned();
    }
    let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= limits::NAME;
    name.char_indices().take_while(fits).map(|(_, c)| c).chain(['…']).collect()
}

/// How members are called; `me` is this device.
pub fn names(me: PeerId, members: &[MemberView]) -> Names {
    let mut names = Names::new(Some(me.to_string()));
    for member in members {
        names.set(&member.device.to_string(), &bounded(&member.name));
    }
    names
}

/// A workspace.
pub fn workspace(view: &rejoinder::WorkspaceView) -> WorkspaceView {
    let members = view.members.iter().map(|member| view::MemberView {
        peer: member.device.to_string(),
        name: bounded(&member.name),
        role: member.role.to_string(),
    });
    let host = view.members.iter().find(|member| member.host);
    let proposals = view.waiting.values().filter(|fate| **fate == rejoinder::Fate::Saved).count();
    let edits = usize::try_from(view.uncarried).unwrap_or(usize::MAX);
    WorkspaceView {
        id: view.id.to_string(),
        title: view.title.clone(),
        host: host.map(|host| host.device.to_string()),
        members: members.collect(),
        requests: view.requests.iter().map(request).collect(),
        not_carried: edits.saturating_add(proposals),
    }
}
