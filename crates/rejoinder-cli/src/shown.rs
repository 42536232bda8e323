//! The engine's values, as the command spells them.

pub(crate) mod request;

use rejoinder::{MemberView, PeerId, QuestionId, Refusal, WorkspaceView, refusal::Over};

use crate::{
    event::{Event, Fate},
    limits,
    names::Names,
    outcome::Answers,
};

/// The answers of a part, drafts included.
pub(crate) fn answers(view: &rejoinder::RequestView) -> Answers {
    let answers = view.projection.answers.iter();
    answers.map(|(question, answer)| (question.to_string(), answer.answer.clone())).collect()
}

/// Converts the fate of a proposal by this device, `me`.
pub(crate) fn fate(fate: &rejoinder::Fate, me: PeerId) -> Fate {
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

/// Returns the peer whose proposal came first, if that is the reason.
#[expect(clippy::wildcard_enum_match_arm, reason = "one reason of many names a peer")]
fn decided_by(refusal: &Refusal) -> Option<PeerId> {
    match refusal {
        Refusal::Nobody(Over::AlreadyDecided { by, .. }) => Some(*by),
        _ => None,
    }
}

/// Returns a member as an event.
pub(crate) fn member(member: &MemberView) -> Event {
    let MemberView { device, name, role, .. } = member;
    Event::Member { peer: device.to_string(), name: bounded(name), role: role.to_string() }
}

/// Cuts an overlong name: a device that asks to join has a short one, but a host can give a member
/// any name.
fn bounded(name: &str) -> String {
    if name.len() <= limits::NAME {
        return name.to_owned();
    }
    let fits = |(at, c): &(usize, char)| at + c.len_utf8() <= limits::NAME;
    name.char_indices().take_while(fits).map(|(_, c)| c).chain(['…']).collect()
}

/// Returns the names of the members; `me` is this device.
pub(crate) fn names(me: PeerId, members: &[MemberView]) -> Names {
    let mut names = Names::new(Some(me.to_string()));
    for member in members {
        names.set(&member.device.to_string(), &bounded(&member.name));
    }
    names
}

/// Returns the number of edits and proposals of this device that no peer is known to have stored.
pub(crate) fn not_carried(view: &WorkspaceView) -> usize {
    let proposals = view.waiting.values().filter(|fate| **fate == rejoinder::Fate::Saved).count();
    let edits = usize::try_from(view.uncarried).unwrap_or(usize::MAX);
    edits.saturating_add(proposals)
}

/// Returns the present state of a workspace, as the events that would have led to it.
pub(crate) fn events(workspace: &WorkspaceView) -> Vec<Event> {
    let host = workspace.members.iter().find(|member| member.host);
    let mut events = vec![Event::Workspace {
        workspace: workspace.id.to_string(),
        title: workspace.title.clone(),
        host: host.map(|host| host.device.to_string()),
        not_carried: not_carried(workspace),
    }];
    events.extend(workspace.members.iter().map(member));
    events.extend(workspace.requests.iter().flat_map(request::events));
    events
}
