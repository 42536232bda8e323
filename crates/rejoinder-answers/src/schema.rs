//! The layout of the document, and the only file that spells its keys:
//!
//! ```text
//! answers: map questionId → map
//!     mark      null | JSON string, below
//!     text      Text
//!     value     scalar: number, boolean, option id; null is none
//!     options   map optionId → bool
//!     freeform  null | JSON array of strings
//! ```
//!
//! Every question has all five whatever its kind, so that raising it again as another kind makes
//! no object that two peers could make apart.

use ahp_types::state::ChatInputAnswerValue;
use rejoinder_identity::ActorId;
use serde_json::{Map, Value, json};

use crate::json::value_to_json;

/// The root's only key.
pub(crate) const ANSWERS: &str = "answers";
/// The last thing said about the question: drafted, submitted or skipped.
pub(crate) const MARK: &str = "mark";
/// Text that is typed.
pub(crate) const TEXT: &str = "text";
/// A number, a truth value, or an option's id.
pub(crate) const VALUE: &str = "value";
/// The options of a multi-select.
pub(crate) const OPTIONS: &str = "options";
/// Text of one's own beside or instead of an option.
pub(crate) const FREEFORM: &str = "freeform";

const STATE: &str = "state";
const FREEFORM_VALUES: &str = "freeformValues";
const KIND: &str = "kind";
const UNIQUE: &str = "n";

/// The content of a mark. Null is no mark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Mark {
    /// The value is in the content fields.
    Draft {
        /// The kind of value that was drafted, so that a draft of a question that has become
        /// another kind of question is not read from the wrong fields.
        kind: Option<String>,
    },
    /// The whole value, so that a submitted answer is never a mixture.
    Submitted(ChatInputAnswerValue),
    /// With the texts given instead.
    Skipped(Vec<String>),
}

impl Mark {
    /// The mark that the change `seq` of `actor` writes. It is unlike every other: Automerge drops
    /// a put that changes nothing, and what was dropped can't win.
    pub(crate) fn to_text(&self, actor: &ActorId, seq: u64) -> String {
        let mut json = Map::new();
        json.insert(UNIQUE.to_owned(), format!("{}-{seq}", actor.short_hex()).into());
        if rejoinder_identity::mutant!("mutant-mark-that-changes-nothing") {
            json.remove(UNIQUE);
        }
        match self {
            Self::Draft { kind } => {
                json.insert(STATE.to_owned(), "draft".into());
                if let Some(kind) = kind {
                    json.insert(KIND.to_owned(), kind.as_str().into());
                }
            }
            Self::Submitted(value) => {
                json.insert(STATE.to_owned(), "submitted".into());
                json.insert(VALUE.to_owned(), value_to_json(value));
            }
            Self::Skipped(freeform) => {
                json.insert(STATE.to_owned(), "skipped".into());
                if !freeform.is_empty() {
                    json.insert(FREEFORM_VALUES.to_owned(), json!(freeform));
                }
            }
        }
        Value::Object(json).to_string()
    }

    /// Reads what this or a later release wrote.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        match json.get(STATE)?.as_str()? {
            "draft" => {
                let kind = json.get(KIND).and_then(Value::as_str).map(str::to_owned);
                Some(Self::Draft { kind })
            }
            "submitted" => {
                serde_json::from_value(json.get(VALUE)?.clone()).ok().map(Self::Submitted)
            }
            "skipped" => match json.get(FREEFORM_VALUES) {
                None => Some(Self::Skipped(Vec::new())),
                Some(values) => serde_json::from_value(values.clone()).ok().map(Self::Skipped),
            },
            _ => None,
        }
    }
}

/// The spelling of freeform values in their register.
pub(crate) fn freeform_to_text(values: &[String]) -> String {
    json!(values).to_string()
}

/// The freeform values that a register holds.
pub(crate) fn read_freeform(text: &str) -> Option<Vec<String>> {
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use ahp_types::state::{ChatInputNumberAnswerValue, ChatInputTextAnswerValue};

    use super::*;

    #[test]
    fn marks_are_spelled_for_ever() {
        let actor = ActorId([0xab; 16]);
        let number = ChatInputNumberAnswerValue { value: 7.0 };
        let text = ChatInputTextAnswerValue { value: "a\"\n😀".to_owned() };
        for (mark, spelled) in [
            (
                Mark::Draft { kind: Some("text".to_owned()) },
                r#"{"kind":"text","n":"abababab-3","state":"draft"}"#,
            ),
            (
                Mark::Submitted(ChatInputAnswerValue::Number(number)),
                r#"{"n":"abababab-3","state":"submitted","value":{"kind":"number","value":7}}"#,
            ),
            (
                Mark::Submitted(ChatInputAnswerValue::Text(text)),
                r#"{"n":"abababab-3","state":"submitted","value":{"kind":"text","value":"a\"\n😀"}}"#,
            ),
            (Mark::Skipped(Vec::new()), r#"{"n":"abababab-3","state":"skipped"}"#),
            (
                Mark::Skipped(vec!["no".to_owned()]),
                r#"{"freeformValues":["no"],"n":"abababab-3","state":"skipped"}"#,
            ),
        ] {
            assert_eq!(mark.to_text(&actor, 3), spelled);
            assert_eq!(Mark::read(spelled), Some(mark));
        }
    }

    #[test]
    fn what_is_no_mark_is_none() {
        for text in [
            "",
            "null",
            "{}",
            "[]",
            "7",
            r#"{"state":"open"}"#,
            r#"{"state":"submitted"}"#,
            r#"{"state":"skipped","freeformValues":"x"}"#,
            r#"{"state":7}"#,
            "{\"state\":\"draft\"",
        ] {
            assert_eq!(Mark::read(text), None, "{text}");
        }
        // A later release may say more.
        assert!(Mark::read(r#"{"state":"draft","more":[1]}"#).is_some());
    }
}
