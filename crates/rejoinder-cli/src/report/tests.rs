//! The words that people read.

use std::collections::BTreeMap;

use rejoinder::{MemberView, ProposalId, RecordId, Role, WorkspaceId};
use serde_json::json;

use super::*;
use crate::view::samples;

/// The full id of a peer.
fn id(name: &str) -> String {
    samples::peer(name).to_string()
}

fn names() -> Names {
    let mut names = Names::new(Some(id("ana")));
    names.set(&id("ana"), "Ana");
    names.set(&id("ben"), "Be\u{202e}n\u{1b}[31m");
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
    let ben = || id("ben");
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
    let held = samples::text("submitted", "a\u{202e}b", "ben");
    let other = samples::held(json!({"state": "skipped"}), &["ana"]);
    check(
        Event::Answer {
            request: "r1".to_owned(),
            question: "notes".to_owned(),
            given: samples::given(&held),
            conflict: vec![samples::given(&other)],
        },
        "notes: “ab”, submitted by Ben[31m; in conflict with skipped by you",
    );
    check(
        Event::Answer {
            request: "r1".to_owned(),
            question: "notes".to_owned(),
            given: samples::given(&samples::text("draft", &"x".repeat(32 * 1024), "ben")),
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
        (Fate::Decided { by: id("ana") }, "decided as you proposed"),
        (
            Fate::Refused {
                reason: "already-decided".to_owned(),
                questions: Vec::new(),
                by: Some(id("ana")),
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
    request.projection.answers.insert("env".into(), samples::selected("submitted", "prod", "ben"));
    let other = samples::selected("submitted", "staging", "ana");
    request.projection.conflicts.insert("env".into(), vec![samples::conflict(other)]);
    let workspace = WorkspaceView {
        id: WorkspaceId([1; 32]),
        title: "release".to_owned(),
        can_host: false,
        hosting: false,
        member: true,
        members: vec![MemberView {
            device: samples::peer("ben"),
            name: "Ben".to_owned(),
            role: Role::Owner,
            host: true,
        }],
        log_length: 1,
        log_head: RecordId([6; 32]),
        requests: vec![request],
        waiting: BTreeMap::from([
            (ProposalId([7; 32]), rejoinder::Fate::Saved),
            (ProposalId([8; 32]), rejoinder::Fate::Received),
        ]),
        uncarried: 1,
    };
    let (me, id_of_workspace) = (samples::peer("ana"), workspace.id);
    let lines = home("/home", me, &[workspace]);
    assert_eq!(
        lines[..8],
        [
            "home /home",
            &format!("device {me}"),
            "",
            &format!("workspace release ({id_of_workspace})"),
            &format!("  Ben: owner, host  {}", id("ben")),
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
    assert!(home("/home", me, &[])[2].starts_with("no workspace yet"));
}
