//! Wrong input of every kind: an error that names the thing, never a panic, never a loss.

use serde_json::json;

use crate::{main_job::FORM, process::Place};

/// Checks that a form can't be asked: exit code 2, and stderr names what is wrong.
fn refused(form: &str, names: &[&str]) {
    let place = Place::new();
    place.file("form.json", form);
    let ended = place.run("host", &["ask", "form.json", "--listen", "127.0.0.1:0"]);
    assert_eq!(ended.code(), 2, "{form}: {}", ended.err);
    for name in names.iter().chain(&["form.json"]) {
        assert!(ended.err.contains(name), "{form}: no {name:?} in {}", ended.err);
    }
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
    assert!(ended.out.is_empty(), "{:?}", ended.out);
    assert!(!place.path("host").exists(), "nothing was made for it");
}

#[test]
fn forms() {
    let question =
        |more: &str| format!(r#"{{"id":"r","questions":[{{"id":"env","message":"?",{more}}}]}}"#);
    refused("{", &["line 1"]);
    refused("", &[]);
    refused("[]", &[]);
    refused(r#"{"id":"r","mesage":"typo","questions":[]}"#, &["mesage"]);
    refused(r#"{"id":"r"}"#, &["question"]);
    refused(&question(r#""kind":"single-select","options":[]"#), &["env", "no options"]);
    refused(&question(r#""kind":"hologram""#), &["env", "hologram"]);
    refused(&question(r#""kind":"text","required":true,"min":9,"max":1"#), &["env"]);
    refused(
        r#"{"id":"r","questions":[{"id":"a","kind":"text","message":"1"},{"id":"a","kind":"text","message":"2"}]}"#,
        &["\"a\""],
    );
    refused(
        r#"{"message":"m","requestedSchema":{"type":"object","properties":{"deep":{"type":"object"}},"required":["deep"]}}"#,
        &["deep"],
    );
}

/// Checks, with a server whose schema has a pattern and steps, that nothing it would refuse is
/// accepted.
#[test]
fn an_answer_that_the_server_would_refuse_is_not_taken() {
    let place = Place::new();
    let schema = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {
        "mail": {"type": "string", "format": "email",
            "pattern": r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"},
        "s": {"type": "string", "pattern": "^[a-z]+$"},
        "n": {"type": "integer", "multipleOf": 5, "exclusiveMinimum": 0},
        "st": {"type": "string", "default": "dd"}}, "required": ["mail"]}});
    place.file("form.json", &schema.to_string());
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    let opened = ana.until(|event| event["event"] == "opened");
    assert_eq!(opened["defaults"]["st"]["value"], "dd", "{opened}");
    ana.ok("wait open");
    for wrong in ["submit s ABC", "submit n 7", "submit n 0", "submit mail a@x..cc"] {
        let reply = ana.say(wrong);
        assert_eq!(reply["error"], "invalid", "{wrong}: {reply}");
    }
    for right in ["submit s abc", "submit n 10", "submit mail ana@mail.example"] {
        ana.ok(right);
    }
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let content = &ended.result()["result"]["content"];
    assert_eq!(*content, json!({"mail": "ana@mail.example", "n": 10, "s": "abc", "st": "dd"}));
    assert_eq!(ended.result()["defaults"]["st"]["value"], "dd");
}

#[test]
fn command_lines_and_tickets() {
    let place = Place::new();
    place.file("form.json", FORM);
    for arguments in [
        &["nonsense"][..],
        &["ask"],
        &["ask", "form.json", "--seats", "many"],
        &["ask", "missing.json"],
        &["join", "hello"],
    ] {
        let ended = place.run("host", arguments);
        assert_eq!(ended.code(), 2, "{arguments:?}: {}", ended.err);
        assert!(!ended.err.is_empty());
    }
    let (_ask, ticket) = place.ask("host", &[]);
    for at in [9, ticket.len() / 2, ticket.len() - 2] {
        let mut flipped = ticket.clone();
        let other = if &ticket[at..=at] == "a" { "b" } else { "a" };
        flipped.replace_range(at..=at, other);
        let ended = place.run("ana", &["join", &flipped]);
        assert_eq!(ended.code(), 2, "{}", ended.err);
        assert!(ended.err.contains("ticket is damaged"), "{}", ended.err);
    }
}

#[test]
fn an_expired_ticket_says_so() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &["--for", "1s"]);
    // The host's clock decides, so a second of it must pass.
    let from = std::time::Instant::now();
    while from.elapsed() < std::time::Duration::from_millis(1_100) {
        std::thread::park_timeout(std::time::Duration::from_millis(50));
    }
    let mut ana = place.join("ana", &ticket, &[]);
    ana.until_err("by this machine's clock the ticket expired at");
    ana.until_err("the host does not let this device in: the ticket expired at");
    // With no host there to refuse, the expiry is reported all the same.
    drop(ask);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.until_err("by this machine's clock the ticket expired at");
}

#[test]
fn a_text_of_exactly_the_limit_works_and_one_byte_more_keeps_the_draft() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    let most = "x".repeat(32 * 1024);
    ana.ok(&format!("draft notes {most}"));
    let refused = ana.say(&format!("draft notes {most}y"));
    assert_eq!(refused["ok"], false, "{refused}");
    assert_eq!(refused["error"], "too-large");
    ana.ok("submit notes");
    ana.ok("submit env prod");
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.result()["answers"]["notes"]["value"]["value"], most.as_str());
}

#[test]
fn any_string_is_an_id() {
    let place = Place::new();
    let ids = ["", "__proto__", "a.b", "🙂", "with space", "\"quoted\""];
    let questions: Vec<_> = ids
        .iter()
        .map(|id| serde_json::json!({ "kind": "text", "id": id, "message": "?" }))
        .collect();
    let form = serde_json::json!({ "id": "🙂", "message": "m", "questions": questions });
    place.file("form.json", &form.to_string());
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    for id in ids {
        let quoted = serde_json::Value::from(id).to_string();
        ana.ok(&format!("submit {quoted} answer to {id}"));
    }
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    for id in ids {
        assert_eq!(ended.result()["answers"][id]["value"]["value"], format!("answer to {id}"));
    }
}

#[test]
fn a_port_in_use_and_a_home_that_is_a_file() {
    let place = Place::new();
    place.file("form.json", FORM);
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = place.run("host", &["ask", "form.json", "--listen", &address]);
    assert_eq!(ended.code(), 1, "{}", ended.err);
    assert!(ended.err.contains(&address), "{}", ended.err);
    place.file("file", "not a folder");
    let ended = place.run("file", &["id"]);
    assert_eq!(ended.code(), 1, "{}", ended.err);
    assert!(ended.err.contains("file"), "{}", ended.err);
}
