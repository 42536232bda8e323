//! Forms, for programs that make or read them: what is asked, what a valid answer is, and answers as
//! JSON. Who only asks and answers needs none of it.

pub use rejoinder_replica::{
    Form, FormProblem, Problem, ReviewUrl, Rules, UrlProblem, answer_from_json, answer_to_json,
    cursor_after, excluded_bound,
};
