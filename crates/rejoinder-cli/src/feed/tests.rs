use std::{collections::BTreeMap, sync::Arc};

use rejoinder::{
    Answer, ChatInputAnswer, ChatInputRequest, ChatInputResponseKind, DocumentId, Fate, ProposalId,
    RequestStatus, Table, TurnEnd, WorkspaceId,
};
use serde_json::{Value, json};

use super::*;

fn peer(byte: u8) -> PeerId {
    rejoinder::SecretKey::from_seed([byte; 32]).public()
}

/// A request as the engine shows it, with an answer to `env` by the peer with that byte.
fn view(text: &str, env: Option<(&str, u8)>, status: RequestStatus) -> RequestView {
    let request: ChatInputRequest = serde_json::from_value(json!({
        "id": "r1", "message": text,
        "questions": [{"kind": "text", "id": "env", "message": "Where to?"}],
    }))
    .unwrap();
    let mut view = RequestView {
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

fn open(text: &str, env: Option<(&str, u8)>) -> Arc<RequestView> {
    Arc::new(view(text, env, RequestStatus::Open))
}

fn decided() -> Arc<RequestView> {
    let response = ChatInputResponseKind::Decline;
    let status = RequestStatus::Decided { response, by: peer(2), proposal: ProposalId([9; 32]) };
    Arc::new(view("m", None, status))
}

const WORKSPACE: WorkspaceId = WorkspaceId([1; 32]);
const OPENING: OpeningId = OpeningId([2; 32]);
const OPENED: Told = Told::Opened { workspace: WORKSPACE, opening: OPENING };
const RESUMED: Told = Told::Resumed { workspace: WORKSPACE, opening: OPENING };
const DECIDED: Told = Told::Decided { workspace: WORKSPACE, opening: OPENING };
const ENDED: Told = Told::Ended { workspace: WORKSPACE, opening: OPENING };

fn request(event: Told, request: Arc<RequestView>) -> HomeEvent {
    HomeEvent::Request { event, request }
}

fn answer(view: Arc<RequestView>, by: PeerId) -> HomeEvent {
    let question = "env".into();
    request(Told::Answer { workspace: WORKSPACE, opening: OPENING, question, by }, view)
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
    assert_eq!(feed.know(view("m", None, RequestStatus::Open)).len(), 1);
    assert!(told(&mut feed, request(OPENED, open("m", None))).is_empty());
    let again = told(&mut feed, request(OPENED, open("other words", None)));
    assert_eq!(words(&again), ["opened"]);
    assert_eq!(again[0]["message"], "other words");
}

#[test]
fn an_answer_is_told_when_it_changes() {
    let mut feed = Feed::new(peer(1));
    feed.know(view("m", None, RequestStatus::Open));
    let events = told(&mut feed, answer(open("m", Some(("prod", 2))), peer(2)));
    assert_eq!(words(&events), ["answer"]);
    assert_eq!(events[0]["by"], peer(2).to_string());
    assert!(told(&mut feed, answer(open("m", Some(("prod", 2))), peer(2))).is_empty());
    let gone = told(&mut feed, answer(open("m", None), peer(2)));
    assert_eq!(gone[0]["state"], "none");
}

#[test]
fn only_what_was_seen_open_has_ended_in_this_run() {
    let mut feed = Feed::new(peer(1));
    assert!(feed.know(decided().as_ref().clone()).is_empty(), "that is an old story");
    assert!(told(&mut feed, request(DECIDED, decided())).is_empty());
    assert_eq!(feed.take_settled(), None);

    let mut feed = Feed::new(peer(1));
    told(&mut feed, request(OPENED, decided()));
    assert_eq!(feed.take_settled(), None, "it came with the log and was over already");

    let mut feed = Feed::new(peer(1));
    told(&mut feed, request(OPENED, open("m", None)));
    let events = told(&mut feed, request(DECIDED, decided()));
    assert_eq!(words(&events), ["decided"]);
    assert_eq!(feed.take_settled(), Some(OpeningId([2; 32])));
    assert_eq!(feed.take_settled(), None);
}

#[test]
fn the_end_of_a_turn_says_how() {
    let mut feed = Feed::new(peer(1));
    feed.know(view("m", None, RequestStatus::Open));
    let ended = view("m", None, RequestStatus::Ended(TurnEnd::Expired));
    let events = told(&mut feed, request(ENDED, Arc::new(ended)));
    assert_eq!((words(&events), &events[0]["how"]), (vec!["ended"], &json!("expired")));
}

#[test]
fn fates_and_members_are_told_once() {
    let mut feed = Feed::new(peer(1));
    let fate = |fate| {
        HomeEvent::Plain(Told::Fate {
            workspace: WorkspaceId([1; 32]),
            proposal: ProposalId([9; 32]),
            fate,
        })
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
    // A host can give a member any name.
    let long = told(&mut feed, member(&"é".repeat(125_000)));
    assert_eq!(long[0]["name"], format!("{}…", "é".repeat(128)));
}

/// Checks one line of each kind of event, byte for byte as released: scripts read them.
#[test]
fn lines_stay_as_they_are() {
    let (workspace, opening) = (WORKSPACE, OPENING);
    let (ana, why) = (peer(2), || "why".to_owned());
    let salvaged =
        rejoinder::Salvaged { why: why(), kept: "home.redb.damaged-1".into(), rows: 12, lost: 1 };
    let role = Role::Collaborator;
    let member = MemberView { device: ana, name: "Ana".to_owned(), role, host: false };
    let fate =
        |fate| HomeEvent::Plain(Told::Fate { workspace, proposal: ProposalId([9; 32]), fate });
    let prod = || open("m", Some(("prod", 2)));
    let mut late = view("m", Some(("prod", 2)), decided().status.clone());
    let given = late.projection.answers.values().next().unwrap().answer.clone();
    let (late_by, actor) = (peer(3), rejoinder::ActorId([4; 16]));
    late.not_included = vec![rejoinder::NotIncluded {
        question: "env".into(),
        answer: given,
        author: late_by,
        actor,
        seq: 1,
    }];
    let late = Arc::new(late);
    let events = [
        HomeEvent::Listening { addresses: vec!["127.0.0.1:1".parse().unwrap()] },
        HomeEvent::LinkUp { peer: ana },
        HomeEvent::LinkDown { peer: ana, closed: rejoinder::LinkClosed::TimedOut },
        HomeEvent::NotReached { peer: ana, why: why() },
        HomeEvent::Plain(Told::JoinWaits { workspace, at: ana }),
        HomeEvent::Plain(Told::Joined(workspace)),
        HomeEvent::Plain(Told::JoinRefused { workspace, why: why() }),
        HomeEvent::Plain(Told::ApprovalNeeded { workspace, device: ana, name: "Ana".to_owned() }),
        HomeEvent::Member { workspace, member },
        request(OPENED, open("m", None)),
        answer(prod(), ana),
        HomeEvent::Plain(Told::Unreadable { workspace, opening, why: why() }),
        request(RESUMED, prod()),
        request(DECIDED, decided()),
        request(
            Told::NotIncluded {
                workspace: WORKSPACE,
                opening: OPENING,
                question: "env".into(),
                by: late_by,
            },
            late,
        ),
        HomeEvent::Plain(Told::Void { workspace, opening }),
        request(OPENED, prod()),
        request(ENDED, Arc::new(view("m", None, RequestStatus::Ended(TurnEnd::Cancelled)))),
        fate(Fate::Saved),
        fate(Fate::Carried(2)),
        fate(Fate::Received),
        fate(Fate::Granted),
        HomeEvent::Plain(Told::Chat(workspace)),
        HomeEvent::Plain(Told::InSync { workspace, yes: true }),
        HomeEvent::Plain(Told::Uncarried { workspace, count: 3 }),
        HomeEvent::Plain(Told::NotAdmitted { from: ana, why: why() }),
        HomeEvent::Plain(Told::DiskFailing(why())),
        HomeEvent::Plain(Told::DiskRecovered),
        HomeEvent::Plain(Told::Damaged {
            rows: BTreeMap::from([(Table::Records, 1), (Table::Envelopes, 3)]),
        }),
        HomeEvent::Plain(Told::Salvaged(salvaged)),
        HomeEvent::Plain(Told::OwnMissing { changes: 2, proposals: 1 }),
        HomeEvent::Plain(Told::OwnCopy),
        HomeEvent::Missed(7),
        HomeEvent::Failed { why: why() },
    ];
    let mut feed = Feed::new(peer(1));
    let lines: Vec<String> =
        events.iter().flat_map(|event| feed.take(event)).map(|event| event.json()).collect();
    assert_eq!(lines.join("\n"), include_str!("golden.jsonl").trim_end());
}
