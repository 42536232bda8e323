//! What people read.

use serde_json::json;

use super::*;
use crate::view::{MemberView, samples};

fn names() -> Names {
    let mut names = Names::new(Some("ana23456789".to_owned()));
    names.set("ana23456789", "Ana");
    names.set("ben23456789", "Be\u{202e}n\u{1b}[31m");
    names
}

#[test]
fn replies() {
    let check = |reply: Reply, expected: &str| assert_eq!(super::reply(&reply), expected);
    check(Reply::done(1, "submit", Some("env")), "ok submit env");
    check(Reply::done(1, "submit", Some("")), "ok submit \"\"");
    check(Reply::done(2, "accept", None), "ok accept");
    check(
        Reply::refused(3, "accept", "required-unanswered").about(vec!["env".to_owned()]),
        "refused accept: required-unanswered: env",
    );
    check(
        Reply::refused(4, "acc\u{1b}ept", "unknown-command").because("there are show,\nuse"),
        "refused accept: unknown-command: there are show, use",
    );
}

#[test]
fn events_hide_nothing_and_show_no_controls() {
    let check = |event: Event, expected: &str| assert_eq!(super::event(&event, &names()), expected);
    let ben = || "ben23456789".to_owned();
    check(
        Event::Link { peer: ben(), state: LinkState::Down, reason: Some("time\nout".to_owned()) },
        "link to Ben[31m down (time out)",
    );
    let reason = "timed\nout".to_owned();
    check(
        Event::Waiting(Waiting::Answer { peer: ben(), reason }),
        "waiting: Ben[31m does not answer (timed out); tried again",
    );
    check(Event::Waiting(Waiting::LetIn { peer: ben() }), "waiting to be let in by the host");
    check(
        Event::Opened {
            request: "r1".to_owned(),
            message: "De\u{7}ploy?".to_owned(),
            url: None,
            host: None,
            defaults: Default::default(),
        },
        "request r1 is open: Deploy?",
    );
    let held = samples::text("submitted", "a\u{202e}b", "ben23456789");
    let other = samples::held(json!({"state": "skipped"}), &["ana23456789"]);
    check(
        Event::Answer {
            request: "r1".to_owned(),
            question: "notes".to_owned(),
            given: held.given(),
            conflict: vec![other.given()],
        },
        "notes: “ab”, submitted by Ben[31m; in conflict with skipped by you",
    );
    check(
        Event::Answer {
            request: "r1".to_owned(),
            question: "notes".to_owned(),
            given: samples::text("draft", &"x".repeat(32 * 1024), "ben23456789").given(),
            conflict: Vec::new(),
        },
        &format!("notes: “{}…, draft by Ben[31m", "x".repeat(198)),
    );
    check(Event::Ticket { ticket: "rejoin1x".to_owned() }, "ticket: rejoin1x");
    check(
        Event::NotIncluded { request: "r".to_owned(), question: "q".to_owned(), by: ben() },
        "q: an answer by Ben[31m came too late for the decision; it is kept",
    );
}

#[test]
fn a_fate_is_never_called_submitted() {
    let fates = [
        (Fate::Saved, "saved here, not yet with anybody else"),
        (Fate::Carried { count: 1 }, "saved here and carried by 1 peer"),
        (Fate::Carried { count: 2 }, "saved here and carried by 2 peers"),
        (Fate::Received, "received by the host, not yet decided"),
        (Fate::Decided { by: "ana23456789".to_owned() }, "decided as you proposed"),
        (
            Fate::Refused {
                reason: "already-decided".to_owned(),
                questions: Vec::new(),
                by: Some("ana23456789".to_owned()),
            },
            "refused: already-decided by you",
        ),
    ];
    for (fate, expected) in fates {
        let said = fate_in_words(&fate, &names());
        assert_eq!(said, expected);
        assert!(!said.contains("submitted"));
    }
}

#[test]
fn a_home() {
    let mut request = samples::request();
    request.answers.insert("env".to_owned(), samples::selected("submitted", "prod", "ben23456789"));
    let other = samples::selected("submitted", "staging", "ana23456789");
    request.conflicts.insert("env".to_owned(), vec![other]);
    let workspace = WorkspaceView {
        id: "w234".to_owned(),
        title: "release".to_owned(),
        host: Some("ben23456789".to_owned()),
        members: vec![MemberView {
            peer: "ben23456789".to_owned(),
            name: "Ben".to_owned(),
            role: "owner".to_owned(),
        }],
        requests: vec![request],
        not_carried: 2,
    };
    let view = HomeView {
        directory: "/home".to_owned(),
        device: "ana23456789".to_owned(),
        workspaces: vec![workspace],
    };
    let lines = home(&view);
    assert_eq!(
        lines[..8],
        [
            "home /home",
            "device ana23456789",
            "",
            "workspace release (w234)",
            "  Ben: owner, host  ben23456789",
            "  request r1: open",
            "    Deploy 1.4?",
            "    env (required): Production, submitted by Ben",
        ]
    );
    assert_eq!(lines[8], "      in conflict: Staging, submitted by you");
    assert_eq!(lines[9], "    notes: no answer");
    assert_eq!(
        lines.last().unwrap(),
        "  2 things written here are not yet carried by anybody else"
    );
    let empty = HomeView { workspaces: Vec::new(), ..view };
    assert!(home(&empty)[2].starts_with("no workspace yet"));
}
