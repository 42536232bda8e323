//! Each limit at n, where it works, and at n + 1, where it is refused and nothing is lost.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswerValue, ChatInputResponseKind};
use rejoinder_answers::{
    AdmissionError, Document, EditRefused, NotAdmitted, SkeletonRefused, limits,
};
use serde_json::{Value, json};

use crate::desk::*;

#[test]
fn a_text_of_32_kib_works_and_one_byte_more_does_not() {
    let full = "x".repeat(limits::TEXT);
    let over = "x".repeat(limits::TEXT + 1);
    let [mut ana, mut ben] = peers(&form(every_kind()));
    let too_long = EditRefused::TextTooLong { question: id("notes"), bytes: limits::TEXT + 1 };

    ana.edit(draft("notes", text("before")));
    assert_eq!(ana.refused(draft("notes", text(&over))), too_long);
    assert_eq!(ana.refused(submit("notes", text(&over))), too_long);
    assert_eq!(ana.answer("notes")["value"]["value"], "before");

    let written = ana.try_edit(&draft("notes", text(&full))).unwrap();
    assert!(written.len() > 16, "a paste is split: {}", written.len());
    assert_eq!(ana.refused(typing("notes", 0, 0, "y")), too_long);
    ana.edit(typing("notes", 0, 1, "y")).edit(submit_draft("notes"));
    ben.take(&ana);
    assert_eq!(ben.answer("notes")["state"], "submitted");
    assert_eq!(ben.answer("notes")["value"]["value"].as_str().unwrap().len(), limits::TEXT);
}

#[test]
fn lengths_in_bytes_are_those_of_utf_8() {
    let [mut ana] = peers(&form(every_kind()));
    let full = "😀".repeat(limits::TEXT / 4);
    ana.edit(draft("notes", text(&full)));
    assert!(matches!(ana.refused(typing("notes", 0, 0, "y")), EditRefused::TextTooLong { .. }));
    ana.edit(typing("notes", 0, 1, "yyyy"));
}

#[test]
fn replacing_a_long_text_whole_is_split_and_whole() {
    let [mut ana, mut ben] = peers(&form(every_kind()));
    ana.edit(draft("notes", text(&"a".repeat(limits::TEXT))));
    let other = "b".repeat(limits::TEXT);
    ana.edit(submit("notes", text(&other))).edit(typing("notes", 3, 5, "c"));
    ben.take(&ana);
    let text = ben.answer("notes")["value"]["value"].as_str().unwrap().to_owned();
    assert!(text.starts_with("bbbcbb") && text.len() == limits::TEXT - 4);
    ben.edit(clear("notes"));
    assert_eq!(ben.answer("notes"), Value::Null);
}

#[test]
fn a_paste_of_as_many_operations_as_a_change_holds_is_one_change() {
    let [mut ana] = peers(&form(every_kind()));
    // The mark is one operation.
    let fits = "x".repeat(limits::OPERATIONS - 1);
    assert_eq!(ana.try_edit(&typing("notes", 0, 0, &fits)).unwrap().len(), 1);
    let more = "x".repeat(limits::OPERATIONS);
    assert!(ana.try_edit(&typing("notes", 0, 0, &more)).unwrap().len() > 1);
}

#[test]
fn two_texts_that_merge_to_a_longer_one_can_only_be_shortened() {
    let [mut ana, mut ben, mut cleo] = peers(&form(every_kind()));
    ana.edit(draft("notes", text(&"a".repeat(limits::TEXT))));
    ben.edit(draft("notes", text(&"b".repeat(limits::TEXT))));
    exchange(&mut [&mut ana, &mut ben, &mut cleo]);
    assert_eq!(cleo.answer("notes")["value"]["value"].as_str().unwrap().len(), 2 * limits::TEXT);
    assert!(matches!(cleo.refused(typing("notes", 0, 0, "c")), EditRefused::TextTooLong { .. }));
    assert!(matches!(cleo.refused(submit_draft("notes")), EditRefused::TextTooLong { .. }));
    cleo.edit(typing("notes", 0, 2, "c")).edit(typing("notes", 0, 1000, ""));
    ana.take(&cleo);
    cleo.edit(submit("notes", text("short")));
    ana.take(&cleo);
    assert_eq!(ana.answer("notes")["value"]["value"], "short");
}

/// An edit in several changes is let in change by change: first everything that goes, then
/// everything that comes would be a text that grows while it is too long.
#[test]
fn a_large_replacement_in_a_text_that_is_too_long_shortens_it_change_by_change() {
    let [mut ana, mut ben] = peers(&form(every_kind()));
    ana.edit(typing("notes", 0, 0, &"a".repeat(20_000)));
    ben.edit(typing("notes", 0, 0, &"b".repeat(20_000)));
    exchange(&mut [&mut ana, &mut ben]);
    ana.edit(typing("notes", 100, 3_000, &"y".repeat(1_500)));
    ben.take(&ana);
    assert_eq!(ben.answer("notes"), ana.answer("notes"));
    let text = ben.answer("notes")["value"]["value"].as_str().unwrap().to_owned();
    assert_eq!((text.len(), text.find('y'), text.rfind('y')), (38_500, Some(100), Some(1_599)));
    // 5,997 operations are three changes, each with one character less.
    let refused = ana.refused(typing("notes", 0, 3_000, &"z".repeat(2_998)));
    assert!(matches!(refused, EditRefused::TextTooLong { .. }), "{refused}");
    let written = ana.try_edit(&typing("notes", 0, 3_000, &"z".repeat(2_997))).unwrap();
    assert_eq!(written.len(), 3);
    ben.take(&ana);
    assert_eq!(ben.answer("notes"), ana.answer("notes"));
    // Of two bytes and of four: none stands where it would make a change longer.
    ana.edit(typing("notes", 0, 9_000, &"é😀".repeat(1_400)));
    ben.take(&ana);
    assert_eq!(ben.answer("notes"), ana.answer("notes"));
    // Whole, to one that is short enough.
    ana.edit(draft("notes", text_of("c", limits::TEXT)));
    ben.take(&ana);
    assert_eq!(ben.answer("notes"), ana.answer("notes"));
}

fn text_of(character: &str, count: usize) -> ChatInputAnswerValue {
    text(&character.repeat(count))
}

#[test]
fn answers_that_come_with_a_request_keep_the_limits_of_edits() {
    let form = form(every_kind());
    let own = |count: usize, length: usize| vec!["x".repeat(length); count];
    let with = |question: &str, state: &str, value: Value| {
        let answers = BTreeMap::from([(
            id(question),
            answer(json!({ "state": state, "value": value, "freeformValues": value["own"] })),
        )]);
        Document::new(DOCUMENT).skeleton(&form, &answers).map(|_| ())
    };
    let notes = |length| json!({ "kind": "text", "value": "x".repeat(length) });
    let env = |values| json!({ "kind": "selected", "value": "prod", "freeformValues": values });
    for state in ["draft", "submitted"] {
        assert_eq!(with("notes", state, notes(limits::TEXT)), Ok(()));
        assert_eq!(with("env", state, env(own(2, limits::FREEFORM_VALUE))), Ok(()));
        for (question, value) in [
            ("notes", notes(limits::TEXT + 1)),
            ("env", env(own(1, limits::FREEFORM_VALUE + 1))),
            ("env", env(own(limits::FREEFORM_VALUES + 1, 1))),
            ("env", env(own(12, limits::FREEFORM_VALUE))),
        ] {
            let refused = with(question, state, value).unwrap_err();
            assert!(matches!(refused, SkeletonRefused::AnswerAboveLimit(_)), "{refused}");
        }
    }
    let skipped = |values| with("sure", "skipped", json!({ "own": values }));
    assert_eq!(skipped(own(limits::FREEFORM_VALUES, 1)), Ok(()));
    let refused = skipped(own(limits::FREEFORM_VALUES + 1, 1)).unwrap_err();
    assert!(matches!(refused, SkeletonRefused::AnswerAboveLimit(_)), "{refused}");
}

#[test]
fn freeform_values() {
    let own = |count: usize, length: usize| {
        let values = vec!["x".repeat(length); count];
        value(json!({ "kind": "selected", "value": "", "freeformValues": values }))
    };
    let [mut ana, mut ben] = peers(&form(every_kind()));
    ana.edit(draft("env", own(limits::FREEFORM_VALUES, 10)));
    assert_eq!(
        ana.refused(draft("env", own(limits::FREEFORM_VALUES + 1, 10))),
        EditRefused::TooManyFreeform { question: id("env"), count: 65 }
    );
    ana.edit(submit("env", own(11, limits::FREEFORM_VALUE)));
    assert_eq!(
        ana.refused(submit("env", own(1, limits::FREEFORM_VALUE + 1))),
        EditRefused::FreeformTooLong { question: id("env"), bytes: 4097 }
    );
    assert!(matches!(
        ana.refused(draft("env", own(12, limits::FREEFORM_VALUE))),
        EditRefused::AnswerTooLong { .. }
    ));
    ben.take(&ana);
    assert_eq!(ben.answer("env"), ana.answer("env"));
}

#[test]
fn an_answer_whose_json_is_too_long() {
    let [mut ana] = peers(&form(every_kind()));
    let around = json!({ "kind": "text", "value": "" }).to_string().len();
    // A quotation mark is two bytes in JSON, and one in the text.
    let quotes = (limits::ANSWER - around) / 2;
    ana.edit(submit("notes", text(&"\"".repeat(quotes))));
    let over = ana.refused(submit("notes", text(&"\"".repeat(quotes + 1))));
    let bytes = around + 2 * (quotes + 1);
    assert_eq!(over, EditRefused::AnswerTooLong { question: id("notes"), bytes });
}

/// A request of many questions, and an answer to each that is as large as one may be.
fn large(questions: usize) -> (rejoinder_answers::Form, ChatInputAnswerValue) {
    let questions: Vec<Value> = (0..questions)
        .map(|question| {
            json!({ "kind": "single-select", "id": question.to_string(), "message": "",
                "options": [], "allowFreeformInput": true })
        })
        .collect();
    let own = vec!["x".repeat(limits::FREEFORM_VALUE); 11];
    let value = value(json!({ "kind": "selected", "value": "", "freeformValues": own }));
    (form(json!({ "id": "r", "questions": questions })), value)
}

fn settle(peer: &Peer, response: ChatInputResponseKind) -> rejoinder_answers::Settlement {
    let completion = rejoinder_answers::Completion {
        response,
        attached: &BTreeMap::new(),
        proposer: peer.device,
        seen: peer.document.version_vector(),
    };
    peer.document.settle_completion(&peer.form, &completion)
}

#[test]
fn all_answers_of_a_request() {
    let (form, answer) = large(30);
    let [mut ana] = peers(&form);
    let fit = limits::ANSWERS / (11 * limits::FREEFORM_VALUE);
    for question in 0..fit {
        ana.edit(submit(&question.to_string(), answer.clone()));
    }
    let refused = ana.refused(submit(&fit.to_string(), answer.clone()));
    assert!(matches!(refused, EditRefused::AnswersTooLarge { .. }), "{refused}");
    // Drafts go before an accept has to be refused.
    ana.edit(draft("28", answer.clone())).edit(draft("29", answer));
    let settlement = settle(&ana, ChatInputResponseKind::Accept);
    assert_eq!((settlement.too_large, settlement.answers.len()), (None, fit));
}

#[test]
fn answers_that_merge_to_too_much_are_named_in_an_accept_and_cut_in_a_decline() {
    let (form, answer) = large(30);
    let [mut ana, mut ben] = peers(&form);
    (0..15).for_each(|question| {
        ana.edit(submit(&question.to_string(), answer.clone()));
    });
    (15..30).for_each(|question| {
        ben.edit(submit(&question.to_string(), answer.clone()));
    });
    ana.take(&ben);
    assert!(settle(&ana, ChatInputResponseKind::Accept).too_large.is_some());
    let declined = settle(&ana, ChatInputResponseKind::Decline);
    let fit = limits::ANSWERS / (11 * limits::FREEFORM_VALUE);
    assert_eq!((declined.too_large, declined.answers.len()), (None, fit));
    assert_eq!(ana.document.settle_end(&ana.form).answers.len(), fit);
}

#[test]
fn changes_of_one_run() {
    let [mut ana, mut ben] = peers(&form(every_kind()));
    let flip = |on| {
        let on = json!({ "kind": "boolean", "value": on });
        draft("sure", value(on))
    };
    for seq in 1..=limits::ACTOR_CHANGES {
        ana.edit(flip(seq % 2 == 0));
    }
    assert_eq!(ana.refused(flip(true)), EditRefused::TooManyChanges(id("sure")));
    ben.take(&ana);
    ben.edit(flip(false));
    assert_eq!(ben.answer("sure")["value"]["value"], false);
}

#[test]
fn others_changes_are_checked_against_the_same_limits() {
    let [ana, mut ben] = peers(&form(every_kind()));
    let large = vec![0; limits::CHANGE + 1];
    let bytes = limits::CHANGE + 1;
    assert_eq!(
        ben.receive(&ana, &large),
        Err(NotAdmitted::Refused(AdmissionError::TooLarge { bytes, limit: limits::CHANGE }))
    );
    assert!(matches!(
        ben.receive(&ana, &large[1..]),
        Err(NotAdmitted::Refused(AdmissionError::NotAChange(_)))
    ));
}

#[test]
fn a_change_under_another_name_is_refused() {
    let [mut ana, mut ben, cleo] = peers(&form(every_kind()));
    ana.edit(skip("sure"));
    let change = ana.written[0].change.clone();
    let wrong = Err(NotAdmitted::Refused(AdmissionError::WrongActor));
    assert_eq!(ben.receive(&cleo, &change), wrong);
    let admitted = ben.receive(&ana, &change).unwrap();
    assert_eq!(admitted.questions.into_iter().collect::<Vec<_>>(), [id("sure")]);
    assert_eq!(ben.receive(&ana, &change), Err(NotAdmitted::Known));
}
