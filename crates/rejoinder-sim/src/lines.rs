//! Events as lines of a trace, in columns: link, request, event.

use std::collections::BTreeMap;

use rejoinder::{Event, HomeEvent, OpeningId, PeerId, RequestView, Salvaged, Subject};

/// Returns the columns of an event.
pub(crate) fn of(event: &HomeEvent) -> (String, String, String) {
    let request = match event.subject() {
        Subject::Request(_, opening) => short(&opening),
        Subject::Home | Subject::Workspace(_) | Subject::Proposal(..) => String::new(),
    };
    let (peer, words) = words(event);
    (peer.as_ref().map(PeerId::short).unwrap_or_default(), request, words)
}

/// Returns the peer at the other end, if there is one, and the event in words.
fn words(event: &HomeEvent) -> (Option<PeerId>, String) {
    match event {
        HomeEvent::Listening { addresses } => (None, format!("listens at {addresses:?}")),
        HomeEvent::LinkUp { peer } => (Some(*peer), "link up".into()),
        HomeEvent::LinkDown { peer, closed } => (Some(*peer), format!("link down: {closed}")),
        HomeEvent::NotReached { peer, why } => (Some(*peer), format!("not reached: {why}")),
        HomeEvent::Member { member, .. } => {
            (Some(member.device), format!("member {}", member.name))
        }
        HomeEvent::Request { event, request } => request_words(event, request),
        HomeEvent::Plain(event) => plain_words(event),
        HomeEvent::Missed(count) => (None, format!("missed {count} events")),
        HomeEvent::Failed { why } => (None, format!("a fault: {why}")),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "without words of its own it says its name")]
fn request_words(event: &Event, view: &RequestView) -> (Option<PeerId>, String) {
    match event {
        Event::Opened { .. } => (None, format!("opened, revision {}", view.revision)),
        Event::Answer { question, by, .. } => {
            (Some(*by), format!("answer {question}: {}", answers(view)))
        }
        Event::NotIncluded { question, by, .. } => (Some(*by), format!("not included {question}")),
        Event::Decided { .. } => (None, format!("decided {:?}: {}", view.status, answers(view))),
        Event::Ended { .. } => (None, format!("ended {:?}", view.status)),
        Event::Resumed { .. } => (None, "resumed".into()),
        other => (None, format!("{other:?}")),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "without words of its own it says its name")]
fn plain_words(event: &Event) -> (Option<PeerId>, String) {
    let words = match event {
        Event::JoinWaits { at, .. } => return (Some(*at), "waits to be let in".into()),
        Event::ApprovalNeeded { device, .. } => return (Some(*device), "asks to join".into()),
        Event::NotAdmitted { from, why } => return (Some(*from), format!("not admitted: {why}")),
        Event::Joined(_) => "joined".into(),
        Event::JoinRefused { why, .. } => format!("join refused: {why}"),
        Event::Fate { proposal, fate, .. } => {
            format!("proposal {}: {fate:?}", &proposal.to_string()[..6])
        }
        Event::Void { .. } => "void".into(),
        Event::Chat(_) => "chat".into(),
        Event::Uncarried { count, .. } => format!("{count} uncarried"),
        Event::InSync { yes: true, .. } => "in sync".into(),
        Event::InSync { yes: false, .. } => "not in sync".into(),
        Event::Unreadable { why, .. } => format!("unreadable: {why}"),
        Event::DiskFailing(why) => format!("disk failing: {why}"),
        Event::DiskRecovered => "disk recovered".into(),
        Event::Damaged { rows } => {
            let rows: BTreeMap<_, _> =
                rows.iter().map(|(table, count)| (table.name(), count)).collect();
            format!("damaged: {rows:?}")
        }
        Event::Salvaged(Salvaged { why, rows, lost, .. }) => {
            format!("salvaged: {rows} rows, {lost} lost: {why}")
        }
        Event::OwnMissing { changes, proposals } => {
            format!("own missing: {changes} changes, {proposals} proposals")
        }
        Event::OwnCopy => "there is another copy of this home".into(),
        other => format!("{other:?}"),
    };
    (None, words)
}

fn short(opening: &OpeningId) -> String {
    opening.to_string()[..6].to_owned()
}

/// Returns the answers, shortened.
fn answers(view: &RequestView) -> String {
    let mut text = view.projection.to_json()["answers"].to_string();
    if let Some((end, _)) = text.char_indices().nth(160) {
        text.truncate(end);
    }
    text
}

/// Returns the result of a call in words.
pub(crate) fn told(done: &Result<(), rejoinder::NotDone>) -> String {
    match done {
        Ok(()) => "saved".to_owned(),
        Err(refused) => format!("refused: {refused}"),
    }
}
