//! The arguments of a join: a ticket, wherever it comes from, and one of several workspaces.

use serde_json::Value;

use crate::{
    main_job::FORM,
    process::{Ended, Place},
};

#[test]
fn a_ticket_need_not_be_an_argument() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (_ask, ticket) = place.ask("host", &[]);
    place.file("ticket", &format!("{ticket}\n"));
    let mut ana = place.join("ana", "@ticket", &[]);
    ana.ok("wait open");
    drop(ana);

    let mut ben = place.join("ben", "-", &[]);
    ben.send(&ticket);
    ben.ok("wait open");

    for (given, file, says) in [
        ("@nowhere", None, "nowhere: "),
        ("@blank", Some(" \n"), "blank: the file holds no ticket"),
        ("@words", Some("hello"), "ticket"),
        ("-", None, "it ended before a ticket came"),
    ] {
        if let Some(text) = file {
            place.file(given.trim_start_matches('@'), text);
        }
        let ended = place.run("cleo", &["join", given]);
        assert_eq!(ended.code(), 2, "{given}: {}", ended.err);
        assert!(ended.err.contains(says), "{given}: {}", ended.err);
        assert!(!place.path("cleo").exists(), "{given}: nothing was made for it");
    }
}

#[test]
fn whoever_joins_is_told_what_is_waited_for() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (mut ask, ticket) = place.ask("host", &["--approve"]);
    let mut ana = place.join("ana", &ticket, &[]);
    let waiting = |event: &Value, what: &str| event["event"] == "waiting" && event["for"] == what;
    let told = ana.until(|event| waiting(event, "letIn"));
    let host = told["peer"].as_str().unwrap().to_owned();
    // It asks again and again, but is reported once.
    ask.until_err("ana");
    assert_eq!(ana.events("waiting").len(), 1, "{:?}", ana.events("waiting"));
    ask.kill();
    let told = ana.until(|event| waiting(event, "answer"));
    assert_eq!(told["peer"], host.as_str());
    // This one never reached anybody.
    let mut ben = place.join("ben", &ticket, &[]);
    let told = ben.until(|event| waiting(event, "answer"));
    assert_eq!(told["peer"], host.as_str());
    assert_ne!(told["reason"], "", "{told}");
}

/// Checks a host that is gone, and one whose people say nothing.
#[test]
fn whoever_leaves_without_having_been_let_in_is_told_and_asks_again_next_time() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    ask.kill();
    let not_let_in = |ended: Ended| {
        assert_eq!(ended.code(), 1, "{}", ended.err);
        assert!(ended.err.contains("this device has not been let in yet"), "{}", ended.err);
        assert!(ended.err.contains("the next `rejoinder join`"), "{}", ended.err);
        let last = ended.result();
        assert_eq!((&last["event"], &last["error"]), (&"error".into(), &"not-let-in".into()));
    };
    not_let_in(place.join("ana", &ticket, &[]).end());
    let mut ana = place.join("ana", &ticket, &[]);
    let reply = ana.say("wait open 0");
    assert_eq!(reply["error"], "timeout");
    assert!(reply["message"].as_str().unwrap().contains("not been let in"), "{reply}");
    not_let_in(ana.end());
    let shown = place.run("ana", &["show"]).out.join("\n");
    assert!(shown.contains("this device has not been let in yet"), "{shown}");

    let (mut ask, ticket) = place.ask("host", &["--approve"]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.until(|event| event["event"] == "waiting" && event["for"] == "letIn");
    ben.send("quit");
    not_let_in(ben.wait());

    // Its join is still there when a person finally approves it.
    ask.until_err("ben");
    ask.send("y");
    let mut ben = place.start("ben", &["join", "--json", "--listen", "127.0.0.1:0"]);
    ben.ok("wait open");
    assert_eq!(ben.end().code(), 0);
}

#[test]
fn workspaces_of_one_name_are_told_apart_by_id() {
    let place = Place::new();
    place.file("form.json", FORM);
    let mut asks = Vec::new();
    for host in ["one", "two"] {
        let (ask, ticket) = place.ask(host, &[]);
        let mut ana = place.join("ana", &ticket, &[]);
        ana.ok("wait open");
        drop(ana.stdin.take());
        assert_eq!(ana.end().code(), 0);
        asks.push(ask);
    }
    let shown = place.run("ana", &["show", "--json"]).out;
    let ids: Vec<String> = shown
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["event"] == "workspace")
        .map(|event| event["workspace"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 2, "{shown:?}");
    for named in [&[][..], &["--workspace", "workspace"]] {
        let ended = place.run("ana", &[&["join"][..], named].concat());
        assert_eq!(ended.code(), 1, "{}", ended.err);
        for id in &ids {
            assert!(ended.err.contains(&id[..8]), "{id} is not in {}", ended.err);
        }
    }
    for id in &ids {
        for named in [&id[..], &id[..8]] {
            let arguments = ["join", "--json", "--workspace", named, "--listen", "127.0.0.1:0"];
            let mut ana = place.start("ana", &arguments);
            ana.ok("wait open");
            drop(ana.stdin.take());
            assert_eq!(ana.end().code(), 0);
        }
    }
    let ended = place.run("ana", &["join", "--workspace", "nothing"]);
    assert_eq!(ended.code(), 2);
    assert!(ended.err.contains("no workspace called nothing"), "{}", ended.err);
}
