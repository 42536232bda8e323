//! Changes by others, and their requests, while the form is shown.

use super::*;

#[test]
fn others_drafts_appear_with_their_names() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    view.projection.answers.insert("env".into(), samples::selected("draft", "prod", "ben"));
    driver.show(view.clone());
    driver.sees("(•) Production");
    driver.sees("now: Production (draft by Ben)");
    view.projection
        .answers
        .insert("notes".into(), samples::text("draft", "al\u{1b}[2Jmost", "ben"));
    driver.show(view);
    driver.sees("Notes: “al[2Jmost” (draft by Ben)");
}

#[test]
fn conflicts_show_their_authors_and_can_be_taken() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    view.projection.answers.insert("env".into(), samples::selected("submitted", "prod", "me"));
    let staging = samples::selected("submitted", "staging", "ben");
    view.projection.conflicts.insert("env".into(), vec![samples::conflict(staging)]);
    driver.show(view);
    driver.sees("now: Production (ready, by you)");
    driver.sees("in conflict: Staging (ready, by Ben)");
    driver.control('t');
    assert_eq!(driver.actions(), [Action::Take { question: "env".to_owned(), peer: id("ben") }]);
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
    let other = |by| samples::conflict(samples::selected("submitted", "staging", by));
    view.projection.conflicts.insert("env".into(), vec![other("ben"), other("cleo")]);
    driver.show(view);
    driver.control('t');
    driver.sees(&format!("take whose answer? 1 Ben, 2 {}", &id("cleo")[..8]));
    driver.key(KeyCode::Char('2'));
    let peer = id("cleo");
    assert_eq!(driver.actions(), [Action::Take { question: "env".to_owned(), peer }]);
    driver.control('t');
    driver.key(KeyCode::Char('9'));
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
fn news_are_as_things_stand() {
    let mut driver = Driver::new();
    let mut view = samples::request();
    driver.show(view.clone());
    view.projection.answers.insert("notes".into(), samples::text("submitted", "fg", "ben"));
    driver.show(view.clone());
    driver.sees("Notes: “fg” (ready, by Ben)");
    view.projection.answers.insert("notes".into(), samples::text("submitted", "go", "ben"));
    driver.show(view.clone());
    driver.sees("Notes: “go” (ready, by Ben)");
    view.projection.answers.remove("notes");
    driver.show(view.clone());
    driver.sees_not("Notes:");
    view.projection.answers.insert("notes".into(), samples::text("submitted", "mine", "me"));
    driver.show(view);
    driver.sees_not("Notes:");
}
