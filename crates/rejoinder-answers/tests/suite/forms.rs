//! The checks before a request is raised.

use rejoinder_answers::FormProblem;
use serde_json::{Value, json};

use crate::desk::*;

fn problem(request: Value) -> Option<FormProblem> {
    form(request).check().err()
}

fn select(options: &[&str]) -> Value {
    let options: Vec<Value> = options.iter().map(|id| json!({ "id": id, "label": "" })).collect();
    json!({ "kind": "single-select", "id": "env", "message": "", "options": options })
}

#[test]
fn good_ones_pass() {
    assert_eq!(problem(every_kind()), None);
}

#[test]
fn each_problem_is_named() {
    let questions = |questions: Value| json!({ "id": "r", "questions": questions });
    for (request, said) in [
        (json!({ "id": "r" }), "the request has no questions, no message and no url"),
        (
            json!({ "id": "r", "questions": [] }),
            "the request has no questions, no message and no url",
        ),
        (questions(json!([{ "kind": "new", "message": "" }])), "question 1 has no id"),
        (questions(json!([select(&["a"]), select(&["a"])])), "two questions have the id \"env\""),
        (questions(json!([select(&[])])), "question \"env\" has no options"),
        (questions(json!([select(&["a", "a"])])), "question \"env\" has the option \"a\" twice"),
        (
            questions(json!([{ "kind": "new", "id": "x", "message": "", "required": true }])),
            "question \"x\" is required and can't be answered: its kind is unknown",
        ),
        (
            questions(json!([{ "kind": "text", "id": "x", "message": "", "required": true,
                "min": 3, "max": 2 }])),
            "question \"x\" is required and can't be answered: its length",
        ),
        (
            questions(
                json!([{ "kind": "text", "id": "x", "message": "", "required": true, "max": -1 }]),
            ),
            "question \"x\" is required and can't be answered: its length",
        ),
        (
            questions(json!([{ "kind": "text", "id": "x", "message": "", "required": true,
                "min": 32769 }])),
            "question \"x\" is required and can't be answered: its length",
        ),
        (
            questions(json!([{ "kind": "number", "id": "x", "message": "", "required": true,
                "min": 1.0, "max": 0.0 }])),
            "question \"x\" is required and can't be answered: its range is empty",
        ),
        (
            questions(json!([{ "kind": "integer", "id": "x", "message": "", "required": true,
                "min": 0.1, "max": 0.9 }])),
            "question \"x\" is required and can't be answered: no whole number is in its range",
        ),
        (
            questions(json!([{ "kind": "multi-select", "id": "x", "message": "", "required": true,
                "options": [{ "id": "a", "label": "" }], "min": 2 }])),
            "question \"x\" is required and can't be answered: its number of choices",
        ),
    ] {
        let problem = problem(request.clone()).map(|problem| problem.to_string());
        assert_eq!(problem.as_deref(), Some(said), "{request}");
    }
    // What nobody has to answer may be unanswerable.
    let optional = questions(json!([{ "kind": "new", "id": "x", "message": "" }]));
    assert_eq!(problem(optional), None);
}

#[test]
fn limits_at_n_and_one_more() {
    let many = |count: usize, options: usize| {
        let options: Vec<Value> =
            (0..options).map(|option| json!({ "id": option.to_string(), "label": "" })).collect();
        let questions: Vec<Value> = (0..count)
            .map(|question| {
                json!({ "kind": "multi-select", "id": question.to_string(), "message": "",
                    "options": options })
            })
            .collect();
        json!({ "id": "r", "questions": questions })
    };
    assert_eq!(problem(many(200, 1)), None);
    assert_eq!(problem(many(201, 1)), Some(FormProblem::TooManyQuestions(201)));
    assert_eq!(problem(many(10, 1000)), None);
    assert_eq!(problem(many(1, 1001)), Some(FormProblem::TooManyOptions(id("0"), 1001)));
    assert_eq!(problem(many(11, 1000)), Some(FormProblem::TooManyOptionsInAll(11_000)));
    let long = |length: usize| json!({ "id": "r", "questions": [{ "kind": "boolean", "id": "x".repeat(length), "message": "" }] });
    assert_eq!(problem(long(1024)), None);
    assert!(matches!(problem(long(1025)), Some(FormProblem::LongId(_))));
}

#[test]
fn reading_never_fails() {
    let odd = form(json!({ "id": "r", "questions": [
        select(&[]), select(&["a"]), { "kind": "new" }, { "kind": "text", "id": 7 }, 7, null,
        { "kind": "text", "id": "broken", "message": "", "min": 1.5 },
    ]}));
    let ids: Vec<&str> = odd.questions().iter().map(|question| question.id().as_str()).collect();
    assert_eq!(ids, ["env", "broken"]);
    assert_eq!(odd.question(&id("env")).unwrap().options(), []);
    let [peer] = peers(&odd);
    assert_eq!(peer.projection()["answers"], json!({}));
}

#[test]
fn a_url_that_is_not_what_it_looks_like_is_not_raised() {
    let url = |url: &str| problem(json!({ "id": "r", "url": url })).map(|why| why.to_string());
    assert_eq!(url("https://example.org/a?b=c#d"), None);
    for (text, why) in [
        ("javascript:alert(1)", "url: its scheme is not http or https"),
        ("not a url", "url: not a URL: it has no scheme"),
        (
            "https://github.com@evil.example/",
            "url: it has a user name or a password before the host",
        ),
        ("https://ok.example/\u{202e}gnp.exe", "url: the character U+202E must be written with %"),
        ("https:///evil.example/", "url: it has no host"),
    ] {
        assert_eq!(url(text).as_deref(), Some(why), "{text:?}");
    }
}

#[test]
fn the_id_of_a_request_has_a_limit() {
    let id = |length| problem(json!({ "id": "r".repeat(length), "message": "m" }));
    assert_eq!(id(1024), None);
    let why = id(1025).map(|why| why.to_string());
    let start = "r".repeat(20);
    assert_eq!(why, Some(format!("the id \"{start}…\" is longer than 1024 bytes")));
}
