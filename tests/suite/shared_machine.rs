//! A home that lost something, one that is in use, one that does not exist; and the text of others,
//! as it leaves the process.

use std::fs;

use crate::{
    main_job::FORM,
    process::{Place, Process},
};

#[test]
fn a_home_that_lost_its_store_or_its_key_is_not_begun_over_in_silence() {
    for (lost, there) in [("home.redb", "device.key"), ("device.key", "home.redb")] {
        let place = Place::new();
        place.file("form.json", FORM);
        let (ask, ticket) = place.ask("host", &[]);
        ask.kill();
        fs::remove_file(place.path("host").join(lost)).unwrap();
        let kept = fs::read(place.path("host").join(there)).unwrap();
        for arguments in [
            &["ask", "form.json"][..],
            &["join"],
            &["join", &ticket],
            &["show"],
            &["id"],
            &["withdraw"],
        ] {
            let ended = place.run("host", arguments);
            assert_eq!(ended.code(), 1, "{arguments:?}: {}", ended.err);
            assert!(ended.err.contains(&format!("{lost} is missing")), "{}", ended.err);
            assert!(ended.err.contains("--new"), "{}", ended.err);
            assert!(ended.out.is_empty(), "{:?}", ended.out);
        }
        assert!(!place.path("host").join(lost).exists());
        assert_eq!(fs::read(place.path("host").join(there)).unwrap(), kept);
        let (ask, again) = place.ask("host", &["--new"]);
        assert_ne!(again, ticket);
        ask.kill();
    }
}

/// Checks that a first start that is killed at any moment is not taken for a home that lost
/// something.
#[test]
fn a_first_start_that_is_killed_is_begun_again() {
    for seen in ["lock", "home.redb.new", "home.redb", "device.key"] {
        let place = Place::new();
        place.file("form.json", FORM);
        let mut ask = place.start("host", &["ask", "form.json", "--listen", "127.0.0.1:0"]);
        // A short-lived file may be missed; then the process is killed once the next one is there.
        let after = |name: &str| place.path("host").join(name).exists();
        while !after(seen) && !after("device.key") {
            assert!(ask.try_end().is_none(), "{}", ask.err_so_far());
            std::hint::spin_loop();
        }
        ask.kill();
        let (ask, _) = place.ask("host", &[]);
        ask.kill();
    }
}

#[test]
fn a_home_that_is_held_is_shown_and_one_that_is_not_there_is_not_made() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("submit env prod");
    let show = |home: &str| {
        let ended = place.run(home, &["show", "--json"]);
        assert_eq!(ended.code(), 0, "{}", ended.err);
        ended.out.join("\n")
    };
    // Saved means on the disk, so everybody who looks sees it.
    assert!(show("ana").contains("\"prod\""), "{}", show("ana"));
    ana.ok("wait synced");
    assert!(show("host").contains("\"prod\""), "{}", show("host"));
    let id = place.run("ana", &["id"]).out;
    assert_eq!(id.len(), 1);
    // Nobody was disturbed.
    ana.ok("accept");
    ana.ok("wait decided");
    assert_eq!(ask.wait().result()["decidedBy"], id[0].as_str());

    for arguments in [&["show"][..], &["id"], &["withdraw"], &["join"]] {
        let ended = place.run("anna", arguments);
        assert_eq!(ended.code(), 1, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains("there is no home in"), "{}", ended.err);
        assert!(ended.out.is_empty() && !place.path("anna").exists(), "{arguments:?}");
    }
}

/// Characters that act on a terminal, or hide.
const HOSTILE: &str = "a\u{1b}]0;PWNED\u{7}\u{9b}31m\u{7f}\u{202e}\u{200b}\u{feff}z";

fn is_clean(text: &str) -> bool {
    let acts = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}')
    };
    !text.contains(acts)
}

fn all_clean(mut process: Process) {
    process.err_so_far();
    let ended = process.end();
    assert!(is_clean(&ended.err), "{:?}", ended.err);
    ended.out.iter().for_each(|line| assert!(is_clean(line), "{line:?}"));
}

/// Checks the form's ids and texts, a name, an answer, a log line and a result.
#[test]
fn nothing_that_others_wrote_acts_on_the_terminal() {
    let place = Place::new();
    let form = serde_json::json!({
        "id": HOSTILE, "message": HOSTILE,
        "questions": [{ "kind": "text", "id": HOSTILE, "message": HOSTILE }],
    });
    place.file("form.json", &form.to_string());
    let ticket_file = place.path("ticket");
    let ticket_at = ticket_file.to_str().unwrap();
    let arguments =
        ["ask", "form.json", "--listen", "127.0.0.1:0", "--ticket-file", ticket_at, "-vv"];
    let mut ask = place.start_logging("host", &arguments, "rejoinder=debug");
    ask.until_err("listening");
    let ticket = loop {
        match fs::read_to_string(&ticket_file) {
            Ok(ticket) => break ticket,
            Err(_) => assert!(ask.try_end().is_none(), "{}", ask.err_so_far()),
        }
    };
    let join = ["join", ticket.trim(), "--json", "--name", HOSTILE, "--listen", "127.0.0.1:0"];
    let mut ana = place.start_logging("ana", &join, "rejoinder=debug");
    let question = serde_json::Value::from(HOSTILE).to_string();
    ana.ok(&format!("submit {question} {question}"));
    // This makes the log report an error.
    ana.say(&format!("submit {question} {}", "x".repeat(40_000)));
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert!(is_clean(&ended.err), "{:?}", ended.err);
    assert!(ended.out.iter().all(|line| is_clean(line)), "{:?}", ended.out);
    let answer = &ended.result()["answers"][HOSTILE]["value"]["value"];
    assert_eq!(answer, HOSTILE, "the same JSON value");
    all_clean(ana);
    for arguments in [&["show"][..], &["show", "--json"]] {
        all_clean(place.start("ana", arguments));
    }
}
