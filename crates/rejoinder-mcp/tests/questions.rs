//! From a property to a question: each way in which servers write one.
#![expect(clippy::unwrap_used, reason = "helpers of tests, outside of test functions")]

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind;
use rejoinder_mcp::{Elicitation, ElicitationError, Unanswerable};
use serde_json::{Value, json};

fn form(schema: &str) -> Result<Elicitation, ElicitationError> {
    Elicitation::read(&format!(r#"{{"message":"m","requestedSchema":{schema}}}"#), "r".into())
}

fn questions(schema: &str) -> Vec<Value> {
    let elicitation = form(schema).unwrap();
    let request = serde_json::to_value(elicitation.request()).unwrap();
    request["questions"].as_array().unwrap().clone()
}

/// The question that an optional property `p` becomes.
fn check(property: &str, expected: Value) {
    let got = questions(&format!(r#"{{"type":"object","properties":{{"p":{property}}}}}"#));
    let mut expected = expected;
    for (key, value) in [("id", "p"), ("title", "p"), ("message", "p")] {
        expected.as_object_mut().unwrap().entry(key).or_insert(json!(value));
    }
    if expected["kind"].as_str().unwrap().ends_with("select") {
        expected["allowFreeformInput"] = json!(false);
    }
    assert_eq!(got, [expected], "{property}");
}

fn check_unanswerable(property: &str, why: Unanswerable) {
    let optional =
        form(&format!(r#"{{"properties":{{"p":{property},"q":{{"type":"boolean"}}}}}}"#));
    let optional = optional.unwrap();
    assert_eq!(optional.request().questions.as_ref().unwrap().len(), 1, "{property}");
    assert_eq!((&*optional.left_out()[0].property, optional.left_out()[0].why), ("p", why));
    let required = form(&format!(r#"{{"properties":{{"p":{property}}},"required":["p"]}}"#));
    let error = required.unwrap_err();
    assert_eq!(error, ElicitationError::RequiredUnanswerable { property: "p".to_owned(), why });
    assert!(error.to_string().contains("\"p\""), "{error}");
}

#[test]
fn titles_and_messages() {
    check(r#"{"type":"boolean"}"#, json!({"kind": "boolean"}));
    check(
        r#"{"type":"boolean","title":"T"}"#,
        json!({"kind": "boolean", "title": "T", "message": "T"}),
    );
    check(r#"{"type":"boolean","description":"D"}"#, json!({"kind": "boolean", "message": "D"}));
    check(
        r#"{"type":"boolean","title":"T","description":"D","default":false}"#,
        json!({"kind": "boolean", "title": "T", "message": "D", "defaultValue": false}),
    );
}

#[test]
fn text() {
    check(
        r#"{"type":"string","minLength":5.0,"maxLength":9,"format":"email","default":"a@b.cc"}"#,
        json!({"kind": "text", "min": 5, "max": 9, "format": "email", "defaultValue": "a@b.cc"}),
    );
    // An unknown format is a hint, a default that does not fit is none.
    check(
        r#"{"type":"string","format":"password","maxLength":2,"default":"xyz"}"#,
        json!({"kind": "text", "format": "password", "max": 2}),
    );
    check(r#"{"type":"string","default":7}"#, json!({"kind": "text"}));
    // Lengths are code points: one emoji is one.
    check(
        r#"{"type":"string","maxLength":1,"default":"🦀"}"#,
        json!({"kind": "text", "max": 1, "defaultValue": "🦀"}),
    );
}

#[test]
fn numbers() {
    check(
        r#"{"type":"number","minimum":0.5,"maximum":2,"default":1}"#,
        json!({"kind": "number", "min": 0.5, "max": 2.0, "defaultValue": 1.0}),
    );
    check(
        r#"{"type":"integer","minimum":1.0,"default":42.0,"format":"int32"}"#,
        json!({"kind": "integer", "min": 1.0, "defaultValue": 42.0}),
    );
    check(r#"{"type":"integer","default":42.5}"#, json!({"kind": "integer"}));
    check(r#"{"type":"integer","default":0,"minimum":1}"#, json!({"kind": "integer", "min": 1.0}));
    check(
        r#"{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":9.5}"#,
        json!({"kind": "integer", "min": 1.0, "max": 9.0}),
    );
    check(
        r#"{"type":"number","minimum":-1,"exclusiveMinimum":0,"exclusiveMaximum":1}"#,
        json!({"kind": "number", "min": f64::MIN_POSITIVE * f64::EPSILON, "max": 1.0 - f64::EPSILON / 2.0}),
    );
}

#[test]
fn selects() {
    let a = json!({"id": "a", "label": "a"});
    let b = json!({"id": "b", "label": "b", "recommended": true});
    let ab = json!({"kind": "single-select", "options": [a, b]});
    check(r#"{"type":"string","enum":["a","b"],"default":"b"}"#, ab.clone());
    // No type, equal values, a default that is no option beside them.
    check(r#"{"enum":["a","b","a"],"default":"b"}"#, ab.clone());
    check(
        r#"{"type":"string","oneOf":[{"const":"a"},{"const":"b","title":""}],"default":"b"}"#,
        ab,
    );
    check(
        r#"{"type":"string","enum":["a"],"default":"z"}"#,
        json!({"kind": "single-select", "options": [a]}),
    );
    check(
        r#"{"type":"string","enum":["a","b"],"enumNames":["日本語"]}"#,
        json!({"kind": "single-select", "options": [{"id": "a", "label": "日本語"}, {"id": "b", "label": "b"}]}),
    );
    check(
        r#"{"type":"string","anyOf":[{"const":"a","title":"A","description":"first"}]}"#,
        json!({"kind": "single-select", "options": [{"id": "a", "label": "A", "description": "first"}]}),
    );
    check(r#"{"const":"a"}"#, json!({"kind": "single-select", "options": [a]}));
}

#[test]
fn multi_selects() {
    let plain = json!([{"id": "a", "label": "a", "recommended": true}, {"id": "b", "label": "b"}]);
    check(
        r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":2,"default":["a"]}"#,
        json!({"kind": "multi-select", "options": plain, "min": 1, "max": 2}),
    );
    for list in ["anyOf", "oneOf"] {
        check(
            &format!(
                r#"{{"type":"array","items":{{"{list}":[{{"const":"a","title":"A"}}]}},"default":["z"]}}"#
            ),
            json!({"kind": "multi-select", "options": [{"id": "a", "label": "A"}]}),
        );
    }
}

#[test]
fn what_pydantic_writes() {
    check(
        r#"{"anyOf":[{"type":"string","maxLength":3},{"type":"null"}],"default":null,"title":"Nick"}"#,
        json!({"kind": "text", "title": "Nick", "message": "Nick", "max": 3}),
    );
    let got = questions(
        r##"{"$defs":{"P/1":{"enum":["low","high"],"title":"P","type":"string"}},
             "properties":{"prio":{"$ref":"#/$defs/P~11","default":"low"},
                           "more":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/P~11"}],"title":"More"},
                           "many":{"type":"array","items":{"$ref":"#/$defs/P~11"}}},
             "required":["prio"]}"##,
    );
    assert_eq!(
        got[0],
        json!({"kind": "single-select", "id": "prio", "title": "P", "message": "P", "required": true,
               "allowFreeformInput": false,
               "options": [{"id": "low", "label": "low", "recommended": true}, {"id": "high", "label": "high"}]})
    );
    assert_eq!((&got[1]["kind"], &got[1]["title"]), (&json!("single-select"), &json!("More")));
    assert_eq!(got[2]["kind"], "multi-select");
}

#[test]
fn what_no_question_can_show() {
    check_unanswerable(r#"{"type":"object","properties":{}}"#, Unanswerable::Type);
    check_unanswerable(r#"{"type":["string","null"]}"#, Unanswerable::Type);
    check_unanswerable(r#"{}"#, Unanswerable::NoType);
    check_unanswerable(r#"true"#, Unanswerable::NotASchema);
    check_unanswerable(r#"{"type":"array","items":{"type":"string"}}"#, Unanswerable::FreeArray);
    check_unanswerable(r#"{"type":"array"}"#, Unanswerable::FreeArray);
    check_unanswerable(r#"{"type":"integer","enum":[1,2]}"#, Unanswerable::NotStrings);
    check_unanswerable(r#"{"enum":[1,2]}"#, Unanswerable::NotStrings);
    check_unanswerable(r#"{"type":"string","enum":[]}"#, Unanswerable::NoOptions);
    check_unanswerable(r##"{"$ref":"#/$defs/none"}"##, Unanswerable::Reference);
    check_unanswerable(r#"{"$ref":"https://example.com/x"}"#, Unanswerable::Reference);
    let circle =
        r##"{"$defs":{"a":{"$ref":"#/$defs/a"}},"properties":{"p":{"$ref":"#/$defs/a"}}}"##;
    assert_eq!(form(circle).unwrap().left_out()[0].why, Unanswerable::Reference);
}

#[test]
fn keys_are_any_strings_in_the_servers_order() {
    let got = questions(
        r#"{"properties":{"z":{"type":"boolean"},"":{"type":"boolean"},"__proto__":{"type":"boolean"},
            "a.b":{"type":"boolean"},"🦀":{"type":"boolean"},"a":{"type":"boolean"}}}"#,
    );
    let ids: Vec<&str> = got.iter().map(|question| question["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["z", "", "__proto__", "a.b", "🦀", "a"]);
}

#[test]
fn no_properties_is_a_plain_confirmation() {
    for schema in [r#"{"type":"object","properties":{}}"#, r#"{"type":"object"}"#, "{}"] {
        assert_eq!(questions(schema), Vec::<Value>::new());
    }
}

#[test]
fn no_word_is_passed_over() {
    let check = |property: &str, why: &str| {
        let optional = format!(r#"{{"properties":{{"p":{property}}}}}"#);
        let read = form(&optional).unwrap();
        let left_out: Vec<_> = read.left_out().iter().map(|left| left.why.to_string()).collect();
        assert_eq!(left_out, [why], "{property}");
        let required = format!(r#"{{"properties":{{"p":{property}}},"required":["p"]}}"#);
        let error = form(&required).unwrap_err().to_string();
        assert_eq!(error, format!("property \"p\" is required but can't be answered: {why}"));
    };
    check(
        r#"{"type":"string","pattern":"(a)\\1"}"#,
        "its pattern can't be checked: at byte 5: references to groups are not known here",
    );
    check(r#"{"type":"string","pattern":1}"#, r#"its "pattern" is not what it must be"#);
    check(r#"{"type":"string","not":{"const":"x"}}"#, r#"no question keeps its "not""#);
    check(r#"{"type":"string","minLength":"x"}"#, r#"its "minLength" is not what it must be"#);
    check(r#"{"type":"string","enum":["a"],"pattern":"b"}"#, r#"no question keeps its "pattern""#);
    check(r#"{"type":"string","enum":["a"],"const":"a"}"#, r#"no question keeps its "const""#);
    check(r#"{"type":"number","multipleOf":0}"#, r#"its "multipleOf" is not what it must be"#);
    check(r#"{"type":"number","minimum":"0"}"#, r#"its "minimum" is not what it must be"#);
    check(r#"{"type":"boolean","if":{}}"#, r#"no question keeps its "if""#);
    check(
        r#"{"type":"array","items":{"type":"string","enum":["a"]},"contains":{}}"#,
        r#"no question keeps its "contains""#,
    );
    let whole = form(r#"{"properties":{},"minProperties":1}"#).unwrap_err().to_string();
    assert!(whole.starts_with("requestedSchema: \"minProperties\" can't be kept"), "{whole}");
    let fine = r#"{"properties":{"p":{"type":"string","format":"uuid"},
        "m":{"type":"array","items":{"enum":["a"]},"uniqueItems":true}},
        "additionalProperties":false,"$schema":"s","title":"t"}"#;
    let fine = form(fine).unwrap();
    assert_eq!(fine.left_out(), []);
    assert_eq!(fine.unchecked().collect::<Vec<_>>(), [("p", "uuid")]);
}

/// The pattern that the most used schema library writes for an e-mail address that is required, and
/// for steps.
#[test]
fn what_ahp_has_no_word_for_is_a_rule() {
    const EMAIL: &str = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$";
    let schema = json!({"type": "object", "properties": {
        "mail": {"type": "string", "format": "email", "pattern": EMAIL, "default": "a..b@x.cc"},
        "cents": {"type": "number", "multipleOf": 0.01, "default": 0.5},
        "five": {"type": "integer", "multipleOf": 5, "exclusiveMinimum": 0, "default": 7},
        "plain": {"type": "string"}}, "required": ["mail"]});
    let elicitation = form(&schema.to_string()).unwrap();
    assert_eq!(elicitation.left_out(), []);
    let rules = elicitation.rules();
    let named: Vec<&str> = rules.keys().map(|id| id.as_str()).collect();
    assert_eq!(named, ["cents", "five", "mail"]);
    assert_eq!(rules["mail"].pattern.as_ref().unwrap().as_str(), EMAIL);
    assert_eq!(rules["five"].multiple_of, Some(5.0));
    // A default that breaks one is none.
    let sent = elicitation.result(Some(ChatInputResponseKind::Accept), &BTreeMap::new());
    assert_eq!(sent["content"], json!({"cents": 0.5}));
}

#[test]
fn parameters_that_are_none() {
    let check = |params: &str, expected: &str| {
        let error = Elicitation::read(params, "r".into()).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{params}: {error}");
    };
    check("{", "not JSON: EOF while parsing an object at line 1 column 1");
    check("[]", "elicitation parameters are a JSON object");
    check(r#"{"requestedSchema":{}}"#, "\"message\" is missing");
    check(r#"{"message":1,"requestedSchema":{}}"#, "\"message\" must be a string");
    check(r#"{"message":"m"}"#, "\"requestedSchema\" is missing");
    check(r#"{"message":"m","requestedSchema":[]}"#, "\"requestedSchema\" must be an object");
    check(r#"{"message":"m","requestedSchema":{"type":"array"}}"#, "\"requestedSchema.type\" must");
    check(
        r#"{"message":"m","requestedSchema":{"properties":1}}"#,
        "\"properties\" must be an object",
    );
    check(r#"{"message":"m","requestedSchema":{"required":[1]}}"#, "\"required\" must be an array");
    check(
        r#"{"message":"m","requestedSchema":{"required":["gone"]}}"#,
        "\"required\" names \"gone\", which is no property",
    );
    check(
        r#"{"message":"m","requestedSchema":{"properties":{"a":{},"a":{}}}}"#,
        "not JSON: the key \"a\" is there twice at line 1 column ",
    );
    check(r#"{"mode":"voice","message":"m"}"#, "\"mode\" is \"voice\"");
    check(r#"{"mode":1,"message":"m"}"#, "\"mode\" must be");
    check(r#"{"mode":"url","message":"m"}"#, "\"url\" is missing");
}
