//! Events, replies and homes in words for people.
//!
//! The caller decides where a line goes: replies and requested output go to stdout, events to
//! stderr.

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder::{PeerId, RequestStatus, RequestView, TurnEnd, WorkspaceView};

use crate::{
    event::{AnswerState, Event, Fate, Given, LinkState, Reply, Waiting},
    limits,
    names::Names,
    plain, shown,
    view::{self, Held},
};

/// Returns an event as a line on stderr.
pub(crate) fn event(event: &Event, names: &Names) -> String {
    match event {
        Event::Listening { address } => format!("listening on {}", plain::line(address)),
        Event::Ticket { ticket } => format!("ticket: {ticket}"),
        Event::Link { peer, state, reason } => {
            let state = match state {
                LinkState::Up => "up",
                LinkState::Down => "down",
            };
            let why = reason.as_ref().map(|why| format!(" ({})", plain::line(why)));
            format!("link to {} {state}{}", names.show(peer), why.unwrap_or_default())
        }
        Event::Waiting(Waiting::Answer { peer, reason }) => {
            let peer = names.show(peer);
            format!("waiting: {peer} does not answer ({}); tried again", plain::line(reason))
        }
        Event::Waiting(Waiting::LetIn { .. }) => "waiting to be let in by the host".to_owned(),
        Event::Member { peer, role, .. } => {
            format!("member {}: {}", names.show(peer), plain::line(role))
        }
        Event::Opened { request, message, url, .. } => {
            let url = url.as_ref().map(|url| format!(" <{}>", view::url(url)));
            format!(
                "request {} is open: {}{}",
                plain::name(request),
                plain::line(message),
                url.unwrap_or_default()
            )
        }
        Event::Answer { question, given, conflict, .. } => {
            let mut line = format!("{}: {}", plain::name(question), given_in_words(given, names));
            for other in conflict {
                line.push_str(&format!("; in conflict with {}", given_in_words(other, names)));
            }
            line
        }
        Event::Fate { fate, .. } => fate_in_words(fate, names),
        Event::Decided { request, response, by, .. } => format!(
            "request {}: {} by {}",
            plain::name(request),
            response_in_words(*response),
            names.show_or_you(by)
        ),
        Event::Ended { request, how } => {
            format!("request {}: {}", plain::name(request), ended_in_words(*how))
        }
        Event::NotIncluded { question, by, .. } => format!(
            "{}: an answer by {} came too late for the decision; it is kept",
            plain::name(question),
            names.show_or_you(by)
        ),
        Event::Workspace { title, workspace, .. } => {
            format!("workspace {} ({})", plain::name(title), plain::truncate(workspace, 9))
        }
        Event::Id { peer } => peer.clone(),
        Event::Synced => "in sync".to_owned(),
        Event::Reply(reply) => self::reply(reply),
        Event::Result(outcome) => outcome.line(),
        Event::Error { message, .. } => plain::line(message),
    }
}

/// Returns the reply to a line of stdin: `ok submit env`, `refused accept: required-unanswered:
/// env`.
pub(crate) fn reply(reply: &Reply) -> String {
    if reply.ok {
        let subject = reply.subject.as_ref().map(|subject| format!(" {}", plain::name(subject)));
        return format!("ok {}{}", reply.command, subject.unwrap_or_default());
    }
    let mut line = format!("refused {}", plain::name(&reply.command));
    let questions: Vec<String> = reply.questions.iter().map(|id| plain::name(id)).collect();
    let questions = Some(questions.join(", ")).filter(|questions| !questions.is_empty());
    let message = reply.message.as_ref().map(|message| plain::line(message));
    for part in reply.error.clone().into_iter().chain(questions).chain(message) {
        line.push_str(": ");
        line.push_str(&part);
    }
    line
}

/// Returns the fate of a proposal in words. "Submitted" is not among them: that is true only once
/// it is decided.
pub(crate) fn fate_in_words(fate: &Fate, names: &Names) -> String {
    match fate {
        Fate::Saved => "saved here, not yet with anybody else".to_owned(),
        Fate::Carried { count: 1 } => "saved here and carried by 1 peer".to_owned(),
        Fate::Carried { count } => format!("saved here and carried by {count} peers"),
        Fate::Received => "received by the host, not yet decided".to_owned(),
        Fate::Decided { by } if names.is_me(by) => "decided as you proposed".to_owned(),
        Fate::Decided { by } => format!("decided as {} proposed", names.show(by)),
        Fate::Refused { reason, questions, by } => {
            let questions: Vec<String> = questions.iter().map(|id| plain::name(id)).collect();
            let mut line = format!("refused: {}", plain::line(reason));
            if !questions.is_empty() {
                line.push_str(&format!(": {}", questions.join(", ")));
            }
            if let Some(by) = by {
                line.push_str(&format!(" by {}", names.show_or_you(by)));
            }
            line
        }
    }
}

fn given_in_words(given: &Given, names: &Names) -> String {
    let one = [given.by.clone()];
    let authors = if given.authors.is_empty() { &one[..] } else { &given.authors };
    let by = names.list(authors);
    let value = given.value.clone().and_then(|json| serde_json::from_value(json).ok());
    let shown = |value| plain::truncate(&view::value(None, &value), limits::EVENT_COLUMNS);
    let value = value.map(|value| format!("{}, ", shown(value))).unwrap_or_default();
    match given.state {
        AnswerState::None => "no answer any more".to_owned(),
        AnswerState::Draft => format!("{value}draft by {by}"),
        AnswerState::Submitted => format!("{value}submitted by {by}"),
        AnswerState::Skipped => format!("skipped by {by}"),
    }
}

/// Returns a response in a word.
pub(crate) fn response_in_words(response: ChatInputResponseKind) -> &'static str {
    match response {
        ChatInputResponseKind::Accept => "accepted",
        ChatInputResponseKind::Decline => "declined",
        ChatInputResponseKind::Cancel => "cancelled",
    }
}

/// Returns the end of a turn in words.
pub(crate) fn ended_in_words(how: TurnEnd) -> &'static str {
    match how {
        TurnEnd::Cancelled => "withdrawn: its turn was cancelled",
        TurnEnd::Failed => "over: its turn failed",
        TurnEnd::Completed => "over: its turn was completed without it",
        TurnEnd::Truncated => "over: its turn was removed",
        TurnEnd::Expired => "over: its time ran out",
    }
}

/// Returns a request as `show` prints it, in lines.
pub(crate) fn request(request: &RequestView, names: &Names) -> Vec<String> {
    let status = match &request.status {
        RequestStatus::Open => "open".to_owned(),
        RequestStatus::Suspended => "waiting for its turn to be resumed".to_owned(),
        RequestStatus::Decided { response, by, .. } => {
            let by = names.show_or_you(&by.to_string());
            format!("{} by {by}", response_in_words(*response))
        }
        RequestStatus::Ended(how) => ended_in_words(*how).to_owned(),
    };
    let mut lines = vec![format!("request {}: {status}", plain::name(&request.request.id))];
    let message = request.request.message.iter().flat_map(|message| plain::lines(message));
    let url = request.request.url.iter().map(|url| view::url(url));
    lines.extend(message.chain(url).map(|line| format!("  {line}")));
    for question in view::questions(request) {
        let id = view::id(question);
        let star = if view::is_required(question) { " (required)" } else { "" };
        let answer = view::answer(request, id).map_or_else(
            || view::no_answer(request, question),
            |held| held_in_words(request, id, held, names),
        );
        lines.push(format!("  {}{star}: {answer}", plain::name(id)));
        for other in view::conflicts(request, id) {
            lines.push(format!("    in conflict: {}", held_in_words(request, id, other, names)));
        }
        for late in view::not_included(request, id) {
            lines.push(format!("    not included: {}", held_in_words(request, id, late, names)));
        }
    }
    lines
}

fn held_in_words(request: &RequestView, question: &str, held: Held<'_>, names: &Names) -> String {
    let by = names.list(held.by);
    let question = view::question(request, question);
    match held.answer {
        ChatInputAnswer::Draft(given) => {
            format!("{}, draft by {by}", view::value(question, &given.value))
        }
        ChatInputAnswer::Submitted(given) => {
            format!("{}, submitted by {by}", view::value(question, &given.value))
        }
        ChatInputAnswer::Skipped(_) => format!("skipped by {by}"),
    }
}

/// Returns the home of the device `me` as `show` prints it, in lines.
pub(crate) fn home(directory: &str, me: PeerId, workspaces: &[WorkspaceView]) -> Vec<String> {
    let mut lines = vec![format!("home {}", plain::line(directory)), format!("device {me}")];
    if workspaces.is_empty() {
        lines.push(
            "no workspace yet: `rejoinder ask FORM.json` makes one, `rejoinder join TICKET` joins \
             one"
            .to_owned(),
        );
    }
    for workspace in workspaces {
        lines.push(String::new());
        lines.extend(self::workspace(workspace, me));
    }
    lines
}

fn workspace(workspace: &WorkspaceView, me: PeerId) -> Vec<String> {
    // A member knows at least itself and the host.
    if workspace.members.is_empty() {
        return vec![
            format!("workspace {}", workspace.id),
            "  this device has not been let in yet: `rejoinder join` asks again".to_owned(),
        ];
    }
    let names = shown::names(me, &workspace.members);
    let mut lines = vec![format!("workspace {} ({})", plain::name(&workspace.title), workspace.id)];
    for member in &workspace.members {
        let here = if member.device == me { ", this device" } else { "" };
        let host = if member.host { ", host" } else { "" };
        let (name, role) = (names.show(&member.device.to_string()), member.role.to_string());
        lines.push(format!("  {name}: {}{host}{here}  {}", plain::line(&role), member.device));
    }
    if workspace.requests.is_empty() {
        lines.push("  no requests".to_owned());
    }
    for request in &workspace.requests {
        lines.extend(self::request(request, &names).into_iter().map(|line| format!("  {line}")));
    }
    match shown::not_carried(workspace) {
        0 => {}
        1 => lines.push("  1 thing written here is not yet carried by anybody else".to_owned()),
        n => lines.push(format!("  {n} things written here are not yet carried by anybody else")),
    }
    lines
}

#[cfg(test)]
mod tests;
