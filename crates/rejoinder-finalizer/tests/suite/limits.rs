//! Every limit at n and at n + 1.

use ahp_types::state::ChatInputResponseKind::{Accept, Decline};
use rejoinder_finalizer::{
    Body, Checked, HostAction, Join, Log, LogError, NotInOrder, Proposal, ProposalKind, Record,
    Refusal, Status, limits,
    refusal::{BadAnswers, HostCannot},
};
use rejoinder_identity::{Nonce, Verified};

use crate::world::{Outcome, REQUEST, World, completion, key, text, turn};

/// A record of the host, its frame exactly `size` bytes: `body` is given some padding.
fn sized(log: &Log, size: usize, body: impl Fn(String) -> Body) -> Verified<Record> {
    let position = log.position();
    let make = |padding: usize| {
        let record = Record {
            workspace: log.workspace(),
            epoch: position.epoch,
            seq: position.length,
            prev: position.head,
            at: Default::default(),
            body: body("x".repeat(padding)),
        };
        Verified::sign(&key("host"), record)
    };
    let guess = make(size / 2).bytes().len() - size / 2;
    // Lengths of lengths differ by a byte or two.
    (size - guess - 8..size)
        .map(make)
        .find(|record| record.bytes().len() >= size)
        .filter(|record| record.bytes().len() == size)
        .unwrap()
}

#[test]
fn records() {
    let (world, opening) = World::asked();
    let plain = |padding: String| {
        Body::Published(rejoinder_finalizer::Published {
            channel: padding,
            action: "{}".into(),
            origin: None,
            grants: None,
        })
    };
    let ended = |padding: String| {
        Body::TurnEnded(rejoinder_finalizer::TurnEnded {
            channel: padding,
            action: "{}".into(),
            how: rejoinder_finalizer::TurnEnd::Completed,
            requests: Vec::new(),
            origin: None,
            grants: None,
        })
    };
    let decided = |padding: String| {
        Body::Decided(rejoinder_finalizer::Decided {
            opening,
            revision: 1,
            response: Decline,
            by: key("ana").public(),
            proposal: rejoinder_identity::ProposalId([1; 32]),
            embedded: rejoinder_finalizer::Embedded {
                left_out: vec![padding.into()],
                ..Default::default()
            },
            displaced: Vec::new(),
        })
    };
    let check = |limit: usize, body: &dyn Fn(String) -> Body| {
        let fits = sized(&world.log, limit, body);
        assert!(world.log.check(fits.bytes()).is_ok());
        let over = sized(&world.log, limit + 1, body);
        let error = world.log.check(over.bytes()).unwrap_err();
        assert_eq!(error, LogError::TooLarge { size: limit + 1, limit });
    };
    assert_eq!((limits::RECORD, limits::LARGE_RECORD), (256 * 1024, 2048 * 1024));
    check(limits::RECORD, &plain);
    check(limits::LARGE_RECORD, &ended);
    check(limits::LARGE_RECORD, &decided);
}

#[test]
fn proposals() {
    let mut world = World::with_members();
    let mut size_of = |message: usize| {
        let kind = ProposalKind::Action { channel: String::new(), action: "x".repeat(message) };
        world.proposal("ana", kind).bytes().len()
    };
    let beside = size_of(limits::PROPOSAL / 2) - limits::PROPOSAL / 2;
    let workspace = world.log.workspace();
    let make = |message: usize| {
        let proposal = Proposal {
            workspace,
            author: key("ana").public(),
            nonce: Nonce([1; 16]),
            seen: rejoinder_finalizer::Seen {
                log: rejoinder_identity::RecordId::NONE,
                version_vector: Default::default(),
            },
            kind: ProposalKind::Action { channel: String::new(), action: "x".repeat(message) },
        };
        (
            Checked::<Proposal>::sign(&key("ana"), proposal.clone()),
            Verified::sign(&key("ana"), proposal),
        )
    };
    let (fits, _) = make(limits::PROPOSAL - beside);
    assert_eq!(fits.as_ref().unwrap().bytes().len(), limits::PROPOSAL);
    assert!(Checked::<Proposal>::read(fits.unwrap().bytes(), &workspace).is_ok());
    let (over, forged) = make(limits::PROPOSAL - beside + 1);
    let error = NotInOrder::TooLarge { size: limits::PROPOSAL + 1, limit: limits::PROPOSAL };
    assert_eq!(over.unwrap_err(), error);
    assert_eq!(Checked::<Proposal>::read(forged.bytes(), &workspace).unwrap_err(), error);
}

#[test]
fn joins_and_names() {
    let workspace = World::empty().log.workspace();
    let sign = |name: &str| {
        let nonce = Nonce([1; 16]);
        Checked::<Join>::sign(&key("ana"), &key("invite"), workspace, name, nonce)
    };
    let fits = sign(&"n".repeat(limits::NAME)).unwrap();
    assert!(fits.bytes().len() <= limits::JOIN);
    assert!(Checked::<Join>::read(fits.bytes(), &workspace).is_ok());
    let over = NotInOrder::TooLarge { size: limits::NAME + 1, limit: limits::NAME };
    assert_eq!(sign(&"n".repeat(limits::NAME + 1)).unwrap_err(), over);
    let error = Checked::<Join>::read(&[0; limits::JOIN + 1], &workspace).unwrap_err();
    assert_eq!(error, NotInOrder::TooLarge { size: limits::JOIN + 1, limit: limits::JOIN });
    let error = Checked::<Join>::read(&[0; limits::JOIN], &workspace).unwrap_err();
    assert!(matches!(error, NotInOrder::Signature(_)));
}

#[test]
fn open_requests() {
    let mut world = World::with_members();
    world.start("t1");
    let named = |number: usize| format!(r#"{{"id":"r{number}","message":"m"}}"#);
    for number in 0..limits::OPEN_REQUESTS {
        world.raise(&named(number), false);
    }
    let over = world.try_raise(&named(limits::OPEN_REQUESTS), false).unwrap_err();
    assert_eq!(over, Refusal::Host(HostCannot::TooManyOpen { limit: 64 }));
    // A revision is none more.
    world.try_raise(&named(0), true).unwrap();
}

#[test]
fn what_a_host_says_must_fit_in_a_record() {
    let mut world = World::empty();
    let title = HostAction::SetTitle { title: "x".repeat(limits::RECORD) };
    assert_eq!(world.act(title).unwrap_err().code(), "record-too-large");
    world.start("t1");
    let request = REQUEST.replace("Deploy?", &"x".repeat(limits::RECORD));
    assert_eq!(world.try_raise(&request, false).unwrap_err().code(), "record-too-large");
    assert_eq!(world.log.state().active_turn(), Some(turn("t1")));
}

#[test]
fn a_proposal_too_large_to_grant_or_to_explain_is_answered_all_the_same() {
    let mut world = World::with_members();
    let huge = "x".repeat(limits::RECORD);
    let truncate = ProposalKind::Truncate { turn: Some(huge.as_str().into()) };
    assert_eq!(world.propose("ana", truncate).code(), "record-too-large");
    let mut start = crate::world::start_turn("t");
    start.message = format!(r#"{{"text":"{huge}","origin":{{"kind":"user"}}}}"#);
    assert_eq!(world.propose("ana", ProposalKind::StartTurn(start)).code(), "record-too-large");
}

#[test]
fn answers_that_are_too_large_together_refuse_an_accept_and_name_the_largest() {
    let (mut world, opening) = World::asked();
    let by = key("ben").public();
    world.documents.answer(opening, "env", text("submitted", "prod"), by);
    world.documents.answer(opening, "notes", text("draft", &"n".repeat(limits::LARGE_RECORD)), by);
    let refused = Refusal::Answerer(BadAnswers::TooLarge { question: "notes".into() });
    assert_eq!(world.complete("ana", opening, Accept), Outcome::Refused(refused));
    // A decline is never refused for content: what does not fit is left out, and said.
    assert_eq!(world.complete("ana", opening, Decline), Outcome::Granted);
    let Status::Decided(decision) = world.request(&opening).status() else { panic!() };
    assert_eq!(decision.embedded.left_out, ["notes".into()]);
    assert_eq!(decision.embedded.answers.len(), 1);
}

#[test]
fn a_turn_always_ends_whatever_people_wrote() {
    let (mut world, first) = World::asked();
    let second = world.raise(r#"{"id":"r2","message":"m"}"#, false);
    let by = key("ben").public();
    for opening in [first, second] {
        for question in ["a", "b", "c"] {
            let answer = text("draft", &question.repeat(limits::LARGE_RECORD / 5));
            world.documents.answer(opening, question, answer, by);
        }
    }
    world.act(HostAction::CancelTurn).unwrap();
    let kept: usize = [first, second]
        .iter()
        .map(|opening| match world.request(opening).status() {
            Status::Ended(ended) => {
                assert_eq!(ended.embedded.answers.len() + ended.embedded.left_out.len(), 3);
                ended.embedded.answers.len()
            }
            other => panic!("{other:?}"),
        })
        .sum();
    assert_eq!(kept, 4);
}

#[test]
fn a_turn_ends_even_if_somebody_wrote_as_fifty_thousand_actors() {
    let (mut world, opening) = World::asked();
    let decline = world.proposal("ana", completion(opening, Decline, &[]));
    world.documents.answer_as(opening, 50_000);
    assert_eq!(world.decide(&decline), Outcome::Granted);
    let (mut world, opening) = World::asked();
    world.documents.answer_as(opening, 50_000);
    world.act(HostAction::CancelTurn).unwrap();
    let Status::Ended(ended) = world.request(&opening).status() else { panic!() };
    assert!(ended.embedded.version_vector.is_empty());
}
