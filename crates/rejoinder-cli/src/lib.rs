//! The command `rejoinder`, as a library so that its parts can be tested by themselves.
//!
//! What is here turns text into requests and commands, and events into text; the engine is the
//! crate `rejoinder`. Everything that others wrote passes [`plain`] before it is printed.

pub mod args;
pub mod canonical;
pub mod event;
pub mod form;
pub mod limits;
pub mod line;
pub mod names;
pub mod outcome;
pub mod plain;
pub mod prompt;
pub mod report;
pub mod view;
