//! One property's schema with its detours taken: `$ref` into `$defs`, and `anyOf` with null.
//! Pydantic writes both for an enum and for an optional field.

use crate::{
    error::Unanswerable,
    json::{Json, Object},
    limits,
};

/// Follows the detours of `schema`. What stands beside a detour (title, description, default)
/// wins over what stands at its end.
pub(crate) fn resolve(root: &Object, schema: &Json) -> Result<Object, Unanswerable> {
    let mut resolved = schema.as_object().ok_or(Unanswerable::NotASchema)?.clone();
    for _ in 0..limits::INDIRECTIONS {
        let (detour, target) = match (resolved.get("$ref"), or_null(&resolved)) {
            (Some(reference), _) => ("$ref", referenced(root, reference)?),
            (None, Some(other)) => ("anyOf", other),
            (None, None) => return Ok(resolved),
        };
        let mut next = target.as_object().ok_or(Unanswerable::NotASchema)?.clone();
        next.0.extend(resolved.0.iter().filter(|(key, _)| key != detour).cloned());
        resolved = next;
    }
    Err(Unanswerable::Reference)
}

/// The X of `anyOf: [X, {type: null}]`.
fn or_null(schema: &Object) -> Option<&Json> {
    match schema.array("anyOf")? {
        [one, other] if is_null(other) && !is_null(one) => Some(one),
        [other, one] if is_null(other) && !is_null(one) => Some(one),
        _ => None,
    }
}

fn is_null(schema: &Json) -> bool {
    schema.as_object().and_then(|object| object.text("type")) == Some("null")
}

fn referenced<'a>(root: &'a Object, reference: &Json) -> Result<&'a Json, Unanswerable> {
    let path = reference.as_str().and_then(|path| path.strip_prefix("#/"));
    let (section, name) =
        path.and_then(|path| path.split_once('/')).ok_or(Unanswerable::Reference)?;
    if !matches!(section, "$defs" | "definitions") {
        return Err(Unanswerable::Reference);
    }
    // In a JSON pointer, ~1 stands for a slash and ~0 for a tilde.
    let name = name.replace("~1", "/").replace("~0", "~");
    root.object(section).and_then(|defs| defs.get(&name)).ok_or(Unanswerable::Reference)
}
