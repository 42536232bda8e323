//! `kill -9` at any moment: saved answers are there, and the open request is open.

use crate::{main_job::FORM, process::Place};

#[test]
fn the_host_is_killed_and_the_request_goes_on() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("submit env prod");
    ana.ok("draft notes from before the crash");
    ana.ok("wait synced");
    ask.kill();
    ana.ok("draft notes from before the crash, and during it");

    let (ask, _) = place.ask("host", &[]);
    ana.ok("wait synced 60");
    ana.ok("submit notes");
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let answers = ended.result()["answers"].to_string();
    assert!(answers.contains("prod") && answers.contains("and during it"), "{answers}");
}

#[test]
fn a_peer_is_killed_and_its_words_are_there() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    ana.ok("wait open");
    // This is saved on Ana's disk alone.
    ana.ok("offline");
    ana.ok("draft notes nobody else has this");
    ana.ok("submit env dev");
    ana.kill();

    let mut ana = place.start("ana", &["join", "--json", "--listen", "127.0.0.1:0"]);
    ana.ok("wait synced 60");
    ben.until(|event| event["question"] == "notes" && event["state"] == "draft");
    ben.ok("accept");
    ben.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert_eq!(ended.result()["answers"]["env"]["value"]["value"], "dev");
}

#[test]
fn a_second_window_is_told_who_has_the_home() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, _) = place.ask("host", &[]);
    for arguments in [&["ask", "form.json"][..], &["withdraw"], &["join"]] {
        let ended = place.run("host", arguments);
        assert_eq!(ended.code(), 1, "{arguments:?}");
        let said = format!("is in use by process {}", ask.id());
        assert!(ended.err.contains(&said), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn a_request_is_left_open_and_withdrawn_later() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    ana.ok("wait open");
    ask.kill();
    let ended = place.run("host", &["withdraw"]);
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let shown = place.run("host", &["show"]);
    assert!(shown.out.join("\n").contains("cancelled"), "{:?}", shown.out);
}
