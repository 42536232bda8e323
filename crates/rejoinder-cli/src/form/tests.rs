//! Forms that can be read, and the messages about those that can't.

use super::*;

fn parse(text: &str) -> Result<FormFile, FormError> {
    FormFile::parse("form.json", text.as_bytes(), None)
}

fn check_error(text: &str, expected: &str) {
    let said = parse(text).unwrap_err().to_string();
    assert!(said.starts_with(&format!("form.json: {expected}")), "{text}\n{said}");
}

const ASK: &str = r#"{"id":"r1","message":"Deploy?","questions":[
    {"kind":"single-select","id":"env","message":"Where?","required":true,
     "options":[{"id":"prod","label":"Production"}]},
    {"kind":"text","id":"notes","message":"Notes"}],
    "answers":{"notes":{"state":"draft","value":{"kind":"text","value":"x"}}}}"#;

#[test]
fn an_ahp_request() {
    let form = parse(ASK).unwrap();
    assert_eq!((form.request.id.as_str(), form.elicitation), ("r1", None));
    assert_eq!(form.request.questions.unwrap().len(), 2);
    let with_mark = format!("\u{feff}{ASK}");
    assert!(parse(&with_mark).is_ok());
    let other = FormFile::parse("form.json", ASK.as_bytes(), Some("mine")).unwrap();
    assert_eq!(other.request.id, "mine");
}

#[test]
fn odd_ids_are_ids() {
    for id in ["", "__proto__", "a.b", "🦀"] {
        let form = serde_json::json!({"id": id, "questions": [
            {"kind": "boolean", "id": id, "message": "?"}]});
        let form = parse(&form.to_string()).unwrap();
        assert_eq!(form.request.id, id);
        assert_eq!(question::id(&form.request.questions.unwrap()[0]).unwrap(), id);
    }
}

#[test]
fn elicitation_parameters() {
    let text = r#"{"message":"m","requestedSchema":{"type":"object","properties":{
        "z":{"type":"string","x-hint":"secret"},"a":{"type":"boolean"}}}}"#;
    let form = parse(text).unwrap();
    let ids: Vec<_> = form.request.questions.as_ref().unwrap().iter().map(question::id).collect();
    assert_eq!(ids, [Some(&"z".to_owned()), Some(&"a".to_owned())]);
    // The first sixteen digits that `sha256sum form.json` prints.
    let again = FormFile::parse("-", text.as_bytes(), None).unwrap();
    assert_eq!(form.request.id, again.request.id);
    assert!(form.request.id.starts_with("mcp-") && form.request.id.len() == 20);
    assert_eq!(id_of_file(b"abc"), "mcp-ba7816bf8f01cfea");
    let named = FormFile::parse("-", text.as_bytes(), Some("r9")).unwrap();
    assert_eq!(named.request.id, "r9");
    let url = parse(r#"{"mode":"url","message":"m","url":"https://e.org","elicitationId":"e"}"#);
    assert_eq!(url.unwrap().request.url.as_deref(), Some("https://e.org"));
}

#[test]
fn files_that_are_no_forms() {
    check_error("{\n  \"id\": \"r\",\n}", "not JSON: trailing comma at line 3 column 1");
    check_error("", "not JSON: EOF while parsing a value at line 1 column 0");
    check_error("[]", "a form is a JSON object");
    let not_utf8 = FormFile::parse("form.json", b"{\"id\":\"\xff\"}", None).unwrap_err();
    assert_eq!(not_utf8.to_string(), "form.json: not UTF-8 at byte 8");
    let missing = FormFile::read(Path::new("/nonexistent/form.json"), None).unwrap_err();
    assert_eq!(missing.to_string(), "/nonexistent/form.json: no such file");
    let folder = FormFile::read(Path::new("/"), None).unwrap_err();
    assert!(folder.to_string().starts_with("/: can't be read: "), "{folder}");
    let large = bounded(io::repeat(b' ')).unwrap_err();
    assert_eq!(large.to_string(), "larger than 1024 KiB, which no request is");
}

#[test]
fn unknown_keys() {
    check_error(
        r#"{"id":"r","mesage":"m"}"#,
        "unknown key \"mesage\"; known are id, message, url, questions, answers",
    );
    let question = |text: &str| format!(r#"{{"id":"r","questions":[{text}]}}"#);
    check_error(
        &question(r#"{"kind":"text","id":"n","message":"m","optoins":[]}"#),
        "question \"n\": unknown key \"optoins\"; known are kind, id, title",
    );
    check_error(
        &question(
            r#"{"kind":"single-select","id":"n","message":"m","options":[{"id":"a","lable":"A"}]}"#,
        ),
        "question \"n\", option \"a\": unknown key \"lable\"",
    );
    check_error(
        r#"{"message":"m","requestedSchema":{},"questions":[]}"#,
        "unknown key \"questions\"; known are mode, message, requestedSchema",
    );
    check_error(
        r#"{"message":"m","requestedSchema":{"properties":{"p":{"type":"string","minLenght":3}}}}"#,
        "property \"p\": unknown key \"minLenght\", which is no word of JSON Schema",
    );
    check_error(
        r#"{"message":"m","requestedSchema":{"propertys":{}}}"#,
        "requestedSchema: unknown key \"propertys\"",
    );
}

#[test]
fn wrong_shapes() {
    check_error("{}", "the request has no \"id\"; give it one, or use --id ID");
    check_error(r#"{"id":7}"#, "\"id\" must be a string");
    check_error(r#"{"id":"r","url":null}"#, "\"url\" must be a string");
    check_error(r#"{"id":"r","questions":{}}"#, "\"questions\" must be an array");
    let question = |text: &str| format!(r#"{{"id":"r","questions":[{text}]}}"#);
    check_error(&question("1"), "question 1 of the form: must be an object");
    check_error(&question(r#"{"id":"n"}"#), "question \"n\": has no \"kind\"; known are text,");
    check_error(
        &question(r#"{"id":"n","kind":"singel-select"}"#),
        "question \"n\": unknown kind \"singel-select\"; known are text,",
    );
    check_error(
        &question(r#"{"id":"n","kind":"text"}"#),
        "question \"n\": missing field `message`",
    );
    check_error(
        &question(r#"{"kind":"text","message":"m"}"#),
        "question 1 of the form: missing field `id`",
    );
    check_error(
        &question(r#"{"id":"n","kind":"single-select","message":"m"}"#),
        "question \"n\": missing field `options`",
    );
    check_error(
        &question(r#"{"id":"n","kind":"text","message":"m","min":1.5}"#),
        "question \"n\": invalid type: floating point `1.5`, expected i64",
    );
    check_error(
        &question(r#"{"id":"n","kind":"single-select","message":"m","options":["a"]}"#),
        "question \"n\", option 1: must be an object",
    );
}

#[test]
fn wrong_answers() {
    let form = |answer: &str| {
        format!(
            r#"{{"id":"r","questions":[{{"kind":"text","id":"n","message":"m"}}],"answers":{answer}}}"#
        )
    };
    check_error(&form("[]"), "\"answers\" must be an object");
    check_error(&form(r#"{"x":{}}"#), "\"answers\" answers \"x\", which is no question");
    check_error(&form(r#"{"n":{}}"#), "the answer of \"n\": \"state\" must be draft,");
    check_error(&form(r#"{"n":{"state":"draft"}}"#), "the answer of \"n\": has no \"value\"");
    check_error(
        &form(r#"{"n":{"state":"draft","value":{"kind":"text","value":1}}}"#),
        "the answer of \"n\": \"value\" does not fit its \"kind\"",
    );
    check_error(
        &form(r#"{"n":{"state":"skipped","value":1}}"#),
        "the answer of \"n\": unknown key \"value\"",
    );
}

#[test]
fn required_properties_that_cannot_be_answered() {
    check_error(
        r#"{"message":"m","requestedSchema":{"properties":{"p":{"type":"object"}},"required":["p"]}}"#,
        "property \"p\" is required but can't be answered: no question has its type",
    );
    check_error(
        r#"{"message":"m","requestedSchema":{"properties":{"p":{},"p":{}}}}"#,
        "not JSON: the key \"p\" is there twice at line 1 column ",
    );
    check_error(
        r#"{"message":"m","requestedSchema":{"properties":{"p":{"type":"string","pattern":"(?i:a)"}},"required":["p"]}}"#,
        "property \"p\" is required but can't be answered: its pattern can't be checked: at byte 1: this kind",
    );
}

#[test]
fn a_key_that_is_there_twice() {
    check_error(
        r#"{"id":"r","questions":[{"kind":"text","id":"q","message":"m","required":true,"required":false}]}"#,
        "not JSON: the key \"required\" is there twice at line 1 column ",
    );
    check_error(r#"{"id":"a","\u0069d":"b"}"#, "not JSON: the key \"id\" is there twice");
}

#[test]
fn the_engine_has_its_say() {
    let said = parse(ASK).unwrap().checked(|_| Err("question \"env\" has no options"));
    assert_eq!(said.unwrap_err().to_string(), "form.json: question \"env\" has no options");
    assert!(parse(ASK).unwrap().checked(|_| Ok::<(), String>(())).is_ok());
}
