//! Settling: completions, and the answers that they end with.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind::*};
use rejoinder_answers::{Completion, Form, Rules, Settlement, answer_to_json};
use rejoinder_identity::{PeerId, QuestionId, VersionVector};
use serde_json::{Value, json};

use crate::desk::*;

fn request() -> Value {
    json!({ "id": "r", "questions": [
        { "kind": "text", "id": "notes", "message": "", "min": 2 },
        { "kind": "integer", "id": "retries", "message": "", "required": true },
        { "kind": "boolean", "id": "sure", "message": "" },
    ]})
}

type Attached = BTreeMap<QuestionId, ChatInputAnswer>;

fn attach(answers: &[(&str, Value)]) -> Attached {
    answers.iter().map(|(question, json)| (id(question), answer(json.clone()))).collect()
}

fn number_answer(state: &str, number: i64) -> Value {
    json!({ "state": state, "value": { "kind": "number", "value": number } })
}

fn settle(
    host: &Peer,
    response: ahp_types::state::ChatInputResponseKind,
    proposer: &Peer,
    attached: &Attached,
    seen: &VersionVector,
) -> Settlement {
    let completion = Completion { response, attached, proposer: proposer.device, seen };
    host.document.settle_completion(&host.form, &completion)
}

fn final_answer(settlement: &Settlement, question: &str) -> (Value, Vec<PeerId>) {
    let answer = &settlement.answers[&id(question)];
    (answer_to_json(&answer.answer), answer.authors.clone())
}

#[test]
fn an_accept_needs_the_required_ones() {
    let [mut ana] = peers(&form(request()));
    let nothing = Attached::new();
    let missing =
        |ana: &Peer| settle(ana, Accept, ana, &nothing, ana.document.version_vector()).missing;
    assert_eq!(missing(&ana), [id("retries")]);
    ana.edit(draft("retries", number(1.0)));
    assert_eq!(missing(&ana), [id("retries")]);
    ana.edit(skip("retries"));
    assert_eq!(missing(&ana), [id("retries")]);
    ana.edit(submit("retries", number(1.0)));
    assert_eq!(missing(&ana), []);
    // An attached one will do.
    let [other] = peers(&form(request()));
    let attached = attach(&[("retries", number_answer("submitted", 4))]);
    let settlement = settle(&other, Accept, &ana, &attached, &VersionVector::new());
    assert_eq!((settlement.missing.len(), settlement.invalid.len()), (0, 0));
    let expected = (number_answer("submitted", 4), vec![ana.device]);
    assert_eq!(final_answer(&settlement, "retries"), expected);
}

/// The record carries them, a member's own edit keeps them, and the host refuses an accept by a
/// member who does not know them.
#[test]
fn rules_that_ahp_has_no_word_for_are_kept() {
    let rules = |json: Value| Rules::read(json.as_object().unwrap());
    let plain = form(request());
    let kept = plain.clone().keeping(BTreeMap::from([
        (id("notes"), rules(json!({"pattern": "^[a-z]+$"}))),
        (id("retries"), rules(json!({"multipleOf": 5}))),
        (id("no such question"), rules(json!({"pattern": "x"}))),
    ]));
    let raised = Form::raised(kept.request(), &kept.json());
    assert_eq!(raised, kept);
    let [mut ana] = peers(&raised);
    let why = ana.refused(submit("notes", text("ABC"))).to_string();
    assert!(why.contains("it does not match ^[a-z]+$"), "{why}");
    let why = ana.refused(submit("retries", number(7.0))).to_string();
    assert!(why.contains("not a multiple of 5"), "{why}");
    ana.edit(submit("notes", text("abc"))).edit(submit("retries", number(10.0)));
    let attached = attach(&[
        ("notes", json!({"state": "submitted", "value": {"kind": "text", "value": "ABC"}})),
        ("retries", number_answer("submitted", 7)),
    ]);
    let settlement = settle(&ana, Accept, &ana, &attached, &VersionVector::new());
    assert_eq!(settlement.invalid, [id("notes"), id("retries")]);
    let settlement = settle(&ana, Accept, &ana, &Attached::new(), &VersionVector::new());
    assert_eq!((settlement.missing.len(), settlement.invalid.len()), (0, 0));
    // Without any, the record is what it always was.
    assert_eq!(plain.json(), serde_json::to_string(plain.request()).unwrap());
}

#[test]
fn an_invalid_submitted_answer_is_named() {
    let [mut ana] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0)));
    let short = json!({ "state": "submitted", "value": { "kind": "text", "value": "x" } });
    let attached = attach(&[("notes", short)]);
    let version_vector = ana.document.version_vector().clone();
    assert_eq!(settle(&ana, Accept, &ana, &attached, &version_vector).invalid, [id("notes")]);
    // A decline leaves it out.
    let declined = settle(&ana, Decline, &ana, &attached, &version_vector);
    assert_eq!((declined.invalid.len(), declined.missing.len()), (0, 0));
    assert!(!declined.answers.contains_key(&id("notes")));
    assert!(declined.answers.contains_key(&id("retries")));
}

#[test]
fn an_attached_skip_displaces_no_submitted_answer_and_an_attached_draft_nothing_stronger() {
    let [mut ana] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0))).edit(skip("sure"));
    let yes = json!({ "state": "draft", "value": { "kind": "boolean", "value": true } });
    let attached = attach(&[("retries", json!({ "state": "skipped" })), ("sure", yes)]);
    let settlement = settle(&ana, Accept, &ana, &attached, &VersionVector::new());
    assert_eq!(final_answer(&settlement, "retries").0, number_answer("submitted", 1));
    assert_eq!(final_answer(&settlement, "sure").0, json!({ "state": "skipped" }));
    assert_eq!(settlement.displaced, []);
}

#[test]
fn what_the_proposer_had_not_seen_is_displaced() {
    let [mut ana, mut ben] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0)));
    let (seen, attached) = (
        ana.document.version_vector().clone(),
        attach(&[("retries", number_answer("submitted", 1))]),
    );
    // Ben saw it and submitted something else.
    ben.take(&ana).edit(submit("retries", number(2.0)));
    let settlement = settle(&ben, Accept, &ana, &attached, &seen);
    let expected = (number_answer("submitted", 1), vec![ana.device]);
    assert_eq!(final_answer(&settlement, "retries"), expected);
    let [displaced] = &settlement.displaced[..] else { panic!("{:?}", settlement.displaced) };
    assert_eq!(
        (&displaced.question, displaced.author, displaced.seq),
        (&id("retries"), ben.device, 1)
    );
    assert_eq!(displaced.actor, ben.writer().actor(&DOCUMENT));
    // Had she seen it, it would not be.
    let settlement = settle(&ben, Accept, &ana, &attached, ben.document.version_vector());
    assert_eq!(settlement.displaced, []);
    // Nor if it were the same value.
    ben.edit(submit("retries", number(1.0)));
    assert_eq!(settle(&ben, Accept, &ana, &attached, &seen).displaced, []);
}

#[test]
fn an_attached_answer_is_its_authors_and_not_the_proposers() {
    let [mut ana, mut ben, cleo] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0)));
    ben.take(&ana);
    let seen = ben.document.version_vector().clone();
    let attached = attach(&[("retries", number_answer("submitted", 1))]);
    let settlement = settle(&ben, Accept, &cleo, &attached, &seen);
    assert_eq!(final_answer(&settlement, "retries").1, [ana.device]);
    // Also when it was overwritten meanwhile: it is in the past that the proposer saw.
    ben.edit(submit("retries", number(2.0)));
    let settlement = settle(&ben, Accept, &cleo, &attached, &seen);
    assert_eq!(final_answer(&settlement, "retries").1, [ana.device]);
    // What nobody wrote is the proposer's.
    let attached = attach(&[("retries", number_answer("submitted", 7))]);
    let settlement = settle(&ben, Accept, &cleo, &attached, &seen);
    assert_eq!(final_answer(&settlement, "retries").1, [cleo.device]);
}

#[test]
fn what_fits_no_question_is_left_out() {
    let [mut ana] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0)));
    let attached = attach(&[
        ("nobody", number_answer("submitted", 1)),
        ("sure", json!({ "state": "draft", "value": { "kind": "text", "value": "x" } })),
    ]);
    let settlement = settle(&ana, Accept, &ana, &attached, ana.document.version_vector());
    assert_eq!(settlement.answers.keys().collect::<Vec<_>>(), [&id("retries")]);
    // A submitted one of the wrong kind can't be overlooked in an accept.
    let wrong = json!({ "state": "submitted", "value": { "kind": "text", "value": "x" } });
    let attached = attach(&[("sure", wrong)]);
    let settlement = settle(&ana, Accept, &ana, &attached, ana.document.version_vector());
    assert_eq!(settlement.invalid, [id("sure")]);
}

#[test]
fn the_end_of_a_turn_keeps_what_there_is() {
    let [mut ana] = peers(&form(request()));
    ana.edit(draft("notes", text("half a th"))).edit(submit("retries", number(1.0)));
    let settlement = ana.document.settle_end(&ana.form);
    assert_eq!(settlement.answers, ana.document.projection(&ana.form).answers);
    assert_eq!(settlement.version_vector, *ana.document.version_vector());
    assert_eq!((settlement.missing.len(), settlement.displaced.len()), (0, 0));
}

#[test]
fn late_words_are_told() {
    let [mut ana, mut ben] = peers(&form(request()));
    ana.edit(submit("retries", number(1.0)));
    let decided_on = ana.document.version_vector().clone();
    assert_eq!(ana.document.not_included(&ana.form, &decided_on), []);
    ben.edit(draft("notes", text("late")));
    ana.take(&ben);
    let late = ana.document.not_included(&ana.form, &decided_on);
    let [late] = &late[..] else { panic!("{late:?}") };
    assert_eq!((&late.question, late.author, late.seq), (&id("notes"), ben.device, 1));
    assert_eq!(answer_to_json(&late.answer)["value"]["value"], "late");
}

/// Found by the simulator's swarm of seed 15: of two numbers that were drafted too late, one was
/// told twice, the second time as the other's.
#[test]
fn late_drafts_of_one_number_are_each_told_as_their_authors() {
    let [mut ana, mut ben] = peers(&form(request()));
    let decided_on = ana.document.version_vector().clone();
    ana.edit(draft("retries", number(1.0)));
    ben.edit(draft("retries", number(2.0)));
    exchange(&mut [&mut ana, &mut ben]);
    let late = ana.document.not_included(&ana.form, &decided_on);
    let told: BTreeMap<PeerId, Value> = late
        .iter()
        .map(|late| (late.author, answer_to_json(&late.answer)["value"]["value"].clone()))
        .collect();
    assert_eq!(late.len(), 2);
    assert_eq!(told, BTreeMap::from([(ana.device, json!(1)), (ben.device, json!(2))]));
}
