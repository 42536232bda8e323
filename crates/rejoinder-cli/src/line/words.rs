//! A line split into bare words, JSON strings and the rest.

use super::LineProblem;

pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { rest: line }
    }

    /// Takes the next word, including quotation marks.
    pub(super) fn bare(&mut self) -> Option<&'a str> {
        let text = self.rest.trim_start();
        let end = text.find(char::is_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Takes the next id: a bare word, or a JSON string.
    pub(super) fn id(&mut self, missing: &'static str) -> Result<String, LineProblem> {
        let text = self.rest.trim_start();
        if !text.starts_with('"') {
            return self.bare().map(str::to_owned).ok_or(LineProblem::Missing(missing));
        }
        let mut strings = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let id = match strings.next() {
            Some(Ok(id)) => id,
            Some(Err(error)) => return Err(LineProblem::BadString(error.to_string())),
            None => return Err(LineProblem::Missing(missing)),
        };
        let rest = &text[strings.byte_offset()..];
        if rest.starts_with(|c: char| !c.is_whitespace()) {
            return Err(LineProblem::Glued(rest.to_owned()));
        }
        self.rest = rest;
        Ok(id)
    }

    /// Takes everything after the one space behind the last word, as it stands; `None` if there is
    /// nothing.
    pub(super) fn rest(&mut self) -> Option<&'a str> {
        let mut chars = self.rest.chars();
        chars.next()?;
        let rest = chars.as_str();
        (!rest.is_empty()).then_some(rest)
    }
}
