//! Why the parameters of an elicitation can't become a request.

use rejoinder_schema::Unreadable;

/// The server sent what can't be asked. Over MCP this is answered with -32602.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElicitationError {
    /// Not JSON; serde's words, with line and column.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The parameters are JSON, but not an object.
    #[error("elicitation parameters are a JSON object")]
    NotAnObject,
    /// A member that must be there isn't.
    #[error("\"{member}\" is missing")]
    Missing {
        /// Its name.
        member: &'static str,
    },
    /// A member is there but is something else than it must be.
    #[error("\"{member}\" must be {expected}")]
    Wrong {
        /// Its name.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// `mode` is neither `form` nor `url`.
    #[error("\"mode\" is {0:?}; known are \"form\" and \"url\"")]
    UnknownMode(String),
    /// A word of the whole schema that no set of questions keeps.
    #[error("requestedSchema: {0:?} can't be kept, so answers might be refused")]
    Word(&'static str),
    /// `required` names a property that isn't there, so that no answer could satisfy the server.
    #[error("\"required\" names {0:?}, which is no property")]
    RequiredUnknown(String),
    /// A required property can't be shown, so that accepting would be impossible.
    #[error("property {property:?} is required but can't be answered: {why}")]
    RequiredUnanswerable {
        /// Its name.
        property: String,
        /// Why not.
        why: Unanswerable,
    },
}

/// Why a property can't become a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unanswerable {
    /// It is not an object.
    #[error("it is not a schema")]
    NotASchema,
    /// It has no `type`, and nothing else tells what it holds.
    #[error("it has no type")]
    NoType,
    /// It has a type, or a list of types, that no question has.
    #[error("no question has its type")]
    Type,
    /// An array of something else than a choice of strings.
    #[error("it is an array of something else than a choice of strings")]
    FreeArray,
    /// A choice of which a part is no string.
    #[error("its choices are not all strings")]
    NotStrings,
    /// A choice without anything to choose.
    #[error("it has no options")]
    NoOptions,
    /// A `$ref` that leads nowhere, or in a circle.
    #[error("its $ref leads nowhere")]
    Reference,
    /// A word of JSON Schema that the question does not keep.
    #[error("no question keeps its {0:?}")]
    Word(&'static str),
    /// A word whose value is of the wrong type.
    #[error("its {0:?} is not what it must be")]
    Value(&'static str),
    /// A pattern that can't be checked here.
    #[error("its pattern can't be checked: {0}")]
    Pattern(Unreadable),
}
