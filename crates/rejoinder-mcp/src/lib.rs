//! MCP elicitations in, results out: what a server asks becomes a [`ChatInputRequest`], and how
//! the request ended becomes the `ElicitResult` that the server waits for.
//!
//! It reads the raw JSON of the parameters, because one property it does not know must not cost the
//! other twelve, and because the order of `properties` is the order of the questions. It does not
//! know who answers, or when: [`Elicitation::result`] is told how it ended.
//!
//! A property that AHP can't show, or with a word that no question keeps, is
//! [left out](Elicitation::left_out), or refused if the server requires it. What is kept beside AHP's
//! words (`pattern`, `multipleOf`) are [rules](Elicitation::rules). A format that is not known here is
//! [named](Elicitation::unchecked): people see it, and nothing checks it.
//!
//! [`proxy`] puts it between a client and a server: [`proxy::Proxy`] is told each line and says what
//! to send, to ask and to withdraw. It opens no stream and raises nothing itself.
//!
//! [`ChatInputRequest`]: ahp_types::state::ChatInputRequest

mod elicitation;
mod error;
mod json;
pub mod limits;
mod members;
mod message;
mod options;
mod property;
pub mod proxy;
mod request_id;
mod schema;
mod value;
mod words;

pub use elicitation::{Elicitation, LeftOut};
pub use error::{ElicitationError, Unanswerable};
pub use request_id::request_id;
pub use value::default_answer;
