//! An elicitation: read from a server's parameters, asked as a request, answered as a result.

use std::collections::{BTreeMap, BTreeSet};

use ahp_types::state::{
    ChatInputAnswer, ChatInputQuestion, ChatInputRequest, ChatInputResponseKind,
};
use rejoinder_identity::{QuestionId, RequestId};
use rejoinder_schema::Rules;
use serde_json::{Map, Value};

use crate::{
    error::{ElicitationError, Unanswerable},
    json::{Json, Object},
    property::{Property, keeps},
    value::{content, default_answer},
    words,
};

/// A question of an MCP server, with the parts kept beside it that AHP has no place for.
#[derive(Debug, Clone, PartialEq)]
pub struct Elicitation {
    request: ChatInputRequest,
    mode: Mode,
}

#[derive(Debug, Clone, PartialEq)]
enum Mode {
    Form { properties: Vec<Property>, left_out: Vec<LeftOut> },
    Url { elicitation_id: Option<String> },
}

/// An optional property that no question can show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its key.
    pub property: String,
    /// Why no question can show it.
    pub why: Unanswerable,
}

impl Elicitation {
    /// Reads the parameters of `elicitation/create`, as raw JSON: the order of `properties`
    /// counts, and is lost in a sorted map. The request gets the id `id`; a server's own ids
    /// repeat, and its bare JSON-RPC ids start again with each connection.
    pub fn read(params: &str, id: RequestId) -> Result<Self, ElicitationError> {
        let params: Json = serde_json::from_str(params)
            .map_err(|error| ElicitationError::NotJson(error.to_string()))?;
        let params = params.as_object().ok_or(ElicitationError::NotAnObject)?;
        match mode(params)? {
            "url" => Self::read_url(params, id),
            _ => Self::read_form(params, id),
        }
    }

    /// Does not judge the URL: whether people may be asked to open it is checked when the request
    /// is raised.
    fn read_url(params: &Object, id: RequestId) -> Result<Self, ElicitationError> {
        let message = text(params, "message")?;
        let url = text(params, "url")?;
        let request = ChatInputRequest {
            id: id.0,
            message: Some(message),
            url: Some(url),
            questions: None,
            answers: None,
        };
        let elicitation_id = params.text("elicitationId").map(str::to_owned);
        Ok(Self { request, mode: Mode::Url { elicitation_id } })
    }

    fn read_form(params: &Object, id: RequestId) -> Result<Self, ElicitationError> {
        let message = text(params, "message")?;
        let schema = object(params, "requestedSchema")?
            .ok_or(ElicitationError::Missing { member: "requestedSchema" })?;
        if !matches!(schema.get("type"), None | Some(Json::String(_)))
            || schema.text("type").is_some_and(|kind| kind != "object")
        {
            return Err(ElicitationError::Wrong {
                member: "requestedSchema.type",
                expected: "\"object\"",
            });
        }
        if let Some(word) = words::unkept_of_the_whole(schema) {
            return Err(ElicitationError::Word(word));
        }
        let (properties, left_out) = properties(schema)?;
        let questions = properties.iter().map(|property| property.question.clone()).collect();
        let request = ChatInputRequest {
            id: id.0,
            message: Some(message),
            url: None,
            questions: Some(questions),
            answers: None,
        };
        Ok(Self { request, mode: Mode::Form { properties, left_out } })
    }

    /// The same, with a message that says who asks: people must see which server wants something
    /// of them, and AHP has no other place for it.
    #[must_use]
    pub fn asked_by(mut self, asker: &str) -> Self {
        let message = self.request.message.unwrap_or_default();
        self.request.message = Some(format!("{asker}: {message}"));
        self
    }

    /// The request to raise.
    pub fn request(&self) -> &ChatInputRequest {
        &self.request
    }

    /// Optional properties that no question can show. The asking program should tell people about
    /// them.
    pub fn left_out(&self) -> &[LeftOut] {
        match &self.mode {
            Mode::Form { left_out, .. } => left_out,
            Mode::Url { .. } => &[],
        }
    }

    /// The rules that AHP's questions can't express, by question. They must be raised with the
    /// request.
    pub fn rules(&self) -> BTreeMap<QuestionId, Rules> {
        let properties = match &self.mode {
            Mode::Form { properties, .. } => properties.as_slice(),
            Mode::Url { .. } => &[],
        };
        let with_rules = properties.iter().filter(|property| !property.rules.is_empty());
        with_rules
            .map(|property| (QuestionId(property.key.clone()), property.rules.clone()))
            .collect()
    }

    /// Texts whose format is shown and not checked: the property, and the format's name.
    pub fn unchecked(&self) -> impl Iterator<Item = (&str, &str)> {
        let properties = match &self.mode {
            Mode::Form { properties, .. } => properties.as_slice(),
            Mode::Url { .. } => &[],
        };
        properties.iter().filter_map(|property| {
            let ChatInputQuestion::Text(text) = &property.question else { return None };
            let format = text.format.as_deref()?;
            let known = ["email", "uri", "date", "date-time"].contains(&format);
            (!known).then_some((property.key.as_str(), format))
        })
    }

    /// The server's own id of a URL flow, by which it announces that the flow is over.
    pub fn elicitation_id(&self) -> Option<&str> {
        match &self.mode {
            Mode::Form { .. } => None,
            Mode::Url { elicitation_id } => elicitation_id.as_deref(),
        }
    }

    /// The `ElicitResult` for how the request ended. `answers` are those of the response part,
    /// drafts included: a question with a draft was touched and gets no default.
    ///
    /// Without a response (the turn ended first) the server hears `cancel`, as it must hear
    /// something.
    pub fn result(
        &self,
        response: Option<ChatInputResponseKind>,
        answers: &BTreeMap<QuestionId, ChatInputAnswer>,
    ) -> Value {
        let mut result = Map::new();
        let action = match response {
            Some(ChatInputResponseKind::Accept) => "accept",
            Some(ChatInputResponseKind::Decline) => "decline",
            Some(ChatInputResponseKind::Cancel) | None => "cancel",
        };
        result.insert("action".to_owned(), Value::from(action));
        if let (Mode::Form { properties, .. }, "accept") = (&self.mode, action) {
            // Always an object: without content, servers skip their checks.
            result.insert("content".to_owned(), Value::Object(contents(properties, answers)));
        }
        Value::Object(result)
    }
}

fn contents(
    properties: &[Property],
    answers: &BTreeMap<QuestionId, ChatInputAnswer>,
) -> Map<String, Value> {
    let mut contents = Map::new();
    for property in properties {
        let value = match answers.get(property.key.as_str()) {
            None => default_answer(&property.question)
                .and_then(|value| content(&property.question, &value)),
            Some(ChatInputAnswer::Submitted(answered)) => {
                let value = content(&property.question, &answered.value);
                value.filter(|value| keeps(&property.rules, value))
            }
            // A skip is a person's no to the default too, and a draft is no answer yet.
            Some(ChatInputAnswer::Skipped(_) | ChatInputAnswer::Draft(_)) => None,
        };
        if let Some(value) = value {
            contents.insert(property.key.clone(), value);
        }
    }
    contents
}

fn properties(schema: &Object) -> Result<(Vec<Property>, Vec<LeftOut>), ElicitationError> {
    let none = Object::default();
    let members = object(schema, "properties")?.unwrap_or(&none);
    let keys: BTreeSet<&str> = members.0.iter().map(|(key, _)| key.as_str()).collect();
    let required = required(schema)?;
    if let Some(unknown) = required.iter().find(|name| !keys.contains(*name)) {
        return Err(ElicitationError::RequiredUnknown((*unknown).to_owned()));
    }
    let mut properties = Vec::new();
    let mut left_out = Vec::new();
    for (key, member) in &members.0 {
        let is_required = required.contains(key.as_str());
        match Property::read(schema, key, member, is_required) {
            Ok(property) => properties.push(property),
            Err(why) if is_required => {
                let property = key.clone();
                return Err(ElicitationError::RequiredUnanswerable { property, why });
            }
            Err(why) => left_out.push(LeftOut { property: key.clone(), why }),
        }
    }
    Ok((properties, left_out))
}

fn required(schema: &Object) -> Result<BTreeSet<&str>, ElicitationError> {
    let wrong = ElicitationError::Wrong { member: "required", expected: "an array of strings" };
    match schema.get("required") {
        None => Ok(BTreeSet::new()),
        Some(json) => {
            json.as_array().and_then(|names| names.iter().map(Json::as_str).collect()).ok_or(wrong)
        }
    }
}

fn mode(params: &Object) -> Result<&str, ElicitationError> {
    match params.get("mode") {
        None => Ok("form"),
        Some(Json::String(mode)) if mode == "form" || mode == "url" => Ok(mode),
        Some(Json::String(mode)) => Err(ElicitationError::UnknownMode(mode.clone())),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
            Err(ElicitationError::Wrong { member: "mode", expected: "\"form\" or \"url\"" })
        }
    }
}

fn text(params: &Object, member: &'static str) -> Result<String, ElicitationError> {
    match params.get(member) {
        None => Err(ElicitationError::Missing { member }),
        Some(json) => json
            .as_str()
            .map(str::to_owned)
            .ok_or(ElicitationError::Wrong { member, expected: "a string" }),
    }
}

fn object<'a>(
    parent: &'a Object,
    member: &'static str,
) -> Result<Option<&'a Object>, ElicitationError> {
    let wrong = ElicitationError::Wrong { member, expected: "an object" };
    parent.get(member).map(|json| json.as_object().ok_or(wrong)).transpose()
}
