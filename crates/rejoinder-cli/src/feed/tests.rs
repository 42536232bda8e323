use std::{collections::BTreeMap, sync::Arc};

use rejoinder::{
    Answer, ChatInputAnswer, ChatInputRequest, ChatInputResponseKind, DocumentId, Fate, How,
    ProposalId, RequestStatus, WorkspaceId,
};
use serde_json::{Value, json};

use super::*;

fn peer(byte: u8) -> PeerId {
    rejoinder::SecretKey::from_seed([byte; 32]).public()
}

/// A request as the engine shows it, with an answer to `env` by the peer of that byte.
fn view(text: &str, env: Option<(&str, u8)>, status: RequestStatus) -> rejoinder::RequestView {
    let request: ChatInputRequest = serde_json::from_value(json!({
        "id": "r1", "message": text,
        "questions": [{"kind": "text", "id": "env", "message": "Where to?"}],
    }))
    .unwrap();
    let mut view = rejoinder::RequestView {
        workspace: WorkspaceId([1; 32]),
        opening: OpeningId([2; 32]),
        id: "r1".into(),
        document: DocumentId([3; 32]),
        turn: "t".into(),
        revision: 1,
        request,
        rules: Default::default(),
        status,
        here: true,
        projection: Default::default(),
        seen: None,
        passed_over: Default::default(),
        not_included: Vec::new(),
    };
    if let Some((value, by)) = env {
        let answer = json!({"state": "draft", "value": {"kind": "text", "value": value}});
        let answer: ChatInputAnswer = serde_json::from_value(answer).unwrap();
        let answer = Answer { answer, authors: vec![peer(by)] };
        view.projection.answers = BTreeMap::from([("env".into(), answer)]);
    }
    view
}

fn open(text: &str, env: Option<(&str, u8)>) -> Arc<rejoinder::RequestView> {
    Arc::new(view(text, env, RequestStatus::Open))
}

fn decided() -> Arc<rejoinder::RequestView> {
    let response = ChatInputResponseKind::Decline;
    let status = RequestStatus::Decided { response, by: peer(2), proposal: ProposalId([9; 32]) };
    Arc::new(view("m", None, status))
}

fn told(feed: &mut Feed, event: HomeEvent) -> Vec<Value> {
    let events = feed.take(&event);
    events.iter().map(|event| serde_json::from_str(&event.json()).unwrap()).collect()
}

fn words(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["event"].as_str()).collect()
}

#[test]
fn what_is_known_is_not_told_again() {
    let mut feed = Feed::new(peer(1));
    assert_eq!(feed.know(&open("m", None)).len(), 1);
    assert!(told(&mut feed, HomeEvent::Opened(open("m", None))).is_empty());
    let again = told(&mut feed, HomeEvent::Opened(open("other words", None)));
    assert_eq!(words(&again), ["opened"]);
    assert_eq!(again[0]["message"], "other words");
}

#[test]
fn an_answer_is_told_when_it_changes() {
    let mut feed = Feed::new(peer(1));
    feed.know(&open("m", None));
    let answer = |request| HomeEvent::Answer { request, question: "env".into(), by: peer(2) };
    let events = told(&mut feed, answer(open("m", Some(("prod", 2)))));
    assert_eq!(words(&events), ["answer"]);
    assert_eq!(events[0]["by"], peer(2).to_string());
    assert!(told(&mut feed, answer(open("m", Some(("prod", 2))))).is_empty());
    let gone = told(&mut feed, answer(open("m", None)));
    assert_eq!(gone[0]["state"], "none");
}

#[test]
fn only_what_was_seen_open_has_ended_in_this_run() {
    let mut feed = Feed::new(peer(1));
    assert!(feed.know(&decided()).is_empty(), "that is an old story");
    assert!(told(&mut feed, HomeEvent::Decided(decided())).is_empty());
    assert_eq!(feed.take_settled(), None);

    let mut feed = Feed::new(peer(1));
    told(&mut feed, HomeEvent::Opened(decided()));
    assert_eq!(feed.take_settled(), None, "it came with the log and was over already");

    let mut feed = Feed::new(peer(1));
    told(&mut feed, HomeEvent::Opened(open("m", None)));
    let events = told(&mut feed, HomeEvent::Decided(decided()));
    assert_eq!(words(&events), ["decided"]);
    assert_eq!(feed.take_settled(), Some(OpeningId([2; 32])));
    assert_eq!(feed.take_settled(), None);
}

#[test]
fn the_end_of_a_turn_says_how() {
    let mut feed = Feed::new(peer(1));
    feed.know(&open("m", None));
    let ended = view("m", None, RequestStatus::Ended(How::Expired));
    let events = told(&mut feed, HomeEvent::Ended(Arc::new(ended)));
    assert_eq!((words(&events), &events[0]["how"]), (vec!["ended"], &json!("expired")));
}

#[test]
fn fates_and_members_are_told_once() {
    let mut feed = Feed::new(peer(1));
    let fate = |fate| HomeEvent::Fate {
        workspace: WorkspaceId([1; 32]),
        proposal: ProposalId([9; 32]),
        fate,
    };
    assert_eq!(told(&mut feed, fate(Fate::Saved))[0]["fate"], "saved");
    assert_eq!(told(&mut feed, fate(Fate::Received))[0]["fate"], "received");
    assert!(told(&mut feed, fate(Fate::Received)).is_empty());
    assert_eq!(told(&mut feed, fate(Fate::Granted))[0]["by"], peer(1).to_string());

    let member = |name: &str| HomeEvent::Member {
        workspace: WorkspaceId([1; 32]),
        member: MemberView {
            device: peer(2),
            name: name.to_owned(),
            role: Role::Owner,
            host: true,
        },
    };
    assert_eq!(told(&mut feed, member("Ana")).len(), 1);
    assert!(told(&mut feed, member("Ana")).is_empty());
    assert_eq!(told(&mut feed, member("Anna")).len(), 1);
    // A host can call a member as it likes.
    let long = told(&mut feed, member(&"é".repeat(125_000)));
    assert_eq!(long[0]["name"], format!("{}…", "é".repeat(128)));
}
