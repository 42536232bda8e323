//! The acts of the host program, and how requests are raised.

use ahp_types::state::ChatInputResponseKind::{Accept, Decline};
use rejoinder_finalizer::{
    HostAction, LogChange, Refusal, Status, TurnEnd,
    refusal::{BadCall, Over},
};
use rejoinder_identity::{DocumentId, Incarnation, Timestamp};
use serde_json::Value;

use crate::world::{Outcome, REQUEST, World, key, start_turn, text, turn};

fn chat(world: &World) -> Value {
    serde_json::to_value(world.log.state().chat()).unwrap()
}

#[test]
fn a_turn_speaks_and_ends() {
    let mut world = World::empty();
    let say = |part: &str| HostAction::AddPart { part: part.to_owned() };
    let append = |part: &str, text: &str| HostAction::AppendText {
        part: part.to_owned(),
        text: text.to_owned(),
    };
    let markdown = r#"{"kind":"markdown","id":"p1","content":"Look"}"#;
    assert_eq!(world.act(say(markdown)), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    assert_eq!(world.act(append("p1", "x")), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    assert_eq!(world.act(HostAction::CompleteTurn), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    assert_eq!(world.act(HostAction::CancelTurn), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    assert_eq!(world.fail(true), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    world.start("t1");
    let again = world.act(HostAction::StartTurn(start_turn("t2")));
    assert_eq!(again, Err(Refusal::Caller(BadCall::TurnActive { turn: turn("t1") })));
    world.act(say(markdown)).unwrap();
    world.act(say(r#"{"kind":"reasoning","id":"p2","content":"Hm"}"#)).unwrap();
    world.act(append("p1", "ing")).unwrap();
    world.act(append("p2", "m")).unwrap();
    let code = |refusal: Refusal| refusal.code().to_owned();
    assert_eq!(world.act(append("p3", "x")).map_err(code), Err("no-effect".into()));
    for (part, expected) in [
        (r#"{"kind":"inputRequest","request":{"id":"r"}}"#, "unsupported"),
        (r#"{"kind":"error","error":{"errorType":"e","message":"m"}}"#, "unsupported"),
        (r#"{"kind":"markdown","id":"p","content":"x","later":1e999}"#, "malformed"),
        ("nonsense", "malformed"),
    ] {
        assert_eq!(world.act(say(part)).map_err(code), Err(expected.into()), "{part}");
    }
    world.act(HostAction::CompleteTurn).unwrap();
    let finished = &chat(&world)["turns"][0];
    assert_eq!(finished["state"], "complete");
    assert_eq!(finished["responseParts"][0]["content"], "Looking");
    assert_eq!(finished["responseParts"][1]["content"], "Hmm");
    assert_eq!(finished["startedAt"], "2026-12-01T00:00:09.000Z");
    // Eleven acts of 1.5 s each, those that were refused among them.
    assert_eq!(finished["duration"], 16_500);
    assert_eq!(chat(&world)["modifiedAt"], "2026-12-01T00:00:25.500Z");
}

#[test]
fn what_has_a_record_of_its_own_is_not_published_plainly() {
    let (mut world, opening) = World::asked();
    let channel = world.log.state().chat_uri().to_owned();
    for action in [
        r#"{"type":"chat/turnStarted","turnId":"t2","startedAt":"2026-01-01T00:00:00Z","message":{"text":"x","origin":{"kind":"user"}}}"#,
        r#"{"type":"chat/turnComplete","turnId":"t1","duration":0}"#,
        r#"{"type":"chat/turnCancelled","turnId":"t1","duration":0}"#,
        r#"{"type":"chat/truncated"}"#,
        r#"{"type":"chat/turnResume","turnId":"t1"}"#,
        r#"{"type":"chat/inputRequested","request":{"id":"r2"}}"#,
        r#"{"type":"chat/inputCompleted","requestId":"r1","response":"accept"}"#,
        r#"{"type":"chat/inputAnswerChanged","requestId":"r1","questionId":"env"}"#,
    ] {
        let publish = HostAction::Publish { channel: channel.clone(), action: action.to_owned() };
        let refused = world.act(publish).unwrap_err();
        assert_eq!(refused.code(), "unsupported", "{action}");
    }
    assert!(world.request(&opening).is_open());
    let activity = r#"{"type":"chat/activityChanged","activity":"thinking"}"#.to_owned();
    world.act(HostAction::Publish { channel, action: activity }).unwrap();
    assert_eq!(world.log.state().session().chats[0].activity.as_deref(), Some("thinking"));
}

#[test]
fn an_expiry_is_told_apart_from_a_cancel() {
    for (act, how) in [
        (None, TurnEnd::Expired),
        (Some(HostAction::CancelTurn), TurnEnd::Cancelled),
        (Some(HostAction::CompleteTurn), TurnEnd::Completed),
        (Some(HostAction::Truncate { turn: None }), TurnEnd::Truncated),
    ] {
        let (mut world, opening) = World::asked();
        let by = key("ana").public();
        world.documents.answer(opening, "env", text("draft", "pro"), by);
        let appended = world.act(act.unwrap_or(HostAction::Expire { opening })).unwrap();
        assert!(appended.changes.contains(&LogChange::RequestEnded { opening, how }));
        assert!(appended.changes.contains(&LogChange::TurnEnded { turn: Some(turn("t1")), how }));
        let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
        assert_eq!(ended.how, how);
        assert_eq!(ended.embedded.answers["env"].answer, text("draft", "pro"));
        assert_eq!(world.statuses(), (1, 1));
        let expire = world.act(HostAction::Expire { opening });
        assert_eq!(expire, Err(Refusal::Nobody(Over::NoOpenRequest { ended: Some(how) })));
        if how != TurnEnd::Truncated {
            let part = &chat(&world)["turns"][1]["responseParts"][0];
            assert_eq!(part["request"]["answers"]["env"]["value"]["value"], "pro");
            assert_eq!(part.get("response"), None);
        }
    }
}

#[test]
fn an_open_request_raised_again_is_its_next_revision() {
    let (mut world, opening) = World::asked();
    let changed = REQUEST.replace("Where?", "Where to?");
    let appended = world.try_raise(&changed, true).unwrap();
    assert_eq!(appended.changes, [LogChange::RequestRaised { opening, revision: 2 }]);
    let request = world.request(&opening);
    assert_eq!((request.revision(), request.strict()), (2, true));
    assert_eq!(request.skeletons(), [b"skeleton 1".to_vec(), b"skeleton 2".to_vec()]);
    assert_eq!(request.json(), changed);
    assert_eq!(chat(&world)["activeTurn"]["responseParts"].as_array().unwrap().len(), 1);
}

#[test]
fn raised_after_its_decision_it_is_another_request() {
    let (mut world, first) = World::asked();
    assert_eq!(world.complete("ana", first, Decline), Outcome::Granted);
    let second = world.raise(REQUEST, false);
    assert_ne!(first, second);
    assert_eq!(world.statuses(), (24, 24));
    let by = key("ben").public();
    world.documents.answer(second, "env", text("submitted", "prod"), by);
    assert_eq!(world.complete("ana", second, Accept), Outcome::Granted);
    let parts = chat(&world)["activeTurn"]["responseParts"].clone();
    assert_eq!(
        (&parts[0]["response"], &parts[1]["response"]),
        (&"decline".into(), &"accept".into())
    );
    assert_eq!(parts[0]["request"].get("answers"), None);
    let ids: Vec<_> = world.log.state().requests().map(|request| request.opening()).collect();
    assert_eq!(ids, [first, second]);
}

#[test]
fn answers_that_a_request_came_with_are_not_in_the_log() {
    let (mut world, _) = World::asked();
    let answers = r#"{"id":"r2","message":"m","zeta":4.0,"answers":{"q":{"state":"skipped"}}}"#;
    let opening = world.raise(answers, false);
    assert_eq!(world.request(&opening).json(), r#"{"id":"r2","message":"m","zeta":4.0}"#);
    assert_eq!(world.request(&opening).request().answers, None);
}

#[test]
fn the_document_follows_from_the_place_of_the_opening() {
    let mut world = World::with_members();
    world.start("t1");
    let position = world.log.position();
    let opening = world.raise(REQUEST, false);
    let expected = DocumentId::of_opening(
        &world.log.workspace(),
        1,
        &Incarnation([1; 16]),
        position.length,
        &position.head,
    );
    assert_eq!(world.request(&opening).document(), expected);
    assert_eq!(world.log.position().head.as_opening(), opening);
}

#[test]
fn two_requests_wait_and_the_last_decision_brings_back_in_progress() {
    let (mut world, first) = World::asked();
    let second = world.raise(r#"{"id":"r2","url":"https://example.org"}"#, false);
    let mirrored =
        |world: &World| world.log.state().session().input_needed.as_ref().map_or(0, Vec::len);
    assert_eq!((world.statuses(), mirrored(&world)), ((24, 24), 2));
    assert_eq!(world.complete("ana", first, Decline), Outcome::Granted);
    assert_eq!((world.statuses(), mirrored(&world)), ((24, 24), 1));
    assert_eq!(world.complete("ana", second, Decline), Outcome::Granted);
    assert_eq!((world.statuses(), mirrored(&world)), ((8, 8), 0));
}

#[test]
fn open_parts_get_their_answers_from_whoever_has_the_documents() {
    let (mut world, first) = World::asked();
    let second = world.raise(r#"{"id":"r2","message":"m"}"#, false);
    assert_eq!(world.complete("ana", first, Decline), Outcome::Granted);
    let answer = serde_json::from_str(&text("draft", "pro")).unwrap();
    let (chat, session) = world.log.state().shown(|request| {
        assert_eq!(request.opening(), second, "only open ones are asked for");
        [("q".into(), Clone::clone(&answer))].into()
    });
    let chat = serde_json::to_value(chat).unwrap();
    let session = serde_json::to_value(session).unwrap();
    let shown = &chat["activeTurn"]["responseParts"][1]["request"]["answers"]["q"];
    assert_eq!(shown["value"]["value"], "pro");
    assert_eq!(session["inputNeeded"][0]["request"]["answers"]["q"], *shown);
    assert_eq!(chat["activeTurn"]["responseParts"][0]["request"].get("answers"), None);
}

#[test]
fn no_request_without_a_turn_or_without_sense() {
    let mut world = World::empty();
    assert_eq!(world.try_raise(REQUEST, false), Err(Refusal::Caller(BadCall::NoActiveTurn)));
    world.start("t1");
    for nonsense in ["", "{}", "[]", r#"{"id":7}"#, r#"{"id":"r","later":1e999}"#] {
        let refused = world.try_raise(nonsense, false).unwrap_err();
        assert_eq!(refused.code(), "malformed", "{nonsense}");
    }
    for id in ["", "__proto__", "a.b", "\u{1f9a9}"] {
        let request = serde_json::json!({ "id": id, "message": "m" }).to_string();
        let opening = world.raise(&request, false);
        assert_eq!(world.request(&opening).id().as_str(), id);
    }
}

#[test]
fn a_clock_that_is_wrong_by_years_still_starts_and_ends_turns() {
    for (start, end) in [
        (i64::MAX, i64::MAX),
        (i64::MIN, i64::MAX),
        (i64::MAX, i64::MIN),
        (253_402_300_799_999, 253_402_300_799_999),
        (0, -5),
    ] {
        let mut world = World::empty();
        world.now = Timestamp::from_millis(start);
        world.start("t1");
        let opening = world.raise(REQUEST, false);
        world.now = Timestamp::from_millis(end);
        let record =
            world.finalizer.act(&world.log, world.now, HostAction::CancelTurn, &world.documents);
        world.append(record.unwrap());
        assert!(!world.request(&opening).is_open(), "{start} to {end}");
        assert_eq!(world.statuses(), (1, 1));
    }
}
