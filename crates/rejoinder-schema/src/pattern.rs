//! Patterns: regular expressions as ECMA-262 writes them, read so that whatever a server sends ends
//! in an answer.
//!
//! No library checks ECMA's expressions with a bound on the work, so a pattern is translated into
//! the syntax of `fancy-regex`, which has one. What the two do not share (references to groups,
//! flags inside of a pattern) is refused when the pattern is read, and never guessed.

use std::fmt;

use fancy_regex::{Regex, RegexBuilder};

use crate::{
    limits,
    translate::{self, Translated},
    unreadable::Unreadable,
};

/// A pattern that was read, and can be checked.
#[derive(Debug, Clone)]
pub struct Pattern {
    source: String,
    regex: Regex,
    /// Whether a search never goes back, so that its work grows with the text alone.
    is_linear: bool,
}

impl Pattern {
    /// Reads a pattern as a server with the flag `u` does. Letters that only an expression without
    /// that flag may escape are refused.
    ///
    /// # Errors
    ///
    /// See [`Unreadable`].
    pub fn read(source: &str) -> Result<Self, Unreadable> {
        if source.len() > limits::PATTERN {
            return Err(Unreadable::TooLong);
        }
        let Translated { text, is_linear } = translate::translate(source)?;
        let regex = RegexBuilder::new(&text)
            .backtrack_limit(limits::BACKTRACKS)
            .delegate_size_limit(limits::COMPILED)
            .delegate_dfa_size_limit(limits::COMPILED)
            .build()
            .map_err(|_| Unreadable::TooComplex)?;
        Ok(Self { source: source.to_owned(), regex, is_linear })
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// Whether it matches somewhere in `text`. Where the search would take more than the bounded work
    /// it does not: it might, but nobody can wait for it. That needs a pattern with a condition, such
    /// as `(?=…)` or `\b`, and more than 4 KiB of text or repetitions of repetitions.
    pub fn matches(&self, text: &str) -> bool {
        let bounded = self.is_linear || text.len() <= limits::TEXT;
        bounded && self.regex.is_match(text).unwrap_or(false)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

#[cfg(test)]
#[path = "pattern_tests.rs"]
mod tests;
