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
    // Give the first choice; then, past the checks, type a text without giving it.
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

fn form(id: &str, message: &str) -> String {
    format!(
        r#"{{ "id": "{id}", "message": "{message}",
        "questions": [{{ "kind": "text", "id": "q", "message": "Why?" }}] }}"#
    )
}

/// Shows the older of two open requests. An agent waits for the other.
#[test]
fn a_second_open_request_is_said_and_a_key_shows_it() {
    let place = Place::new();
    place.file("form.json", &form("r1", "Go 1?"));
    place.ask("host", &[]).0.kill();
    place.file("form.json", &form("r2", "Go 2?"));
    let (ask, ticket) = place.ask("host", &[]);
    let mut terminal = Terminal::run(&place, &join_line(&ticket, ""));
    terminal.until_shows("Go 1?");
    terminal.until_shows("1 more request is open: Ctrl-N shows it");
    terminal.press("to the first");
    terminal.until_shows("> to the first");
    terminal.press("\x0e");
    terminal.until_shows("Go 2?");
    terminal.press("to the second\r");
    terminal.until_shows("“to the second” (ready, by you)");
    terminal.press("\x0e");
    terminal.until_shows("Go 1?");
    terminal.until_shows("> to the first");
    terminal.press("\x0e");
    terminal.until_shows("Go 2?");
    terminal.press("\x1b");
    terminal.until_shows("a accept");
    terminal.press("a");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert_eq!(ended.result()["request"], "r2");
    assert_eq!(ended.result()["answers"]["q"]["value"]["value"], "to the second");
}

#[test]
fn a_terminal_that_only_prints_gets_no_form_and_takes_commands() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let line = format!("TERM=dumb; export TERM; {}", join_line(&ticket, ""));
    let mut terminal = Terminal::run(&place, &line);
    terminal.until_shows("can't show the form");
    terminal.press("show\n");
    terminal.until_shows("Deploy 1.4?");
    terminal.press("quit\n");
    assert_eq!(terminal.end(), 0, "{}", terminal.contents());
    assert!(!terminal.written().contains(&0x1b), "no sequence: {}", terminal.contents());
    same_before_and_after(&place, &terminal);
}

/// Returns a shell's line that runs the form with job control: it continues when the form is
/// stopped, waits for Enter and lets the form continue.
fn stopped_line(ticket: &str) -> String {
    let shell = "stty -a > stopped; echo stopped here; read line; fg; code=$?;";
    format!("set -m; {}", join_line(ticket, "").replace("code=$?;", shell))
}

#[test]
fn ctrl_z_gives_the_terminal_to_the_shell_and_fg_draws_the_form_again() {
    let place = Place::new();
    place.file("form.json", &form("r1", "Go?"));
    let (_ask, ticket) = place.ask("host", &[]);
    let mut terminal = Terminal::run(&place, &stopped_line(&ticket));
    terminal.until_shows("Why?");
    for round in ["\x1a", "-TSTP"] {
        terminal.press("x");
        terminal.until_shows("> x");
        match round {
            key @ "\x1a" => terminal.press(key),
            from_outside => signal(&place, from_outside),
        }
        terminal.until_shows("stopped here");
        if round == "\x1a" {
            let read = |name| std::fs::read_to_string(place.path(name)).unwrap();
            assert_eq!(read("before"), read("stopped"), "the terminal is the shell's");
            assert!(!terminal.contents().contains("Go?"), "{}", terminal.contents());
            terminal.press("fg is typed into the shell");
        }
        terminal.press("\n");
        // What was typed before is there, and the form gets the keys again.
        terminal.until("the form again", |screen| {
            let after = screen.rsplit("stopped here").next().unwrap_or_default();
            after.contains("> x") && after.contains("Enter answer")
        });
        terminal.press("y");
        terminal.until_shows("> xy");
        assert!(!terminal.contents().contains("> xyy"), "{}", terminal.contents());
        terminal.press("\x03");
        assert_eq!(terminal.end(), 130, "{}", terminal.contents());
        same_before_and_after(&place, &terminal);
        if round == "\x1a" {
            terminal = Terminal::run(&place, &stopped_line(&ticket));
            terminal.until_shows("> xy");
            terminal.press("\x7f\x7f");
            terminal.until("an empty field", |screen| !screen.contains("> x"));
        }
    }
}

/// Makes a home that holds an open request, with its host away: nothing happens except by keys.
fn alone(place: &Place) -> String {
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("wait open");
    assert_eq!(ana.end().code(), 0);
    ask.kill();
    ticket
}

#[test]
fn another_size_leaves_no_piece_of_the_form_and_all_that_was_above_it() {
    let place = Place::new();
    let ticket = alone(&place);
    // This terminal cuts its lines as xterm does.
    let line = format!("export XTERM_VERSION=1; echo above the form; {}", join_line(&ticket, ""));
    let mut terminal = Terminal::run(&place, &line);
    terminal.until_shows("Where to?");
    terminal.until_drawn("the keys", |screen| screen.contains("· ^C leave"));
    let wide = "Space choose · Enter answer · Esc all, accept · Tab next";
    for (rows, columns, keys) in [
        (15, 60, wide),
        (15, 40, "Space choose · Enter answer"),
        (20, 20, "Space choose"),
        (24, 30, "Space choose · Enter answer"),
        (24, 80, &format!("{wide} · ^S skip · ^X clear")),
    ] {
        terminal.resize(rows, columns);
        terminal.until_drawn(&format!("{columns} columns"), |screen| {
            let drawn = screen.lines().any(|line| line == keys);
            let once = |part: &str| screen.matches(part).count() == 1;
            drawn && once("Deploy 1.4?") && once("Where to?") && once("Space choose")
        });
        assert!(terminal.contents().starts_with("above the form\n"), "{}", terminal.contents());
    }
    terminal.press("\x03");
    assert_eq!(terminal.end(), 130);
    same_before_and_after(&place, &terminal);
}

/// The size may change between the first look at it and the first key.
#[test]
fn a_size_that_changes_while_the_form_comes_up_is_not_missed() {
    for _ in 0..5 {
        let place = Place::new();
        let ticket = alone(&place);
        let mut terminal = Terminal::run(&place, &join_line(&ticket, ""));
        terminal.until("a form", |screen| !screen.is_empty());
        terminal.resize(20, 40);
        terminal.until("40 columns", |screen| {
            screen.lines().any(|line| line == "Space choose · Enter answer")
        });
    }
}
