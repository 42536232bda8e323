//! Why the parameters of an elicitation can't become a request.

use rejoinder_schema::Unreadable;

/// The server's parameters can't be asked. Over MCP this is answered with -32602.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ElicitationError {
    /// Not JSON; serde's words, with line and column.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// The parameters are JSON, but not an object.
    #[error("elicitation parameters are a JSON object")]
    NotAnObject,
    /// A required member is missing.
    #[error("\"{member}\" is missing")]
    Missing {
        /// Its name.
        member: &'static str,
    },
    /// A member has the wrong form.
    #[error("\"{member}\" must be {expected}")]
    Wrong {
        /// Its name.
        member: &'static str,
        /// The expected form.
        expected: &'static str,
    },
    /// `mode` is neither `form` nor `url`.
    #[error("\"mode\" is {0:?}; known are \"form\" and \"url\"")]
    UnknownMode(String),
    /// A keyword of the whole schema that questions can't enforce.
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
    /// It has no `type`, and nothing else says what it holds.
    #[error("it has no type")]
    NoType,
    /// It has a type, or a list of types, that no question has.
    #[error("no question has its type")]
    Type,
    /// An array that is not a choice of strings.
    #[error("it is an array of something else than a choice of strings")]
    FreeArray,
    /// A choice among things that are not all strings.
    #[error("its choices are not all strings")]
    NotStrings,
    /// A choice without anything to choose.
    #[error("it has no options")]
    NoOptions,
    /// A `$ref` that leads nowhere, or in a circle.
    #[error("its $ref leads nowhere")]
    Reference,
    /// A keyword of JSON Schema that the question can't enforce.
    #[error("no question keeps its {0:?}")]
    Word(&'static str),
    /// A keyword whose value has the wrong type.
    #[error("its {0:?} is not what it must be")]
    Value(&'static str),
    /// A pattern that can't be checked here.
    #[error("its pattern can't be checked: {0}")]
    Pattern(Unreadable),
}
