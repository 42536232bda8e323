//! From answers to the `ElicitResult`: each row of what may have happened to a question.
#![expect(clippy::unwrap_used, reason = "helpers of tests, outside of test functions")]

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputResponseKind};
use proptest::prelude::*;
use rejoinder_identity::QuestionId;
use rejoinder_mcp::Elicitation;
use serde_json::{Value, json};

const FORM: &str = r#"{"message":"m","requestedSchema":{"type":"object","properties":{
    "text":{"type":"string","minLength":0,"maxLength":3},
    "mail":{"type":"string","format":"email"},
    "number":{"type":"number","maximum":9e15},
    "count":{"type":"integer","default":7},
    "flag":{"type":"boolean","default":true},
    "one":{"type":"string","enum":["a","b"],"default":"b"},
    "many":{"type":"array","items":{"enum":["a","b","c"]},"maxItems":2},
    "odd":{"type":"object","default":{}}
}}}"#;

fn answers(answers: Value) -> BTreeMap<QuestionId, ChatInputAnswer> {
    let answers: BTreeMap<String, ChatInputAnswer> = serde_json::from_value(answers).unwrap();
    answers.into_iter().map(|(question, answer)| (question.into(), answer)).collect()
}

fn accept(given: Value) -> Value {
    let elicitation = Elicitation::read(FORM, "r".into()).unwrap();
    elicitation.result(Some(ChatInputResponseKind::Accept), &answers(given))
}

/// Checks the content that the server gets for one answered question.
fn check(question: &str, answer: Value, expected: Option<&str>) {
    let result = accept(json!({ question: answer }));
    assert_eq!(result["action"], "accept");
    let got = result["content"].as_object().unwrap().get(question).map(Value::to_string);
    assert_eq!(got.as_deref(), expected, "{question}: {answer}");
}

fn submitted(kind: &str, value: Value) -> Value {
    json!({"state": "submitted", "value": {"kind": kind, "value": value}})
}

#[test]
fn nothing_touched() {
    let expected = json!({"action": "accept", "content": {"count": 7, "flag": true, "one": "b"}});
    assert_eq!(accept(json!({})).to_string(), expected.to_string());
    let empty = r#"{"message":"m","requestedSchema":{"properties":{"t":{"type":"string"}}}}"#;
    let empty = Elicitation::read(empty, "r".into()).unwrap();
    let result = empty.result(Some(ChatInputResponseKind::Accept), &BTreeMap::new());
    assert_eq!(result, json!({"action": "accept", "content": {}}));
}

#[test]
fn other_ends_say_nothing_more() {
    let elicitation = Elicitation::read(FORM, "r".into()).unwrap();
    let given = answers(json!({"text": submitted("text", json!("x"))}));
    for (response, action) in [
        (Some(ChatInputResponseKind::Decline), "decline"),
        (Some(ChatInputResponseKind::Cancel), "cancel"),
        (None, "cancel"),
    ] {
        assert_eq!(elicitation.result(response, &given), json!({ "action": action }));
    }
}

#[test]
fn skipped_and_drafted_are_absent_even_with_a_default() {
    check("count", json!({"state": "skipped"}), None);
    check("one", json!({"state": "skipped", "freeformValues": ["no"]}), None);
    check("count", json!({"state": "draft", "value": {"kind": "number", "value": 1}}), None);
}

#[test]
fn texts_are_exact() {
    check("text", submitted("text", json!(" é\n")), Some("\" é\\n\""));
    check("text", submitted("text", json!("")), Some("\"\""));
    check("text", submitted("text", json!("🦀🦀🦀")), Some("\"🦀🦀🦀\""));
    check("text", submitted("text", json!("four")), None);
    check("mail", submitted("text", json!("")), None);
}

#[test]
fn numbers_are_numbers() {
    check("number", submitted("number", json!(42.0)), Some("42"));
    check("number", submitted("number", json!(-0.0)), Some("0"));
    check("number", submitted("number", json!(42.5)), Some("42.5"));
    check("number", submitted("number", json!(1e16)), None);
    check("count", submitted("number", json!(42.0)), Some("42"));
    check("count", submitted("number", json!(42.5)), None);
    check("count", submitted("number", json!(9007199254740991.0)), Some("9007199254740991"));
    check("count", submitted("number", json!(9007199254740992.0)), None);
    check("count", submitted("text", json!("3")), None);
}

#[test]
fn a_no_is_sent_as_a_no() {
    check("flag", submitted("boolean", json!(false)), Some("false"));
    check("flag", submitted("text", json!("true")), None);
}

#[test]
fn choices_are_option_ids() {
    check("one", submitted("selected", json!("a")), Some("\"a\""));
    check("one", submitted("selected", json!("z")), None);
    let other = json!({"kind": "selected", "value": "a", "freeformValues": ["x"]});
    check("one", json!({"state": "submitted", "value": other}), None);
    let none = json!({"kind": "selected", "value": "a", "freeformValues": []});
    check("one", json!({"state": "submitted", "value": none}), Some("\"a\""));
    check("many", submitted("selected-many", json!(["c", "a", "c"])), Some("[\"a\",\"c\"]"));
    check("many", submitted("selected-many", json!([])), Some("[]"));
    check("many", submitted("selected-many", json!(["a", "b", "c"])), None);
    check("many", submitted("selected-many", json!(["a", "z"])), None);
    check("many", submitted("selected", json!("a")), None);
}

#[test]
fn unknown_questions_and_values_stay_out() {
    check("gone", submitted("text", json!("x")), None);
    check("odd", submitted("text", json!("x")), None);
    check("text", json!({"state": "submitted", "value": {"kind": "drawing", "value": 1}}), None);
}

#[test]
fn odd_keys_come_back_as_they_were() {
    let keys = ["", "__proto__", "a.b", "🦀"];
    let properties: serde_json::Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), json!({"type": "string"}))).collect();
    let params = json!({"message": "m", "requestedSchema": {"properties": properties}});
    let elicitation = Elicitation::read(&params.to_string(), "r".into()).unwrap();
    let given: serde_json::Map<String, Value> =
        keys.iter().map(|key| ((*key).to_owned(), submitted("text", json!(key)))).collect();
    let result = elicitation.result(Some(ChatInputResponseKind::Accept), &answers(given.into()));
    for key in keys {
        assert_eq!(result["content"][key], key);
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(text in ".*") {
        let _ = Elicitation::read(&text, "r".into());
        let inside = format!(r#"{{"message":"m","requestedSchema":{{"properties":{{"p":{text}}}}}}}"#);
        let _ = Elicitation::read(&inside, "r".into());
    }
}
