//! One revision of a request, read: its questions, with their kinds and rules.
//!
//! Reading never fails: peers show whatever the host raised. A question that can't be understood is
//! kept, and can't be answered. [`Form::check`] is for the asker, before it raises.

use std::{collections::BTreeMap, fmt};

use ahp_types::state::{
    ChatInputMultiSelectQuestion, ChatInputNumberQuestion, ChatInputOption, ChatInputQuestion,
    ChatInputRequest, ChatInputSingleSelectQuestion, ChatInputTextQuestion,
};
use rejoinder_identity::{OptionId, QuestionId, RequestId};
use rejoinder_schema::Rules;
use serde_json::Value;

/// One revision of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    request: ChatInputRequest,
    id: RequestId,
    questions: Vec<Question>,
    places: BTreeMap<QuestionId, usize>,
}

impl Form {
    /// Reads a request. If several questions share an id, the first counts.
    pub fn read(request: &ChatInputRequest) -> Self {
        let mut form = Self {
            request: request.clone(),
            id: RequestId::from(request.id.as_str()),
            questions: Vec::new(),
            places: BTreeMap::new(),
        };
        for question in request.questions.iter().flatten().filter_map(Question::read) {
            if !form.places.contains_key(&question.id) {
                form.places.insert(question.id.clone(), form.questions.len());
                form.questions.push(question);
            }
        }
        form
    }

    /// Reads a request as its record has it: with the rules of its questions for which AHP has no
    /// word. A rule that this release can't read is checked by the host alone.
    pub fn raised(request: &ChatInputRequest, json: &str) -> Self {
        let raised: Value = serde_json::from_str(json).unwrap_or_default();
        let questions = raised.get("questions").and_then(Value::as_array);
        let rules = questions.into_iter().flatten().filter_map(|question| {
            let id = question.get("id")?.as_str()?;
            Some((QuestionId::from(id), Rules::read(question.as_object()?)))
        });
        Self::read(request).keeping(rules.filter(|(_, rules)| !rules.is_empty()).collect())
    }

    /// The same with rules for which AHP has no word. Those of questions that it does not have, or
    /// that take another kind of answer, mean nothing.
    #[must_use]
    pub fn keeping(mut self, rules: BTreeMap<QuestionId, Rules>) -> Self {
        for (id, rules) in rules {
            if let Some(place) = self.places.get(&id) {
                self.questions[*place].rules = rules;
            }
        }
        self
    }

    /// The rules for which AHP has no word, of those questions that have some.
    pub fn rules(&self) -> BTreeMap<QuestionId, Rules> {
        let with_rules = self.questions.iter().filter(|question| !question.rules.is_empty());
        with_rules.map(|question| (question.id.clone(), question.rules.clone())).collect()
    }

    /// The JSON for its record: the request, and beside each question's keys the rules that AHP has
    /// no word for.
    pub fn json(&self) -> String {
        let plain = || serde_json::to_string(&self.request).expect("a request is plain JSON");
        let rules = self.rules();
        if rules.is_empty() {
            return plain();
        }
        let mut json = serde_json::to_value(&self.request).expect("a request is plain JSON");
        let questions = json.get_mut("questions").and_then(Value::as_array_mut);
        for question in questions.into_iter().flatten().filter_map(Value::as_object_mut) {
            let of = question.get("id").and_then(Value::as_str).and_then(|id| rules.get(id));
            if let Some(rules) = of {
                rules.write(question);
            }
        }
        json.to_string()
    }

    /// The request as it was raised.
    pub fn request(&self) -> &ChatInputRequest {
        &self.request
    }

    /// The request's id.
    pub fn id(&self) -> &RequestId {
        &self.id
    }

    /// The questions, in the request's order.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The question with that id.
    pub fn question(&self, id: &QuestionId) -> Option<&Question> {
        self.places.get(id).map(|place| &self.questions[*place])
    }
}

/// A question of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    id: QuestionId,
    title: Option<String>,
    message: String,
    required: bool,
    kind: Kind,
    rules: Rules,
}

/// The kind of a question, with its rules.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// Text.
    Text {
        /// The format, if it is one that is checked here.
        format: Option<TextFormat>,
        /// The fewest characters.
        min: Option<i64>,
        /// The most characters.
        max: Option<i64>,
    },
    /// A number.
    Number {
        /// The smallest.
        min: Option<f64>,
        /// The largest.
        max: Option<f64>,
    },
    /// A whole number.
    Integer {
        /// The smallest.
        min: Option<f64>,
        /// The largest.
        max: Option<f64>,
    },
    /// Yes or no.
    Boolean,
    /// One option, or text of one's own where that is allowed.
    SingleSelect {
        /// In the request's order.
        options: Vec<OptionId>,
        /// Whether text of one's own is allowed; AHP's flag, absent is no.
        freeform: bool,
    },
    /// Some options, and text of one's own where that is allowed.
    MultiSelect {
        /// In the request's order.
        options: Vec<OptionId>,
        /// Whether text of one's own is allowed; AHP's flag, absent is no.
        freeform: bool,
        /// The fewest choices.
        min: Option<i64>,
        /// The most choices.
        max: Option<i64>,
    },
    /// A kind of a later protocol, or a question that breaks AHP's rules: shown, not answerable.
    Unknown,
}

/// The formats of text that are checked. AHP's `format` is a hint: others hold for any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFormat {
    /// `email`
    Email,
    /// `uri`
    Uri,
    /// `date`
    Date,
    /// `date-time`
    DateTime,
}

impl fmt::Display for TextFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Email => "an e-mail address",
            Self::Uri => "a URI",
            Self::Date => "a date (YYYY-MM-DD)",
            Self::DateTime => "a date with time and offset (RFC 3339)",
        })
    }
}

impl TextFormat {
    fn read(name: &str) -> Option<Self> {
        match name {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }
}

impl Question {
    /// Its id, the key of its answer.
    pub fn id(&self) -> &QuestionId {
        &self.id
    }

    /// A short title, if it has one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The question itself.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the request can't be accepted without a valid answer to it.
    pub fn required(&self) -> bool {
        self.required
    }

    /// Its kind.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The rules of its answer that AHP has no word for.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The kind of value that it takes, in AHP's word for it.
    pub fn takes(&self) -> &'static str {
        match self.kind {
            Kind::Text { .. } => "text",
            Kind::Number { .. } | Kind::Integer { .. } => "number",
            Kind::Boolean => "boolean",
            Kind::SingleSelect { .. } => "selected",
            Kind::MultiSelect { .. } => "selected-many",
            Kind::Unknown => "unknown",
        }
    }

    /// Its options, in the request's order; empty if it is no select.
    pub fn options(&self) -> &[OptionId] {
        match &self.kind {
            Kind::SingleSelect { options, .. } | Kind::MultiSelect { options, .. } => options,
            Kind::Text { .. }
            | Kind::Number { .. }
            | Kind::Integer { .. }
            | Kind::Boolean
            | Kind::Unknown => &[],
        }
    }

    /// `None` if it has no id: no answer could name it.
    fn read(question: &ChatInputQuestion) -> Option<Self> {
        Some(match question {
            ChatInputQuestion::Text(text) => Self::text(text),
            ChatInputQuestion::Number(number) => {
                Self::number(number, Kind::Number { min: number.min, max: number.max })
            }
            ChatInputQuestion::Integer(number) => {
                Self::number(number, Kind::Integer { min: number.min, max: number.max })
            }
            ChatInputQuestion::Boolean(boolean) => Self {
                id: QuestionId::from(boolean.id.as_str()),
                title: boolean.title.clone(),
                message: boolean.message.clone(),
                required: boolean.required.unwrap_or(false),
                kind: Kind::Boolean,
                rules: Rules::default(),
            },
            ChatInputQuestion::SingleSelect(select) => Self::single(select),
            ChatInputQuestion::MultiSelect(select) => Self::multi(select),
            ChatInputQuestion::Unknown(raw) => return Self::unknown(raw),
        })
    }

    fn text(text: &ChatInputTextQuestion) -> Self {
        Self {
            id: QuestionId::from(text.id.as_str()),
            title: text.title.clone(),
            message: text.message.clone(),
            required: text.required.unwrap_or(false),
            kind: Kind::Text {
                format: text.format.as_deref().and_then(TextFormat::read),
                min: text.min,
                max: text.max,
            },
            rules: Rules::default(),
        }
    }

    fn number(number: &ChatInputNumberQuestion, kind: Kind) -> Self {
        Self {
            id: QuestionId::from(number.id.as_str()),
            title: number.title.clone(),
            message: number.message.clone(),
            required: number.required.unwrap_or(false),
            kind,
            rules: Rules::default(),
        }
    }

    fn single(select: &ChatInputSingleSelectQuestion) -> Self {
        Self {
            id: QuestionId::from(select.id.as_str()),
            title: select.title.clone(),
            message: select.message.clone(),
            required: select.required.unwrap_or(false),
            kind: Kind::SingleSelect {
                options: option_ids(&select.options),
                freeform: select.allow_freeform_input.unwrap_or(false),
            },
            rules: Rules::default(),
        }
    }

    fn multi(select: &ChatInputMultiSelectQuestion) -> Self {
        Self {
            id: QuestionId::from(select.id.as_str()),
            title: select.title.clone(),
            message: select.message.clone(),
            required: select.required.unwrap_or(false),
            kind: Kind::MultiSelect {
                options: option_ids(&select.options),
                freeform: select.allow_freeform_input.unwrap_or(false),
                min: select.min,
                max: select.max,
            },
            rules: Rules::default(),
        }
    }

    fn unknown(raw: &Value) -> Option<Self> {
        let word = |key: &str| raw.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: QuestionId::from(word("id")?),
            title: word("title"),
            message: word("message").unwrap_or_default(),
            required: raw.get("required").and_then(Value::as_bool).unwrap_or(false),
            kind: Kind::Unknown,
            rules: Rules::default(),
        })
    }
}

/// If several options share an id, the first counts.
fn option_ids(options: &[ChatInputOption]) -> Vec<OptionId> {
    let mut seen = std::collections::BTreeSet::new();
    options
        .iter()
        .filter(|option| seen.insert(option.id.as_str()))
        .map(|option| OptionId::from(option.id.as_str()))
        .collect()
}
