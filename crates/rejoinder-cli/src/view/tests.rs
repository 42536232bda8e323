//! Views of requests, in words and as events.

use ahp_types::state::ChatInputQuestion;
use rejoinder::form::Rules;
use serde_json::{Value, json};

use super::*;
use crate::{
    event::Event,
    shown::request::{changes_since, events, opened},
};

fn question(json: Value) -> ChatInputQuestion {
    serde_json::from_value(json).unwrap()
}

#[test]
fn constraints_in_words() {
    let check = |mut json: Value, expected: &str| {
        for (key, value) in [("id", "q"), ("message", "m")] {
            json.as_object_mut().unwrap().insert(key.to_owned(), value.into());
        }
        assert_eq!(words::constraints(&question(json)), expected);
    };
    check(json!({"kind": "text"}), "text");
    check(json!({"kind": "text", "min": 0, "max": 1}), "text, at most 1 character");
    check(json!({"kind": "text", "min": 2, "max": 9}), "text, 2 to 9 characters");
    check(
        json!({"kind": "text", "format": "email", "min": 3}),
        "an e-mail address, at least 3 characters",
    );
    check(json!({"kind": "text", "format": "\u{1b}[2Jx"}), "text, [2Jx");
    check(json!({"kind": "integer", "min": 1, "max": 9.0}), "a whole number, 1 to 9");
    check(json!({"kind": "number", "max": 0.5}), "a number, at most 0.5");
    check(json!({"kind": "number", "min": 0.1, "max": 0.3}), "a number, 0.1 to 0.3");
    let (above, below) = (0.0_f64.next_up(), 1.0_f64.next_down());
    check(json!({"kind": "number", "min": above}), "a number, above 0");
    check(json!({"kind": "number", "min": above, "max": below}), "a number, above 0, below 1");
    check(json!({"kind": "number", "min": -1, "max": below}), "a number, at least -1, below 1");
    check(json!({"kind": "boolean"}), "yes or no");
    check(
        json!({"kind": "single-select", "options": [], "allowFreeformInput": true}),
        "one of these, or your own words",
    );
    check(
        json!({"kind": "multi-select", "options": [], "min": 2, "max": 2}),
        "any of these, exactly 2 choices",
    );
    check(json!({"kind": "drawing"}), "a question of a kind that this release can't show");
}

#[test]
fn values_in_words() {
    let request = samples::request();
    let check = |id: &str, json: Value, expected: &str| {
        let json = serde_json::from_value(json).unwrap();
        assert_eq!(value(super::question(&request, id), &json), expected);
    };
    check("notes", json!({"kind": "text", "value": "a\n\u{202e}b"}), "“a b”");
    check("count", json!({"kind": "number", "value": 7.0}), "7");
    check("go", json!({"kind": "boolean", "value": false}), "no");
    check("env", json!({"kind": "selected", "value": "prod"}), "Production");
    check("env", json!({"kind": "selected", "value": "gone"}), "gone");
    check("env", json!({"kind": "selected", "value": "", "freeformValues": ["mars"]}), "“mars”");
    check("areas", json!({"kind": "selected-many", "value": []}), "none");
    check(
        "areas",
        json!({"kind": "selected-many", "value": ["eu", "us"], "freeformValues": ["moon"]}),
        "Europe, America, “moon”",
    );
    check("env", json!({"kind": "new"}), "a value that this release can't show");
}

#[test]
fn titles_are_never_nothing() {
    let check = |json: Value, expected: &str| assert_eq!(title(&question(json)), expected);
    check(json!({"kind": "boolean", "id": "q", "message": "m"}), "m");
    check(json!({"kind": "boolean", "id": "q", "title": "T", "message": "m"}), "T");
    check(json!({"kind": "boolean", "id": "q", "title": "\u{200b}", "message": "m"}), "q");
    check(json!({"kind": "boolean", "id": "", "message": ""}), "\"\"");
    check(json!({"kind": "new", "id": "n"}), "n");
    check(json!({"kind": "new"}), "\"\"");
}

#[test]
fn what_changed() {
    let before = samples::request();
    let mut after = before.clone();
    assert_eq!(changes_since(&after, Some(&before)), []);
    assert_eq!(unanswered(&after), ["env"]);
    let answers = &mut after.projection.answers;
    answers.insert("env".into(), samples::selected("submitted", "prod", "ben"));
    assert_eq!(unanswered(&after), Vec::<&str>::new());
    let (ana, ben) = (samples::peer("ana"), samples::peer("ben"));
    let lines = |events: Vec<Event>| events.iter().map(Event::json).collect::<Vec<_>>();
    let prod = format!(
        r#"{{"event":"answer","request":"r1","question":"env","state":"submitted","value":{{"kind":"selected","value":"prod"}},"by":"{ben}"}}"#
    );
    assert_eq!(lines(changes_since(&after, Some(&before))), [prod]);
    let gone = format!(
        r#"{{"event":"answer","request":"r1","question":"env","state":"none","by":"{ben}"}}"#
    );
    assert_eq!(lines(changes_since(&before, Some(&after))), [gone]);

    let mut decided = after.clone();
    let answers = &mut decided.projection.answers;
    answers.insert("notes".into(), samples::text("draft", "hm", "ana"));
    decided.status = samples::decided(ChatInputResponseKind::Accept, "ana");
    let late = samples::held(json!({"state": "skipped"}), &["ben", "ana"]);
    decided.not_included = samples::late("notes", late);
    let events = lines(changes_since(&decided, Some(&after)));
    assert!(events[0].contains(r#""question":"notes","state":"draft""#));
    assert_eq!(
        events[1],
        format!(
            r#"{{"event":"decided","request":"r1","response":"accept","answers":{{"env":{{"state":"submitted","value":{{"kind":"selected","value":"prod"}}}}}},"by":"{ana}"}}"#
        )
    );
    assert_eq!(events[2..].len(), 2, "both authors of what came too late");
    assert_eq!(lines(changes_since(&decided, None)).len(), 6);
    assert_eq!(changes_since(&decided, Some(&decided)), []);
}

#[test]
fn several_authors_are_all_named() {
    let same = samples::held(json!({"state": "skipped"}), &["ana", "ben"]);
    let json = serde_json::to_string(&samples::given(&same)).unwrap();
    let (ana, ben) = (samples::peer("ana"), samples::peer("ben"));
    let expected = format!(r#"{{"state":"skipped","by":"{ana}","authors":["{ana}","{ben}"]}}"#);
    assert_eq!(json, expected);
}

#[test]
fn a_url_is_shown_as_it_is_sent() {
    for (text, expected) in [
        ("https://ok.example/a?b#c", "https://ok.example/a?b#c"),
        ("https://аррӏе.com/", "https://аррӏе.com/ (the host is xn--80ak6aa92e.com)"),
        // A request raised by an older release.
        (
            "https://ok.example/\u{202e}gnp.exe",
            "https://ok.example/%E2%80%AEgnp.exe (not to be opened: the character U+202E must be written with %)",
        ),
        (
            "javascript:alert(1)",
            "javascript:alert(1) (not to be opened: its scheme is not http or https)",
        ),
    ] {
        assert_eq!(url(text), expected);
        let request = samples::view(json!({"id": "r", "url": text}));
        let opened = opened(&request).json();
        assert_eq!(opened.contains("\"host\":"), expected.ends_with("#c") || text.contains("com/"));
        let opened: serde_json::Value = serde_json::from_str(&opened).unwrap();
        assert_eq!(opened["url"], text);
    }
}

#[test]
fn rules_that_ahp_has_no_word_for_in_words() {
    let request = json!({"id": "r", "questions": [
        {"kind": "text", "id": "s", "message": "m", "max": 3},
        {"kind": "integer", "id": "n", "message": "m"}]});
    let mut view = samples::view(request);
    let of = |rules: Value| Rules::read(rules.as_object().unwrap());
    view.rules.insert("s".into(), of(json!({"pattern": "^[a-z]+\u{202e}?$"})));
    view.rules.insert("n".into(), of(json!({"multipleOf": 5})));
    let words: Vec<_> =
        questions(&view).iter().map(|question| constraints(&view, question)).collect();
    assert_eq!(
        words,
        ["text, at most 3 characters, matching ^[a-z]+?$", "a whole number, a multiple of 5"]
    );
}

/// Checks that the value shown for an untouched question, in words and in events, is what the
/// server gets.
#[test]
fn what_is_sent_for_a_question_that_is_left_is_shown() {
    let elicitation = rejoinder_mcp::Elicitation::read(
        r#"{"message":"m","requestedSchema":{"properties":{
            "st":{"type":"string","default":"dd"},"n":{"type":"integer","default":3},
            "b":{"type":"boolean","default":false},"e":{"type":"string","enum":["a","b"],"default":"b"},
            "m":{"type":"array","items":{"enum":["x","y"]},"default":["y"]},
            "none":{"type":"array","items":{"enum":["x"]},"default":[]},
            "bad":{"type":"integer","minimum":4,"default":3},"plain":{"type":"string"},
            "must":{"type":"boolean","default":true}},"required":["must"]}}"#,
        "r".into(),
    )
    .unwrap();
    let mut request = samples::view(serde_json::to_value(elicitation.request()).unwrap());
    let words = |request: &RequestView| {
        questions(request).iter().map(|question| no_answer(request, question)).collect::<Vec<_>>()
    };
    let no = |what: &str| format!("no answer{what}");
    assert_eq!(
        words(&request),
        [
            no("; if left: “dd”"),
            no("; if left: 3"),
            no("; if left: no"),
            no("; if left: b"),
            no("; if left: y"),
            no(""),
            no(""),
            no(""),
            no("; suggested, but to be answered: yes"),
        ]
    );
    let Event::Opened { defaults, .. } = &opened(&request) else { panic!("it is open") };
    let sent = elicitation.result(Some(ChatInputResponseKind::Accept), &BTreeMap::new());
    let content = sent["content"].as_object().unwrap();
    let optional = content.keys().filter(|key| *key != "must");
    assert_eq!(defaults.keys().collect::<Vec<_>>(), optional.collect::<Vec<_>>());
    for (question, shown) in defaults {
        assert_eq!(shown["value"], content[question], "{question}");
    }
    // A skip rejects the default too.
    request
        .projection
        .answers
        .insert("st".into(), samples::held(json!({"state": "skipped"}), &["ana"]));
    request.status = samples::decided(ChatInputResponseKind::Accept, "ana");
    assert_eq!(words(&request)[1], "no answer; sent by default: 3");
    let decided = events(&request).pop().unwrap();
    let Event::Decided { defaults, .. } = decided else { panic!("it was decided") };
    assert_eq!(defaults.keys().collect::<Vec<_>>(), ["b", "e", "m", "n"]);
}
