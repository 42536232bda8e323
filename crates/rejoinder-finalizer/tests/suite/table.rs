//! The table of decisions, row by row.

use ahp_types::state::ChatInputResponseKind::{Accept, Cancel, Decline};
use rejoinder_finalizer::{HostAction, How, ProposalKind, Refusal, StartTurn, Status};

use crate::world::{Outcome, REQUEST, World, completion, key, start_turn, text, turn};

fn refused(refusal: Refusal) -> Outcome {
    Outcome::Refused(refusal)
}

#[test]
fn an_accept_needs_the_required_answers_and_names_what_is_missing() {
    let (mut world, opening) = World::asked();
    let missing = refused(Refusal::RequiredUnanswered { questions: vec!["env".into()] });
    assert_eq!(world.complete("ana", opening, Accept), missing);
    assert!(world.request(&opening).is_open());
    let by = key("ben").public();
    world.documents.answer(opening, "env", text("draft", "pro"), by);
    assert_eq!(world.complete("ana", opening, Accept), missing);
    world.documents.answer(opening, "env", text("submitted", "prod"), by);
    assert_eq!(world.complete("ana", opening, Accept), Outcome::Granted);
    assert_eq!(world.statuses(), (8, 8));
}

#[test]
fn an_accept_with_an_invalid_answer_is_refused_and_names_it() {
    let (mut world, opening) = World::asked();
    let by = key("ben").public();
    world.documents.answer(opening, "env", text("submitted", "prod"), by);
    world.documents.invalid = vec!["notes".into()];
    let invalid = refused(Refusal::Invalid { questions: vec!["notes".into()] });
    assert_eq!(world.complete("ana", opening, Accept), invalid);
    assert_eq!(world.complete("ana", opening, Decline), Outcome::Granted);
}

#[test]
fn the_second_is_told_who_decided_what() {
    let (mut world, opening) = World::asked();
    assert_eq!(world.complete("ben", opening, Decline), Outcome::Granted);
    let second = world.complete("ana", opening, Accept);
    let Outcome::Refused(Refusal::AlreadyDecided { by, response, decision }) = &second else {
        panic!("{second:?}");
    };
    let Status::Decided(made) = world.request(&opening).status() else { panic!() };
    assert_eq!((*by, *response, *decision), (key("ben").public(), Decline, made.record));
}

#[test]
fn a_decided_part_shows_exactly_what_is_embedded() {
    let (mut world, opening) = World::asked();
    let by = key("ben").public();
    world.documents.answer(opening, "env", text("submitted", "prod"), by);
    world.documents.answer(opening, "notes", text("draft", "hm"), by);
    let carried = [("env", text("submitted", "test"))];
    let granted = world.propose("ana", completion(opening, Accept, &carried));
    assert_eq!(granted, Outcome::Granted);
    // Whatever is written later.
    world.documents.answer(opening, "notes", text("submitted", "late"), by);
    world.act(HostAction::CompleteTurn).unwrap();
    let chat = serde_json::to_value(world.log.state().chat()).unwrap();
    let part = &chat["turns"][1]["responseParts"][0];
    assert_eq!(part["response"], "accept");
    assert_eq!(part["request"]["answers"]["env"]["value"]["value"], "test");
    assert_eq!(part["request"]["answers"]["notes"]["state"], "draft");
    let Status::Decided(decision) = world.request(&opening).status() else { panic!() };
    assert_eq!(decision.embedded.answers["env"].authors, [key("ana").public()]);
    assert_eq!(decision.embedded.frontier.len(), 1);
    assert_eq!(decision.displaced, []);
}

#[test]
fn a_strict_request_refuses_to_displace_what_was_not_seen() {
    for strict in [false, true] {
        let (mut world, first) = World::asked();
        let opening = world.raise(REQUEST, strict);
        assert_eq!(opening, first, "the next revision of the same request");
        let by = key("ben").public();
        let carried = [("env", text("submitted", "test"))];
        let mut kind = completion(opening, Accept, &carried);
        let ProposalKind::Complete(complete) = &mut kind else { panic!() };
        complete.revision = 2;
        let proposal = world.proposal("ana", kind);
        world.documents.answer(opening, "env", text("submitted", "prod"), by);
        let outcome = world.decide(&proposal);
        if strict {
            assert_eq!(outcome, refused(Refusal::Stale { questions: vec!["env".into()] }));
        } else {
            assert_eq!(outcome, Outcome::Granted);
            let Status::Decided(decision) = world.request(&opening).status() else { panic!() };
            assert_eq!(decision.displaced.len(), 1);
            assert_eq!(decision.displaced[0].author, by);
        }
    }
}

#[test]
fn a_completion_of_another_revision_is_refused() {
    let (mut world, opening) = World::asked();
    world.raise(REQUEST, false);
    let changed = refused(Refusal::RequestChanged { revision: 2 });
    assert_eq!(world.complete("ana", opening, Decline), changed);
}

#[test]
fn nothing_is_open_that_nobody_opened_or_that_ended() {
    let (mut world, opening) = World::asked();
    let nowhere = rejoinder_identity::OpeningId([7; 32]);
    let unknown = refused(Refusal::NoOpenRequest { ended: None });
    assert_eq!(world.complete("ana", nowhere, Cancel), unknown);
    world.act(HostAction::Expire { opening }).unwrap();
    let expired = refused(Refusal::NoOpenRequest { ended: Some(How::Expired) });
    assert_eq!(world.complete("ana", opening, Accept), expired);
}

#[test]
fn one_turn_at_a_time_and_a_repeated_start_wipes_nothing() {
    let (mut world, opening) = World::asked();
    let again = world.propose("ana", ProposalKind::StartTurn(start_turn("t1")));
    assert_eq!(again, refused(Refusal::AlreadyStarted { turn: turn("t1") }));
    let finished = world.propose("ana", ProposalKind::StartTurn(start_turn("t0")));
    assert_eq!(finished, refused(Refusal::AlreadyStarted { turn: turn("t0") }));
    let other = world.propose("ana", ProposalKind::StartTurn(start_turn("t2")));
    assert_eq!(other, refused(Refusal::TurnActive { turn: turn("t1") }));
    assert!(world.request(&opening).is_open());
    assert_eq!(world.statuses(), (24, 24));
    world.act(HostAction::CompleteTurn).unwrap();
    let mut start = start_turn("t2");
    start.message = r#"{"text":"I go on","origin":{"kind":"agent"}}"#.into();
    let agent = world.propose("ana", ProposalKind::StartTurn(start));
    assert_eq!(agent, refused(Refusal::OriginNotUser));
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
    assert_eq!(other, refused(Refusal::OtherTurn { active: turn("t1") }));
    let cancel = ProposalKind::CancelTurn { turn: turn("t1") };
    assert_eq!(world.propose("ana", cancel.clone()), Outcome::Granted);
    assert_eq!(world.propose("ana", cancel), refused(Refusal::NoActiveTurn));
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, How::Cancelled);
}

#[test]
fn a_truncation_needs_a_finished_turn() {
    let (mut world, opening) = World::asked();
    let truncate = |id: &str| ProposalKind::Truncate { turn: Some(turn(id)) };
    let active = world.propose("ana", truncate("t1"));
    assert_eq!(active, refused(Refusal::TurnActive { turn: turn("t1") }));
    let unknown = world.propose("ana", truncate("t9"));
    assert_eq!(unknown, refused(Refusal::NoSuchTurn { turn: turn("t9") }));
    assert!(world.request(&opening).is_open());
    let all = world.propose("ana", ProposalKind::Truncate { turn: None });
    assert_eq!(all, Outcome::Granted);
    assert_eq!(world.statuses(), (1, 1));
    assert!(world.log.state().chat().turns.is_empty());
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, How::Truncated);
}

#[test]
fn only_what_failed_resumably_and_is_last_is_resumed_and_only_if_taken_up() {
    let (mut world, opening) = World::asked();
    let resume = ProposalKind::ResumeTurn { turn: turn("t1") };
    let not = refused(Refusal::NotResumable { turn: turn("t1") });
    assert_eq!(world.propose("ana", resume.clone()), not);
    world.fail(true).unwrap();
    assert_eq!(world.statuses(), (2, 2));
    world.taken_up = false;
    let left = world.propose("ana", resume.clone());
    assert_eq!(left, refused(Refusal::NotTakenUp { requests: vec!["r1".into()] }));
    world.taken_up = true;
    assert_eq!(world.propose("ana", resume.clone()), Outcome::Granted);
    assert_eq!(world.statuses(), (24, 24));
    assert!(world.request(&opening).is_open());
    world.fail(false).unwrap();
    assert_eq!(world.propose("ana", resume), not);
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert_eq!(ended.how, How::Failed);
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
    // The marks stay through a turn, but for "read", which a new turn clears as AHP says.
    assert_eq!(world.statuses(), (1 | 32 | 64, 1 | 32));
    world.start("t");
    assert_eq!(world.statuses(), (8 | 64, 8 | 32));
    assert_eq!(world.log.state().title(), "Trains");
    assert_eq!(world.log.state().chat().title, "Trains");
}

#[test]
fn roles_limit_what_is_wished() {
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
fn a_stranger_is_not_answered() {
    let (mut world, opening) = World::asked();
    let before = world.log.position();
    let stranger = world.complete("eve", opening, Decline);
    assert_eq!(stranger, Outcome::Stranger(key("eve").public()));
    assert_eq!(world.log.position(), before);
}

#[test]
fn a_wish_of_a_later_release_is_answered_with_no() {
    let (mut world, _) = World::asked();
    let unknown = ProposalKind::Unknown { kind: 900, bytes: vec![1, 2, 3] };
    assert_eq!(world.propose("ana", unknown).code(), "unsupported");
    // A known kind with bytes that say nothing reads as unknown too.
    let broken = ProposalKind::Unknown { kind: 1, bytes: vec![1, 2, 3] };
    assert_eq!(world.propose("ana", broken).code(), "unsupported");
}

#[test]
fn the_same_proposal_is_never_answered_twice() {
    let (mut world, opening) = World::asked();
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    assert_eq!(world.decide(&decline), Outcome::Granted);
    let position = world.log.position();
    assert_eq!(world.decide(&decline), Outcome::Answered);
    assert_eq!(world.log.position(), position);
}

#[test]
fn reasons_have_stable_codes_and_name_the_question() {
    let refusal = Refusal::RequiredUnanswered { questions: vec!["env".into(), "a.b".into()] };
    assert_eq!(refusal.code(), "required-unanswered");
    assert_eq!(refusal.questions().len(), 2);
    assert_eq!(
        refusal.to_string(),
        r#"no submitted answer to the required questions "env", "a.b""#
    );
    let refusal = Refusal::TooLarge { question: "notes".into() };
    assert!(refusal.to_string().contains(r#""notes""#), "{refusal}");
}
