//! A place in a pattern that is being read.

use crate::unreadable::Unreadable;

/// The rest of a pattern, and how much of it was read.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    source: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Self { source, at: 0 }
    }

    pub(crate) fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    pub(crate) fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Goes past `expected` if it stands here.
    pub(crate) fn take(&mut self, expected: &str) -> bool {
        let here = self.rest().starts_with(expected);
        if here {
            self.at += expected.len();
        }
        here
    }

    /// Goes past the ASCII characters that are `wanted`.
    pub(crate) fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| byte.is_ascii() && wanted(*byte)).count();
        self.at += length;
        &rest[..length]
    }

    pub(crate) fn wrong(&self, what: &'static str) -> Unreadable {
        Unreadable::Syntax { at: self.at, what }
    }
}
