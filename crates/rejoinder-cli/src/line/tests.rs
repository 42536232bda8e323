//! Lines, and the commands that they mean.

use ahp_types::state::ChatInputQuestion;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn parse(line: &str) -> Line {
    Line::parse(line).unwrap().unwrap()
}

fn check_error(line: &str, code: &str, expected: &str) {
    let error = Line::parse(line).unwrap_err();
    assert_eq!(error.problem.code(), code, "{line}");
    assert!(error.to_string().starts_with(expected), "{line}\n{error}");
}

fn draft(question: &str, value: &str) -> Line {
    Line::Draft { question: question.to_owned(), value: RawValue::new(value) }
}

fn submit(question: &str, value: Option<&str>) -> Line {
    Line::Submit { question: question.to_owned(), value: value.map(RawValue::new) }
}

#[test]
fn plain_commands() {
    for (text, line) in [
        ("show", Line::Show),
        ("quit", Line::Quit),
        ("  accept  ", Line::Accept),
        ("decline\r\n", Line::Decline),
        ("cancel\n", Line::Cancel),
        ("offline", Line::Offline),
        ("online", Line::Online),
    ] {
        assert_eq!(parse(text), line);
        assert_eq!((line.command(), line.subject()), (text.trim(), None));
    }
}

#[test]
fn nothing_to_do() {
    for text in ["", "   ", "\r\n", "# accept", "   #accept"] {
        assert_eq!(Line::parse(text), Ok(None), "{text:?}");
    }
}

#[test]
fn questions_are_words_or_json_strings() {
    let skip = |question: &str| Line::Skip { question: question.to_owned() };
    assert_eq!(parse("skip env"), skip("env"));
    assert_eq!(parse(r#"skip "two words""#), skip("two words"));
    assert_eq!(parse(r#"skip """#), skip(""));
    assert_eq!(parse(r##"skip "#1""##), skip("#1"));
    assert_eq!(parse(r#"skip "\"q\"\u00e9" "#), skip("\"q\"é"));
    assert_eq!(parse("skip a.b"), skip("a.b"));
    assert_eq!(parse("skip __proto__"), skip("__proto__"));
    assert_eq!(parse("skip 🦀"), skip("🦀"));
    assert_eq!(parse("clear x").subject(), Some("x"));
    let take = Line::Take { question: "a b".to_owned(), peer: "Ben".to_owned() };
    assert_eq!(parse(r#"take "a b" Ben"#), take);
    assert_eq!(parse("use r1"), Line::Use { request: "r1".to_owned() });
}

#[test]
fn values_are_the_rest_of_the_line() {
    assert_eq!(parse("draft notes a  b "), draft("notes", "a  b "));
    assert_eq!(parse("draft notes  lead"), draft("notes", " lead"));
    assert_eq!(parse(r#"draft "my notes" "x""#), draft("my notes", r#""x""#));
    assert_eq!(parse("submit env prod"), submit("env", Some("prod")));
    assert_eq!(parse("submit env"), submit("env", None));
    assert_eq!(parse("submit env "), submit("env", None));
    assert_eq!(parse("submit env \"\""), submit("env", Some("\"\"")));
    assert_eq!(parse("submit notes # no comment"), submit("notes", Some("# no comment")));
}

#[test]
fn waiting() {
    let wait = |until, seconds| Line::Wait { until, within: Duration::from_secs_f64(seconds) };
    assert_eq!(parse("wait open"), wait(Until::Open, 30.0));
    assert_eq!(parse("wait synced 5"), wait(Until::Synced, 5.0));
    assert_eq!(parse("wait decided 0.5"), wait(Until::Decided, 0.5));
    assert_eq!(parse("wait open 0").subject(), Some("open"));
}

#[test]
fn errors_name_what_is_wrong() {
    check_error("acept", "unknown-command", "acept: no such command; there are show, use,");
    check_error("ACCEPT", "unknown-command", "ACCEPT: no such command");
    check_error("accept now", "unreadable", "accept: nothing may follow, but \"now\" does");
    check_error("skip", "unreadable", "skip: a question is missing");
    check_error("skip a b", "unreadable", "skip: nothing may follow, but \"b\" does");
    check_error("skip \"a", "unreadable", "skip: not a JSON string: EOF while parsing a string");
    check_error("skip \"a\"b", "unreadable", "skip: a space must follow the string, not \"b\"");
    check_error("draft notes", "unreadable", "draft: a value is missing");
    check_error("draft notes ", "unreadable", "draft: a value is missing");
    check_error("draft", "unreadable", "draft: a question and a value is missing");
    check_error("take env", "unreadable", "take: a peer is missing");
    check_error("use", "unreadable", "use: a request id is missing");
    check_error("wait", "unreadable", "wait: open, synced or decided is missing");
    check_error("wait for", "unreadable", "wait: can wait for open, synced or decided, not for");
    for seconds in ["x", "-1", "nan", "inf", "1e9", "86401"] {
        let line = format!("wait open {seconds}");
        check_error(&line, "unreadable", &format!("wait: \"{seconds}\" is no number of seconds"));
    }
    let error = Line::from_bytes(b"skip \xff").unwrap_err();
    assert_eq!(error.problem, LineProblem::NotUtf8 { byte: 6 });
    let long = vec![b'a'; limits::STDIN_LINE + 1];
    assert_eq!(Line::from_bytes(&long).unwrap_err().problem, LineProblem::TooLong);
    assert_eq!(Line::from_bytes(b"show\n"), Ok(Some(Line::Show)));
}

fn question(kind: &str) -> ChatInputQuestion {
    let options = json!([{"id": "a", "label": "A"}, {"id": "us east", "label": "U"},
                         {"id": "1", "label": "1"}, {"id": "\"q\"", "label": "Q"}]);
    let mut question = json!({"kind": kind, "id": "q", "message": "?"});
    if kind.ends_with("select") {
        question["options"] = options;
    }
    serde_json::from_value(question).unwrap()
}

fn check_value(kind: &str, typed: &str, expected: Value) {
    let value = RawValue::new(typed).for_question(&question(kind)).unwrap();
    assert_eq!(serde_json::to_value(value).unwrap(), expected, "{typed}");
}

fn check_no_value(kind: &str, typed: &str, expected: &str) {
    let error = RawValue::new(typed).for_question(&question(kind)).unwrap_err();
    assert_eq!(error.to_string(), expected, "{typed}");
}

#[test]
fn texts() {
    let text = |value: &str| json!({"kind": "text", "value": value});
    check_value("text", " a b ", text(" a b "));
    check_value("text", "\"\"", text(""));
    check_value("text", r#""two\nlines""#, text("two\nlines"));
    check_value("text", r#""quoted" and more"#, text(r#""quoted" and more"#));
    check_value("text", "7", text("7"));
    check_value("text", r#"{"a":1}"#, text(r#"{"a":1}"#));
    check_value("text", r#"{"kind":"text","value":"x"}"#, text("x"));
    check_no_value(
        "text",
        r#"{"kind":"number","value":1}"#,
        "the question takes a value of kind \"text\"",
    );
}

#[test]
fn numbers_and_booleans() {
    let number = |value: f64| json!({"kind": "number", "value": value});
    check_value("number", "-1.5e3", number(-1500.0));
    check_value("integer", " 7 ", number(7.0));
    check_value("integer", r#"{"kind":"number","value":7}"#, number(7.0));
    check_no_value("integer", "seven", "\"seven\" is no number");
    check_no_value("number", "\"7\"", "\"\\\"7\\\"\" is no number");
    check_no_value("number", "NaN", "\"NaN\" is no number");
    check_value("boolean", "false", json!({"kind": "boolean", "value": false}));
    check_no_value("boolean", "no", "\"no\" is neither true nor false");
}

#[test]
fn selects() {
    let selected = |value: &str| json!({"kind": "selected", "value": value});
    check_value("single-select", "a", selected("a"));
    check_value("single-select", " \"a\" ", selected("a"));
    check_value("single-select", "us east", selected("us east"));
    check_value("single-select", "1", selected("1"));
    check_value("single-select", "\"q\"", selected("\"q\""));
    check_no_value("single-select", "b", "\"b\" is no option; there are a, us east, 1, \"q\"");
    let other = json!({"kind": "selected", "value": "", "freeformValues": ["else"]});
    check_value("single-select", &other.to_string(), other);
    let many = |value: Value| json!({"kind": "selected-many", "value": value});
    check_value("multi-select", r#"["us east","a"]"#, many(json!(["us east", "a"])));
    check_value("multi-select", "[]", many(json!([])));
    check_value("multi-select", "a", many(json!(["a"])));
    check_value("multi-select", "\"a\"", many(json!(["a"])));
    check_no_value(
        "multi-select",
        r#"["a","b"]"#,
        "\"b\" is no option; there are a, us east, 1, \"q\"",
    );
    check_no_value("drawing", "x", "the question is of a kind that is not known here");
}

proptest! {
    #[test]
    fn no_line_panics(line in prop::collection::vec(any::<u8>(), 0..80), text in ".*") {
        let _ = Line::from_bytes(&line);
        let _ = Line::parse(&text);
        for kind in ["text", "number", "boolean", "single-select", "multi-select", "x"] {
            let _ = RawValue::new(text.as_str()).for_question(&question(kind));
        }
    }

    #[test]
    fn any_text_can_be_said(id in any::<String>(), text in any::<String>()) {
        let line = format!("draft {} {}", json!(id), json!(text));
        let Line::Draft { question: said, value } = parse(&line) else { panic!("{line}") };
        prop_assert_eq!(said, id);
        let value = value.for_question(&question("text")).unwrap();
        prop_assert_eq!(value, value::text(text));
    }
}
