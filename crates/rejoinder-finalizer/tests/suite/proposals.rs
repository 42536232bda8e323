//! The table of decisions: turns, messages, marks, and who may propose what.

use ahp_types::state::ChatInputResponseKind::Decline;
use rejoinder_finalizer::{
    HostAction, ProposalKind, Refusal, StartTurn, Status, TurnEnd,
    refusal::{BadCall, HostCannot, Over},
};

use crate::world::{Outcome, World, start_turn, turn};

fn refused(refusal: Refusal) -> Outcome {
    Outcome::Refused(refusal)
}

#[test]
fn one_turn_at_a_time_and_a_repeated_start_wipes_nothing() {
    let (mut world, opening) = World::asked();
    let again = world.propose("ana", ProposalKind::StartTurn(start_turn("t1")));
    assert_eq!(again, refused(Refusal::Nobody(Over::AlreadyStarted { turn: turn("t1") })));
    let finished = world.propose("ana", ProposalKind::StartTurn(start_turn("t0")));
    assert_eq!(finished, refused(Refusal::Nobody(Over::AlreadyStarted { turn: turn("t0") })));
    let other = world.propose("ana", ProposalKind::StartTurn(start_turn("t2")));
    assert_eq!(other, refused(Refusal::Caller(BadCall::TurnActive { turn: turn("t1") })));
    assert!(world.request(&opening).is_open());
    assert_eq!(world.statuses(), (24, 24));
    world.act(HostAction::CompleteTurn).unwrap();
    let mut start = start_turn("t2");
    start.message = r#"{"text":"I go on","origin":{"kind":"agent"}}"#.into();
    let agent = world.propose("ana", ProposalKind::StartTurn(start));
    assert_eq!(agent, refused(Refusal::Caller(BadCall::OriginNotUser)));
    let started = world.propose("ana", ProposalKind::StartTurn(start_turn("t2")));
    assert_eq!(started, Outcome::Granted);
    assert_eq!(world.log.state().active_turn(), Some(turn("t2")));
}

#[test]
fn a_message_that_only_loose_reading_accepts_is_refused() {
    let mut world = World::with_members();
    let start = StartTurn {
        turn: turn("t"),
        message: r#"{"text":"x","origin":{"kind":"user"},"later":1e999}"#.into(),
        queued: None,
    };
    let outcome = world.propose("ana", ProposalKind::StartTurn(start));
    assert_eq!(outcome.code(), "malformed");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let message = format!(r#"{{"text":"x","origin":{{"kind":"user"}},"later":{deep}}}"#);
    let start = StartTurn { turn: turn("t"), message, queued: None };
    assert_eq!(world.propose("ana", ProposalKind::StartTurn(start)).code(), "malformed");
    let deep = format!(r#"{{"type":"chat/draftChanged","later":{deep}}}"#);
    let channel = world.log.state().chat_uri().to_owned();
    let action = ProposalKind::Action { channel, action: deep };
    assert_eq!(world.propose("ana", action).code(), "malformed");
}

#[test]
fn only_the_active_turn_is_cancelled() {
    let (mut world, opening) = World::asked();
    let other = world.propose("ana", ProposalKind::CancelTurn { turn: turn("t0") });
    assert_eq!(other, refused(Refusal::Caller(BadCall::OtherTurn { active: turn("t1") })));
    let cancel = ProposalKind::CancelTurn { turn: turn("t1") };
    assert_eq!(world.propose("ana", cancel.clone()), Outcome::Granted);
    assert_eq!(world.propose("ana", cancel), refused(Refusal::Caller(BadCall::NoActiveTurn)));
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, TurnEnd::Cancelled);
}

#[test]
fn a_truncation_needs_a_finished_turn() {
    let (mut world, opening) = World::asked();
    let truncate = |id: &str| ProposalKind::Truncate { turn: Some(turn(id)) };
    let active = world.propose("ana", truncate("t1"));
    assert_eq!(active, refused(Refusal::Caller(BadCall::TurnActive { turn: turn("t1") })));
    let unknown = world.propose("ana", truncate("t9"));
    assert_eq!(unknown, refused(Refusal::Caller(BadCall::NoSuchTurn { turn: turn("t9") })));
    assert!(world.request(&opening).is_open());
    let all = world.propose("ana", ProposalKind::Truncate { turn: None });
    assert_eq!(all, Outcome::Granted);
    assert_eq!(world.statuses(), (1, 1));
    assert!(world.log.state().chat().turns.is_empty());
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, TurnEnd::Truncated);
}

#[test]
fn only_what_failed_resumably_and_is_last_is_resumed_and_only_if_taken_up() {
    let (mut world, opening) = World::asked();
    let resume = ProposalKind::ResumeTurn { turn: turn("t1") };
    let not = refused(Refusal::Caller(BadCall::NotResumable { turn: turn("t1") }));
    assert_eq!(world.propose("ana", resume.clone()), not);
    world.fail(true).unwrap();
    assert_eq!(world.statuses(), (2, 2));
    world.taken_up = false;
    let left = world.propose("ana", resume.clone());
    assert_eq!(
        left,
        refused(Refusal::Host(HostCannot::NotTakenUp { requests: vec!["r1".into()] }))
    );
    world.taken_up = true;
    assert_eq!(world.propose("ana", resume.clone()), Outcome::Granted);
    assert_eq!(world.statuses(), (24, 24));
    assert!(world.request(&opening).is_open());
    world.fail(false).unwrap();
    assert_eq!(world.propose("ana", resume), not);
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, TurnEnd::Failed);
}

#[test]
fn a_new_turn_ends_the_hope_of_a_resume_and_its_truncation_brings_it_back() {
    let (mut world, opening) = World::asked();
    world.fail(true).unwrap();
    let ended = |world: &World| matches!(world.request(&opening).status(), Status::Ended(_));
    world.start("t2");
    assert!(ended(&world));
    world.act(HostAction::CompleteTurn).unwrap();
    assert!(ended(&world));
    world.act(HostAction::Truncate { turn: Some(turn("t1")) }).unwrap();
    assert!(matches!(world.request(&opening).status(), Status::Suspended(_)));
    world.act(HostAction::ResumeTurn { turn: turn("t1") }).unwrap();
    assert!(world.request(&opening).is_open());
    assert_eq!(world.refolded().state(), world.log.state());
}

#[test]
fn messages_and_marks_are_as_ahp_says() {
    let mut world = World::with_members();
    let (chat, session) =
        (world.log.state().chat_uri().to_owned(), world.log.state().session_uri());
    let mut say = |channel: &str, action: &str| {
        let (channel, action) = (channel.to_owned(), action.to_owned());
        world.propose("ana", ProposalKind::Action { channel, action }).code().to_owned()
    };
    let queued = r#"{"type":"chat/pendingMessageSet","kind":"queued","id":"m1","message":{"text":"x","origin":{"kind":"user"}}}"#;
    let removed = r#"{"type":"chat/pendingMessageRemoved","kind":"queued","id":"m1"}"#;
    for (channel, action, expected) in [
        (&chat, queued, "granted"),
        (&chat, &queued.replace("user", "agent")[..], "origin-not-user"),
        (&chat, removed, "granted"),
        (&chat, removed, "no-effect"),
        (&chat, r#"{"type":"chat/isReadChanged","isRead":true}"#, "granted"),
        (&chat, r#"{"type":"chat/isArchivedChanged","isArchived":true}"#, "granted"),
        (&session, r#"{"type":"session/isReadChanged","isRead":true}"#, "granted"),
        (&session, r#"{"type":"session/titleChanged","title":"Trains"}"#, "granted"),
        (&session, r#"{"type":"chat/isReadChanged","isRead":true}"#, "no-effect"),
        (
            &"ahp-chat:/other".to_owned(),
            r#"{"type":"chat/isReadChanged","isRead":true}"#,
            "no-such-channel",
        ),
        (&chat, r#"{"type":"chat/turnCancelled","turnId":"t","duration":0}"#, "unsupported"),
        (
            &chat,
            r#"{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":false,"reason":"denied"}"#,
            "unsupported",
        ),
        (&chat, r#"{"type":"chat/delta","turnId":"t","partId":"p","content":"x"}"#, "host-only"),
        (&chat, r#"{"type":"chat/turnComplete","turnId":"t","duration":0}"#, "host-only"),
        (&chat, r#"{"type":"chat/inputRequested","request":{"id":"r"}}"#, "host-only"),
        (&chat, r#"{"type":"chat/brandNew"}"#, "malformed"),
        (&chat, "7", "malformed"),
        (&chat, "", "malformed"),
    ] {
        assert_eq!(say(channel, action), expected, "{action}");
    }
    // The marks stay through a turn, except "read", which a new turn clears as AHP says.
    assert_eq!(world.statuses(), (1 | 32 | 64, 1 | 32));
    world.start("t");
    assert_eq!(world.statuses(), (8 | 64, 8 | 32));
    assert_eq!(world.log.state().title(), "Trains");
    assert_eq!(world.log.state().chat().title, "Trains");
}

#[test]
fn roles_limit_what_is_proposed() {
    for (by, complete, others) in
        [("obi", "not-allowed", "not-allowed"), ("cy", "granted", "not-allowed")]
    {
        let (mut world, opening) = World::asked();
        let channel = world.log.state().chat_uri().to_owned();
        let action = r#"{"type":"chat/isReadChanged","isRead":true}"#.to_owned();
        for kind in [
            ProposalKind::StartTurn(start_turn("t2")),
            ProposalKind::CancelTurn { turn: turn("t1") },
            ProposalKind::Truncate { turn: None },
            ProposalKind::ResumeTurn { turn: turn("t1") },
            ProposalKind::Action { channel, action },
        ] {
            assert_eq!(world.propose(by, kind).code(), others);
        }
        assert_eq!(world.complete(by, opening, Decline).code(), complete);
    }
}

#[test]
fn a_proposal_of_a_later_release_is_answered_with_no() {
    let (mut world, _) = World::asked();
    let unknown = ProposalKind::Unknown { kind: 900, bytes: vec![1, 2, 3] };
    assert_eq!(world.propose("ana", unknown).code(), "unsupported");
    // A known kind with bytes that say nothing reads as unknown too.
    let broken = ProposalKind::Unknown { kind: 1, bytes: vec![1, 2, 3] };
    assert_eq!(world.propose("ana", broken).code(), "unsupported");
}
