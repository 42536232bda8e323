//! An object's members with their values as they were spelled, to change one and leave the others:
//! a proxy that read and wrote `1e400` or a key twice would not pass them through unchanged.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::message::quoted;

/// The members, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Members<'a>(Vec<(String, Cow<'a, str>)>);

impl<'a> Members<'a> {
    /// Reads an object; `None` if it is none.
    pub(crate) fn read(json: &'a str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The last member of that name, as JSON.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, json)| json.as_ref())
    }

    /// The object that is the member of that name; an empty one if it is absent or no object.
    pub(crate) fn object(&self, key: &str) -> Members<'_> {
        self.get(key).and_then(Members::read).unwrap_or_default()
    }

    /// The string that is the member of that name.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// Changes a member in its place, or adds it at the end.
    pub(crate) fn set(&mut self, key: &str, json: String) {
        match self.0.iter_mut().rev().find(|(name, _)| name == key) {
            Some((_, value)) => *value = Cow::Owned(json),
            None => self.0.push((key.to_owned(), Cow::Owned(json))),
        }
    }

    /// Removes what is called so.
    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    /// Each member.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, json)| (name.as_str(), json.as_ref()))
    }

    /// The object.
    pub(crate) fn json(&self) -> String {
        let members: Vec<_> =
            self.iter().map(|(name, json)| format!("{}:{json}", quoted(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, &'de RawValue>()? {
            members.push((name, Cow::Borrowed(value.get())));
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_changed_stays_as_it_was_spelled() {
        let json = r#"{"z": 1e400,"a":{"b" :-0.0},"z":"\u0041","é":[1, 2]}"#;
        let mut members = Members::read(json).unwrap();
        assert_eq!(members.get("z"), Some("\"\\u0041\""));
        assert_eq!(members.text("z").as_deref(), Some("A"));
        members.set("new", "0".to_owned());
        members.set("a", "{}".to_owned());
        assert_eq!(members.json(), r#"{"z":1e400,"a":{},"z":"\u0041","é":[1, 2],"new":0}"#);
        members.remove("z");
        assert_eq!(members.json(), r#"{"a":{},"é":[1, 2],"new":0}"#);
        assert_eq!(Members::read("[]"), None);
        assert_eq!(members.object("é"), Members::default());
    }
}
