//! Typed text: the time at which it becomes a draft, and that it is never lost.

use super::*;

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
    view.projection.answers.insert("notes".into(), samples::text("draft", "theirs ", "ben"));
    driver.show(view.clone());
    driver.sees("> mine");
    assert_eq!(driver.actions(), [typed("mine")], "told on what was seen, before theirs is seen");
    // The engine has merged them.
    view.projection.answers.insert("notes".into(), samples::text("draft", "theirs mine", "ben"));
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
    view.status = samples::decided(response, "ben");
    view.seen = None;
    driver.show(view.clone());
    assert_eq!(driver.actions(), [typed("half a sent")]);
    let late = samples::text("draft", "half a sent", "me");
    view.not_included = samples::late("notes", late);
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
