//! The command `rejoinder`, as a library so that its parts can be tested one by one.
//!
//! It turns text into requests and commands, and events into text; the engine is the crate
//! `rejoinder`. Everything written by others passes through `plain` before it is printed.

mod args;
mod ask;
mod canonical;
mod console;
mod damage;
mod demo;
mod event;
mod failure;
mod feed;
mod form;
mod home;
mod join;
mod limits;
mod line;
mod log;
mod names;
mod outcome;
mod plain;
mod prompt;
mod report;
mod run;
mod show;
mod shown;
mod signals;
mod stdin;
mod view;
mod withdraw;
pub use run::run;
