//! Why the parameters of an elicitation can't become a request.

use std::fmt;

use rejoinder_schema::Unreadable;

/// The server sent what can't be asked. Over MCP this is answered with -32602.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElicitationError {
    /// Not JSON; serde's words, with line and column.
    NotJson(String),
    /// The parameters are JSON, but not an object.
    NotAnObject,
    /// A member that must be there isn't.
    Missing {
        /// Its name.
        member: &'static str,
    },
    /// A member is there but is something else than it must be.
    Wrong {
        /// Its name.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// `mode` is neither `form` nor `url`.
    UnknownMode(String),
    /// A word of the whole schema that no set of questions keeps.
    Word(&'static str),
    /// `required` names a property that isn't there, so that no answer could satisfy the server.
    RequiredUnknown(String),
    /// A required property can't be shown, so that accepting would be impossible.
    RequiredUnanswerable {
        /// Its name.
        property: String,
        /// Why not.
        why: Unanswerable,
    },
}

/// Why a property can't become a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswerable {
    /// It is not an object.
    NotASchema,
    /// It has no `type`, and nothing else tells what it holds.
    NoType,
    /// It has a type, or a list of types, that no question has.
    Type,
    /// An array of something else than a choice of strings.
    FreeArray,
    /// A choice of which a part is no string.
    NotStrings,
    /// A choice without anything to choose.
    NoOptions,
    /// A `$ref` that leads nowhere, or in a circle.
    Reference,
    /// A word of JSON Schema that the question does not keep.
    Word(&'static str),
    /// A word whose value is of the wrong type.
    Value(&'static str),
    /// A pattern that can't be checked here.
    Pattern(Unreadable),
}

impl fmt::Display for Unanswerable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Word(word) => return write!(f, "no question keeps its {word:?}"),
            Self::Value(word) => return write!(f, "its {word:?} is not what it must be"),
            Self::Pattern(why) => return write!(f, "its pattern can't be checked: {why}"),
            Self::NotASchema => "it is not a schema",
            Self::NoType => "it has no type",
            Self::Type => "no question has its type",
            Self::FreeArray => "it is an array of something else than a choice of strings",
            Self::NotStrings => "its choices are not all strings",
            Self::NoOptions => "it has no options",
            Self::Reference => "its $ref leads nowhere",
        })
    }
}

impl fmt::Display for ElicitationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(what) => write!(f, "not JSON: {what}"),
            Self::NotAnObject => write!(f, "elicitation parameters are a JSON object"),
            Self::Missing { member } => write!(f, "\"{member}\" is missing"),
            Self::Wrong { member, expected } => write!(f, "\"{member}\" must be {expected}"),
            Self::UnknownMode(mode) => {
                write!(f, "\"mode\" is {mode:?}; known are \"form\" and \"url\"")
            }
            Self::Word(word) => {
                write!(f, "requestedSchema: {word:?} can't be kept, so answers might be refused")
            }
            Self::RequiredUnknown(property) => {
                write!(f, "\"required\" names {property:?}, which is no property")
            }
            Self::RequiredUnanswerable { property, why } => {
                write!(f, "property {property:?} is required but can't be answered: {why}")
            }
        }
    }
}

impl std::error::Error for ElicitationError {}
