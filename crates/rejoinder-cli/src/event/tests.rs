//! The exact bytes of `--json`.

use serde_json::json;

use super::*;

fn check(event: Event, expected: &str) {
    assert_eq!(event.json(), expected);
}

#[test]
fn events() {
    check(
        Event::Listening { address: "127.0.0.1:1".to_owned() },
        r#"{"event":"listening","address":"127.0.0.1:1"}"#,
    );
    check(Event::Synced, r#"{"event":"synced"}"#);
    check(
        Event::Link { peer: "p".to_owned(), state: LinkState::Up, reason: None },
        r#"{"event":"link","peer":"p","state":"up"}"#,
    );
    check(
        Event::NotIncluded {
            request: "r".to_owned(),
            question: "q".to_owned(),
            by: "p".to_owned(),
        },
        r#"{"event":"notIncluded","request":"r","question":"q","by":"p"}"#,
    );
    check(
        Event::Ended { request: "r".to_owned(), how: TurnEnd::Expired },
        r#"{"event":"ended","request":"r","how":"expired"}"#,
    );
    check(
        Event::Result(Outcome::ended("r", TurnEnd::Failed, &BTreeMap::new())),
        r#"{"event":"result","request":"r","response":null,"answers":{},"ended":"failed"}"#,
    );
}

#[test]
fn answers() {
    let given =
        |state, value, by: &str| Given { state, value, by: by.to_owned(), authors: Vec::new() };
    let value = json!({"kind": "text", "value": "x"});
    check(
        Event::Answer {
            request: "r".to_owned(),
            question: "q".to_owned(),
            given: given(AnswerState::Submitted, Some(value.clone()), "p"),
            conflict: vec![given(AnswerState::Skipped, None, "o")],
        },
        r#"{"event":"answer","request":"r","question":"q","state":"submitted","value":{"kind":"text","value":"x"},"by":"p","conflict":[{"state":"skipped","by":"o"}]}"#,
    );
}

#[test]
fn fates() {
    let check = |fate, expected: &str| {
        let proposal = "x".to_owned();
        let json = Event::Fate { proposal, fate }.json();
        assert_eq!(json, format!(r#"{{"event":"fate","proposal":"x","fate":{expected}}}"#));
    };
    check(Fate::Saved, r#""saved""#);
    check(Fate::Carried { count: 2 }, r#""carried","count":2"#);
    check(Fate::Decided { by: "p".to_owned() }, r#""decided","by":"p""#);
    check(
        Fate::Refused {
            reason: "required-unanswered".to_owned(),
            questions: vec!["env".to_owned()],
            by: None,
        },
        r#""refused","reason":"required-unanswered","questions":["env"]"#,
    );
}

#[test]
fn replies() {
    check(
        Event::Reply(
            Reply::refused(3, "accept", "required-unanswered").about(vec!["env".to_owned()]),
        ),
        r#"{"event":"reply","line":3,"command":"accept","ok":false,"error":"required-unanswered","questions":["env"]}"#,
    );
    check(
        Event::Reply(Reply::done(1, "submit", Some("env"))),
        r#"{"event":"reply","line":1,"command":"submit","ok":true,"subject":"env"}"#,
    );
}
