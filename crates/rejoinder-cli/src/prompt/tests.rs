//! The form without a terminal: keys in, rows and actions out.

use ahp_types::state::ChatInputResponseKind;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{line, view::samples};

struct Driver {
    prompt: Prompt,
    now: u64,
}

fn names() -> Names {
    let mut names = Names::new(Some("me".to_owned()));
    names.set("me", "Ana");
    names.set("ben", "Ben");
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
fn typing_becomes_a_draft_on_a_pause() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("ho");
    driver.pause(299);
    assert_eq!(driver.actions(), []);
    driver.sees("> ho");
    driver.sees("typing…");
    assert_eq!(driver.prompt.poll_timeout(), Some(300));
    driver.pause(1);
    assert_eq!(driver.actions(), [typed("ho")]);
    assert_eq!(driver.prompt.poll_timeout(), None);
    driver.type_text("t");
    driver.pause(200);
    driver.type_text("!");
    driver.pause(200);
    assert_eq!(driver.actions(), [], "each key starts the pause anew");
    driver.pause(100);
    assert_eq!(driver.actions(), [typed("hot!")]);
}

#[test]
fn typing_becomes_a_draft_when_one_goes_elsewhere() {
    for leave in [KeyCode::Tab, KeyCode::BackTab, KeyCode::Esc] {
        let mut driver = Driver::new();
        driver.tab(1);
        driver.type_text("x");
        driver.key(leave);
        assert_eq!(driver.actions(), [typed("x")]);
    }
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("x");
    driver.control('z');
    assert_eq!(driver.actions(), [typed("x"), Action::Stop]);
    driver.type_text("y");
    driver.control('c');
    assert_eq!(driver.actions(), [typed("xy"), Action::Quit]);
}

#[test]
fn two_people_in_one_text() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("mine");
    let mut view = samples::request();
    view.answers.insert("notes".to_owned(), samples::text("draft", "theirs ", "ben"));
    driver.show(view.clone());
    driver.sees("> mine");
    assert_eq!(driver.actions(), [typed("mine")], "told on what was seen, before theirs is seen");
    // The engine has merged them.
    view.answers.insert("notes".to_owned(), samples::text("draft", "theirs mine", "ben"));
    driver.show(view);
    driver.sees("> theirs mine");
    driver.type_text("!");
    driver.pause(300);
    assert_eq!(driver.actions(), [typed("theirs mine!")]);
}

#[test]
fn whoever_types_without_a_pause_is_heard_each_second() {
    let mut driver = Driver::new();
    driver.tab(1);
    let mut drafts = Vec::new();
    for _ in 0..40 {
        driver.type_text("x");
        driver.pause(90);
        drafts.extend(driver.actions());
    }
    assert_eq!(drafts, [typed(&"x".repeat(12)), typed(&"x".repeat(24)), typed(&"x".repeat(36))]);
}

#[test]
fn what_is_typed_when_the_request_ends_is_kept() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("half a sent");
    let mut view = samples::request();
    let response = ChatInputResponseKind::Accept;
    view.status = Status::Decided { response, by: "ben".to_owned() };
    view.seen = None;
    driver.show(view.clone());
    assert_eq!(driver.actions(), [typed("half a sent")]);
    let late = samples::text("draft", "half a sent", "me");
    view.not_included.insert("notes".to_owned(), vec![late]);
    driver.show(view);
    assert_eq!(driver.actions(), []);
    let notices: Vec<String> = std::iter::from_fn(|| driver.prompt.poll_notice()).collect();
    let all = notices.join("\n");
    assert!(all.contains("what you wrote at Notes came too late for that; it is kept"), "{all}");
    assert!(all.contains("not included: “half a sent”, draft by you"), "{all}");
}

#[test]
fn what_the_engine_does_not_take_stays_in_its_field() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("words");
    driver.pause(300);
    assert_eq!(driver.actions(), [typed("words")]);
    driver.input(Input::NotTaken("notes".to_owned()));
    driver.show(samples::request());
    driver.sees("> words");
    assert_eq!(driver.actions(), [], "not again and again");
    assert_eq!(driver.prompt.untaken(), ["not kept, what you typed at Notes: words"]);
    driver.type_text("!");
    driver.pause(300);
    assert_eq!(driver.actions(), [typed("words!")]);
}

#[test]
fn what_was_not_taken_before_the_next_request_comes_is_said() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("words");
    driver.input(Input::Leaving);
    assert_eq!(driver.actions(), [typed("words")]);
    driver.input(Input::NotTaken("notes".to_owned()));
    driver.input(Input::Request(None));
    let notices: Vec<String> = std::iter::from_fn(|| driver.prompt.poll_notice()).collect();
    assert_eq!(notices, ["not kept, what you typed at Notes: words"]);
}

#[test]
fn others_drafts_appear_with_their_names() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    view.answers.insert("env".to_owned(), samples::selected("draft", "prod", "ben"));
    driver.show(view.clone());
    driver.sees("(•) Production");
    driver.sees("now: Production (draft by Ben)");
    view.answers.insert("notes".to_owned(), samples::text("draft", "al\u{1b}[2Jmost", "ben"));
    driver.show(view);
    driver.sees("Notes: “al[2Jmost” (draft by Ben)");
}

#[test]
fn conflicts_show_their_authors_and_can_be_taken() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    view.answers.insert("env".to_owned(), samples::selected("submitted", "prod", "me"));
    view.conflicts.insert("env".to_owned(), vec![samples::selected("submitted", "staging", "ben")]);
    driver.show(view);
    driver.sees("now: Production (ready, by you)");
    driver.sees("in conflict: Staging (ready, by Ben)");
    driver.control('t');
    assert_eq!(
        driver.actions(),
        [Action::Take { question: "env".to_owned(), peer: "ben".to_owned() }]
    );
    driver.tab(1);
    driver.control('t');
    driver.sees("there is no other answer to take");
    driver.key(KeyCode::Esc);
    driver.sees("Environment: Production (ready, by you), and 1 in conflict");
}

#[test]
fn of_several_conflicts_a_digit_takes_one() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    let other = |by| samples::selected("submitted", "staging", by);
    view.conflicts.insert("env".to_owned(), vec![other("ben"), other("cleo2345678")]);
    driver.show(view);
    driver.control('t');
    driver.sees("take whose answer? 1 Ben, 2 cleo2345");
    driver.key(KeyCode::Char('2'));
    let peer = "cleo2345678".to_owned();
    assert_eq!(driver.actions(), [Action::Take { question: "env".to_owned(), peer }]);
    driver.control('t');
    driver.key(KeyCode::Char('9'));
    assert_eq!(driver.actions(), []);
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
fn an_accept_needs_what_is_required() {
    let mut driver = Driver::new();
    driver.key(KeyCode::Esc);
    driver.key(KeyCode::Char('a'));
    driver.sees("still to be answered: Environment");
    assert_eq!(driver.actions(), []);
    let mut view = samples::request();
    view.answers.insert("env".to_owned(), samples::selected("submitted", "prod", "ben"));
    driver.show(view.clone());
    driver.key(KeyCode::Char('a'));
    assert_eq!(driver.actions(), [Action::Complete(ChatInputResponseKind::Accept)]);
    view.answers.insert("notes".to_owned(), samples::text("draft", "hm", "me"));
    driver.show(view);
    driver.key(KeyCode::Char('a'));
    driver.sees("1 answer is only a draft and is left out; a again accepts");
    assert_eq!(driver.actions(), []);
    driver.key(KeyCode::Char('a'));
    assert_eq!(driver.actions(), [Action::Complete(ChatInputResponseKind::Accept)]);
}

#[test]
fn a_no_is_asked_twice() {
    for (key, response) in
        [('d', ChatInputResponseKind::Decline), ('c', ChatInputResponseKind::Cancel)]
    {
        let mut driver = Driver::new();
        driver.key(KeyCode::Esc);
        driver.key(KeyCode::Char(key));
        driver.key(KeyCode::Up);
        driver.key(KeyCode::Char(key));
        assert_eq!(driver.actions(), [], "another key between takes it back");
        driver.key(KeyCode::Char(key));
        assert_eq!(driver.actions(), [Action::Complete(response)]);
    }
}

#[test]
fn the_fate_is_told_and_nothing_is_submitted_before_the_decision() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    view.answers.insert("env".to_owned(), samples::selected("submitted", "prod", "me"));
    driver.show(view.clone());
    driver.key(KeyCode::Esc);
    driver.key(KeyCode::Char('a'));
    for (fate, said) in [
        (Fate::Saved, "your response: saved here, not yet with anybody else"),
        (Fate::Carried { count: 2 }, "your response: saved here and carried by 2 peers"),
        (Fate::Received, "your response: received by the host, not yet decided"),
    ] {
        driver.input(Input::Fate(fate));
        driver.sees(said);
        driver.sees_not("submitted");
    }
    let refused = Fate::Refused {
        reason: "required-unanswered".to_owned(),
        questions: vec!["count".to_owned()],
        by: None,
    };
    driver.input(Input::Fate(refused));
    driver.sees("your response: refused: required-unanswered: count");
    let accept = ChatInputResponseKind::Accept;
    view.status = Status::Decided { response: accept, by: "ben".to_owned() };
    driver.show(view);
    driver.input(Input::Fate(Fate::Decided { by: "ben".to_owned() }));
    driver.sees("accepted by Ben");
    driver.sees("submitted by you");
    let notices: Vec<String> = std::iter::from_fn(|| driver.prompt.poll_notice()).collect();
    assert_eq!(notices[0], "request r1: accepted by Ben");
    driver.key(KeyCode::Char('a'));
    assert_eq!(driver.actions().last(), Some(&Action::Complete(accept)), "that of before");
    assert_eq!(driver.actions(), []);
}

#[test]
fn a_request_that_changes_under_ones_hands() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.type_text("keep");
    driver.show(samples::view(json!({"id": "r1", "message": "Anew?", "questions": [
        {"kind": "text", "id": "notes", "message": "Notes anew?"},
        {"kind": "text", "id": "env", "message": "Say where"}]})));
    driver.sees("Anew?");
    driver.sees("> keep");
    driver.show(samples::view(json!({"id": "r1", "questions": [
        {"kind": "drawing", "id": "x", "message": "Draw", "required": true}]})));
    driver.sees("Draw: no answer");
    driver.key(KeyCode::Enter);
    driver.sees("a question of a kind that this release can't show");
    driver.type_text("abc");
    driver.input(Input::Request(None));
    driver.sees("no request is open");
    driver
        .show(samples::view(json!({"id": "r2", "message": "Sure?", "url": "https://example.com"})));
    driver.sees("to review: https://example.com");
    driver.key(KeyCode::Char('a'));
    assert_eq!(
        driver.actions().last(),
        Some(&Action::Complete(ChatInputResponseKind::Accept)),
        "a request without questions needs only a response"
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
fn other_open_requests_are_counted_and_a_key_shows_the_next() {
    let mut driver = Driver::new();
    driver.sees_not("more request");
    driver.control('n');
    assert_eq!(driver.actions(), []);
    driver.sees("no other request is open");
    driver.input(Input::Others(1));
    driver.sees("1 more request is open: Ctrl-N shows it");
    driver.input(Input::Others(2));
    driver.sees("2 more requests are open: Ctrl-N shows the next");
    driver.tab(1);
    driver.type_text("words");
    driver.control('n');
    assert_eq!(driver.actions(), [typed("words"), Action::Next], "the words stay where they are");
}

#[test]
fn while_the_disk_refuses_writes_the_form_says_so_and_then_tells_what_was_not_taken() {
    let mut driver = Driver::new();
    driver.tab(1);
    driver.input(Input::Disk(Some("full\u{1b}".to_owned())));
    driver.type_text("words");
    driver.sees("the disk refuses writes, what you write is not saved: full");
    driver.pause(300);
    assert_eq!(driver.actions(), [typed("words")]);
    driver.input(Input::NotTaken("notes".to_owned()));
    driver.input(Input::Disk(None));
    driver.sees_not("the disk refuses");
    assert_eq!(driver.actions(), [typed("words")]);
}

#[test]
fn news_are_as_things_stand() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    driver.show(view.clone());
    view.answers.insert("notes".to_owned(), samples::text("submitted", "fg", "ben"));
    driver.show(view.clone());
    driver.sees("Notes: “fg” (ready, by Ben)");
    view.answers.insert("notes".to_owned(), samples::text("submitted", "go", "ben"));
    driver.show(view.clone());
    driver.sees("Notes: “go” (ready, by Ben)");
    view.answers.remove("notes");
    driver.show(view.clone());
    driver.sees_not("Notes:");
    view.answers.insert("notes".to_owned(), samples::text("submitted", "mine", "me"));
    driver.show(view);
    driver.sees_not("Notes:");
}

#[test]
fn esc_and_a_accept_however_often_esc_is_pressed() {
    for times in 1..4 {
        let mut driver = Driver::new();
        let mut view = samples::request();
        view.answers.insert("env".to_owned(), samples::selected("submitted", "prod", "ben"));
        driver.show(view);
        driver.tab(1);
        for _ in 0..times {
            driver.key(KeyCode::Esc);
        }
        driver.key(KeyCode::Char('a'));
        assert_eq!(driver.actions(), [Action::Complete(ChatInputResponseKind::Accept)]);
    }
}

#[test]
fn the_way_to_accept_is_shown_on_narrow_terminals_too() {
    for (columns, rows) in [(80, 24), (60, 24), (30, 24), (20, 24), (20, 9), (40, 6)] {
        let mut driver = Driver::new();
        driver.input(Input::Size { columns, rows });
        for place in 0..3 {
            driver.tab(place.min(1));
            driver.sees("Esc all, accept");
            driver.sees("Enter answer");
            let frame = driver.prompt.frame();
            assert!(frame.rows.iter().all(|row| crate::plain::width(&row.text) <= columns.into()));
            assert!(frame.rows.len() < rows.into());
        }
        driver.key(KeyCode::Esc);
        driver.sees("a accept");
    }
}

#[test]
fn a_text_of_250_kilobytes_leaves_room_for_the_rest() {
    let long = "long ".repeat(50_000);
    let mut driver = Driver::new();
    driver.prompt.names.set("ben", &long);
    let mut view = samples::view(json!({"id": "r9", "message": long, "questions": [
        {"kind": "text", "id": "notes", "message": long, "title": long, "required": true}]}));
    view.answers.insert("notes".to_owned(), samples::text("draft", "short", "ben"));
    driver.show(view.clone());
    driver.sees("> short");
    driver.sees("Enter answer");
    driver.key(KeyCode::Esc);
    driver.sees("“short” (draft by");
    driver.key(KeyCode::Char('a'));
    driver.sees("still to be answered: long");
    driver.sees("“short” (draft by");
    driver.sees("a accept");
    view.answers.insert("notes".to_owned(), samples::text("draft", &long, "ben"));
    driver.show(view);
    driver.sees("a accept");
    assert!(driver.prompt.frame().rows.len() < 24);
}

#[derive(Debug, Clone)]
enum Operation {
    Key(KeyCode, KeyModifiers),
    Paste(String),
    Size(u16, u16),
    View(String, bool),
    Tick(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    let codes = vec![
        KeyCode::Tab,
        KeyCode::BackTab,
        KeyCode::Esc,
        KeyCode::Enter,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::PageUp,
        KeyCode::PageDown,
    ];
    let code = prop_oneof![
        3 => prop::sample::select(codes),
        2 => any::<char>().prop_map(KeyCode::Char),
        1 => prop::sample::select(vec!['a', 'd', 'c', ' ', '1', 's', 'x', 't', 'j']).prop_map(KeyCode::Char),
    ];
    let modifiers = prop::sample::select(vec![
        KeyModifiers::NONE,
        KeyModifiers::NONE,
        KeyModifiers::CONTROL,
        KeyModifiers::ALT,
    ]);
    prop_oneof![
        8 => (code, modifiers).prop_map(|(code, modifiers)| Operation::Key(code, modifiers)),
        1 => ".{0,9}".prop_map(Operation::Paste),
        1 => (0u16..100, 0u16..40).prop_map(|(columns, rows)| Operation::Size(columns, rows)),
        2 => (".{0,9}", any::<bool>()).prop_map(|(text, open)| Operation::View(text, open)),
        1 => (0u64..700).prop_map(Operation::Tick),
    ]
}

proptest! {
    #[test]
    fn whatever_is_pressed_it_fits_and_shows_no_controls(
        operations in prop::collection::vec(operation(), 0..60)
    ) {
        let mut driver = Driver::new();
        for operation in operations {
            match operation {
                Operation::Key(code, modifiers) => driver.input(Input::Key(KeyEvent::new(code, modifiers))),
                Operation::Paste(text) => driver.input(Input::Paste(text)),
                Operation::Size(columns, rows) => driver.input(Input::Size { columns, rows }),
                Operation::View(text, open) => {
                    let mut view = samples::request();
                    view.answers.insert("notes".to_owned(), samples::text("draft", &text, "ben"));
                    if !open {
                        view.status = Status::Ended(crate::outcome::Ended::Failed);
                    }
                    driver.show(view);
                }
                Operation::Tick(milliseconds) => driver.pause(milliseconds),
            }
            let frame = driver.prompt.frame();
            prop_assert!(frame.rows.len() < driver.prompt.rows.max(2));
            for row in &frame.rows {
                prop_assert!(crate::plain::width(&row.text) <= driver.prompt.columns.max(limits::COLUMNS_MIN), "{:?}", row);
                prop_assert!(!row.text.chars().any(char::is_control), "{:?}", row);
            }
        }
    }
}
