//! The table of decisions: completions.

use ahp_types::state::ChatInputResponseKind::{Accept, Cancel, Decline};
use rejoinder_finalizer::{
    Checked, HostAction, NotInOrder, Proposal, ProposalKind, Refusal, Status, TurnEnd,
    refusal::{BadAnswers, Over},
};
use rejoinder_identity::{Verified, WorkspaceId};

use crate::world::{Outcome, REQUEST, World, completion, key, text};

fn refused(refusal: Refusal) -> Outcome {
    Outcome::Refused(refusal)
}

#[test]
fn an_accept_needs_the_required_answers_and_names_what_is_missing() {
    let (mut world, opening) = World::asked();
    let missing = refused(Refusal::Answerer(BadAnswers::RequiredUnanswered {
        questions: vec!["env".into()],
    }));
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
    let invalid =
        refused(Refusal::Answerer(BadAnswers::Invalid { questions: vec!["notes".into()] }));
    assert_eq!(world.complete("ana", opening, Accept), invalid);
    assert_eq!(world.complete("ana", opening, Decline), Outcome::Granted);
}

#[test]
fn the_second_is_told_who_decided_what() {
    let (mut world, opening) = World::asked();
    assert_eq!(world.complete("ben", opening, Decline), Outcome::Granted);
    let second = world.complete("ana", opening, Accept);
    let Outcome::Refused(Refusal::Nobody(Over::AlreadyDecided { by, response, decision })) =
        &second
    else {
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
    let attached = [("env", text("submitted", "test"))];
    let granted = world.propose("ana", completion(opening, Accept, &attached));
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
    assert_eq!(decision.embedded.version_vector.len(), 1);
    assert_eq!(decision.displaced, []);
}

#[test]
fn a_strict_request_refuses_to_displace_what_was_not_seen() {
    for strict in [false, true] {
        let (mut world, first) = World::asked();
        let opening = world.raise(REQUEST, strict);
        assert_eq!(opening, first, "the next revision of the same request");
        let by = key("ben").public();
        let attached = [("env", text("submitted", "test"))];
        let mut kind = completion(opening, Accept, &attached);
        let ProposalKind::Complete(complete) = &mut kind else { panic!() };
        complete.revision = 2;
        let proposal = world.proposal("ana", kind);
        world.documents.answer(opening, "env", text("submitted", "prod"), by);
        let outcome = world.decide(&proposal);
        if strict {
            assert_eq!(
                outcome,
                refused(Refusal::Answerer(BadAnswers::Stale { questions: vec!["env".into()] }))
            );
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
    let changed = refused(Refusal::Answerer(BadAnswers::RequestChanged { revision: 2 }));
    assert_eq!(world.complete("ana", opening, Decline), changed);
}

#[test]
fn nothing_is_open_that_nobody_opened_or_that_ended() {
    let (mut world, opening) = World::asked();
    let nowhere = rejoinder_identity::OpeningId([7; 32]);
    let unknown = refused(Refusal::Nobody(Over::NoOpenRequest { ended: None }));
    assert_eq!(world.complete("ana", nowhere, Cancel), unknown);
    world.act(HostAction::Expire { opening }).unwrap();
    let expired = refused(Refusal::Nobody(Over::NoOpenRequest { ended: Some(TurnEnd::Expired) }));
    assert_eq!(world.complete("ana", opening, Accept), expired);
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
    let refusal = Refusal::Answerer(BadAnswers::RequiredUnanswered {
        questions: vec!["env".into(), "a.b".into()],
    });
    assert_eq!(refusal.code(), "required-unanswered");
    assert_eq!(refusal.questions().len(), 2);
    assert_eq!(
        refusal.to_string(),
        r#"no submitted answer to the required questions "env", "a.b""#
    );
    let refusal = Refusal::Answerer(BadAnswers::TooLarge { question: "notes".into() });
    assert!(refusal.to_string().contains(r#""notes""#), "{refusal}");
}

#[test]
fn nobody_proposes_in_anothers_name_or_to_another_workspace() {
    let (mut world, opening) = World::asked();
    let proposal = world.proposal("ana", completion(opening, Decline, &[]));
    let forged = Verified::sign(&key("ben"), proposal.value().clone());
    let error = Checked::<Proposal>::read(forged.bytes(), &world.log.workspace()).unwrap_err();
    assert_eq!(error, NotInOrder::NotTheAuthor { signer: key("ben").public() });
    let elsewhere = WorkspaceId([1; 32]);
    let error = Checked::<Proposal>::read(proposal.bytes(), &elsewhere).unwrap_err();
    assert_eq!(error, NotInOrder::Elsewhere { workspace: world.log.workspace() });
}
