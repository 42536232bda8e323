//! A request as events: those that would have led to what it shows, or those that lead on from what
//! was shown before.

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use rejoinder::{PeerId, QuestionId, RequestStatus, RequestView, form::ReviewUrl};

use crate::{
    canonical,
    event::{AnswerState, Event, Given},
    view::{Held, answer, conflicts, defaults, questions},
};

/// Returns the present state as events.
pub(crate) fn events(view: &RequestView) -> Vec<Event> {
    let mut events = vec![opened(view)];
    events.extend(view.projection.answers.keys().filter_map(|question| answered(view, question)));
    events.extend(ended(view));
    events.extend(not_included(view));
    events
}

/// Returns the event that says what is asked.
pub(crate) fn opened(view: &RequestView) -> Event {
    Event::Opened {
        defaults: defaults(questions(view), |_| false),
        request: view.request.id.clone(),
        message: view.request.message.clone().unwrap_or_default(),
        host: host(view),
        url: view.request.url.clone(),
    }
}

/// Returns the differences from `before`; if that is another request, everything.
///
/// It compares views, for two reasons: the engine reports every edit, even one that changes nothing
/// on the screen, and a decision can bring answers that no event reported.
pub(crate) fn changes_since(view: &RequestView, before: Option<&RequestView>) -> Vec<Event> {
    let Some(before) = before.filter(|before| before.request.id == view.request.id) else {
        return events(view);
    };
    let (now, then) = (&view.projection, &before.projection);
    let questions: BTreeSet<&QuestionId> = now
        .answers
        .keys()
        .chain(then.answers.keys())
        .chain(now.conflicts.keys())
        .chain(view.passed_over.keys())
        .collect();
    let changed = |question: &&QuestionId| {
        let question = question.as_str();
        answer(view, question) != answer(before, question)
            || conflicts(view, question) != conflicts(before, question)
    };
    let mut events: Vec<Event> = questions
        .into_iter()
        .filter(changed)
        .map(|question| {
            answered(view, question).unwrap_or_else(|| gone(view, before, question.as_str()))
        })
        .collect();
    if view.status != before.status {
        events.extend(ended(view));
    }
    let known = not_included(before);
    events.extend(not_included(view).into_iter().filter(|event| !known.contains(event)));
    events
}

/// Returns the host in its URL, in ASCII; `None` if the URL may not be opened.
fn host(view: &RequestView) -> Option<String> {
    let url = ReviewUrl::read(view.request.url.as_deref()?).ok()?;
    Some(url.host().to_owned())
}

fn answered(view: &RequestView, question: &QuestionId) -> Option<Event> {
    Some(Event::Answer {
        request: view.request.id.clone(),
        question: question.to_string(),
        given: answer(view, question.as_str())?.given(),
        conflict: conflicts(view, question.as_str()).into_iter().map(Held::given).collect(),
    })
}

/// Returns the event for a question without an answer: the answer is gone, or never was, and only a
/// conflict has changed.
fn gone(view: &RequestView, before: &RequestView, question: &str) -> Event {
    let by = answer(before, question).and_then(|held| held.by.first());
    Event::Answer {
        request: view.request.id.clone(),
        question: question.to_owned(),
        given: Given {
            state: AnswerState::None,
            value: None,
            by: by.map(PeerId::to_string).unwrap_or_default(),
            authors: Vec::new(),
        },
        conflict: Vec::new(),
    }
}

/// Returns the end of the request, if it has ended.
fn ended(view: &RequestView) -> Option<Event> {
    let request = view.request.id.clone();
    match &view.status {
        RequestStatus::Open | RequestStatus::Suspended => None,
        RequestStatus::Decided { response, by, .. } => Some(Event::Decided {
            request,
            response: *response,
            answers: given(view),
            defaults: match response {
                ChatInputResponseKind::Accept => {
                    defaults(questions(view), |id| answer(view, id).is_some())
                }
                ChatInputResponseKind::Decline | ChatInputResponseKind::Cancel => BTreeMap::new(),
            },
            by: by.to_string(),
        }),
        RequestStatus::Ended(how) => Some(Event::Ended { request, how: *how }),
    }
}

/// Returns the submitted and skipped answers: a draft was not given.
fn given(view: &RequestView) -> BTreeMap<String, serde_json::Value> {
    let given = view.projection.answers.iter().filter(|(_, held)| match held.answer {
        ChatInputAnswer::Submitted(_) | ChatInputAnswer::Skipped(_) => true,
        ChatInputAnswer::Draft(_) => false,
    });
    given.map(|(id, held)| (id.to_string(), canonical::answer(&held.answer))).collect()
}

/// Returns the late answers, in the order of their questions' ids.
fn not_included(view: &RequestView) -> Vec<Event> {
    let mut late: Vec<_> = view.not_included.iter().collect();
    late.sort_by(|one, other| one.question.cmp(&other.question));
    late.into_iter()
        .map(|late| Event::NotIncluded {
            request: view.request.id.clone(),
            question: late.question.to_string(),
            by: late.author.to_string(),
        })
        .collect()
}

impl Held<'_> {
    /// Returns the answer as events spell it.
    pub(crate) fn given(self) -> Given {
        let (state, value) = match self.answer {
            ChatInputAnswer::Draft(answered) => (AnswerState::Draft, Some(&answered.value)),
            ChatInputAnswer::Submitted(answered) => (AnswerState::Submitted, Some(&answered.value)),
            ChatInputAnswer::Skipped(_) => (AnswerState::Skipped, None),
        };
        let by: Vec<String> = self.by.iter().map(PeerId::to_string).collect();
        Given {
            state,
            value: value.map(canonical::value),
            by: by.first().cloned().unwrap_or_default(),
            authors: if by.len() > 1 { by } else { Vec::new() },
        }
    }
}
