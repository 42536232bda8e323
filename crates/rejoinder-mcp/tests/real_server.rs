//! The elicitations that server-everything 2026.8.31 really sends, byte for byte.
#![expect(clippy::unwrap_used, reason = "helpers of tests, outside of test functions")]

use std::collections::BTreeMap;

use ahp_types::state::{
    ChatInputAnswer, ChatInputAnswerValue, ChatInputAnswered, ChatInputQuestion,
    ChatInputResponseKind, ChatInputTextAnswerValue,
};
use rejoinder_identity::QuestionId;
use rejoinder_mcp::Elicitation;
use serde_json::{Value, json, value::RawValue};

fn params(trigger: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Call {
        params: Box<RawValue>,
    }
    let file: Value =
        serde_json::from_str(include_str!("fixtures/everything-elicitation.json")).unwrap();
    let requests = file["requests"].as_array().unwrap();
    let request = requests.iter().find(|request| request["trigger"] == trigger).unwrap();
    let call: Call = serde_json::from_str(request["wire_line"].as_str().unwrap()).unwrap();
    call.params.get().to_owned()
}

fn read(trigger: &str) -> Elicitation {
    Elicitation::read(&params(trigger), "r1".into()).unwrap()
}

fn submitted(text: &str) -> ChatInputAnswer {
    let value = ChatInputTextAnswerValue { value: text.to_owned() };
    ChatInputAnswer::Submitted(ChatInputAnswered { value: ChatInputAnswerValue::Text(value) })
}

#[test]
fn the_form_of_every_kind() {
    let elicitation = read("form-implicit {} accept full");
    assert_eq!(elicitation.left_out(), []);
    let request = serde_json::to_value(elicitation.request()).unwrap();
    assert_eq!(request["message"], "Please provide inputs for the following fields:");
    let questions = request["questions"].as_array().unwrap();
    let ids: Vec<&str> = questions.iter().map(|q| q["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "name",
            "check",
            "firstLine",
            "email",
            "homepage",
            "birthdate",
            "integer",
            "number",
            "untitledSingleSelectEnum",
            "untitledMultipleSelectEnum",
            "titledSingleSelectEnum",
            "titledMultipleSelectEnum",
            "legacyTitledEnum",
        ],
        "in the server's order"
    );
    assert_eq!(
        questions[0],
        json!({"kind": "text", "id": "name", "title": "String",
               "message": "Your full, legal name", "required": true})
    );
    assert_eq!(questions[2]["defaultValue"], "It was a dark and stormy night.");
    assert_eq!(questions[3]["format"], "email");
    assert_eq!(
        (
            &questions[6]["kind"],
            &questions[6]["min"],
            &questions[6]["max"],
            &questions[6]["defaultValue"]
        ),
        (&json!("integer"), &json!(1.0), &json!(100.0), &json!(42.0))
    );
    let fish = &questions[11];
    assert_eq!(
        (&fish["kind"], &fish["min"], &fish["max"]),
        (&json!("multi-select"), &json!(1), &json!(3))
    );
    assert_eq!(fish["options"][0], json!({"id": "fish-1", "label": "Tuna", "recommended": true}));
    assert_eq!(fish["options"][1], json!({"id": "fish-2", "label": "Salmon"}));
    assert_eq!(questions[12]["options"][4], json!({"id": "pet-5", "label": "Reptiles"}));
    assert_eq!(questions[12]["allowFreeformInput"], false);
}

#[test]
#[expect(clippy::approx_constant, reason = "the server's default is 3.14, not pi")]
fn untouched_questions_come_back_with_their_defaults() {
    let elicitation = read("form-implicit {} accept full");
    let answers = BTreeMap::from([(QuestionId::from("name"), submitted("Ann"))]);
    let result = elicitation.result(Some(ChatInputResponseKind::Accept), &answers);
    assert_eq!(
        result.to_string(),
        json!({"action": "accept", "content": {
            "name": "Ann",
            "firstLine": "It was a dark and stormy night.",
            "integer": 42,
            "number": 3.14,
            "untitledSingleSelectEnum": "Monica",
            "untitledMultipleSelectEnum": ["Guitar"],
            "titledSingleSelectEnum": "hero-1",
            "titledMultipleSelectEnum": ["fish-1"],
            "legacyTitledEnum": "pet-1",
        }})
        .to_string()
    );
}

#[test]
fn the_url_flow() {
    let elicitation = read("url form+url accept");
    let request = serde_json::to_value(elicitation.request()).unwrap();
    assert_eq!(
        request,
        json!({"id": "r1", "message": "Please authorise", "url": "https://example.com/connect?x=1"})
    );
    assert_eq!(elicitation.elicitation_id(), Some("el-1"));
    let result = elicitation.result(Some(ChatInputResponseKind::Accept), &BTreeMap::new());
    assert_eq!(result, json!({"action": "accept"}));
}

#[test]
fn forms_that_came_as_tasks() {
    for trigger in [
        "async elicitation: client as task executor",
        "simulate-research-query ambiguous (server-side task, relatedTask elicitation)",
    ] {
        let elicitation = read(trigger);
        let questions = elicitation.request().questions.as_deref().unwrap();
        assert!(questions.iter().any(|q| matches!(q, ChatInputQuestion::SingleSelect(_))));
        let decline = elicitation.result(Some(ChatInputResponseKind::Decline), &BTreeMap::new());
        assert_eq!(decline, json!({"action": "decline"}));
    }
}
