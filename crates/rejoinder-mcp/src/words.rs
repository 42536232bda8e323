//! The words of JSON Schema that hold an answer to something: each is kept by the question that a
//! property becomes, or the property can't be asked. No word is ignored, since the server would
//! refuse an answer that people had agreed on.

use rejoinder_schema::{Pattern, Rules};

use crate::{
    error::Unanswerable,
    json::{Json, Object},
};

/// All words that an answer can break. Others describe, or are no words of JSON Schema, which
/// says that those mean nothing.
const ASSERTIONS: &[&str] = &[
    "type",
    "enum",
    "const",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "properties",
    "required",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
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
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
];

/// Words of the whole schema that hold of every content that is sent: it has the properties that
/// were asked, and no others.
const OF_THE_WHOLE: &[&str] = &["type", "properties", "required", "additionalProperties"];

/// The first word of the whole schema that nothing keeps.
pub(crate) fn unkept_of_the_whole(schema: &Object) -> Option<&'static str> {
    unkept(schema, OF_THE_WHOLE)
}

/// AHP has no word for a pattern, so it is a rule beside the question.
pub(crate) fn check_text(schema: &Object) -> Result<Rules, Unanswerable> {
    check(schema, &["type", "minLength", "maxLength", "pattern"])?;
    counts(schema, &["minLength", "maxLength"])?;
    let pattern = match schema.get("pattern") {
        None => None,
        Some(Json::String(pattern)) => Some(Pattern::read(pattern).map_err(Unanswerable::Pattern)?),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
            return Err(Unanswerable::Value("pattern"));
        }
    };
    Ok(Rules { pattern, ..Rules::default() })
}

/// AHP's bounds are inclusive; an excluded one becomes its neighbour. It has no word for multiples.
pub(crate) fn check_number(schema: &Object) -> Result<Rules, Unanswerable> {
    const NUMBERS: &[&str] =
        &["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
    check(schema, &[&["type"], NUMBERS].concat())?;
    let is_wrong = |word: &&&str| schema.get(word).is_some() && schema.number(word).is_none();
    if let Some(word) = NUMBERS.iter().find(is_wrong) {
        return Err(Unanswerable::Value(word));
    }
    let multiple_of = schema.number("multipleOf");
    if multiple_of.is_some_and(|step| !Rules::is_step(step)) {
        return Err(Unanswerable::Value("multipleOf"));
    }
    Ok(Rules { multiple_of, ..Rules::default() })
}

pub(crate) fn check_boolean(schema: &Object) -> Result<(), Unanswerable> {
    check(schema, &["type"])
}

/// A choice is told by one word; a second one would be another choice.
pub(crate) fn check_choice(schema: &Object) -> Result<(), Unanswerable> {
    let chosen =
        ["enum", "oneOf", "anyOf", "const"].into_iter().find(|word| schema.get(word).is_some());
    check(schema, &["type", chosen.unwrap_or("type")])
}

/// An option is written as the schema of one value.
pub(crate) fn check_option(schema: &Object) -> Result<(), Unanswerable> {
    check(schema, &["type", "const"])?;
    let text = schema.get("type").is_none() || schema.text("type") == Some("string");
    if text { Ok(()) } else { Err(Unanswerable::NotStrings) }
}

/// Each choice is sent once, so `uniqueItems` always holds.
pub(crate) fn check_many(schema: &Object) -> Result<(), Unanswerable> {
    check(schema, &["type", "items", "minItems", "maxItems", "uniqueItems"])?;
    counts(schema, &["minItems", "maxItems"])
}

fn check(schema: &Object, kept: &[&str]) -> Result<(), Unanswerable> {
    unkept(schema, kept).map_or(Ok(()), |word| Err(Unanswerable::Word(word)))
}

fn unkept(schema: &Object, kept: &[&str]) -> Option<&'static str> {
    let there = |word: &&&str| schema.get(word).is_some() && !kept.contains(*word);
    ASSERTIONS.iter().find(there).copied()
}

fn counts(schema: &Object, words: &[&'static str]) -> Result<(), Unanswerable> {
    let wrong = |word: &&&'static str| schema.get(word).is_some() && schema.count(word).is_none();
    words.iter().find(wrong).map_or(Ok(()), |word| Err(Unanswerable::Value(word)))
}
