//! The form file of `ask`: an AHP request, or the parameters of an MCP elicitation.
//!
//! Forms are read strictly, since a person wrote them: an unknown key is a typing error that would
//! otherwise cost an answer. The engine says what makes a readable request askable (questions with
//! options, distinct ids); [`FormFile::checked`] adds the file's name to its message.

mod keys;
mod once;
mod question;

use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read},
    path::Path,
};

use ahp_types::state::{ChatInputAnswer, ChatInputQuestion, ChatInputRequest};
use rejoinder::{QuestionId, form::Rules};
use rejoinder_mcp::{Elicitation, ElicitationError};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::limits;
use once::Once;

/// A form that was read, and its name in error messages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FormFile {
    /// The file's name as it was given, or `stdin`.
    pub name: String,
    /// The request.
    pub request: ChatInputRequest,
    /// The elicitation that it came from. It turns the answers into an MCP result.
    pub elicitation: Option<Elicitation>,
}

/// A form file that can't be asked: its name, and the problem.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {problem}")]
pub(crate) struct FormError {
    /// The file's name as it was given, or `stdin`.
    pub file: String,
    /// The problem.
    pub problem: FormProblem,
}

/// A problem with a form file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormProblem {
    /// The file can't be read.
    #[error("{}", unread(.0))]
    Io(io::Error),
    /// The file is far larger than any request may be.
    #[error("larger than {} KiB, which no request is", limits::FORM_FILE / 1024)]
    TooLarge,
    /// A byte that is not UTF-8, counted from 1.
    #[error("not UTF-8 at byte {byte}")]
    NotUtf8 {
        /// The position of the byte.
        byte: usize,
    },
    /// Not JSON; the message says where.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// JSON, but not an object.
    #[error("a form is a JSON object")]
    NotAnObject,
    /// A key that nothing reads.
    #[error("{}unknown key {key:?}; known are {}", at(place), known.join(", "))]
    UnknownKey {
        /// The key.
        key: String,
        /// The object it is in, such as `question "env"`; `None` for the request itself.
        place: Option<String>,
        /// The keys that are allowed there.
        known: &'static [&'static str],
    },
    /// A value of the wrong shape.
    #[error("{}{what}", at(place))]
    Shape {
        /// The object it is in; `None` for the request itself.
        place: Option<String>,
        /// The problem.
        what: String,
    },
    /// The parameters of an elicitation that can't be asked.
    #[error(transparent)]
    Elicitation(ElicitationError),
    /// A request that the engine would not ask, in the engine's words.
    #[error("{0}")]
    Unaskable(String),
}

impl FormFile {
    /// Reads the file at `path`, or stdin if that is `-`. `id` is the request's id if the caller
    /// chose one; it takes precedence over an id in the file.
    pub(crate) fn read(path: &Path, id: Option<&str>) -> Result<Self, FormError> {
        let stdin = path.as_os_str() == "-";
        let name = if stdin { "stdin".to_owned() } else { path.display().to_string() };
        let bytes = if stdin { bounded(io::stdin().lock()) } else { read_file(path) };
        match bytes {
            Ok(bytes) => Self::parse(&name, &bytes, id),
            Err(problem) => Err(FormError { file: name, problem }),
        }
    }

    /// Reads a form out of `bytes`, which error messages call `name`.
    pub(crate) fn parse(name: &str, bytes: &[u8], id: Option<&str>) -> Result<Self, FormError> {
        let read = || {
            let text = text(bytes)?;
            let form = object(text)?;
            let is_mcp = form.contains_key("requestedSchema") || form.contains_key("mode");
            if is_mcp { elicitation(text, &form, bytes, id) } else { request(form, id) }
        };
        match read() {
            Ok((request, elicitation)) => Ok(Self { name: name.to_owned(), request, elicitation }),
            Err(problem) => Err(FormError { file: name.to_owned(), problem }),
        }
    }

    /// Returns the rules for answers that AHP has no words for.
    pub(crate) fn rules(&self) -> BTreeMap<QuestionId, Rules> {
        self.elicitation.as_ref().map(Elicitation::rules).unwrap_or_default()
    }

    /// Has the engine check the request before it is raised.
    pub(crate) fn checked<E: fmt::Display>(
        self,
        check: impl FnOnce(&ChatInputRequest) -> Result<(), E>,
    ) -> Result<Self, FormError> {
        match check(&self.request) {
            Ok(()) => Ok(self),
            Err(said) => Err(FormError {
                problem: FormProblem::Unaskable(said.to_string()),
                file: self.name,
            }),
        }
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, FormProblem> {
    bounded(std::fs::File::open(path).map_err(FormProblem::Io)?)
}

fn bounded(from: impl Read) -> Result<Vec<u8>, FormProblem> {
    let mut bytes = Vec::new();
    from.take(limits::FORM_FILE + 1).read_to_end(&mut bytes).map_err(FormProblem::Io)?;
    if bytes.len() as u64 > limits::FORM_FILE { Err(FormProblem::TooLarge) } else { Ok(bytes) }
}

fn text(bytes: &[u8]) -> Result<&str, FormProblem> {
    // Editors on Windows begin a file with a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes)
        .map_err(|error| FormProblem::NotUtf8 { byte: error.valid_up_to() + 1 })
}

fn object(text: &str) -> Result<Map<String, Value>, FormProblem> {
    match serde_json::from_str::<Once>(text).and_then(|Once| serde_json::from_str(text)) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
        ) => Err(FormProblem::NotAnObject),
        Err(error) => Err(FormProblem::NotJson(error.to_string())),
    }
}

/// A request, and the elicitation that it was made from, if any.
type Form = (ChatInputRequest, Option<Elicitation>);

fn elicitation(
    text: &str,
    form: &Map<String, Value>,
    bytes: &[u8],
    id: Option<&str>,
) -> Result<Form, FormProblem> {
    keys::check_elicitation(form)?;
    let id = id.map_or_else(|| id_of_file(bytes), str::to_owned);
    let elicitation = Elicitation::read(text, id.into()).map_err(FormProblem::Elicitation)?;
    Ok((elicitation.request().clone(), Some(elicitation)))
}

/// Derives an id from the file, so that the same file asked again is the same request, and is taken
/// up.
fn id_of_file(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("mcp-{hex}")
}

fn request(form: Map<String, Value>, id: Option<&str>) -> Result<Form, FormProblem> {
    keys::check(&form, keys::REQUEST, || None)?;
    let member = |what: &str| shape(None, what.to_owned());
    let optional_text = |key: &str| match form.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_),
        ) => Err(member(&format!("\"{key}\" must be a string"))),
    };
    let own_id = optional_text("id")?;
    let id = id.map(str::to_owned).or(own_id);
    let id = id.ok_or_else(|| member("the request has no \"id\"; give it one, or use --id ID"))?;
    let questions: Option<Vec<ChatInputQuestion>> = match form.get("questions") {
        None => None,
        Some(Value::Array(questions)) => {
            let numbered = questions.iter().enumerate();
            Some(numbered.map(|(at, json)| question::read(at, json)).collect::<Result<_, _>>()?)
        }
        Some(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_),
        ) => return Err(member("\"questions\" must be an array")),
    };
    let answers = answers(form.get("answers"), questions.as_deref().unwrap_or_default())?;
    let request = ChatInputRequest {
        id,
        message: optional_text("message")?,
        url: optional_text("url")?,
        questions,
        answers,
    };
    Ok((request, None))
}

/// The type of the field in `ahp-types`.
type Answers = std::collections::HashMap<String, ChatInputAnswer>;

fn answers(
    json: Option<&Value>,
    questions: &[ChatInputQuestion],
) -> Result<Option<Answers>, FormProblem> {
    let Some(json) = json else { return Ok(None) };
    let Some(members) = json.as_object() else {
        return Err(shape(None, "\"answers\" must be an object".to_owned()));
    };
    let mut answers = Answers::new();
    for (id, json) in members {
        if !questions.iter().any(|question| question::id(question) == Some(id)) {
            return Err(shape(None, format!("\"answers\" answers {id:?}, which is no question")));
        }
        answers.insert(id.clone(), question::answer(id, json)?);
    }
    Ok(Some(answers))
}

fn unread(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "no such file".to_owned();
    }
    format!("can't be read: {error}")
}

fn at(place: &Option<String>) -> String {
    place.as_ref().map_or_else(String::new, |place| format!("{place}: "))
}

pub(crate) fn shape(place: Option<String>, what: String) -> FormProblem {
    FormProblem::Shape { place, what }
}

#[cfg(test)]
mod tests;
