//! The keys that do something other than type.

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use rejoinder::PeerId;

use super::{Action, Focus, Prompt, field::Field, field::Keyed};
use crate::view;

impl Prompt {
    #[expect(clippy::wildcard_enum_match_arm, reason = "keys are many, and most mean nothing")]
    pub(super) fn key(&mut self, now: u64, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'd') if control => return self.quit(),
            KeyCode::Char('z') if control => return self.stop(),
            KeyCode::Char('n') if control => return self.next_request(),
            KeyCode::PageUp => return self.scroll -= 5,
            KeyCode::PageDown => return self.scroll += 5,
            _ => {}
        }
        self.scroll = 0;
        self.said.clear();
        if !self.is_open() {
            return;
        }
        match self.focus.clone() {
            Focus::Question(id) => self.question_key(now, &id, key),
            Focus::Overview(at) => self.overview_key(at, key),
        }
    }

    fn quit(&mut self) {
        self.blur();
        self.actions.push_back(Action::Quit);
    }

    fn stop(&mut self) {
        self.blur();
        self.actions.push_back(Action::Stop);
    }

    fn next_request(&mut self) {
        if self.others == 0 {
            self.said = "no other request is open".to_owned();
            return;
        }
        self.blur();
        self.actions.push_back(Action::Next);
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "keys are many, and most mean nothing")]
    fn question_key(&mut self, now: u64, id: &str, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let mut taking = std::mem::take(&mut self.taking);
        match key.code {
            KeyCode::Char(digit @ '1'..='9') if !taking.is_empty() => {
                let at = usize::from(digit as u8 - b'1');
                if at < taking.len() {
                    self.take_from(id, taking.swap_remove(at));
                }
                return;
            }
            KeyCode::Tab => return self.next(id),
            KeyCode::BackTab => return self.previous(id),
            KeyCode::Esc => return self.overview(id),
            KeyCode::Char('s') if control => return self.skip(id),
            KeyCode::Char('x') if control => return self.clear(id),
            KeyCode::Char('t') if control => return self.take(id),
            KeyCode::Enter if key.modifiers.is_empty() => return self.answer(id),
            _ => {}
        }
        let Some(entry) = self.entries.get_mut(id) else { return };
        match entry.field.key(key) {
            Keyed::Nothing | Keyed::Moved => {}
            Keyed::Typed => entry.typed(now),
            Keyed::Chosen => {
                entry.typed(now);
                self.flush(id);
            }
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "keys are many, and most mean nothing")]
    fn overview_key(&mut self, at: usize, key: KeyEvent) {
        let ids = self.ids();
        let last = ids.len().saturating_sub(1);
        let confirming = self.confirming.take();
        match key.code {
            KeyCode::Up => self.focus = Focus::Overview(at.saturating_sub(1)),
            KeyCode::Down => self.focus = Focus::Overview((at + 1).min(last)),
            // Esc does not lead back. It leads here from everywhere, and a person who presses it
            // once too often must not type `a` into an answer.
            KeyCode::Enter | KeyCode::Tab => {
                if let Some(id) = ids.get(at) {
                    self.focus = Focus::Question(id.clone());
                }
            }
            KeyCode::BackTab => {
                if let Some(id) = ids.last() {
                    self.focus = Focus::Question(id.clone());
                }
            }
            KeyCode::Char('a') => self.complete(ChatInputResponseKind::Accept, confirming),
            KeyCode::Char('d') => self.complete(ChatInputResponseKind::Decline, confirming),
            KeyCode::Char('c') => self.complete(ChatInputResponseKind::Cancel, confirming),
            _ => {}
        }
    }

    fn ids(&self) -> Vec<String> {
        let questions = self.request.iter().flat_map(|request| view::questions(request));
        questions.map(|question| view::id(question).to_owned()).collect()
    }

    /// Leaves a question: typed text becomes a draft.
    fn blur(&mut self) {
        if let Focus::Question(id) = self.focus.clone() {
            self.flush(&id);
        }
    }

    fn next(&mut self, id: &str) {
        self.blur();
        let ids = self.ids();
        let at = ids.iter().position(|other| other == id).map_or(0, |at| at + 1);
        self.focus = match ids.get(at) {
            Some(next) => Focus::Question(next.clone()),
            None => Focus::Overview(ids.len().saturating_sub(1)),
        };
    }

    fn previous(&mut self, id: &str) {
        self.blur();
        let ids = self.ids();
        let at = ids.iter().position(|other| other == id).and_then(|at| at.checked_sub(1));
        if let Some(previous) = at.and_then(|at| ids.get(at)) {
            self.focus = Focus::Question(previous.clone());
        }
    }

    fn overview(&mut self, id: &str) {
        self.blur();
        let at = self.ids().iter().position(|other| other == id);
        self.focus = Focus::Overview(at.unwrap_or_default());
    }

    /// Submits the answer as it stands, and moves to the next question.
    fn answer(&mut self, id: &str) {
        let Some(entry) = self.entries.get_mut(id) else { return };
        let held = self.request.as_ref().is_some_and(|request| view::answer(request, id).is_some());
        // Enter on an empty text that nobody touched means "go on", not "".
        let blank = matches!(&entry.field, Field::Text(field) if field.text().is_empty())
            && !entry.unsent
            && !held;
        match entry.field.value() {
            Err(why) => self.said = why,
            Ok(None) if matches!(entry.field, Field::Choice(_)) => {
                self.said = "nothing is chosen: Space chooses, Tab goes on".to_owned();
            }
            Ok(Some(value)) if !blank => {
                (entry.unsent, entry.typed) = (false, None);
                self.actions.push_back(Action::Submit { question: id.to_owned(), value });
                self.next(id);
            }
            Ok(None | Some(_)) => self.next(id),
        }
    }

    fn skip(&mut self, id: &str) {
        // The text stays where the person wrote it, as the draft of the skipped question.
        self.flush(id);
        self.actions.push_back(Action::Skip { question: id.to_owned() });
        self.next(id);
    }

    fn clear(&mut self, id: &str) {
        self.flush(id);
        self.actions.push_back(Action::Clear { question: id.to_owned() });
    }

    /// Takes another's answer; if there are several, the next digit chooses one.
    fn take(&mut self, id: &str) {
        let request = self.request.as_ref();
        let conflicts = request.into_iter().flat_map(|request| view::conflicts(request, id));
        let others: Vec<String> = conflicts
            .filter(|held| !matches!(held.answer, ChatInputAnswer::Skipped(_)))
            .filter_map(|held| held.by.first().map(PeerId::to_string))
            .collect();
        match others.as_slice() {
            [] => self.said = "there is no other answer to take".to_owned(),
            [peer] => self.take_from(id, peer.clone()),
            several => {
                let numbered = several.iter().enumerate();
                let choices: Vec<String> = numbered
                    .map(|(at, peer)| format!("{} {}", at + 1, self.names.show_or_you(peer)))
                    .collect();
                self.said = format!("take whose answer? {}", choices.join(", "));
                self.taking = others;
            }
        }
    }

    fn take_from(&mut self, id: &str, peer: String) {
        self.actions.push_back(Action::Take { question: id.to_owned(), peer });
    }

    /// Completes the request, for everybody. A decline, a cancel, and an accept that leaves
    /// something out need a second press.
    fn complete(
        &mut self,
        response: ChatInputResponseKind,
        confirmed: Option<ChatInputResponseKind>,
    ) {
        if confirmed == Some(response) {
            self.fate = None;
            return self.actions.push_back(Action::Complete(response));
        }
        let Some(request) = &self.request else { return };
        let question = match response {
            ChatInputResponseKind::Accept => {
                let missing = view::unanswered(request);
                if !missing.is_empty() {
                    let title = |id: &&str| {
                        view::question(request, id).map(view::title).unwrap_or_default()
                    };
                    let titles: Vec<String> = missing.iter().map(title).collect();
                    self.said = format!("still to be answered: {}", titles.join(", "));
                    return;
                }
                match self.drafts() {
                    0 => {
                        self.fate = None;
                        return self.actions.push_back(Action::Complete(response));
                    }
                    1 => "1 answer is only a draft and is left out; a again accepts".to_owned(),
                    n => format!("{n} answers are only drafts and are left out; a again accepts"),
                }
            }
            ChatInputResponseKind::Decline => "d again says no, for everybody".to_owned(),
            ChatInputResponseKind::Cancel => {
                "c again dismisses the request without a choice, for everybody".to_owned()
            }
        };
        self.said = question;
        self.confirming = Some(response);
    }

    fn drafts(&self) -> usize {
        let held = self.request.iter().flat_map(|request| request.projection.answers.values());
        held.filter(|held| matches!(held.answer, ChatInputAnswer::Draft(_))).count()
    }
}
