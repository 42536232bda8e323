//! Events as lines of a trace: what link, what request, what.

use rejoinder::{HomeEvent, OpeningId, RequestView};

/// The columns of an event.
pub(crate) fn of(event: &HomeEvent) -> (String, String, String) {
    let link = |peer: &rejoinder::PeerId| peer.short();
    let none = String::new;
    match event {
        HomeEvent::Listening { addresses } => (none(), none(), format!("listens at {addresses:?}")),
        HomeEvent::LinkUp { peer } => (link(peer), none(), "link up".into()),
        HomeEvent::LinkDown { peer, closed } => {
            (link(peer), none(), format!("link down: {closed}"))
        }
        HomeEvent::Joined { .. } => (none(), none(), "joined".into()),
        HomeEvent::JoinRefused { why, .. } => (none(), none(), format!("join refused: {why}")),
        HomeEvent::NotReached { peer, why } => (link(peer), none(), format!("not reached: {why}")),
        HomeEvent::JoinWaits { at, .. } => (link(at), none(), "waits to be let in".into()),
        HomeEvent::ApprovalNeeded { device, .. } => (link(device), none(), "asks to join".into()),
        HomeEvent::Member { member, .. } => {
            (link(&member.device), none(), format!("member {}", member.name))
        }
        HomeEvent::Opened(view) => {
            (none(), id(view), format!("opened, revision {}", view.revision))
        }
        HomeEvent::Answer { request, question, by } => {
            (link(by), id(request), format!("answer {question}: {}", answers(request)))
        }
        HomeEvent::NotIncluded { request, question, by } => {
            (link(by), id(request), format!("not included {question}"))
        }
        HomeEvent::Fate { proposal, fate, .. } => {
            (none(), none(), format!("proposal {}: {fate:?}", &proposal.to_string()[..6]))
        }
        HomeEvent::Decided(view) => {
            (none(), id(view), format!("decided {:?}: {}", view.status, answers(view)))
        }
        HomeEvent::Ended(view) => (none(), id(view), format!("ended {:?}", view.status)),
        HomeEvent::Resumed(view) => (none(), id(view), "resumed".into()),
        HomeEvent::Void { opening, .. } => (none(), short(opening), "void".into()),
        HomeEvent::Chat { .. } => (none(), none(), "chat".into()),
        HomeEvent::Uncarried { count, .. } => (none(), none(), format!("{count} uncarried")),
        HomeEvent::InSync { yes, .. } => {
            (none(), none(), if *yes { "in sync" } else { "not in sync" }.into())
        }
        HomeEvent::NotAdmitted { from, why } => {
            (link(from), none(), format!("not admitted: {why}"))
        }
        HomeEvent::Unreadable { opening, why, .. } => {
            (none(), short(opening), format!("unreadable: {why}"))
        }
        HomeEvent::DiskFailing { why } => (none(), none(), format!("disk failing: {why}")),
        HomeEvent::Damaged { rows } => (none(), none(), format!("damaged: {rows:?}")),
        HomeEvent::Salvaged(salvaged) => {
            let rejoinder::Salvaged { why, rows, lost, .. } = salvaged;
            (none(), none(), format!("salvaged: {rows} rows, {lost} lost: {why}"))
        }
        HomeEvent::OwnMissing { changes, proposals } => {
            (none(), none(), format!("own missing: {changes} changes, {proposals} proposals"))
        }
        HomeEvent::OwnCopy => (none(), none(), "there is another copy of this home".into()),
        HomeEvent::DiskRecovered => (none(), none(), "disk recovered".into()),
        HomeEvent::Failed { why } => (none(), none(), format!("a fault: {why}")),
        HomeEvent::Missed(count) => (none(), none(), format!("missed {count} events")),
    }
}

fn id(view: &RequestView) -> String {
    short(&view.opening)
}

fn short(opening: &OpeningId) -> String {
    opening.to_string()[..6].to_owned()
}

/// The values, shortly.
fn answers(view: &RequestView) -> String {
    let mut text = view.projection.to_json()["answers"].to_string();
    if let Some((end, _)) = text.char_indices().nth(160) {
        text.truncate(end);
    }
    text
}

/// How a call ended.
pub(crate) fn told(done: &Result<(), rejoinder::NotDone>) -> String {
    match done {
        Ok(()) => "saved".to_owned(),
        Err(refused) => format!("refused: {refused}"),
    }
}
