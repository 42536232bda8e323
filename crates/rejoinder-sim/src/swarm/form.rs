//! The requests of a swarm: one question of each kind that can hold something unique.

use rejoinder::ChatInputRequest;

use super::tokens;

/// How many options there are to tick.
pub(super) const OPTIONS: usize = 24;

/// The request of that id; a later revision asks one question more.
pub(super) fn request(id: &str, revision: u32) -> ChatInputRequest {
    let more = |revision: u32| {
        format!(r#", {{ "kind": "text", "id": "more{revision}", "message": "And now?" }}"#)
    };
    let more: String = (2..=revision).map(more).collect();
    let option = |number| format!(r#"{{ "id": "{0}", "label": "{0}" }}"#, tokens::option(number));
    let options = (0..OPTIONS).map(option).collect::<Vec<_>>().join(", ");
    let json = format!(
        r#"{{ "id": "{id}", "message": "Ready?", "questions": [
            {{ "kind": "text", "id": "notes", "message": "Anything to add?" }},
            {{ "kind": "integer", "id": "count", "message": "How many?" }},
            {{ "kind": "single-select", "id": "env", "message": "Where to?",
               "options": [{{ "id": "prod", "label": "Prod" }}, {{ "id": "stage", "label": "Stage" }}],
               "allowFreeformInput": true }},
            {{ "kind": "multi-select", "id": "tags", "message": "Which?",
               "options": [{options}] }}
            {more} ] }}"#
    );
    serde_json::from_str(&json).expect("the form is a request")
}
