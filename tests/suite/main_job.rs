//! The main job with real processes: one asks, several answer, the host decides once.

use serde_json::{Value, json};

use crate::process::{Ended, Place, Process};

pub(crate) const FORM: &str = r#"{
  "id": "r1", "message": "Deploy 1.4?",
  "questions": [
    { "kind": "single-select", "id": "env", "message": "Where to?", "required": true,
      "options": [{ "id": "prod", "label": "Production" }, { "id": "dev", "label": "Development" }] },
    { "kind": "multi-select", "id": "checks", "message": "Which?",
      "options": [{ "id": "unit", "label": "Unit" }, { "id": "e2e", "label": "End to end" }] },
    { "kind": "text", "id": "notes", "message": "Notes?" }
  ]
}"#;

/// Starts a host that asks, and Ana and Ben, who have joined and see the request.
fn team(place: &Place) -> (Process, Process, Process, String) {
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let mut ana = place.join("ana", &ticket, &[]);
    let mut ben = place.join("ben", &ticket, &[]);
    for person in [&mut ana, &mut ben] {
        person.ok("wait open");
        person.ok("wait synced");
    }
    (ask, ana, ben, ticket)
}

fn peer_id(place: &Place, home: &str) -> String {
    let ended = place.run(home, &["id"]);
    ended.out.last().unwrap().trim().to_owned()
}

fn shown(place: &Place, home: &str) -> Ended {
    let ended = place.run(home, &["show", "--json"]);
    assert_eq!(ended.code(), 0, "{}", ended.err);
    ended
}

fn event(ended: &Ended, name: &str) -> Vec<Value> {
    let parsed = ended.out.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.filter(|event| event["event"] == name).collect()
}

#[test]
fn the_demo_runs_the_main_job_and_ends_by_itself() {
    let place = Place::new();
    let ended = place.run("unused", &["demo"]);
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let result = ended.result();
    assert_eq!(result["response"], "accept");
    assert!(result["answers"].as_object().unwrap().len() >= 2, "{result}");
    println!("{}", ended.err);
}

#[test]
fn two_people_answer_apart_and_the_agent_gets_both_answers() {
    let place = Place::new();
    let (ask, mut ana, mut ben, _) = team(&place);
    ana.ok("offline");
    ana.ok("submit env prod");
    ben.ok("submit notes mind the migration");
    ana.ok("online");
    ana.ok("wait synced");
    ben.until(|event| event["event"] == "answer" && event["question"] == "env");
    ben.ok("accept");
    ben.ok("wait decided");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    assert_eq!(ended.out.len(), 1, "stdout is the result alone");
    assert_eq!((ana.end().code(), ben.end().code()), (0, 0));
    let expected = json!({
        "request": "r1", "response": "accept",
        "answers": {
            "env": { "state": "submitted", "value": { "kind": "selected", "value": "prod" } },
            "notes": { "state": "submitted", "value": { "kind": "text", "value": "mind the migration" } },
        },
        "decidedBy": peer_id(&place, "ben"),
    });
    assert_eq!(ended.result(), expected);
    // Everybody's copy of the decided part is the same, byte for byte, once the processes are gone.
    let decided = |home| event(&shown(&place, home), "decided")[0].to_string();
    assert_eq!(decided("host"), decided("ana"));
    assert_eq!(decided("host"), decided("ben"));
}

#[test]
fn a_decline_and_a_cancel_have_exit_codes_of_their_own() {
    for (response, code) in [("decline", 3), ("cancel", 4)] {
        let place = Place::new();
        place.file("form.json", FORM);
        let (ask, ticket) = place.ask("host", &[]);
        let mut ana = place.join("ana", &ticket, &["--once"]);
        ana.ok("draft notes not submitted");
        ana.ok(response);
        let ended = ask.wait();
        assert_eq!(ended.code(), code, "{}", ended.err);
        assert_eq!(ended.result()["response"], response);
        assert_eq!(ended.result()["answers"], json!({}));
        assert_eq!(ana.wait().code(), 0, "--once ends by itself");
    }
}

#[test]
fn what_both_type_toggle_and_submit_at_once() {
    let place = Place::new();
    let (ask, mut ana, mut ben, _) = team(&place);
    for (person, notes, check, env) in
        [(&mut ana, "left", "unit", "prod"), (&mut ben, "right", "e2e", "dev")]
    {
        person.ok("offline");
        person.ok(&format!("draft notes {notes}"));
        person.ok(&format!("draft checks [\"{check}\"]"));
        person.ok(&format!("submit env {env}"));
    }
    for person in [&mut ana, &mut ben] {
        person.ok("online");
    }
    let both = |event: &Value| {
        let text = event.to_string();
        event["question"] == "notes" && text.contains("left") && text.contains("right")
    };
    let ticked = |event: &Value| {
        event["question"] == "checks" && event["value"]["value"] == json!(["unit", "e2e"])
    };
    let conflict = |event: &Value| {
        event["question"] == "env" && event["conflict"].as_array().is_some_and(|all| all.len() == 1)
    };
    let mut seen_by = Vec::new();
    for person in [&mut ana, &mut ben] {
        person.until(both);
        person.until(ticked);
        let seen = person.until(conflict);
        let mut both = vec![seen["by"].clone(), seen["conflict"][0]["by"].clone()];
        both.sort_by_key(Value::to_string);
        seen_by.push(both);
    }
    assert_eq!(seen_by[0], seen_by[1], "both see the same two authors");
    ana.ok("wait synced");
    ben.ok("accept");
    ben.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let env = ended.result()["answers"]["env"]["value"]["value"].clone();
    assert!(env == "prod" || env == "dev", "one of the two: {env}");
    ana.end();
    ben.end();
    // Afterwards too, both homes show the other's answer and its author.
    for home in ["ana", "ben"] {
        let kept = shown(&place, home);
        let env = event(&kept, "answer").into_iter().find(|event| event["question"] == "env");
        let env = env.unwrap_or_else(|| panic!("{:?}", kept.out));
        let mut authors = vec![env["by"].clone(), env["conflict"][0]["by"].clone()];
        authors.sort_by_key(Value::to_string);
        assert_eq!(authors, seen_by[0], "{home}: {env}");
    }
}

#[test]
fn refused_with_the_question_and_then_told_who_decided() {
    let place = Place::new();
    let (ask, mut ana, mut ben, _) = team(&place);
    let refused = ana.say("accept");
    assert_eq!(refused["error"], "required-unanswered", "{refused}");
    assert_eq!(refused["questions"], json!(["env"]));
    ana.ok("submit env prod");
    ben.until(|event| event["event"] == "answer" && event["question"] == "env");
    ben.ok("offline");
    ben.ok("decline");
    ben.ok("draft notes too late");
    ana.ok("accept");
    ana.ok("wait decided");
    // The host hands the decision to those that are there, and ends. Ben hears it from Ana.
    assert_eq!(ask.wait().code(), 0);
    ben.ok("online");
    let fate = ben.until(|event| event["event"] == "decided");
    assert_eq!(fate["response"], "accept");
    ben.until(|event| event["event"] == "notIncluded" && event["question"] == "notes");
    ben.ok("wait decided");
    let second = ben.say("accept");
    assert_eq!(second["error"], "already-decided", "{second}");
    let who = &peer_id_of(&ben, "member", "ana").as_str().unwrap()[..8].to_owned();
    assert!(second.to_string().contains(who), "by whom: {second}");
    ana.end();
    ben.end();
    // The host answers Ben's decline when it is back: the draft is kept, the part unchanged.
    let kept = shown(&place, "ben");
    assert_eq!(event(&kept, "notIncluded").len(), 1, "{:?}", kept.out);
    assert!(!event(&kept, "decided")[0].to_string().contains("too late"));
}

#[test]
fn a_line_whose_ends_never_link() {
    let place = Place::new();
    place.file("form.json", FORM);
    // Ben's home is made before he joins: its device must be known by then.
    place.ask("ben", &[]).0.kill();
    let middle = peer_id(&place, "ben");
    let (ask, ticket) = place.ask("host", &["--only", &middle]);
    let mut ben = place.join("ben", &ticket, &[]);
    ben.ok("wait open");
    // Ana has the host's ticket, but the only member that she may link with is Ben.
    let address = ben.until(|event| event["event"] == "listening")["address"].clone();
    let hinted = with_hint(&ticket, &middle, address.as_str().unwrap());
    let mut ana = place.join("ana", &hinted, &["--only", &middle]);
    ana.ok("wait open 60");
    ana.ok("submit env prod");
    ana.ok("accept");
    ana.ok("wait decided");
    let ended = ask.wait();
    assert_eq!(ended.code(), 0, "{}", ended.err);
    let linked = ana.events("link");
    assert!(linked.iter().all(|event| event["peer"] == middle.as_str()), "{linked:?}");
    assert!(!linked.is_empty());
    ana.end();
    // The host's lines name a peer, or the start of its id: they show no link with Ana either.
    let (host, end) = (peer_id(&place, "host"), peer_id(&place, "ana"));
    let with_end = |line: &&str| {
        line.contains("link to") && (line.contains("ana") || line.contains(&end[..8]))
    };
    assert_eq!(ended.err.lines().find(with_end), None);
    assert!(ended.err.contains("link to ben up"), "{}", ended.err);
    assert_ne!(host, end);
}

#[test]
fn no_answer_and_no_ticket_is_logged() {
    let place = Place::new();
    place.file("form.json", FORM);
    let (ask, ticket) = place.ask("host", &[]);
    let arguments = ["join", &ticket, "--json", "--listen", "127.0.0.1:0"];
    let mut ana = place.start_logging("ana", &arguments, "debug");
    ana.ok("draft notes the-secret-words");
    ana.ok("submit env prod");
    ana.ok("accept");
    ana.ok("wait decided");
    assert_eq!(ask.wait().code(), 0);
    let ended = ana.end();
    let logged: Vec<_> =
        ended.err.lines().filter(|line| line.contains("DEBUG") || line.contains("INFO")).collect();
    assert!(logged.len() > 10, "{}", ended.err);
    for line in logged {
        assert!(!line.contains("the-secret-words") && !line.contains(&ticket), "{line}");
    }
}

fn peer_id_of(process: &Process, event: &str, name: &str) -> Value {
    let members = process.events(event);
    let found = members.iter().find(|member| member["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} among {members:?}"))["peer"].clone()
}

/// Returns the same ticket, with a hint at another member.
fn with_hint(ticket: &str, device: &str, address: &str) -> String {
    let mut ticket: rejoinder::Ticket = ticket.parse().unwrap();
    ticket.hints = vec![rejoinder::Hint {
        device: device.parse().unwrap(),
        addresses: vec![address.parse().unwrap()],
    }];
    ticket.to_string()
}
