//! One message of JSON-RPC 2.0, read as far as a proxy needs: its kind, its id, its method. What
//! is not understood here (a batch, a line that is no JSON) is for the two sides to judge.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The id of a request. `0`, `"0"` and `""` are three ids; the TypeScript SDK counts from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Id {
    /// A number, as it was spelled.
    Number(String),
    /// A string, without its quotes and escapes.
    Text(String),
}

impl Id {
    pub(crate) fn read(json: &str) -> Option<Self> {
        match json.as_bytes().first()? {
            b'"' => serde_json::from_str(json).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(Self::Number(json.to_owned())),
            _ => None,
        }
    }

    pub(crate) fn json(&self) -> String {
        match self {
            Self::Number(number) => number.clone(),
            Self::Text(text) => quoted(text),
        }
    }
}

/// A message, with its parts as the JSON that they came as.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message<'a> {
    Request { id: Id, method: String, params: Option<&'a str> },
    Notification { method: String, params: Option<&'a str> },
    Result { id: Id, result: &'a str },
    Error { id: Id, error: &'a str },
    Other,
}

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

impl<'a> Message<'a> {
    pub(crate) fn read(line: &'a str) -> Self {
        // Not every deep nesting is an error at the other side: what can't be read here goes on.
        let Ok(parts) = serde_json::from_str::<Parts<'a>>(line) else { return Self::Other };
        let id = parts.id.map(|id| Id::read(id.get()));
        match (parts.method, id) {
            (Some(method), None) => {
                Self::Notification { method, params: parts.params.map(RawValue::get) }
            }
            (Some(method), Some(Some(id))) => {
                Self::Request { id, method, params: parts.params.map(RawValue::get) }
            }
            (None, Some(Some(id))) => match (parts.result, parts.error) {
                (Some(result), None) => Self::Result { id, result: result.get() },
                (None, Some(error)) => Self::Error { id, error: error.get() },
                (None, None) | (Some(_), Some(_)) => Self::Other,
            },
            (Some(_) | None, Some(None)) | (None, None) => Self::Other,
        }
    }
}

/// A response with a result.
pub(crate) fn response(id: &Id, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, id.json())
}

/// A response with an error.
pub(crate) fn error(id: &Id, code: i32, message: &str) -> String {
    let (id, message) = (id.json(), quoted(message));
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{message}}}}}"#)
}

/// A notification.
pub(crate) fn notification(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":{},"params":{params}}}"#, quoted(method))
}

/// A string as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string is JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_opaque() {
        let id = |line: &str| match Message::read(line) {
            Message::Request { id, .. } => Some(id),
            Message::Notification { .. }
            | Message::Result { .. }
            | Message::Error { .. }
            | Message::Other => None,
        };
        let zero = id(r#"{"id":0,"method":"m"}"#).unwrap();
        let text = id(r#"{"id":"0","method":"m"}"#).unwrap();
        let empty = id(r#"{"id":"","method":"m"}"#).unwrap();
        assert!(zero != text && text != empty && zero != empty);
        assert_eq!([zero.json(), text.json(), empty.json()], ["0", "\"0\"", "\"\""]);
        assert_eq!(id(r#"{"id":"a\u0062","method":"m"}"#), Some(Id::Text("ab".to_owned())));
        assert_eq!(id(r#"{"id":[1],"method":"m"}"#), None);
    }

    #[test]
    fn kinds() {
        let other = ["", "{", "[]", "null", r#"{"id":1}"#, r#"{"id":null,"result":{}}"#];
        for line in other {
            assert_eq!(Message::read(line), Message::Other, "{line}");
        }
        let note = Message::read(r#"{"method":"m","params":{"a": 1}}"#);
        let params = Some("{\"a\": 1}");
        assert_eq!(note, Message::Notification { method: "m".to_owned(), params });
        let id = Id::Number("7".to_owned());
        assert_eq!(
            Message::read(r#"{"result":{},"id":7}"#),
            Message::Result { id: id.clone(), result: "{}" }
        );
        assert_eq!(Message::read(r#"{"error":{},"id":7}"#), Message::Error { id, error: "{}" });
    }
}
