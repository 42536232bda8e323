//! Rules of JSON Schema that AHP's questions have no word for: `pattern` and `multipleOf`. They stand
//! under their own names beside a question's other keys, where whoever does not know them reads past.
//!
//! Which rules a form has, and what becomes of an answer that breaks one, is for others to say.

mod class;
mod escape;
mod limits;
mod pattern;
mod rules;
mod translate;

pub use pattern::{Pattern, Unreadable};
pub use rules::{Broken, Rules};
