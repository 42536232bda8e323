//! JSON that remembers in which order an object's keys stood.
//!
//! `serde_json` would do so with its feature `preserve_order`, but features are unified over the
//! workspace, and everywhere else sorted keys are relied upon.

use std::{collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};

/// A JSON value. Numbers are those of JavaScript, as with every MCP peer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    Object(Object),
}

/// An object's members in the order in which they stood. What was parsed has no key twice; where
/// [`schema`](crate::schema) puts two schemas together, the later one's words count.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Object(pub(crate) Vec<(String, Json)>);

impl Object {
    /// The last member of that name.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Json::as_str)
    }

    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Json::Number(number) => Some(*number),
            Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// A length or count. `5.0` is one: JSON Schema has no integers apart from numbers.
    pub(crate) fn count(&self, key: &str) -> Option<i64> {
        let number = self.number(key)?;
        let whole = number.fract() == 0.0 && number.abs() <= crate::limits::LARGEST_INTEGER;
        #[expect(clippy::cast_possible_truncation, reason = "just checked to be whole and small")]
        whole.then_some(number as i64)
    }

    pub(crate) fn array(&self, key: &str) -> Option<&[Json]> {
        self.get(key).and_then(Json::as_array)
    }

    pub(crate) fn object(&self, key: &str) -> Option<&Object> {
        self.get(key).and_then(Json::as_object)
    }
}

impl Json {
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Array(_) | Self::Object(_) => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Object(_) => {
                None
            }
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Array(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers are JavaScript's here")]
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "numbers are JavaScript's here")]
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element()? {
            array.push(item);
        }
        Ok(Json::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Json, A::Error> {
        let mut object: Vec<(String, Json)> = Vec::new();
        let mut keys = BTreeSet::new();
        while let Some((key, value)) = members.next_entry::<String, Json>()? {
            // Readers differ in which of the two counts.
            if !keys.insert(key.clone()) {
                return Err(A::Error::custom(format_args!("the key {key:?} is there twice")));
            }
            object.push((key, value));
        }
        Ok(Json::Object(Object(object)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stay_in_order_and_none_is_there_twice() {
        let json: Json =
            serde_json::from_str(r#"{"z":-2,"":[null,true,"x"],"a":{"n":5.0}}"#).unwrap();
        let object = json.as_object().unwrap();
        let keys: Vec<&str> = object.0.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["z", "", "a"]);
        assert_eq!(object.count("z"), Some(-2));
        assert_eq!(object.object("a").unwrap().count("n"), Some(5));
        assert_eq!(object.array("").unwrap().len(), 3);
        assert_eq!(object.count("q"), None);
        let twice = serde_json::from_str::<Json>(r#"{"a":{"z":1,"z":1}}"#).unwrap_err();
        assert_eq!(twice.to_string(), "the key \"z\" is there twice at line 1 column 18");
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let deep = "[".repeat(100_000);
        assert!(serde_json::from_str::<Json>(&deep).is_err());
    }
}
