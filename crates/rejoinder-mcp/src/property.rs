//! One property of the requested schema, as a question and a default.

use ahp_types::state::{
    ChatInputBooleanQuestion, ChatInputMultiSelectQuestion, ChatInputNumberQuestion,
    ChatInputOption, ChatInputQuestion, ChatInputSingleSelectQuestion, ChatInputTextQuestion,
};
use rejoinder_schema::Rules;
use serde_json::Value;

use crate::{
    error::Unanswerable,
    json::{Json, Object},
    options::options,
    schema::resolve,
    value::default_content,
    words,
};

/// A property that is shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Property {
    pub(crate) key: String,
    pub(crate) question: ChatInputQuestion,
    /// The rules that AHP's question can't express.
    pub(crate) rules: Rules,
}

/// The fields that all kinds of questions share.
struct Head {
    id: String,
    title: Option<String>,
    message: String,
    required: Option<bool>,
}

impl Property {
    pub(crate) fn read(
        root: &Object,
        key: &str,
        schema: &Json,
        required: bool,
    ) -> Result<Self, Unanswerable> {
        let schema = resolve(root, schema)?;
        let title = schema.text("title");
        let head = Head {
            id: key.to_owned(),
            title: Some(title.unwrap_or(key).to_owned()),
            message: schema.text("description").or(title).unwrap_or(key).to_owned(),
            required: required.then_some(true),
        };
        let (mut question, rules) = question(root, head, &schema)?;
        let default = schema.get("default").and_then(|json| default_content(&question, json));
        let default = default.filter(|default| keeps(&rules, default));
        if let Some(default) = &default {
            show_default(&mut question, default);
        }
        Ok(Self { key: key.to_owned(), question, rules })
    }
}

/// Whether content keeps the rules that AHP's question can't express.
pub(crate) fn keeps(rules: &Rules, content: &Value) -> bool {
    content.as_str().is_none_or(|text| rules.check_text(text).is_ok())
        && content.as_f64().is_none_or(|number| rules.check_number(number).is_ok())
}

fn question(
    root: &Object,
    head: Head,
    schema: &Object,
) -> Result<(ChatInputQuestion, Rules), Unanswerable> {
    let plain = |question| (question, Rules::default());
    match schema.get("type") {
        Some(Json::String(kind)) => match kind.as_str() {
            "string" => match options(schema)? {
                Some(options) => {
                    words::check_choice(schema)?;
                    Ok(plain(single_select(head, options)))
                }
                None => Ok((text(head, schema), words::check_text(schema)?)),
            },
            "integer" => {
                not_a_choice(schema)?;
                Ok((integer(head, schema), words::check_number(schema)?))
            }
            "number" => {
                not_a_choice(schema)?;
                Ok((number(head, schema), words::check_number(schema)?))
            }
            "boolean" => {
                not_a_choice(schema)?;
                words::check_boolean(schema)?;
                Ok(plain(boolean(head)))
            }
            "array" => multi_select(root, head, schema).map(plain),
            _ => Err(Unanswerable::Type),
        },
        // A choice of strings tells its type by itself; servers leave it out.
        None => {
            let options = options(schema)?.ok_or(Unanswerable::NoType)?;
            words::check_choice(schema)?;
            Ok(plain(single_select(head, options)))
        }
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
            Err(Unanswerable::Type)
        }
    }
}

/// An option's id is a string, so a choice among numbers can't be answered with one of them.
fn not_a_choice(schema: &Object) -> Result<(), Unanswerable> {
    let choice = ["enum", "const", "oneOf", "anyOf"].iter().any(|key| schema.get(key).is_some());
    if choice { Err(Unanswerable::NotStrings) } else { Ok(()) }
}

fn text(head: Head, schema: &Object) -> ChatInputQuestion {
    let Head { id, title, message, required } = head;
    ChatInputQuestion::Text(ChatInputTextQuestion {
        id,
        title,
        message,
        required,
        format: schema.text("format").map(str::to_owned),
        min: schema.count("minLength"),
        max: schema.count("maxLength"),
        default_value: None,
    })
}

fn number(head: Head, schema: &Object) -> ChatInputQuestion {
    // AHP's bounds are inclusive: the number next to an excluded bound is the first that holds.
    let above = schema.number("exclusiveMinimum").map(f64::next_up);
    let below = schema.number("exclusiveMaximum").map(f64::next_down);
    let min = schema.number("minimum").into_iter().chain(above).reduce(f64::max);
    let max = schema.number("maximum").into_iter().chain(below).reduce(f64::min);
    ChatInputQuestion::Number(numeric(head, min, max))
}

fn integer(head: Head, schema: &Object) -> ChatInputQuestion {
    let above = schema.number("exclusiveMinimum").map(|bound| bound.floor() + 1.0);
    let below = schema.number("exclusiveMaximum").map(|bound| bound.ceil() - 1.0);
    let min = schema.number("minimum").into_iter().chain(above).reduce(f64::max);
    let max = schema.number("maximum").into_iter().chain(below).reduce(f64::min);
    ChatInputQuestion::Integer(numeric(head, min, max))
}

fn numeric(head: Head, min: Option<f64>, max: Option<f64>) -> ChatInputNumberQuestion {
    let Head { id, title, message, required } = head;
    ChatInputNumberQuestion { id, title, message, required, min, max, default_value: None }
}

fn boolean(head: Head) -> ChatInputQuestion {
    let Head { id, title, message, required } = head;
    ChatInputQuestion::Boolean(ChatInputBooleanQuestion {
        id,
        title,
        message,
        required,
        default_value: None,
    })
}

fn single_select(head: Head, options: Vec<ChatInputOption>) -> ChatInputQuestion {
    let Head { id, title, message, required } = head;
    ChatInputQuestion::SingleSelect(ChatInputSingleSelectQuestion {
        id,
        title,
        message,
        required,
        options,
        // Said outright: some clients take its absence for a yes.
        allow_freeform_input: Some(false),
    })
}

fn multi_select(
    root: &Object,
    head: Head,
    schema: &Object,
) -> Result<ChatInputQuestion, Unanswerable> {
    let items = resolve(root, schema.get("items").ok_or(Unanswerable::FreeArray)?)?;
    if !matches!(items.text("type"), None | Some("string")) {
        return Err(Unanswerable::FreeArray);
    }
    let options = options(&items)?.ok_or(Unanswerable::FreeArray)?;
    words::check_choice(&items)?;
    words::check_many(schema)?;
    let Head { id, title, message, required } = head;
    Ok(ChatInputQuestion::MultiSelect(ChatInputMultiSelectQuestion {
        id,
        title,
        message,
        required,
        options,
        allow_freeform_input: Some(false),
        min: schema.count("minItems"),
        max: schema.count("maxItems"),
    }))
}

/// Selects have no default in AHP; the nearest is an option that is recommended.
fn show_default(question: &mut ChatInputQuestion, default: &Value) {
    match question {
        ChatInputQuestion::Text(text) => text.default_value = default.as_str().map(str::to_owned),
        ChatInputQuestion::Number(number) | ChatInputQuestion::Integer(number) => {
            number.default_value = default.as_f64();
        }
        ChatInputQuestion::Boolean(boolean) => boolean.default_value = default.as_bool(),
        ChatInputQuestion::SingleSelect(select) => {
            recommend(&mut select.options, |id| default.as_str() == Some(id));
        }
        ChatInputQuestion::MultiSelect(select) => {
            let chosen = default.as_array().map(Vec::as_slice).unwrap_or_default();
            recommend(&mut select.options, |id| {
                chosen.iter().any(|value| value.as_str() == Some(id))
            });
        }
        ChatInputQuestion::Unknown(_) => {}
    }
}

fn recommend(options: &mut [ChatInputOption], chosen: impl Fn(&str) -> bool) {
    for option in options {
        option.recommended = chosen(&option.id).then_some(true);
    }
}
