//! A disk that refuses writes while people answer. A limit on the size of files stands in for a
//! full disk, and is then lifted.

use std::{fs, process, thread, time::Duration};

use crate::{
    main_job::FORM,
    process::Place,
    pty::{Terminal, join_line},
};

/// Lets the files of a process grow and be written to, or forbids both beyond their first byte.
fn let_write(pid: &str, may: bool) {
    let limit = if may { "--fsize=unlimited" } else { "--fsize=1:unlimited" };
    let done = process::Command::new("prlimit").args(["--pid", pid.trim(), limit]).status();
    assert!(done.unwrap().success());
}

#[test]
fn a_command_is_answered_while_the_disk_is_full() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join_with_a_limit("ana", &ticket);
    let pid = ana.id().to_string();
    ana.ok("wait open");
    ana.ok("draft notes before");
    let_write(&pid, false);
    let reply = ana.say("draft notes on a full disk");
    assert_eq!(reply["error"], "unsaved", "{reply}");
    assert!(reply["message"].as_str().unwrap().contains("saved when it takes them again"));
    assert_eq!(ana.say("submit env prod")["error"], "disk");
    ana.ok("show");
    let_write(&pid, true);
    let mut tries = 0;
    // The only sign that the disk takes writes again is that one succeeds.
    while ana.say("submit env prod")["ok"] != true {
        thread::park_timeout(Duration::from_millis(50));
        tries += 1;
        assert!(tries < 1_000, "it stays refused");
    }
    ana.kill();
    let shown = place.run("ana", &["show"]).out.join("\n");
    assert!(shown.contains("“on a full disk”") && shown.contains("Production"), "{shown}");
}

#[test]
fn the_form_goes_on_while_the_disk_is_full_and_says_so() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    let line = format!("trap '' XFSZ; {}", join_line(&ticket, ""));
    let mut terminal = Terminal::run(&place, &line);
    terminal.until_shows("Where to?");
    terminal.press("\t\t");
    terminal.until_shows("[3 of 3] Notes?");
    let pid = fs::read_to_string(place.path("pid")).unwrap();
    let_write(&pid, false);
    terminal.press("words");
    terminal.until_shows("the disk refuses writes, what you write is not saved");
    ben.ok("submit env prod");
    terminal.until_shows("Where to?: Production (ready, by ben)");
    terminal.press(" and more");
    terminal.until_shows("> words and more");
    terminal.until_shows("the disk refuses writes, what you write is not saved");
    let_write(&pid, true);
    terminal.until("a disk that works", |screen| !screen.contains("is not saved"));
    ben.until(|event| event["value"]["value"] == "words and more");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 130, "{}", terminal.contents());
    let shown = place.run("ana", &["show"]).out.join("\n");
    assert!(shown.contains("“words and more”"), "{shown}");
}
