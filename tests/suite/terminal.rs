//! `join` on a terminal: through a pseudo-terminal, read as a person would see it.

use crate::{
    main_job::FORM,
    process::Place,
    pty::{Terminal, join_line, same_before_and_after, signal},
};

#[test]
fn a_form_others_drafts_and_ctrl_c() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let mut terminal = Terminal::run(&place, &join_line(&ticket, ""));
    terminal.until_shows("Where to?");
    terminal.until_shows("Production");

    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("draft notes typed by another");
    terminal.press("\t\t");
    terminal.until_shows("Notes?");
    terminal.until_shows("typed by another");
    terminal.until_shows("ben");

    terminal.press("\x03");
    assert_eq!(terminal.end(), 130, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}

#[test]
fn what_is_typed_reaches_others_and_the_answer_is_submitted_by_the_decision() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    let mut terminal =
        Terminal::run(&place, &join_line(&ticket, "").replace("--name", "--once --name"));
    terminal.until_shows("Where to?");
    // The first choice, given; then, past the checks, a text that is only typed.
    terminal.press("1\r");
    ben.until(|event| event["question"] == "env" && event["state"] == "submitted");
    terminal.press("\thello");
    ben.until(|event| event["question"] == "notes" && event.to_string().contains("hello"));
    terminal.press("\r");
    ben.until(|event| event["question"] == "notes" && event["state"] == "submitted");
    assert!(!terminal.contents().to_lowercase().contains("submitted"), "{}", terminal.contents());
    terminal.press("\x1ba");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert_eq!(ended.result()["answers"]["notes"]["value"]["value"], "hello");
    assert_eq!(terminal.end(), 0, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}

#[test]
fn the_end_of_the_terminal_and_a_request_to_terminate_restore_it() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let mut terminal = Terminal::run(&place, &join_line(&ticket, ""));
    terminal.until_shows("Where to?");
    signal(&place, "-TERM");
    assert_eq!(terminal.end(), 143, "{}", terminal.contents());
    same_before_and_after(&place, &terminal);
}
