//! Text by others, made safe to print: no control characters, no direction overrides, no invisible
//! characters that only serve to deceive. Also the width of text, and where to cut it.
//!
//! It is for display alone. What is stored, sent or printed as JSON stays as it was written.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::limits;

/// Returns `text` as one line: line breaks and tabs become spaces, unsafe characters are removed.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut marks = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_break(c) || c == '\t' {
            // Windows' line end is one break, not two.
            if !(c == '\r' && chars.peek() == Some(&'\n')) {
                out.push(' ');
            }
            marks = 0;
        } else if is_joiner(c) {
            // Persian and the Indic scripts spell with joiners, and emoji are made with one;
            // anywhere else a joiner only hides something.
            let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_latin(c));
            let next = chars.peek().copied();
            if joins(out.chars().next_back()) && joins(next) || is_joined(&out, c, next) {
                out.push(c);
            }
        } else if !is_deceptive(c) {
            marks = if takes_no_place(c) { marks + 1 } else { 0 };
            if marks <= limits::MARKS_ON_A_CHARACTER {
                out.push(c);
            }
        }
    }
    out
}

/// Returns the lines of `text`, each safe to print. There is always at least one.
pub(crate) fn lines(text: &str) -> Vec<String> {
    text.replace("\r\n", "\n").split(is_break).map(line).collect()
}

/// Works like [`line()`], but adds quotation marks where the text would otherwise be invisible.
pub(crate) fn name(text: &str) -> String {
    let shown = line(text);
    let shown = shown.trim();
    if shown.is_empty() { "\"\"".to_owned() } else { shown.to_owned() }
}

/// Returns JSON of the same value, in which no character is invisible or acts on a terminal.
pub(crate) fn json(json: &str) -> String {
    escaped(json, |c| is_deceptive(c) || is_joiner(c) || matches!(c, '\u{2028}' | '\u{2029}'))
}

/// Returns `text` as it leaves the process. Text by others has passed [`line()`]; a character that
/// has slipped through is shown as its code instead of acting on the terminal. Line breaks and tabs
/// stay.
pub(crate) fn leaving(text: &str) -> String {
    escaped(text, |c| is_deceptive(c) && !matches!(c, '\n' | '\t'))
}

/// Replaces each such character by its code, as JSON writes it: `\u001b`.
fn escaped(text: &str, which: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if which(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Returns the number of columns that `text` takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Returns the beginning of `text` that fits into `columns`, with an ellipsis if that is not all of
/// it.
pub(crate) fn truncate(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let Some(room) = columns.checked_sub(1) else { return String::new() };
    let mut cut = fitting(text, room).to_owned();
    cut.push('…');
    cut
}

/// Breaks `text` into lines of at most `columns`, at spaces where there are any. No text is lost.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut wrapped = Vec::new();
    for paragraph in text.split('\n') {
        wrap_paragraph(paragraph, columns, &mut wrapped);
    }
    wrapped
}

fn wrap_paragraph(mut rest: &str, columns: usize, wrapped: &mut Vec<String>) {
    loop {
        // It looks no further than the row: a text of 250 kB has thousands.
        let fitting = fitting(rest, columns);
        if fitting.len() == rest.len() {
            break;
        }
        // If a space follows, everything that fits is whole words.
        let at_space = rest[fitting.len()..].starts_with(' ');
        let cut = match fitting.rfind(' ') {
            Some(space) if !at_space && space > 0 => space,
            _ => fitting.len(),
        };
        wrapped.push(rest[..cut].to_owned());
        rest = rest[cut..].strip_prefix(' ').unwrap_or(&rest[cut..]);
    }
    wrapped.push(rest.to_owned());
}

/// Returns the longest beginning within `columns` that is whole characters, as people see them; at
/// least one.
fn fitting(text: &str, columns: usize) -> &str {
    let mut end = 0;
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += width(grapheme);
        if used > columns && end > 0 {
            break;
        }
        end = at + grapheme.len();
    }
    &text[..end]
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// True if the joiner continues what people see as one character, as in emoji.
fn is_joined(before: &str, joiner: char, next: Option<char>) -> bool {
    let (Some(last), Some(next)) = (before.graphemes(true).next_back(), next) else { return false };
    let whole: String = last.chars().chain([joiner, next]).collect();
    joiner == '\u{200d}' && whole.graphemes(true).count() == 1
}

fn is_latin(c: char) -> bool {
    matches!(c, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

fn takes_no_place(c: char) -> bool {
    unicode_width::UnicodeWidthChar::width(c) == Some(0)
}

/// True for control characters, direction marks and overrides, and invisible characters.
fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Direction: marks, embeddings and overrides, isolates, and the old format controls.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Characters that show nothing.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_not_be_printed_is_gone() {
        let check = |text: &str, expected: &str| assert_eq!(line(text), expected, "{text:?}");
        check("\u{1b}[2J\u{1b}]0;title\u{7}x", "[2J]0;titlex");
        check("a\u{9b}31mb\u{7f}\u{0}", "a31mb");
        check("user\u{202e}txt.exe\u{202c}", "usertxt.exe");
        check("a\u{2066}b\u{2069}\u{200e}\u{200f}\u{61c}", "ab");
        check("a\u{200b}\u{feff}\u{2060}\u{ad}\u{3164}b", "ab");
        check("ad\u{200d}min \u{200c}x", "admin x");
        check(
            "one\r\ntwo\nthree\tfour\u{2028}five\u{2029}six\u{85}",
            "one two three four five six ",
        );
        check(
            "👩\u{200d}👩\u{200d}👧 👩🏽\u{200d}💻 🏳\u{fe0f}\u{200d}🌈",
            "👩\u{200d}👩\u{200d}👧 👩🏽\u{200d}💻 🏳\u{fe0f}\u{200d}🌈",
        );
        check("👩\u{200d}a a\u{200d}👩 \u{200d}👩 👩\u{200c}👩", "👩a a👩 👩 👩👩");
        check("\u{e0041}\u{fff9}", "");
        // Text as people write it stays: accents, Persian with its joiner, Hebrew, emoji.
        check("é e\u{301} می\u{200c}خواهم שלום 🦀 日本", "é e\u{301} می\u{200c}خواهم שלום 🦀 日本");
    }

    #[test]
    fn what_leaves_shows_codes_and_does_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(leaving(text), expected, "{text:?}");
        check("\u{1b}]0;x\u{7}\u{9b}31m\u{7f}", "\\u001b]0;x\\u0007\\u009b31m\\u007f");
        check("a\u{202e}b\u{200b}\u{e0041}", "a\\u202eb\\u200b\\udb40\\udc41");
        check("one\n\ttwo é می\u{200c}خواهم 🦀", "one\n\ttwo é می\u{200c}خواهم 🦀");
    }

    #[test]
    fn no_character_of_json_acts_and_each_is_the_same_value() {
        for c in ('\0'..=char::MAX).filter(|c| c.is_control() || takes_no_place(*c)) {
            let value = serde_json::Value::from(format!("a{c}b"));
            let printed = json(&value.to_string());
            assert_eq!(serde_json::from_str::<serde_json::Value>(&printed).unwrap(), value);
            assert!(!printed.contains(|c| is_deceptive(c) || is_joiner(c)), "{printed:?}");
        }
    }

    #[test]
    fn marks_do_not_pile_up() {
        let tower = format!("z{}y", "\u{301}".repeat(50));
        assert_eq!(line(&tower), format!("z{}y", "\u{301}".repeat(limits::MARKS_ON_A_CHARACTER)));
    }

    #[test]
    fn names_are_never_invisible() {
        assert_eq!(name(" \u{200b}\u{202e} "), "\"\"");
        assert_eq!(name(" Ben\n"), "Ben");
    }

    #[test]
    fn lines_of_any_kind() {
        assert_eq!(lines("a\r\nb\u{2028}c\n\u{1b}"), ["a", "b", "c", ""]);
        assert_eq!(lines(""), [""]);
    }

    #[test]
    fn cutting_counts_columns_and_keeps_characters_whole() {
        let check = |text: &str, columns, expected: &str| {
            assert_eq!(truncate(text, columns), expected);
        };
        check("hello", 5, "hello");
        check("hello", 4, "hel…");
        check("日本語", 6, "日本語");
        check("日本語", 5, "日本…");
        check("日本語", 4, "日…");
        check("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…");
        check("hello", 0, "");
    }

    #[test]
    fn wrapping_loses_nothing() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap(" x", 5), [" x"]);
        assert_eq!(wrap("🦀", 1), ["🦀"]);
    }
}
