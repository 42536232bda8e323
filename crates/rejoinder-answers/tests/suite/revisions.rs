//! A request that is raised again while it is open.

use std::collections::BTreeMap;

use rejoinder_answers::{
    AdmissionError, Document, EditRefused, Form, NotAdmitted, SkeletonRefused,
};
use rejoinder_identity::DocumentId;
use serde_json::{Value, json};

use crate::desk::*;

fn select(options: &[&str]) -> Value {
    let options: Vec<Value> = options.iter().map(|id| json!({ "id": id, "label": id })).collect();
    json!({ "kind": "multi-select", "id": "checks", "message": "", "options": options })
}

fn notes() -> Value {
    json!({ "kind": "text", "id": "notes", "message": "" })
}

fn request(questions: &[Value]) -> Form {
    form(json!({ "id": "r", "questions": questions }))
}

/// The next revision, in everybody's document.
fn raise(peers: &mut [&mut Peer], form: &Form) -> Vec<u8> {
    let skeleton = peers[0].document.skeleton(form, &BTreeMap::new()).unwrap();
    for peer in peers {
        assert_eq!(peer.document.skeleton(form, &BTreeMap::new()).unwrap(), skeleton);
        peer.document.admit_skeleton(&skeleton, HOST).unwrap();
        peer.form = form.clone();
    }
    skeleton
}

#[test]
fn drafts_outlive_questions_that_come_and_go() {
    let [mut ana, mut ben] = peers(&request(&[notes(), select(&["unit"])]));
    ana.edit(draft("notes", text("mine"))).edit(toggle("checks", "unit", true));
    // The notes go, an option comes, a question comes.
    let sure = json!({ "kind": "boolean", "id": "sure", "message": "" });
    raise(&mut [&mut ana, &mut ben], &request(&[select(&["unit", "docs"]), sure]));
    assert_eq!(ana.answer("notes"), Value::Null);
    assert_eq!(ana.answer("checks")["value"]["value"], json!(["unit"]));
    assert_eq!(ana.refused(skip("notes")), EditRefused::UnknownQuestion(id("notes")));
    ana.edit(toggle("checks", "docs", true)).edit(skip("sure"));
    exchange(&mut [&mut ana, &mut ben]);
    assert_eq!(ben.answer("checks")["value"]["value"], json!(["unit", "docs"]));
    // They come back with what was in them.
    raise(&mut [&mut ana, &mut ben], &request(&[notes()]));
    assert_eq!(ben.answer("notes")["value"]["value"], "mine");
}

#[test]
fn a_question_that_becomes_another_kind_keeps_its_draft_aside() {
    let number_question = json!({ "kind": "number", "id": "notes", "message": "" });
    let [mut ana, mut ben] = peers(&request(std::slice::from_ref(&number_question)));
    ana.edit(draft("notes", number(5.0)));
    ben.take(&ana);
    raise(&mut [&mut ana, &mut ben], &request(&[notes()]));
    // No empty text that nobody wrote.
    assert_eq!(ana.answer("notes"), Value::Null);
    let problem = &ana.projection()["problems"][0];
    assert_eq!(
        (&problem["question"], &problem["problem"]),
        (&json!("notes"), &json!("other-kind"))
    );
    assert!(problem["raw"].as_str().unwrap().contains('5'), "{problem}");
    ben.edit(draft("notes", text("five")));
    exchange(&mut [&mut ana, &mut ben]);
    assert_eq!(ana.answer("notes")["value"]["value"], "five");
    assert_eq!(ana.projection()["problems"], json!([]));
    // A submitted value of the kind it had is set aside as well.
    ana.edit(submit("notes", text("5")));
    raise(&mut [&mut ana], &request(&[number_question]));
    assert_eq!(ana.answer("notes"), Value::Null);
    assert!(ana.projection()["problems"][0]["raw"].as_str().unwrap().contains("\"5\""));
}

#[test]
fn an_edit_made_on_the_older_revision_counts_on_the_newer() {
    let [mut ana, mut ben] = peers(&request(&[notes()]));
    ben.edit(draft("notes", text("offline")));
    raise(&mut [&mut ana], &request(&[notes(), select(&["unit"])]));
    ana.edit(toggle("checks", "unit", true));
    ana.take(&ben);
    assert_eq!(ana.answer("notes")["value"]["value"], "offline");
    // And what depends on the newer waits for it.
    let waits = ben.clone().receive(&ana, &ana.written[0].change).unwrap_err();
    assert!(matches!(&waits, NotAdmitted::Missing(deps) if deps.len() == 1), "{waits:?}");
}

#[test]
fn a_removed_option_stays_chosen_and_is_named_as_invalid() {
    let single = |options: Value| {
        request(&[
            json!({ "kind": "single-select", "id": "env", "message": "", "options": options }),
        ])
    };
    let (prod, staging) =
        (json!({ "id": "prod", "label": "" }), json!({ "id": "staging", "label": "" }));
    let [mut ana] = peers(&single(json!([prod, staging])));
    ana.edit(submit("env", chosen("prod")));
    raise(&mut [&mut ana], &single(json!([staging])));
    assert_eq!(ana.answer("env")["value"]["value"], "prod");
    let attached = BTreeMap::new();
    let completion = rejoinder_answers::Completion {
        response: ahp_types::state::ChatInputResponseKind::Accept,
        attached: &attached,
        proposer: ana.device,
        seen: ana.document.version_vector(),
    };
    assert_eq!(ana.document.settle_completion(&ana.form, &completion).invalid, [id("env")]);
}

#[test]
fn skeletons_come_in_order_and_once() {
    let (first, second) = (request(&[notes()]), request(&[notes(), select(&["unit"])]));
    let mut document = Document::new(DOCUMENT);
    let one = document.skeleton(&first, &BTreeMap::new()).unwrap();
    document.admit_skeleton(&one, HOST).unwrap();
    document.admit_skeleton(&one, HOST).unwrap();
    let two = document.skeleton(&second, &BTreeMap::new()).unwrap();
    let mut other = Document::new(DOCUMENT);
    assert_eq!(other.admit_skeleton(&two, HOST), Err(AdmissionError::WrongActor));
    other.admit_skeleton(&one, HOST).unwrap();
    other.admit_skeleton(&two, HOST).unwrap();
    assert_eq!(other.revisions(), 2);
    // Another document's is not this one's.
    let foreign = Document::new(DocumentId([9; 32])).skeleton(&first, &BTreeMap::new()).unwrap();
    assert_eq!(
        Document::new(DOCUMENT).admit_skeleton(&foreign, HOST),
        Err(AdmissionError::WrongActor)
    );
    // A revision that only changes words has one too.
    let three = other.skeleton(&first, &BTreeMap::new()).unwrap();
    other.admit_skeleton(&three, HOST).unwrap();
    let four = other.skeleton(&first, &BTreeMap::new()).unwrap();
    assert_ne!(three, four);
    other.admit_skeleton(&four, HOST).unwrap();
    assert!(other.version_vector().is_empty());
}

#[test]
fn answers_that_the_request_came_with_are_the_hosts() {
    let form = form(every_kind());
    let answers: BTreeMap<_, _> = [
        ("notes", json!({ "state": "draft", "value": { "kind": "text", "value": "hi 😀" } })),
        ("retries", json!({ "state": "submitted", "value": { "kind": "number", "value": 3 } })),
        ("env", json!({ "state": "draft", "value": { "kind": "selected", "value": "prod" } })),
        (
            "checks",
            json!({ "state": "draft", "value": { "kind": "selected-many",
            "value": ["docs"], "freeformValues": ["lint"] } }),
        ),
        ("sure", json!({ "state": "skipped", "freeformValues": ["maybe"] })),
    ]
    .into_iter()
    .map(|(question, json)| (id(question), answer(json)))
    .collect();
    let skeleton = Document::new(DOCUMENT).skeleton(&form, &answers).unwrap();
    let [mut ana] = peers(&form);
    ana.document = Document::new(DOCUMENT);
    ana.document.admit_skeleton(&skeleton, HOST).unwrap();
    for (question, answer) in &answers {
        let expected = rejoinder_answers::answer_to_json(answer);
        assert_eq!(ana.answer(question.as_str()), expected);
        assert_eq!(ana.authors(question.as_str()), [HOST]);
    }
    ana.edit(typing("notes", 4, 0, "!"));
    assert_eq!(ana.answer("notes")["value"]["value"], "hi 😀!");
    assert_eq!(ana.authors("notes"), [ana.device]);
    // Only the first revision can, and only what fits.
    assert_eq!(ana.document.skeleton(&form, &answers), Err(SkeletonRefused::AnswersOnRevision(2)));
    let wrong = BTreeMap::from([(id("notes"), answers[&id("retries")].clone())]);
    assert_eq!(
        Document::new(DOCUMENT).skeleton(&form, &wrong),
        Err(SkeletonRefused::BadAnswer(id("notes")))
    );
}
