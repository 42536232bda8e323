//! One request's answers as an Automerge document: its schema, edits, how concurrent edits merge,
//! what a valid answer is, what a completion makes of the answers, and which changes of others are
//! let in.
//!
//! It has never heard of a network, a log or a disk. The caller says who wrote a change: it has
//! checked the envelope's signature.
//!
//! Start with [`Document`]: [`Form`] says what is asked, [`Document::edit`] writes,
//! [`Document::admit`] takes in the changes of others, [`Document::projection`] reads.

mod admission;
mod admission_error;
mod answer_check;
mod automerge_names;
mod columns;
mod content;
mod document;
mod edit;
mod form;
mod form_check;
mod format;
mod graph;
mod growth;
#[cfg(test)]
mod hostile_changes;
mod json;
pub mod limits;
mod op;
mod parse;
mod plan;
mod problem;
mod projection;
mod review_url;
mod rules;
mod schema;
mod settlement;
mod skeleton;
mod steps;
mod structure;
mod typing;
mod validity;
mod version;
mod write;

pub use admission::{Admitted, NotAdmitted};
pub use admission_error::AdmissionError;
pub use document::Document;
pub use edit::{Edit, EditRefused, Writer, Written};
pub use form::{Form, Kind, Question, TextFormat};
pub use form_check::FormProblem;
pub use json::{UnreadableAnswer, answer_from_json, answer_to_json};
pub use problem::{Problem, ProblemKind};
pub use projection::{Answer, Conflict, Projection};
pub use rejoinder_schema::{Broken, Rules};
pub use review_url::{ReviewUrl, UrlProblem};
pub use settlement::{Completion, Displaced, NotIncluded, Settlement};
pub use skeleton::SkeletonRefused;
pub use typing::cursor_after;
pub use validity::{Invalid, excluded_bound};
pub use version::Version;
