//! A question and its answers in words. All of the output is safe to print.

use ahp_types::state::{ChatInputAnswerValue, ChatInputOption, ChatInputQuestion};

use rejoinder::form::{ReviewUrl, excluded_bound};

use crate::{canonical, plain};

/// Returns a question's id as it is; for a question of an unknown kind, the id if it has one.
pub(crate) fn id(question: &ChatInputQuestion) -> &str {
    match question {
        ChatInputQuestion::Text(question) => &question.id,
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => &question.id,
        ChatInputQuestion::Boolean(question) => &question.id,
        ChatInputQuestion::SingleSelect(question) => &question.id,
        ChatInputQuestion::MultiSelect(question) => &question.id,
        ChatInputQuestion::Unknown(raw) => member(raw, "id").unwrap_or_default(),
    }
}

fn member<'a>(raw: &'a serde_json::Value, key: &str) -> Option<&'a str> {
    raw.get(key).and_then(serde_json::Value::as_str)
}

/// Returns a question's name in a list: its title, or else its text, or else its id.
pub(crate) fn title(question: &ChatInputQuestion) -> String {
    let title = match question {
        ChatInputQuestion::Text(question) => question.title.as_deref(),
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            question.title.as_deref()
        }
        ChatInputQuestion::Boolean(question) => question.title.as_deref(),
        ChatInputQuestion::SingleSelect(question) => question.title.as_deref(),
        ChatInputQuestion::MultiSelect(question) => question.title.as_deref(),
        ChatInputQuestion::Unknown(raw) => member(raw, "title"),
    };
    let shown = title.map(plain::line).unwrap_or_else(|| message(question).join(" "));
    if shown.trim().is_empty() { plain::name(id(question)) } else { shown }
}

/// Returns a request's URL as it is sent, followed by the host's name in ASCII if that is spelled
/// differently. A URL from an older release that may not be opened is shown with its odd characters
/// escaped.
pub(crate) fn url(text: &str) -> String {
    match ReviewUrl::read(text) {
        Ok(url) if url.shows_its_host() => url.as_str().to_owned(),
        Ok(url) => format!("{} (the host is {})", url.as_str(), url.host()),
        Err(why) => format!("{} (not to be opened: {why})", escaped(text)),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_graphic() || c == ' ' {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).bytes();
            bytes.for_each(|byte| out.push_str(&format!("%{byte:02X}")));
        }
    }
    out
}

/// Returns the text of a question, in lines.
pub(crate) fn message(question: &ChatInputQuestion) -> Vec<String> {
    plain::lines(match question {
        ChatInputQuestion::Text(question) => &question.message,
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            &question.message
        }
        ChatInputQuestion::Boolean(question) => &question.message,
        ChatInputQuestion::SingleSelect(question) => &question.message,
        ChatInputQuestion::MultiSelect(question) => &question.message,
        ChatInputQuestion::Unknown(raw) => member(raw, "message").unwrap_or_default(),
    })
}

/// True if an accept needs an answer to the question.
pub(crate) fn is_required(question: &ChatInputQuestion) -> bool {
    match question {
        ChatInputQuestion::Text(question) => question.required,
        ChatInputQuestion::Number(question) | ChatInputQuestion::Integer(question) => {
            question.required
        }
        ChatInputQuestion::Boolean(question) => question.required,
        ChatInputQuestion::SingleSelect(question) => question.required,
        ChatInputQuestion::MultiSelect(question) => question.required,
        ChatInputQuestion::Unknown(raw) => raw.get("required").and_then(|json| json.as_bool()),
    }
    .unwrap_or(false)
}

/// Returns the options of a select.
pub(crate) fn options(question: &ChatInputQuestion) -> &[ChatInputOption] {
    match question {
        ChatInputQuestion::SingleSelect(question) => &question.options,
        ChatInputQuestion::MultiSelect(question) => &question.options,
        ChatInputQuestion::Text(_)
        | ChatInputQuestion::Number(_)
        | ChatInputQuestion::Integer(_)
        | ChatInputQuestion::Boolean(_)
        | ChatInputQuestion::Unknown(_) => &[],
    }
}

/// Returns the rules for an answer, in words.
pub(super) fn constraints(question: &ChatInputQuestion) -> String {
    match question {
        ChatInputQuestion::Text(question) => {
            let format = match question.format.as_deref() {
                None => "text".to_owned(),
                Some("email") => "an e-mail address".to_owned(),
                Some("uri") => "a URL".to_owned(),
                Some("date") => "a date, such as 2026-12-31".to_owned(),
                Some("date-time") => "date and time, such as 2026-12-31T23:59:00Z".to_owned(),
                Some(other) => format!("text, {}", plain::line(other)),
            };
            with(format, range(question.min, question.max, "character"))
        }
        ChatInputQuestion::Number(question) => {
            with("a number".to_owned(), bounds(question.min, question.max))
        }
        ChatInputQuestion::Integer(question) => {
            with("a whole number".to_owned(), bounds(question.min, question.max))
        }
        ChatInputQuestion::Boolean(_) => "yes or no".to_owned(),
        ChatInputQuestion::SingleSelect(question) => {
            own_words("one of these", question.allow_freeform_input)
        }
        ChatInputQuestion::MultiSelect(question) => with(
            own_words("any of these", question.allow_freeform_input),
            range(question.min, question.max, "choice"),
        ),
        ChatInputQuestion::Unknown(_) => {
            "a question of a kind that this release can't show".to_owned()
        }
    }
}

fn own_words(what: &str, allowed: Option<bool>) -> String {
    let more = if allowed == Some(true) { ", or your own words" } else { "" };
    format!("{what}{more}")
}

fn with(what: String, limits: Option<String>) -> String {
    match limits {
        None => what,
        Some(limits) => format!("{what}, {limits}"),
    }
}

fn range(min: Option<i64>, max: Option<i64>, unit: &str) -> Option<String> {
    let units = |count: i64| format!("{count} {unit}{}", if count == 1 { "" } else { "s" });
    match (min.filter(|min| *min > 0), max) {
        (None, None) => None,
        (Some(min), None) => Some(format!("at least {}", units(min))),
        (None, Some(max)) => Some(format!("at most {}", units(max))),
        (Some(min), Some(max)) if min == max => Some(format!("exactly {}", units(min))),
        (Some(min), Some(max)) => Some(format!("{min} to {}", units(max))),
    }
}

fn bounds(min: Option<f64>, max: Option<f64>) -> Option<String> {
    let least = min.map(|min| match excluded_bound(min, f64::next_down) {
        Some(bound) => format!("above {}", canonical::number(bound)),
        None => format!("at least {}", canonical::number(min)),
    });
    let most = max.map(|max| match excluded_bound(max, f64::next_up) {
        Some(bound) => format!("below {}", canonical::number(bound)),
        None => format!("at most {}", canonical::number(max)),
    });
    match (least, most, min, max) {
        (Some(least), Some(most), Some(min), Some(max)) => {
            let both = least.starts_with("at") && most.starts_with("at");
            let range = format!("{} to {}", canonical::number(min), canonical::number(max));
            Some(if both { range } else { format!("{least}, {most}") })
        }
        (least, most, ..) => least.or(most),
    }
}

/// Returns a value in words: options by their labels.
pub(crate) fn value(question: Option<&ChatInputQuestion>, value: &ChatInputAnswerValue) -> String {
    let label = |id: &String| {
        let options = question.map(options).unwrap_or_default();
        let option = options.iter().find(|option| option.id == *id);
        plain::name(option.map_or(id, |option| &option.label))
    };
    let own = |values: &Option<Vec<String>>| {
        let values = values.iter().flatten();
        values.map(|text| format!("“{}”", plain::line(text))).collect::<Vec<_>>()
    };
    match value {
        ChatInputAnswerValue::Text(text) => format!("“{}”", plain::line(&text.value)),
        ChatInputAnswerValue::Number(number) => canonical::number(number.value).to_string(),
        ChatInputAnswerValue::Boolean(boolean) if boolean.value => "yes".to_owned(),
        ChatInputAnswerValue::Boolean(_) => "no".to_owned(),
        ChatInputAnswerValue::Selected(selected) => {
            let own = own(&selected.freeform_values);
            // Free text alone comes with an empty or an echoed id, which is not an option.
            let options = question.map(options).unwrap_or_default();
            let chosen = options.iter().any(|option| option.id == selected.value);
            let chosen = (chosen || own.is_empty()).then(|| label(&selected.value));
            chosen.into_iter().chain(own).collect::<Vec<_>>().join(", ")
        }
        ChatInputAnswerValue::SelectedMany(many) => {
            let chosen: Vec<String> =
                many.value.iter().map(label).chain(own(&many.freeform_values)).collect();
            if chosen.is_empty() { "none".to_owned() } else { chosen.join(", ") }
        }
        ChatInputAnswerValue::Unknown(_) => "a value that this release can't show".to_owned(),
    }
}
