//! Responses: the conditions of an accept, the questions asked twice, the words for the fate.

use super::*;

#[test]
fn an_accept_needs_what_is_required() {
    let mut driver = Driver::new();
    driver.key(KeyCode::Esc);
    driver.key(KeyCode::Char('a'));
    driver.sees("still to be answered: Environment");
    assert_eq!(driver.actions(), []);
    let mut view = samples::request();
    view.projection.answers.insert("env".into(), samples::selected("submitted", "prod", "ben"));
    driver.show(view.clone());
    driver.key(KeyCode::Char('a'));
    assert_eq!(driver.actions(), [Action::Complete(ChatInputResponseKind::Accept)]);
    view.projection.answers.insert("notes".into(), samples::text("draft", "hm", "me"));
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
    view.projection.answers.insert("env".into(), samples::selected("submitted", "prod", "me"));
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
    view.status = samples::decided(accept, "ben");
    driver.show(view);
    driver.input(Input::Fate(Fate::Decided { by: id("ben") }));
    driver.sees("accepted by Ben");
    driver.sees("submitted by you");
    let notices: Vec<String> = std::iter::from_fn(|| driver.prompt.poll_notice()).collect();
    assert_eq!(notices[0], "request r1: accepted by Ben");
    driver.key(KeyCode::Char('a'));
    assert_eq!(driver.actions().last(), Some(&Action::Complete(accept)), "that of before");
    assert_eq!(driver.actions(), []);
}

#[test]
fn esc_and_a_accept_however_often_esc_is_pressed() {
    for times in 1..4 {
        let mut driver = Driver::new();
        let mut view = samples::request();
        view.projection.answers.insert("env".into(), samples::selected("submitted", "prod", "ben"));
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
