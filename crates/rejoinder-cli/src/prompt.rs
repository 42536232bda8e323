//! The form on a terminal, question by question, as a machine: it is told the keys, the state and
//! the time, and returns the actions to take and the frame to show.
//!
//! It neither reads nor writes the terminal, and does not know the engine. Its driver has one rule
//! to keep: an [`Input::Request`] must include the effects of all actions taken from
//! [`Prompt::poll_action`] before it. Otherwise text that was just typed would seem to vanish.

mod choice;
mod draw;
mod exchange;
mod field;
mod keys;
mod row;
mod screen;
mod text;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use ahp_types::state::ChatInputResponseKind;
use rejoinder::{RequestStatus, RequestView, Version};

pub(crate) use exchange::{Action, Input};
pub(crate) use row::{Frame, Row, Tone};
pub(crate) use screen::Screen;

use crate::{event::Fate, limits, names::Names, report, view};
use field::{Field, Keyed};

/// The place where the person is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Focus {
    /// The question with that id.
    Question(String),
    /// The list of all answers, at the one with that number.
    Overview(usize),
}

/// The field of one question, as it is edited.
#[derive(Debug, Clone)]
struct Entry {
    field: Field,
    /// True if the field holds something that is not in a draft yet.
    unsent: bool,
    /// The times at which that was typed, until the first attempt to make a draft of it.
    typed: Option<Typed>,
}

/// The times of the first and the last key that are not in a draft yet.
#[derive(Debug, Clone, Copy)]
struct Typed {
    first: u64,
    last: u64,
}

impl Typed {
    /// Returns the time to make the draft: after a pause, but with a limit for somebody who makes
    /// none.
    fn due(self) -> u64 {
        let pause = self.last.saturating_add(limits::TYPING_PAUSE_MS);
        pause.min(self.first.saturating_add(limits::TYPING_LONGEST_MS))
    }
}

/// The form. Times are in milliseconds from any fixed point.
#[derive(Debug)]
pub(crate) struct Prompt {
    names: Names,
    columns: usize,
    rows: usize,
    request: Option<Box<RequestView>>,
    entries: BTreeMap<String, Entry>,
    focus: Focus,
    scroll: isize,
    fate: Option<Fate>,
    /// The response that a second press would send.
    confirming: Option<ChatInputResponseKind>,
    /// The authors whose answers a digit would take.
    taking: Vec<String>,
    said: String,
    /// The question whose answer others changed last.
    news: Option<String>,
    /// The reason why the disk refuses writes; `None` while it takes them.
    disk: Option<String>,
    /// The number of other open requests.
    others: usize,
    notices: VecDeque<String>,
    actions: VecDeque<Action>,
}

impl Prompt {
    /// Makes a form without a request, on a terminal of that size.
    pub(crate) fn new(names: Names, columns: u16, rows: u16) -> Self {
        Self {
            names,
            columns: columns.into(),
            rows: rows.into(),
            request: None,
            entries: BTreeMap::new(),
            focus: Focus::Overview(0),
            scroll: 0,
            fate: None,
            confirming: None,
            taking: Vec::new(),
            said: String::new(),
            news: None,
            disk: None,
            others: 0,
            notices: VecDeque::new(),
            actions: VecDeque::new(),
        }
    }

    /// Takes an input.
    pub(crate) fn handle(&mut self, now: u64, input: Input) {
        match input {
            Input::Key(key) => self.key(now, key),
            Input::Paste(text) => self.paste(now, &text),
            Input::Size { columns, rows } => {
                (self.columns, self.rows) = (columns.into(), rows.into());
            }
            Input::Request(request) => self.follow(request),
            Input::Names(names) => self.names = names,
            Input::Others(others) => self.others = others,
            Input::Fate(fate) => self.fate = Some(fate),
            Input::Said(text) => self.said = crate::plain::line(&text),
            Input::NotTaken(question) => self.keep(&question),
            Input::Leaving => self.flush_all(),
            Input::Disk(failing) => {
                self.disk = failing.map(|why| crate::plain::line(&why));
                if self.disk.is_none() {
                    self.flush_all();
                }
            }
            Input::Tick => {}
        }
        self.flush_due(now);
    }

    /// Returns the next action. Actions are to be carried out in this order.
    pub(crate) fn poll_action(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Returns the time to come back with [`Input::Tick`] if nothing happens before.
    pub(crate) fn poll_timeout(&self) -> Option<u64> {
        self.entries.values().filter_map(|entry| entry.typed).map(Typed::due).min()
    }

    /// Returns the version of the answers that the form shows. Every edit from
    /// [`poll_action`](Self::poll_action) is based on it.
    pub(crate) fn seen(&self) -> Option<&Version> {
        self.request.as_ref()?.seen.as_ref()
    }

    /// Returns the text that was typed and that the engine did not take, in lines for the person.
    pub(crate) fn untaken(&self) -> Vec<String> {
        let unsent = self.entries.iter().filter(|(_, entry)| entry.unsent);
        let words = unsent.filter_map(|(id, entry)| Some((id, entry.field.words()?)));
        let line = |(id, words): (&String, &str)| {
            format!("not kept, what you typed at {}: {}", self.title(id), crate::plain::line(words))
        };
        words.map(line).collect()
    }

    /// Returns a line to leave above the form for good: the way in which a request ended.
    pub(crate) fn poll_notice(&mut self) -> Option<String> {
        self.notices.pop_front()
    }

    /// Returns the frame that the screen should show.
    pub(crate) fn frame(&self) -> Frame {
        draw::frame(self)
    }

    fn is_open(&self) -> bool {
        self.request.as_ref().is_some_and(|request| request.status == RequestStatus::Open)
    }

    fn title(&self, question: &str) -> String {
        let question = self.request.as_ref().and_then(|request| view::question(request, question));
        question.map(view::title).unwrap_or_default()
    }

    fn follow(&mut self, request: Option<Box<RequestView>>) {
        let same = match (&self.request, &request) {
            (Some(before), Some(after)) => before.request.id == after.request.id,
            (None, None) => true,
            (None, Some(_)) | (Some(_), None) => false,
        };
        if same && self.tell_typed_first(request.as_deref()) {
            return;
        }
        let before = if same { self.request.take() } else { None };
        if !same {
            self.notices.extend(self.untaken());
            self.entries.clear();
            self.fate = None;
            self.confirming = None;
            self.taking.clear();
            self.said.clear();
            self.news = None;
            self.scroll = 0;
            let first = request.iter().flat_map(|request| view::questions(request)).next();
            self.focus = match first {
                Some(question) => Focus::Question(view::id(question).to_owned()),
                None => Focus::Overview(0),
            };
        }
        self.request = request;
        self.follow_entries();
        self.tell_news(before.as_deref());
        self.tell_end(before.as_deref());
    }

    /// Makes drafts of typed text before the form shows that the request has ended or the text has
    /// changed. The engine applies them to the version that the form showed, and the next state
    /// includes both. True if there were any.
    fn tell_typed_first(&mut self, after: Option<&RequestView>) -> bool {
        let (Some(before), Some(after)) = (&self.request, after) else { return false };
        if before.seen.is_none() {
            return false;
        }
        let over = after.seen.is_none();
        let changed = |(id, entry): &(&String, &Entry)| {
            let text = matches!(entry.field, Field::Text(_));
            entry.typed.is_some()
                && (over || text && view::answer(before, id) != view::answer(after, id))
        };
        let ids: Vec<String> =
            self.entries.iter().filter(changed).map(|(id, _)| id.clone()).collect();
        let waiting = self.actions.len();
        ids.iter().for_each(|id| self.flush(id));
        self.actions.len() > waiting
    }

    /// Shows the present answers in the fields. Questions may have come, gone or changed their
    /// kind.
    fn follow_entries(&mut self) {
        let Some(request) = &self.request else { return self.entries.clear() };
        let mut entries = BTreeMap::new();
        for question in view::questions(request) {
            let id = view::id(question);
            let fresh = Field::new(question);
            let mut entry = match self.entries.remove(id) {
                Some(entry) if is_same_kind(&entry.field, &fresh) => entry,
                Some(_) | None => Entry { field: fresh, unsent: false, typed: None },
            };
            let answer = view::answer(request, id).map(|held| held.answer);
            entry.field.follow(answer, entry.unsent);
            entries.insert(id.to_owned(), entry);
        }
        self.entries = entries;
        if let Focus::Question(id) = &self.focus
            && !self.entries.contains_key(id)
        {
            self.focus = Focus::Overview(0);
        }
    }

    /// Notes the last change by others. News is shown as it stands, so it never says what is no
    /// longer true.
    fn tell_news(&mut self, before: Option<&RequestView>) {
        let (Some(before), Some(request)) = (before, &self.request) else { return };
        for (id, held) in &request.projection.answers {
            let by_others = held.authors.iter().any(|peer| !self.names.is_me(&peer.to_string()));
            if by_others && before.projection.answers.get(id) != Some(held) {
                self.news = Some(id.to_string());
            }
        }
    }

    fn tell_end(&mut self, before: Option<&RequestView>) {
        let Some(request) = &self.request else { return };
        if !view::is_over(&request.status)
            || before.is_some_and(|before| before.status == request.status)
        {
            return;
        }
        self.focus = Focus::Overview(0);
        self.notices.extend(report::request(request, &self.names));
        let late = request.not_included.iter();
        let mine = late.filter(|late| self.names.is_me(&late.author.to_string()));
        let questions: BTreeSet<_> = mine.map(|late| &late.question).collect();
        let titles: Vec<String> =
            questions.into_iter().map(|question| self.title(question.as_str())).collect();
        if !titles.is_empty() {
            self.notices.push_back(format!(
                "what you wrote at {} came too late for that; it is kept, as not included, and \
                 `rejoinder show` prints it",
                titles.join(", ")
            ));
        }
        while self.notices.len() > limits::NOTICES {
            self.notices.pop_front();
        }
    }

    fn paste(&mut self, now: u64, text: &str) {
        let Focus::Question(id) = &self.focus else { return };
        if !self.is_open() {
            return;
        }
        if let Some(entry) = self.entries.get_mut(id)
            && entry.field.paste(text) == Keyed::Typed
        {
            entry.typed(now);
        }
    }

    fn flush_due(&mut self, now: u64) {
        let due = |entry: &Entry| entry.typed.is_some_and(|typed| now >= typed.due());
        let ids: Vec<String> =
            self.entries.iter().filter(|(_, entry)| due(entry)).map(|(id, _)| id.clone()).collect();
        ids.iter().for_each(|id| self.flush(id));
    }

    /// Makes drafts of all typed text, even if it was refused before: there will be no other
    /// chance.
    fn flush_all(&mut self) {
        let ids: Vec<String> = self.entries.keys().cloned().collect();
        ids.iter().for_each(|id| self.flush(id));
    }

    /// Makes a draft of the text typed into a question.
    fn flush(&mut self, id: &str) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        entry.typed = None;
        if !entry.unsent {
            return;
        }
        let question = id.to_owned();
        let action = match entry.field.value() {
            Ok(Some(value)) => Action::Draft { question, value },
            Ok(None) => Action::Clear { question },
            // A number that is not complete yet ("-", "1e") stays in the field, unsent.
            Err(why) => return self.said = why,
        };
        entry.unsent = false;
        self.actions.push_back(action);
    }

    /// Keeps text that could not become a draft in its field, until the next key.
    fn keep(&mut self, id: &str) {
        if let Some(entry) = self.entries.get_mut(id) {
            entry.unsent = true;
        }
    }
}

impl Entry {
    fn typed(&mut self, now: u64) {
        self.unsent = true;
        let first = self.typed.map_or(now, |typed| typed.first);
        self.typed = Some(Typed { first, last: now });
    }
}

fn is_same_kind(one: &Field, other: &Field) -> bool {
    match (one, other) {
        (Field::Text(_), Field::Text(_))
        | (Field::Number(_), Field::Number(_))
        | (Field::Closed, Field::Closed) => true,
        (Field::Choice(one), Field::Choice(other)) => {
            one.kind == other.kind
                && one.rows == other.rows
                && one.own.is_some() == other.own.is_some()
        }
        (Field::Text(_) | Field::Number(_) | Field::Choice(_) | Field::Closed, _) => false,
    }
}

#[cfg(test)]
mod tests;
