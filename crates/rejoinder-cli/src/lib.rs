//! The command `rejoinder`, as a library so that its parts can be tested by themselves.
//!
//! What is here turns text into requests and commands, and events into text; the engine is the
//! crate `rejoinder`. Everything that others wrote passes [`plain`] before it is printed.

pub mod args;
pub mod ask;
pub mod canonical;
pub mod console;
mod damage;
pub mod demo;
pub mod event;
pub mod failure;
pub mod feed;
pub mod form;
pub mod home;
pub mod join;
pub mod limits;
pub mod line;
pub mod log;
pub mod names;
pub mod outcome;
pub mod plain;
pub mod prompt;
pub mod report;
pub mod run;
pub mod show;
pub mod shown;
pub mod signals;
pub mod stdin;
pub mod view;
pub mod withdraw;
