//! A decision is handed over once: when the caller of `ask` has it, and not before.

use std::{
    fs::{self, File},
    process::Stdio,
};

use crate::{
    main_job::FORM,
    process::{Ended, Place},
};

#[cfg(target_os = "linux")]
const REFUSED: &str = "cannot write to stdout";

#[test]
fn a_decision_that_no_ask_was_there_for_is_printed_by_the_next_one() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (first, ticket) = place.ask("host", &["--id", "r1"]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("wait open");
    first.kill();
    // Both requests share a turn. It ends with the second unless the first is still owed.
    let (second, _) = place.ask("host", &["--id", "r2"]);
    ana.until(|event| event["event"] == "opened" && event["request"] == "r2");
    for request in ["r1", "r2"] {
        ana.ok(&format!("use {request}"));
        ana.ok("submit env prod");
        ana.ok(&format!("submit notes for {request}"));
        ana.ok("accept");
        ana.ok("wait decided");
    }
    let printed = second.wait();
    assert_eq!((printed.code(), &printed.result()["request"]), (0, &"r2".into()));

    let printed = place.run("host", &["ask", "form.json", "--id", "r1", "--listen", "127.0.0.1:0"]);
    assert_eq!(printed.code(), 0, "{}", printed.err);
    let answers = printed.result()["answers"].to_string();
    assert!(answers.contains("for r1"), "{answers}");
    // The decision was handed over, so asking again raises a new request.
    let (again, _) = place.ask("host", &["--id", "r1"]);
    ana.ok("wait open");
    ana.ok("use r1");
    ana.ok("decline");
    assert_eq!(again.wait().code(), 3);
    assert_eq!(ana.end().code(), 0);
}

#[test]
fn an_end_that_no_ask_was_there_for_is_printed_by_the_next_one() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (first, ticket) = place.ask("host", &["--id", "r1"]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("wait open");
    first.kill();
    // The time of the second is up at once, which ends the turn of both.
    let (second, _) = place.ask("host", &["--id", "r2", "--until", "1s"]);
    assert_eq!(second.wait().code(), 5);
    let printed = place.run("host", &["ask", "form.json", "--id", "r1", "--listen", "127.0.0.1:0"]);
    assert_eq!(printed.code(), 5, "{}", printed.err);
    assert_eq!(printed.result()["request"], "r1");
    let (again, _) = place.ask("host", &["--id", "r1"]);
    again.kill();
    assert_eq!(ana.end().code(), 0);
}

#[test]
fn withdraw_names_what_else_it_would_end_and_wants_it_said() {
    let place = Place::new();
    place.file("form.json", FORM);
    for request in ["r1", "r2"] {
        place.ask("host", &["--id", request]).0.kill();
    }
    let refused = place.run("host", &["withdraw", "r1"]);
    assert_eq!(refused.code(), 1, "{}", refused.err);
    assert!(refused.err.contains("these end with it: r2"), "{}", refused.err);
    assert_eq!(refused.out, [] as [String; 0]);
    let withdrawn = place.run("host", &["withdraw", "r1", "--all"]);
    assert_eq!(withdrawn.code(), 0, "{}", withdrawn.err);
    let said = ["r1", "r2"].map(|id| format!("request {id}: withdrawn: its turn was cancelled"));
    assert_eq!(withdrawn.out, said);
}

#[cfg(target_os = "linux")]
fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// A pipe whose reader has gone away.
#[cfg(target_os = "linux")]
fn unread() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[cfg(target_os = "linux")]
fn check_unwritten(ended: &Ended) {
    assert_eq!(ended.code(), 1, "{}", ended.err);
    assert!(ended.err.contains(REFUSED), "{}", ended.err);
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_could_not_be_written_is_printed_by_the_next_ask() {
    for (stdout, more) in [(full(), &[][..]), (unread(), &[][..]), (unread(), &["--json"][..])] {
        let place = Place::new();
        place.file("form.json", FORM);
        let (first, ticket) = place.ask_writing_to(stdout, "host", more);
        let mut ana = place.join("ana", &ticket, &[]);
        ana.ok("submit env prod");
        ana.ok("accept");
        ana.ok("wait decided");
        check_unwritten(&first.wait());
        let printed = place.run("host", &["ask", "form.json", "--listen", "127.0.0.1:0"]);
        assert_eq!(printed.code(), 0, "{}", printed.err);
        assert_eq!(printed.result()["answers"]["env"]["value"]["value"], "prod");
        assert_eq!(ana.end().code(), 0);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_command_says_that_stdout_was_not_written() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    for stdout in [full, unread] {
        let mut join = place.start_writing_to(
            stdout(),
            "ana",
            &["join", &ticket, "--name", "ana", "--listen", "127.0.0.1:0"],
        );
        join.send("wait open");
        join.send("submit env prod");
        check_unwritten(&join.end());
        for arguments in [&["show"][..], &["id"], &["demo"], &["--help"]] {
            let mut ended = place.start_writing_to(stdout(), "ana", arguments);
            drop(ended.stdin.take());
            check_unwritten(&ended.wait());
        }
    }
    // The command has still done its work.
    let shown = place.run("ana", &["show"]).out.join("\n");
    assert!(shown.contains("prod") || shown.contains("Production"), "{shown}");
    ask.kill();
    check_unwritten(&place.start_writing_to(full(), "host", &["withdraw"]).end());
    let shown = fs::read_dir(place.path("host")).map(|_| place.run("host", &["show"])).unwrap();
    assert!(shown.out.join("\n").contains("cancelled"), "{:?}", shown.out);
}
