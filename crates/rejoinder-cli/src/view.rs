//! What is shown of a home, as plain data: the shell fills it in, the reports and the terminal
//! form print it. Peers are full peer ids; texts are as others wrote them.

mod words;

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{
    ChatInputAnswer, ChatInputQuestion, ChatInputRequest, ChatInputResponseKind,
};
use rejoinder::{ReviewUrl, Rules, Version};
use rejoinder_mcp::default_answer;
use serde_json::Value;

pub use words::{id, is_required, message, options, title, url, value};

use crate::{
    canonical,
    event::{Event, Given, State},
    outcome::Ended,
    plain,
};

/// One request as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestView {
    /// What is asked, of its current revision.
    pub request: ChatInputRequest,
    /// What its questions ask of their answers beyond the words of AHP, by question.
    pub rules: BTreeMap<String, Rules>,
    /// The merged answers, by question.
    pub answers: BTreeMap<String, Held>,
    /// What others say at the same time, by question.
    pub conflicts: BTreeMap<String, Vec<Held>>,
    /// Answers that came too late for the decision.
    pub not_included: BTreeMap<String, Vec<Held>>,
    /// Where it stands.
    pub status: Status,
    /// What of it this shows, for edits; none when it is not open.
    pub seen: Option<Version>,
}

/// An answer and its authors, who are proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// It.
    pub answer: ChatInputAnswer,
    /// Who gave it, never empty.
    pub by: Vec<String>,
}

/// Where a request stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It waits for a response.
    Open,
    /// Its turn failed and may be resumed.
    Suspended,
    /// It was decided.
    Decided {
        /// How.
        response: ChatInputResponseKind,
        /// Who proposed that.
        by: String,
    },
    /// Its turn ended first.
    Ended(Ended),
}

/// A home as `show` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct HomeView {
    /// Where it is.
    pub directory: String,
    /// Its device's peer id.
    pub device: String,
    /// Its workspaces.
    pub workspaces: Vec<WorkspaceView>,
}

/// One workspace as `show` prints it.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceView {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// The device that decides.
    pub host: Option<String>,
    /// Its members.
    pub members: Vec<MemberView>,
    /// Its requests, oldest first.
    pub requests: Vec<RequestView>,
    /// Edits and proposals of this device that no peer is known to have stored.
    pub not_carried: usize,
}

/// One member as `show` prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberView {
    /// Its device.
    pub peer: String,
    /// What it calls itself.
    pub name: String,
    /// What it may do.
    pub role: String,
}

impl WorkspaceView {
    /// Everything that is so, as the events that would have led there.
    pub fn events(&self) -> Vec<Event> {
        let mut events = vec![Event::Workspace {
            workspace: self.id.clone(),
            title: self.title.clone(),
            host: self.host.clone(),
            not_carried: self.not_carried,
        }];
        events.extend(self.members.iter().map(|member| Event::Member {
            peer: member.peer.clone(),
            name: member.name.clone(),
            role: member.role.clone(),
        }));
        events.extend(self.requests.iter().flat_map(RequestView::events));
        events
    }
}

impl RequestView {
    /// Its questions.
    pub fn questions(&self) -> &[ChatInputQuestion] {
        self.request.questions.as_deref().unwrap_or_default()
    }

    /// The question of that id.
    pub fn question(&self, named: &str) -> Option<&ChatInputQuestion> {
        self.questions().iter().find(|question| id(question) == named)
    }

    /// Required questions without a submitted answer: with one of these, accept is refused.
    pub fn unanswered(&self) -> Vec<String> {
        self.questions()
            .iter()
            .filter(|question| is_required(question))
            .map(|question| id(question).to_owned())
            .filter(|id| {
                !matches!(
                    self.answers.get(id).map(|held| &held.answer),
                    Some(ChatInputAnswer::Submitted(_))
                )
            })
            .collect()
    }

    /// What an answer to a question must be like.
    pub fn constraints(&self, question: &ChatInputQuestion) -> String {
        let mut constraints = words::constraints(question);
        let Some(rules) = self.rules.get(id(question)) else { return constraints };
        if let Some(pattern) = &rules.pattern {
            constraints.push_str(&format!(", matching {}", plain::line(pattern.as_str())));
        }
        if let Some(step) = rules.multiple_of {
            constraints.push_str(&format!(", a multiple of {}", canonical::number(step)));
        }
        constraints
    }

    /// What stands for a question that has no answer: its default, if that is sent.
    pub fn no_answer(&self, question: &ChatInputQuestion) -> String {
        format!("no answer{}", self.instead(question))
    }

    /// What is said behind "no answer": nothing without a default.
    pub fn instead(&self, question: &ChatInputQuestion) -> String {
        let Some(default) = default_answer(question) else { return String::new() };
        let default = value(Some(question), &default);
        match (&self.status, is_required(question)) {
            (Status::Open | Status::Suspended, true) => {
                format!("; suggested, but to be answered: {default}")
            }
            (Status::Open | Status::Suspended, false) => format!("; if left: {default}"),
            (Status::Decided { response: ChatInputResponseKind::Accept, .. }, false) => {
                format!("; sent by default: {default}")
            }
            (Status::Decided { .. } | Status::Ended(_), true | false) => String::new(),
        }
    }

    /// What an accept sends for the questions that nobody touched.
    fn defaults(&self) -> BTreeMap<String, Value> {
        defaults(self.questions(), |id| self.answers.contains_key(id))
    }

    /// Everything that is so, as the events that would have led there.
    pub fn events(&self) -> Vec<Event> {
        let mut events = vec![Event::Opened {
            defaults: defaults(self.questions(), |_| false),
            request: self.request.id.clone(),
            message: self.request.message.clone().unwrap_or_default(),
            host: self.host(),
            url: self.request.url.clone(),
        }];
        events.extend(self.answers.keys().filter_map(|question| self.answer_event(question)));
        match &self.status {
            Status::Open | Status::Suspended => {}
            Status::Decided { response, by } => events.push(self.decided_event(*response, by)),
            Status::Ended(how) => {
                events.push(Event::Ended { request: self.request.id.clone(), how: *how });
            }
        }
        events.extend(self.not_included_events());
        events
    }

    /// What changed from `before` to this, as events; of another request, everything.
    pub fn changes_since(&self, before: Option<&Self>) -> Vec<Event> {
        let Some(before) = before.filter(|before| before.request.id == self.request.id) else {
            return self.events();
        };
        let questions: BTreeSet<&String> =
            self.answers.keys().chain(before.answers.keys()).chain(self.conflicts.keys()).collect();
        let mut events: Vec<Event> = questions
            .into_iter()
            .filter(|question| {
                self.answers.get(*question) != before.answers.get(*question)
                    || self.conflicts.get(*question) != before.conflicts.get(*question)
            })
            .map(|question| {
                let gone =
                    || before.answers.get(question).and_then(|held| held.by.first().cloned());
                self.answer_event(question).unwrap_or_else(|| self.gone_event(question, gone()))
            })
            .collect();
        if self.status != before.status {
            match &self.status {
                Status::Open | Status::Suspended => {}
                Status::Decided { response, by } => events.push(self.decided_event(*response, by)),
                Status::Ended(how) => {
                    events.push(Event::Ended { request: self.request.id.clone(), how: *how });
                }
            }
        }
        let known = before.not_included_events();
        events
            .extend(self.not_included_events().into_iter().filter(|event| !known.contains(event)));
        events
    }

    /// The host that its URL asks, in ASCII; none for a URL that may not be opened.
    fn host(&self) -> Option<String> {
        let url = ReviewUrl::read(self.request.url.as_deref()?).ok()?;
        Some(url.host().to_owned())
    }

    fn answer_event(&self, question: &str) -> Option<Event> {
        let held = self.answers.get(question)?;
        let conflicts = self.conflicts.get(question).into_iter().flatten();
        Some(Event::Answer {
            request: self.request.id.clone(),
            question: question.to_owned(),
            given: held.given(),
            conflict: conflicts.map(Held::given).collect(),
        })
    }

    fn gone_event(&self, question: &str, by: Option<String>) -> Event {
        Event::Answer {
            request: self.request.id.clone(),
            question: question.to_owned(),
            given: Given {
                state: State::None,
                value: None,
                by: by.unwrap_or_default(),
                authors: Vec::new(),
            },
            conflict: Vec::new(),
        }
    }

    fn decided_event(&self, response: ChatInputResponseKind, by: &str) -> Event {
        let given = self.answers.iter().filter(|(_, held)| match held.answer {
            ChatInputAnswer::Submitted(_) | ChatInputAnswer::Skipped(_) => true,
            ChatInputAnswer::Draft(_) => false,
        });
        Event::Decided {
            request: self.request.id.clone(),
            response,
            defaults: match response {
                ChatInputResponseKind::Accept => self.defaults(),
                ChatInputResponseKind::Decline | ChatInputResponseKind::Cancel => BTreeMap::new(),
            },
            answers: given
                .map(|(id, held)| (id.clone(), canonical::answer(&held.answer)))
                .collect(),
            by: by.to_owned(),
        }
    }

    fn not_included_events(&self) -> Vec<Event> {
        let late = self.not_included.iter().flat_map(|(question, late)| {
            late.iter().flat_map(move |held| held.by.iter().map(move |by| (question, by)))
        });
        late.map(|(question, by)| Event::NotIncluded {
            request: self.request.id.clone(),
            question: question.clone(),
            by: by.clone(),
        })
        .collect()
    }
}

/// The defaults of questions that need no answer and have none, as AHP spells values.
pub fn defaults(
    questions: &[ChatInputQuestion],
    is_touched: impl Fn(&str) -> bool,
) -> BTreeMap<String, Value> {
    let left =
        questions.iter().filter(|question| !is_required(question) && !is_touched(id(question)));
    left.filter_map(|question| {
        Some((id(question).to_owned(), canonical::value(&default_answer(question)?)))
    })
    .collect()
}

impl Held {
    /// As events spell it.
    pub fn given(&self) -> Given {
        let (state, value) = match &self.answer {
            ChatInputAnswer::Draft(answered) => (State::Draft, Some(&answered.value)),
            ChatInputAnswer::Submitted(answered) => (State::Submitted, Some(&answered.value)),
            ChatInputAnswer::Skipped(_) => (State::Skipped, None),
        };
        Given {
            state,
            value: value.map(canonical::value),
            by: self.by.first().cloned().unwrap_or_default(),
            authors: if self.by.len() > 1 { self.by.clone() } else { Vec::new() },
        }
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
