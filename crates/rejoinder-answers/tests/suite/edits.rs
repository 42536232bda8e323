//! One person at one desk.

use rejoinder_answers::{EditRefused, Invalid};
use serde_json::{Value, json};

use crate::desk::*;

fn alone() -> Peer {
    let [peer] = peers(&form(every_kind()));
    peer
}

#[test]
fn a_draft_of_each_kind_reads_back() {
    for (question, drafted) in [
        ("notes", json!({ "kind": "text", "value": "a\n😀 \u{202e}" })),
        ("ratio", json!({ "kind": "number", "value": 0.5 })),
        ("retries", json!({ "kind": "number", "value": 3 })),
        ("retries", json!({ "kind": "number", "value": 2.5 })),
        ("sure", json!({ "kind": "boolean", "value": false })),
        ("env", json!({ "kind": "selected", "value": "prod" })),
        ("env", json!({ "kind": "selected", "value": "", "freeformValues": ["mars"] })),
        ("checks", json!({ "kind": "selected-many", "value": ["unit", "docs"] })),
        ("checks", json!({ "kind": "selected-many", "value": [], "freeformValues": ["a", "b"] })),
    ] {
        let mut peer = alone();
        peer.edit(draft(question, value(drafted.clone())));
        assert_eq!(peer.answer(question), json!({ "state": "draft", "value": drafted }));
        assert_eq!(peer.authors(question), [peer.device]);
    }
}

#[test]
fn what_is_submitted_is_the_answer_and_the_content() {
    let mut peer = alone();
    peer.edit(draft("notes", text("first"))).edit(submit("notes", text("second")));
    let second = json!({ "kind": "text", "value": "second" });
    assert_eq!(peer.answer("notes"), json!({ "state": "submitted", "value": second }));
    // Typing goes on from there, and takes the submitted answer back.
    peer.edit(typing("notes", 6, 0, "!"));
    let draft = json!({ "state": "draft", "value": { "kind": "text", "value": "second!" } });
    assert_eq!(peer.answer("notes"), draft);
    peer.edit(submit_draft("notes"));
    assert_eq!(peer.answer("notes")["state"], "submitted");
    assert_eq!(peer.answer("notes")["value"]["value"], "second!");
}

#[test]
fn typing_splices_characters() {
    let mut peer = alone();
    peer.edit(typing("notes", 0, 0, "a😀c")).edit(typing("notes", 1, 1, "é"));
    assert_eq!(peer.answer("notes")["value"]["value"], "aéc");
    assert_eq!(
        peer.refused(typing("notes", 2, 2, "")),
        EditRefused::OutOfRange { question: id("notes"), end: 4, length: 3 }
    );
    assert_eq!(
        peer.refused(typing("notes", usize::MAX, 1, "")),
        EditRefused::OutOfRange { question: id("notes"), end: usize::MAX, length: 3 }
    );
}

#[test]
fn a_whole_value_becomes_the_smallest_splice() {
    let mut peer = alone();
    let long = "x".repeat(1000);
    peer.edit(draft("notes", text(&long)));
    let written = peer.try_edit(&draft("notes", text(&format!("{long}y")))).unwrap();
    assert!(written[0].change.len() < 300, "{}", written[0].change.len());
}

#[test]
fn toggles_tick_and_untick() {
    let mut peer = alone();
    peer.edit(toggle("checks", "docs", true)).edit(toggle("checks", "unit", true));
    assert_eq!(peer.answer("checks")["value"]["value"], json!(["unit", "docs"]));
    peer.edit(toggle("checks", "unit", false));
    assert_eq!(peer.answer("checks")["value"]["value"], json!(["docs"]));
    assert_eq!(
        peer.refused(toggle("checks", "smoke", true)),
        EditRefused::UnknownOption { question: id("checks"), option: "smoke".into() }
    );
    assert!(matches!(peer.refused(toggle("env", "prod", true)), EditRefused::WrongKind { .. }));
}

#[test]
fn skip_and_clear() {
    let mut peer = alone();
    peer.edit(draft("notes", text("words"))).edit(skip("notes"));
    assert_eq!(peer.answer("notes"), json!({ "state": "skipped" }));
    peer.edit(clear("notes"));
    assert_eq!(peer.answer("notes"), Value::Null);
    peer.edit(typing("notes", 0, 0, "new"));
    assert_eq!(peer.answer("notes")["value"]["value"], "new");
    for question in ["ratio", "retries", "sure", "env", "checks"] {
        peer.edit(skip(question)).edit(clear(question));
        assert_eq!(peer.answer(question), Value::Null);
    }
    // Nothing there, nothing to write.
    assert_eq!(peer.try_edit(&clear("ratio")), Ok(Vec::new()));
}

#[test]
fn text_of_ones_own_is_kept_when_an_option_is_chosen() {
    let mut peer = alone();
    let own = json!({ "kind": "selected", "value": "", "freeformValues": ["mars"] });
    peer.edit(draft("env", value(own))).edit(draft("env", chosen("prod")));
    let both = json!({ "kind": "selected", "value": "prod", "freeformValues": ["mars"] });
    assert_eq!(peer.answer("env")["value"], both);
    // Said to be empty, it goes.
    let none = json!({ "kind": "selected", "value": "prod", "freeformValues": [] });
    peer.edit(draft("env", value(none)));
    assert_eq!(peer.answer("env")["value"], json!({ "kind": "selected", "value": "prod" }));
}

#[test]
fn numbers_are_spelled_as_they_should_be() {
    let mut peer = alone();
    for (question, given, spelled) in [
        ("retries", 7.0, "7"),
        ("retries", 0.0, "0"),
        ("retries", -0.0, "0"),
        ("ratio", 1.0, "1"),
        ("ratio", 0.25, "0.25"),
        ("ratio", -0.0, "0"),
    ] {
        for edit in [draft(question, number(given)), submit(question, number(given))] {
            peer.edit(edit);
            assert_eq!(peer.answer(question)["value"]["value"].to_string(), spelled);
        }
    }
    peer.edit(draft("ratio", number(1e300)));
    assert_eq!(peer.answer("ratio")["value"]["value"], json!(1e300));
}

#[test]
fn what_cannot_be_submitted() {
    let strict = json!({ "id": "r", "questions": [
        { "kind": "text", "id": "short", "message": "", "min": 2, "max": 3 },
        { "kind": "text", "id": "mail", "message": "", "format": "email" },
        { "kind": "integer", "id": "count", "message": "", "min": 1.0, "max": 9007199254740993.0 },
        { "kind": "number", "id": "size", "message": "", "max": 1.5 },
        { "kind": "single-select", "id": "one", "message": "",
          "options": [{ "id": "a", "label": "" }] },
        { "kind": "single-select", "id": "own", "message": "", "allowFreeformInput": true,
          "options": [{ "id": "a", "label": "" }] },
        { "kind": "multi-select", "id": "some", "message": "", "min": 1, "max": 2,
          "options": [{ "id": "a", "label": "" }, { "id": "b", "label": "" }, { "id": "c", "label": "" }] },
    ]});
    let [mut peer] = peers(&form(strict));
    let selected = |id: &str, own: &[&str]| {
        value(json!({ "kind": "selected", "value": id, "freeformValues": own }))
    };
    for (question, given, why) in [
        ("short", text("é"), Invalid::TooShort { length: 1, min: 2 }),
        ("short", text("😀😀😀😀"), Invalid::TooLong { length: 4, max: 3 }),
        ("mail", text(""), Invalid::Format(rejoinder_answers::TextFormat::Email)),
        ("count", number(0.0), Invalid::Below { min: 1.0 }),
        ("count", number(1.5), Invalid::NotWhole),
        ("count", number(9007199254740992.0), Invalid::BeyondWhole),
        ("size", number(1.6), Invalid::Above { max: 1.5 }),
        ("size", number(f64::NAN), Invalid::NotFinite),
        ("one", chosen("b"), Invalid::NoSuchOption("b".into())),
        ("one", chosen(""), Invalid::NothingChosen),
        ("one", selected("", &["x"]), Invalid::NoFreeform),
        ("own", selected("", &[]), Invalid::NothingChosen),
        ("own", selected("", &[""]), Invalid::NothingChosen),
        ("own", selected("b", &["x"]), Invalid::NoSuchOption("b".into())),
        ("some", many(&[]), Invalid::TooFew { chosen: 0, min: 1 }),
        ("some", many(&["a", "b", "c"]), Invalid::TooMany { chosen: 3, max: 2 }),
        ("some", many(&["a", "x"]), Invalid::NoSuchOption("x".into())),
    ] {
        let refused = peer.refused(submit(question, given));
        assert_eq!(refused, EditRefused::Invalid { question: id(question), why });
        assert!(refused.to_string().contains(&format!("\"{question}\"")));
    }
    for (question, given) in [
        ("short", text("é😀")),
        ("short", text("   ")),
        ("mail", text("a@b.c")),
        ("count", number(9007199254740991.0)),
        ("size", number(-1e10)),
        ("one", chosen("a")),
        ("own", selected("", &["x"])),
        ("own", selected("x", &["x"])),
        ("some", many(&["b", "a", "b"])),
    ] {
        peer.edit(submit(question, given));
    }
    assert_eq!(peer.answer("some")["value"]["value"], json!(["a", "b"]));
}

/// "Above 0" came back as "below 0.000…", with three hundred zeros.
#[test]
fn a_bound_that_is_excluded_is_told_as_the_bound_that_is_meant() {
    for (broken, told) in [
        (Invalid::Below { min: 0.0_f64.next_up() }, "not above 0"),
        (Invalid::Below { min: 2.5_f64.next_up() }, "not above 2.5"),
        (Invalid::Below { min: -0.1 }, "below -0.1"),
        (Invalid::Above { max: 1.0_f64.next_down() }, "not below 1"),
        (Invalid::Above { max: 1.5 }, "above 1.5"),
        (Invalid::Above { max: 0.0_f64.next_down() }, "not below 0"),
        (Invalid::Below { min: 1_234_567_890_123.0_f64.next_up() }, "not above 1234567890123"),
        (Invalid::Below { min: 1e300 }, "below 1e300"),
        (Invalid::Above { max: -0.0 }, "above 0"),
        (Invalid::Below { min: 3.0 }, "below 3"),
    ] {
        assert_eq!(broken.to_string(), told);
    }
}

#[test]
fn what_does_not_fit_cannot_even_be_a_draft() {
    let mut peer = alone();
    for (question, given) in [
        ("notes", number(1.0)),
        ("ratio", text("1")),
        ("retries", value(json!({ "kind": "boolean", "value": true }))),
        ("sure", text("yes")),
        ("env", many(&["prod"])),
        ("checks", chosen("unit")),
        ("notes", value(json!({ "kind": "hologram", "value": 1 }))),
    ] {
        for edit in [draft(question, given.clone()), submit(question, given)] {
            assert!(
                matches!(peer.refused(edit), EditRefused::WrongKind { question: named, .. } if named == id(question))
            );
        }
    }
    assert_eq!(
        peer.refused(draft("ratio", number(f64::INFINITY))),
        EditRefused::Invalid { question: id("ratio"), why: Invalid::NotFinite }
    );
    assert_eq!(
        peer.refused(draft("checks", many(&["unit", "smoke"]))),
        EditRefused::UnknownOption { question: id("checks"), option: "smoke".into() }
    );
    assert_eq!(peer.refused(skip("later")), EditRefused::NotAnswerable(id("later")));
    assert_eq!(peer.refused(skip("nobody")), EditRefused::UnknownQuestion(id("nobody")));
    assert_eq!(peer.refused(submit_draft("env")), EditRefused::NothingToSubmit(id("env")));
}

#[test]
fn ids_may_be_anything() {
    let ids = ["", "__proto__", "a.b", "😀", "mark", "answers", "\u{0}", "\"", "\\u0000"];
    let question = |id: &&str| {
        json!({ "kind": "multi-select", "id": id, "message": "",
            "options": ids.iter().map(|id| json!({ "id": id, "label": "" })).collect::<Vec<_>>() })
    };
    let single = json!({ "kind": "single-select", "id": "single", "message": "",
        "options": ids.iter().map(|id| json!({ "id": id, "label": "" })).collect::<Vec<_>>() });
    let mut questions: Vec<Value> = ids.iter().map(question).collect();
    questions.push(single);
    let form = form(json!({ "id": "", "questions": questions }));
    assert_eq!(form.check(), Ok(()));
    let [mut peer] = peers(&form);
    for question in ids {
        peer.edit(draft(question, many(&[question])));
        assert_eq!(peer.answer(question)["value"]["value"], json!([question]));
        for id in ids {
            peer.edit(toggle(question, id, true));
            peer.edit(draft("single", chosen(id))).edit(submit_draft("single"));
            assert_eq!(peer.answer("single")["value"]["value"], id);
        }
        peer.edit(submit_draft(question));
        assert_eq!(peer.answer(question)["value"]["value"], json!(ids));
    }
}

#[test]
fn a_request_may_have_a_url_and_no_questions() {
    for request in [
        json!({ "id": "r", "url": "https://example.org" }),
        json!({ "id": "r", "message": "Go?" }),
        json!({ "id": "r", "message": "Go?", "questions": [] }),
    ] {
        let form = form(request);
        assert_eq!(form.check(), Ok(()));
        let [mut peer] = peers(&form);
        let nothing = json!({ "answers": {}, "conflicts": {}, "problems": [] });
        assert_eq!(peer.projection(), nothing);
        assert!(matches!(peer.refused(skip("x")), EditRefused::UnknownQuestion(_)));
    }
}
