//! The form without a terminal: keys in, rows and actions out.

mod ending;
mod others;
mod pressed;
mod typing;

use ahp_types::state::ChatInputResponseKind;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use serde_json::json;

use super::*;
use crate::{line, view::samples};

struct Driver {
    prompt: Prompt,
    now: u64,
}

/// Returns the full id of a peer.
fn id(name: &str) -> String {
    samples::peer(name).to_string()
}

fn names() -> Names {
    let mut names = Names::new(Some(id("me")));
    names.set(&id("me"), "Ana");
    names.set(&id("ben"), "Ben");
    names
}

impl Driver {
    fn new() -> Self {
        let mut driver = Self { prompt: Prompt::new(names(), 80, 24), now: 0 };
        driver.show(samples::request());
        driver
    }

    fn show(&mut self, view: RequestView) {
        self.input(Input::Request(Some(Box::new(view))));
    }

    fn input(&mut self, input: Input) {
        self.prompt.handle(self.now, input);
    }

    fn key(&mut self, code: KeyCode) {
        self.input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)));
    }

    fn control(&mut self, c: char) {
        self.input(Input::Key(KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)));
    }

    fn type_text(&mut self, text: &str) {
        for c in text.chars() {
            self.key(KeyCode::Char(c));
        }
    }

    fn pause(&mut self, milliseconds: u64) {
        self.now += milliseconds;
        self.input(Input::Tick);
    }

    fn tab(&mut self, times: usize) {
        for _ in 0..times {
            self.key(KeyCode::Tab);
        }
    }

    fn actions(&mut self) -> Vec<Action> {
        std::iter::from_fn(|| self.prompt.poll_action()).collect()
    }

    fn text(&self) -> String {
        let rows = self.prompt.frame().rows;
        rows.iter().map(|row| row.text.as_str()).collect::<Vec<_>>().join("\n")
    }

    fn sees(&self, what: &str) {
        assert!(self.text().contains(what), "{what:?} is not in\n{}", self.text());
    }

    fn sees_not(&self, what: &str) {
        assert!(!self.text().contains(what), "{what:?} is in\n{}", self.text());
    }
}

fn typed(text: &str) -> Action {
    Action::Draft { question: "notes".to_owned(), value: line::text(text.to_owned()) }
}

#[test]
fn a_question_with_its_constraints() {
    let mut driver = Driver::new();
    driver.sees("Deploy 1.4?");
    driver.sees("[1 of 6, required] Environment");
    driver.sees("Where to?");
    driver.sees("one of these");
    driver.sees("› ( ) Staging");
    driver.tab(1);
    driver.sees("[2 of 6] Notes");
    driver.sees("text, at most 200 characters");
    driver.tab(1);
    driver.sees("a whole number, 1 to 9");
    driver.key(KeyCode::BackTab);
    driver.sees("[2 of 6] Notes");
}

#[test]
fn choosing_is_a_draft_and_enter_answers() {
    let mut driver = Driver::new();
    driver.key(KeyCode::Enter);
    assert_eq!(driver.actions(), [], "where the cursor stands is no choice");
    driver.sees("nothing is chosen");
    driver.key(KeyCode::Down);
    driver.key(KeyCode::Char(' '));
    driver.key(KeyCode::Enter);
    let question = || "env".to_owned();
    let value = || line::selected("prod".to_owned());
    assert_eq!(
        driver.actions(),
        [
            Action::Draft { question: question(), value: value() },
            Action::Submit { question: question(), value: value() },
        ]
    );
    driver.sees("[2 of 6] Notes");
}

#[test]
fn numbers_and_yes_or_no() {
    let mut driver = Driver::new();
    driver.tab(2);
    driver.type_text("-x");
    driver.pause(300);
    driver.sees("> -");
    driver.sees("\"-\" is no number");
    assert_eq!(driver.actions(), []);
    driver.show(samples::request());
    driver.sees("> -");
    driver.key(KeyCode::Backspace);
    driver.type_text("7");
    driver.key(KeyCode::Enter);
    let seven = line::number(7.0);
    assert_eq!(driver.actions(), [Action::Submit { question: "count".to_owned(), value: seven }]);
    driver.key(KeyCode::Char('n'));
    driver.key(KeyCode::Enter);
    let (question, value) = ("go".to_owned(), line::boolean(false));
    assert_eq!(driver.actions()[1], Action::Submit { question, value });
}

#[test]
fn several_choices_and_own_words() {
    let mut driver = Driver::new();
    driver.tab(4);
    driver.sees("[ ] Europe");
    driver.key(KeyCode::Char('3'));
    driver.key(KeyCode::Char('1'));
    for _ in 0..9 {
        driver.key(KeyCode::Down);
    }
    driver.type_text("the 1 moon");
    driver.sees("[x] other: the 1 moon");
    driver.key(KeyCode::Enter);
    let actions = driver.actions();
    let Some(Action::Submit { value, .. }) = actions.last() else { panic!("{actions:?}") };
    assert_eq!(
        serde_json::to_value(value).unwrap(),
        json!({"kind": "selected-many", "value": ["eu", "ap"], "freeformValues": ["the 1 moon"]})
    );
}

#[test]
fn a_small_terminal_keeps_what_is_edited_in_sight() {
    let options: Vec<_> =
        (0..60).map(|n| json!({"id": n.to_string(), "label": format!("Option {n}")})).collect();
    let mut driver = Driver::new();
    driver.show(samples::view(json!({"id": "r9", "questions": [
        {"kind": "single-select", "id": "q", "message": "Which?", "options": options}]})));
    let fits = |driver: &Driver| {
        let frame = driver.prompt.frame();
        assert!(frame.rows.len() <= 23, "{}", driver.text());
        assert!(frame.rows.iter().all(|row| crate::plain::width(&row.text) <= 80));
    };
    driver.sees("Option 0");
    driver.sees("PgDn");
    fits(&driver);
    for _ in 0..59 {
        driver.key(KeyCode::Down);
        fits(&driver);
    }
    driver.sees("› ( ) Option 59");
    driver.sees("PgUp");
    driver.sees("Space choose");
    for _ in 0..20 {
        driver.key(KeyCode::PageUp);
    }
    driver.sees("Option 0");
    driver.input(Input::Size { columns: 20, rows: 4 });
    assert!(driver.prompt.frame().rows.len() <= 3);
}

#[test]
fn a_text_of_250_kilobytes_leaves_room_for_the_rest() {
    let long = "long ".repeat(50_000);
    let mut driver = Driver::new();
    driver.prompt.names.set(&id("ben"), &long);
    let mut view = samples::view(json!({"id": "r9", "message": long, "questions": [
        {"kind": "text", "id": "notes", "message": long, "title": long, "required": true}]}));
    view.projection.answers.insert("notes".into(), samples::text("draft", "short", "ben"));
    driver.show(view.clone());
    driver.sees("> short");
    driver.sees("Enter answer");
    driver.key(KeyCode::Esc);
    driver.sees("“short” (draft by");
    driver.key(KeyCode::Char('a'));
    driver.sees("still to be answered: long");
    driver.sees("“short” (draft by");
    driver.sees("a accept");
    view.projection.answers.insert("notes".into(), samples::text("draft", &long, "ben"));
    driver.show(view);
    driver.sees("a accept");
    assert!(driver.prompt.frame().rows.len() < 24);
}
