//! The end of `ask` and `demo`: the one line on stdout, and the exit code.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputAnswer, ChatInputQuestion, ChatInputResponseKind};
use rejoinder::TurnEnd;
use rejoinder_mcp::Elicitation;
use serde::Serialize;
use serde_json::Value;

use crate::{canonical, plain, view};

/// The end of a request, as `ask` prints it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outcome {
    request: String,
    response: Option<ChatInputResponseKind>,
    answers: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    defaults: BTreeMap<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decided_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Value>,
}

/// The answers of a response part, drafts included, by question.
pub(crate) type Answers = BTreeMap<String, ChatInputAnswer>;

impl Outcome {
    /// Makes the outcome of a decided request.
    pub(crate) fn decided(
        request: &str,
        response: ChatInputResponseKind,
        answers: &Answers,
        by: &str,
    ) -> Self {
        Self {
            request: request.to_owned(),
            response: Some(response),
            answers: consumable(answers),
            defaults: BTreeMap::new(),
            decided_by: Some(by.to_owned()),
            ended: None,
            result: None,
        }
    }

    /// Makes the outcome of a request whose turn ended first.
    pub(crate) fn ended(request: &str, how: TurnEnd, answers: &Answers) -> Self {
        Self {
            request: request.to_owned(),
            response: None,
            answers: consumable(answers),
            defaults: BTreeMap::new(),
            decided_by: None,
            ended: Some(how.code()),
            result: None,
        }
    }

    /// Adds the defaults of questions that nobody touched, if the request was accepted.
    #[must_use]
    pub(crate) fn with_defaults(
        mut self,
        questions: &[ChatInputQuestion],
        answers: &Answers,
    ) -> Self {
        if self.response == Some(ChatInputResponseKind::Accept) {
            self.defaults = view::defaults(questions, |id| answers.contains_key(id));
        }
        self
    }

    /// Adds the result for the MCP server. `answers` are those that were given, drafts included.
    #[must_use]
    pub(crate) fn with_result(mut self, elicitation: &Elicitation, answers: &Answers) -> Self {
        let answers = answers.iter().map(|(id, answer)| (id.clone().into(), answer.clone()));
        self.result = Some(elicitation.result(self.response, &answers.collect()));
        self
    }

    /// Returns the JSON line, without its line end.
    pub(crate) fn line(&self) -> String {
        plain::json(&serde_json::to_string(self).expect("an outcome has string keys alone"))
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self.response {
            Some(ChatInputResponseKind::Accept) => Exit::Done,
            Some(ChatInputResponseKind::Decline) => Exit::Declined,
            Some(ChatInputResponseKind::Cancel) => Exit::Cancelled,
            None => Exit::NoResponse,
        }
    }
}

/// Keeps submitted and skipped answers: a draft was not given.
fn consumable(answers: &Answers) -> BTreeMap<String, Value> {
    answers
        .iter()
        .filter(|(_, answer)| match answer {
            ChatInputAnswer::Submitted(_) | ChatInputAnswer::Skipped(_) => true,
            ChatInputAnswer::Draft(_) => false,
        })
        .map(|(id, answer)| (id.clone(), canonical::answer(answer)))
        .collect()
}

/// The exit code of the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done; for `ask` and `demo`, accepted.
    Done,
    /// 1: something failed; for `join --strict`, something was refused.
    Failed,
    /// 2: a command line, form or ticket that can't be read.
    Unreadable,
    /// 3: declined.
    Declined,
    /// 4: cancelled.
    Cancelled,
    /// 5: the turn ended without a response.
    NoResponse,
    /// 130: ended by Ctrl-C; the request stays open.
    Interrupted,
    /// 143: ended by a request to terminate; the request stays open.
    Terminated,
    /// 129: the terminal is gone; the request stays open.
    HungUp,
}

impl Exit {
    /// Returns the number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Unreadable => 2,
            Self::Declined => 3,
            Self::Cancelled => 4,
            Self::NoResponse => 5,
            Self::HungUp => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answers(json: Value) -> Answers {
        serde_json::from_value(json).unwrap()
    }

    fn given() -> Answers {
        answers(json!({
            "z": {"state": "submitted", "value": {"kind": "number", "value": 7.0}},
            "env": {"state": "submitted", "value": {"kind": "selected", "value": "prod"}},
            "half": {"state": "draft", "value": {"kind": "text", "value": "…"}},
            "no": {"state": "skipped"},
        }))
    }

    #[test]
    fn a_decision() {
        let accept = ChatInputResponseKind::Accept;
        let outcome = Outcome::decided("r1", accept, &given(), "peer");
        assert_eq!(
            outcome.line(),
            r#"{"request":"r1","response":"accept","answers":{"env":{"state":"submitted","value":{"kind":"selected","value":"prod"}},"no":{"state":"skipped"},"z":{"state":"submitted","value":{"kind":"number","value":7}}},"decidedBy":"peer"}"#
        );
        assert_eq!(outcome.exit(), Exit::Done);
        for (response, exit) in [
            (ChatInputResponseKind::Decline, Exit::Declined),
            (ChatInputResponseKind::Cancel, Exit::Cancelled),
        ] {
            assert_eq!(Outcome::decided("r", response, &given(), "p").exit(), exit);
        }
    }

    #[test]
    fn no_decision() {
        let outcome = Outcome::ended("r1", TurnEnd::Cancelled, &Answers::new());
        assert_eq!(
            outcome.line(),
            r#"{"request":"r1","response":null,"answers":{},"ended":"cancelled"}"#
        );
        assert_eq!(outcome.exit().code(), 5);
    }

    #[test]
    fn the_servers_result() {
        let params = r#"{"message":"m","requestedSchema":{"properties":{
            "z":{"type":"integer"},"half":{"type":"string","default":"d"},"free":{"type":"string","default":"d"}}}}"#;
        let elicitation = Elicitation::read(params, "r1".into()).unwrap();
        let accept = ChatInputResponseKind::Accept;
        let outcome = Outcome::decided("r1", accept, &given(), "peer");
        let line = outcome.with_result(&elicitation, &given()).line();
        let result = r#","result":{"action":"accept","content":{"free":"d","z":7}}}"#;
        assert!(line.ends_with(result), "{line}");
        let ended = Outcome::ended("r1", TurnEnd::Expired, &given());
        let line = ended.with_result(&elicitation, &given()).line();
        assert!(line.ends_with(r#""ended":"expired","result":{"action":"cancel"}}"#), "{line}");
    }

    #[test]
    fn numbers_print_as_they_are() {
        for (number, expected) in [
            (7.0, "7"),
            (-0.0, "0"),
            (0.5, "0.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e300, "1e+300"),
        ] {
            assert_eq!(canonical::number(number).to_string(), expected);
        }
    }
}
