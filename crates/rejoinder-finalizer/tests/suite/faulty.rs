//! A host that signs what no finalizer writes: peers fold it alike, and without harm.

use ahp_types::state::ChatInputResponseKind::Decline;
use rejoinder_finalizer::{Body, Log, MemberAdded, Refusal, Refused, Ruling, refusal::BadCall};
use rejoinder_identity::Role;

use crate::{
    log::forge,
    world::{Outcome, REQUEST, World, completion, key},
};

fn append(log: &mut Log, body: Body) {
    let record = forge(log, &key("host"), |record| record.body = body);
    log.append(log.check(record.bytes()).unwrap()).unwrap();
}

#[test]
fn the_first_answer_to_a_proposal_is_the_answer() {
    let (mut world, opening) = World::asked();
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    assert_eq!(world.decide(&decline), Outcome::Granted);
    let proposal = decline.proposal_id();
    let before = world.log.state().answered(&proposal).cloned();
    let author = key("ana").public();
    let again =
        Body::Refused(Refused { proposal, author, reason: Refusal::Caller(BadCall::NoActiveTurn) });
    append(&mut world.log, again);
    assert_eq!(world.log.state().answered(&proposal).cloned(), before);
    assert_eq!(before.unwrap().ruling, Ruling::Decided(opening));
}

#[test]
fn a_member_takes_one_seat() {
    let mut world = World::empty();
    let invite = key("invite");
    world.invite(&invite, 3, Role::Answerer);
    for number in 1..3 {
        let added = MemberAdded {
            device: key("ana").public(),
            name: "Ana".into(),
            role: Role::Answerer,
            invite: Some(invite.public()),
            join: rejoinder_identity::ProposalId([number; 32]),
        };
        append(&mut world.log, Body::MemberAdded(added));
    }
    assert_eq!(world.log.state().invites()[&invite.public()].taken, 1);
}

#[test]
fn a_request_is_decided_once() {
    let (mut world, opening) = World::asked();
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    assert_eq!(world.decide(&decline), Outcome::Granted);
    let seq = world.log.position().length - 1;
    let Body::Decided(mut second) = world.log.record(seq).unwrap().value().body.clone() else {
        panic!();
    };
    second.by = key("ben").public();
    second.proposal = rejoinder_identity::ProposalId([1; 32]);
    let before = world.request(&opening).clone();
    append(&mut world.log, Body::Decided(second));
    assert_eq!(world.request(&opening), &before);
}

#[test]
fn records_that_make_no_sense_where_they_stand_change_nothing() {
    let (world, opening) = World::asked();
    let published = |action: &str| {
        Body::Published(rejoinder_finalizer::Published {
            channel: world.log.state().chat_uri().to_owned(),
            action: action.to_owned(),
            origin: None,
            grants: None,
        })
    };
    let never = r#"{"type":"chat/turnStarted","turnId":"t9","startedAt":"never","message":{"text":"x","origin":{"kind":"user"}}}"#;
    let raised = |opening, request: &str| {
        Body::Raised(rejoinder_finalizer::Raised {
            opening,
            request: request.to_owned(),
            skeleton: Vec::new(),
            strict: false,
        })
    };
    for body in [
        published(never),
        published("nonsense"),
        published(r#"{"type":"chat/truncated"}"#),
        published(r#"{"type":"chat/inputCompleted","requestId":"r1","response":"accept"}"#),
        published(
            r#"{"type":"chat/responsePart","turnId":"t1","part":{"kind":"inputRequest","request":{"id":"x"}}}"#,
        ),
        raised(None, REQUEST),
        raised(None, "nonsense"),
        raised(Some(opening), &REQUEST.replace("r1", "r2")),
        raised(Some(rejoinder_identity::OpeningId([3; 32])), REQUEST),
    ] {
        let mut log = world.log.clone();
        append(&mut log, body.clone());
        assert_eq!(log.state(), world.log.state(), "{body:?}");
    }
}

#[test]
fn a_start_that_could_never_end_is_none() {
    let mut world = World::with_members();
    let before = world.log.state().clone();
    let never = r#"{"type":"chat/turnStarted","turnId":"t9","startedAt":"never","message":{"text":"x","origin":{"kind":"user"}}}"#;
    let published = rejoinder_finalizer::Published {
        channel: world.log.state().chat_uri().to_owned(),
        action: never.to_owned(),
        origin: None,
        grants: None,
    };
    append(&mut world.log, Body::Published(published));
    assert_eq!(world.log.state(), &before);
}
