//! Rules of JSON Schema that AHP's questions have no word for: `pattern` and `multipleOf`. They
//! stand under their own names beside a question's other keys, where a reader that does not know
//! them ignores them.
//!
//! Other crates decide which rules a form has, and what happens to an answer that breaks one.

mod class;
mod cursor;
mod escape;
mod limits;
mod pattern;
mod rules;
mod sets;
mod translate;
mod unreadable;

pub use pattern::Pattern;
pub use rules::{Broken, Rules};
pub use unreadable::Unreadable;
