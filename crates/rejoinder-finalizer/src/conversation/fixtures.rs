//! AHP's own cases, through the function by which the fold applies actions.
//!
//! They lie beside this repository. Where they are absent the test says so and passes.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{Channel, Conversation, read_action};
use rejoinder_identity::WorkspaceId;

fn folder() -> PathBuf {
    match std::env::var_os("REJOINDER_AHP_FIXTURES") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/ahp"),
    }
}

/// Nulls dropped, `4` and `4.0` alike.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(keys) => keys
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, plain(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(plain).collect(),
        Value::Number(number) => number.as_f64().map_or(Value::Number(number), Value::from),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

fn run(case: &Value) -> Value {
    let mut conversation = Conversation::new(&WorkspaceId([0; 32]));
    let initial = case["initial"].clone();
    let channel = match case["reducer"].as_str() {
        Some("chat") => Channel::Chat,
        Some("session") => Channel::Session,
        other => panic!("reducer {other:?}"),
    };
    match channel {
        Channel::Chat => conversation.chat = serde_json::from_value(initial).unwrap(),
        Channel::Session => conversation.session = serde_json::from_value(initial).unwrap(),
    }
    for action in case["actions"].as_array().unwrap() {
        // An action that can't be read changes nothing: AHP says so of unknown actions.
        if let Ok(action) = read_action(&action.to_string()) {
            conversation.reduce(channel, &action);
        }
    }
    match channel {
        Channel::Chat => serde_json::to_value(conversation.chat).unwrap(),
        Channel::Session => serde_json::to_value(conversation.session).unwrap(),
    }
}

#[test]
fn the_protocols_own_cases() {
    let folder = folder();
    let Ok(files) = fs::read_dir(&folder) else {
        println!("AHP's cases are absent, skipped: no folder {}", folder.display());
        return;
    };
    let mut cases: Vec<PathBuf> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "no cases in {}", folder.display());
    for path in &cases {
        let case: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        assert_eq!(plain(run(&case)), plain(case["expected"].clone()), "{}", path.display());
    }
    println!("{} cases of AHP hold", cases.len());
}
