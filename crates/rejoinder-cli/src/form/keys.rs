//! The keys that a form file may have, and where.

use serde_json::{Map, Value};

use super::FormProblem;

pub(super) const REQUEST: &[&str] = &["id", "message", "url", "questions", "answers"];
pub(super) const OPTION: &[&str] = &["id", "label", "description", "recommended"];
pub(super) const ANSWERED: &[&str] = &["state", "value"];
pub(super) const SKIPPED: &[&str] = &["state", "freeformValues"];
pub(super) const VALUE: &[&str] = &["kind", "value"];
pub(super) const SELECTED: &[&str] = &["kind", "value", "freeformValues"];

const TEXT: &[&str] =
    &["kind", "id", "title", "message", "required", "format", "min", "max", "defaultValue"];
const NUMBER: &[&str] =
    &["kind", "id", "title", "message", "required", "min", "max", "defaultValue"];
const BOOLEAN: &[&str] = &["kind", "id", "title", "message", "required", "defaultValue"];
const SINGLE: &[&str] =
    &["kind", "id", "title", "message", "required", "options", "allowFreeformInput"];
const MULTI: &[&str] =
    &["kind", "id", "title", "message", "required", "options", "allowFreeformInput", "min", "max"];

/// Returns the keys of a question of that kind; `None` for an unknown kind.
pub(super) fn of_kind(kind: &str) -> Option<&'static [&'static str]> {
    match kind {
        "text" => Some(TEXT),
        "number" | "integer" => Some(NUMBER),
        "boolean" => Some(BOOLEAN),
        "single-select" => Some(SINGLE),
        "multi-select" => Some(MULTI),
        _ => None,
    }
}

const FORM_MODE: &[&str] = &["mode", "message", "requestedSchema", "task", "_meta"];
const URL_MODE: &[&str] = &["mode", "message", "url", "elicitationId", "task", "_meta"];

/// The words of JSON Schema itself and those that MCP servers add. A schema may say more than a
/// question can, but a word in neither list is a typing error.
const SCHEMA: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "$comment",
    "$anchor",
    "definitions",
    "type",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "enum",
    "const",
    "enumNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "required",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "unevaluatedItems",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
];

/// Reports the first key of `object` that is not in `known`.
pub(super) fn check(
    object: &Map<String, Value>,
    known: &'static [&'static str],
    place: impl Fn() -> Option<String>,
) -> Result<(), FormProblem> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(FormProblem::UnknownKey { key: key.clone(), place: place(), known }),
    }
}

pub(super) fn check_elicitation(form: &Map<String, Value>) -> Result<(), FormProblem> {
    let is_url = form.get("mode").and_then(Value::as_str) == Some("url");
    check(form, if is_url { URL_MODE } else { FORM_MODE }, || None)?;
    let Some(schema) = form.get("requestedSchema").and_then(Value::as_object) else {
        return Ok(());
    };
    check_schema(schema, "requestedSchema")?;
    let properties = schema.get("properties").and_then(Value::as_object);
    for (key, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else { continue };
        check_schema(property, &format!("property {key:?}"))?;
        if let Some(items) = property.get("items").and_then(Value::as_object) {
            check_schema(items, &format!("the items of property {key:?}"))?;
        }
    }
    Ok(())
}

fn check_schema(schema: &Map<String, Value>, place: &str) -> Result<(), FormProblem> {
    // `x-` marks keys that are meant for other readers.
    let unknown = |key: &&String| !SCHEMA.contains(&key.as_str()) && !key.starts_with("x-");
    match schema.keys().find(unknown) {
        None => Ok(()),
        Some(key) => Err(super::shape(
            Some(place.to_owned()),
            format!("unknown key {key:?}, which is no word of JSON Schema"),
        )),
    }
}
