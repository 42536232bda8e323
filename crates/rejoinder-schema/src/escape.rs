//! Escapes: the pieces of a pattern that begin with a backslash.

use std::borrow::Cow;

use fancy_regex::Regex;

use crate::{cursor::Cursor, sets, unreadable::Unreadable};

/// The meaning of an escape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Escaped {
    One(char),
    /// A set, already translated.
    Class(Cow<'static, str>),
    Boundary,
    NoBoundary,
}

/// Reads an escape whose backslash was read.
pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Escaped, Unreadable> {
    let Some(c) = cursor.next() else { return Err(cursor.wrong("a backslash stands at the end")) };
    let class = |class: &'static str| Ok(Escaped::Class(Cow::Borrowed(class)));
    match c {
        'd' => class(sets::DIGIT),
        'D' => class(sets::NO_DIGIT),
        'w' => class(sets::WORD),
        'W' => class(sets::NO_WORD),
        's' => class(sets::SPACE),
        'S' => class(sets::NO_SPACE),
        'b' => Ok(Escaped::Boundary),
        'B' => Ok(Escaped::NoBoundary),
        'p' | 'P' => property(cursor, c),
        't' => Ok(Escaped::One('\t')),
        'n' => Ok(Escaped::One('\n')),
        'v' => Ok(Escaped::One('\u{b}')),
        'f' => Ok(Escaped::One('\u{c}')),
        'r' => Ok(Escaped::One('\r')),
        '0' if !cursor.rest().starts_with(|c: char| c.is_ascii_digit()) => Ok(Escaped::One('\0')),
        'c' => control(cursor),
        'x' => {
            let unit = hex(cursor, 2)?;
            one(cursor, unit)
        }
        'u' => unicode(cursor),
        ' ' => Ok(Escaped::One(c)),
        c if c.is_ascii_punctuation() => Ok(Escaped::One(c)),
        'k' | '1'..='9' => Err(cursor.wrong("references to groups are not known here")),
        _ => Err(cursor.wrong("this escape is not known here")),
    }
}

/// `\p{L}`: a property of Unicode, whose names the two syntaxes share.
fn property(cursor: &mut Cursor<'_>, letter: char) -> Result<Escaped, Unreadable> {
    let wrong = cursor.wrong("this property is not known here");
    if !cursor.take("{") {
        return Err(wrong);
    }
    let name = cursor.take_while(|byte| byte.is_ascii_alphanumeric() || b"_=".contains(&byte));
    if name.is_empty() || !cursor.take("}") {
        return Err(wrong);
    }
    let translated = format!(r"\{letter}{{{name}}}");
    if Regex::new(&translated).is_err() {
        return Err(wrong);
    }
    Ok(Escaped::Class(Cow::Owned(translated)))
}

fn control(cursor: &mut Cursor<'_>) -> Result<Escaped, Unreadable> {
    match cursor.next() {
        Some(letter) if letter.is_ascii_alphabetic() => one(cursor, u32::from(letter) % 32),
        Some(_) | None => Err(cursor.wrong("this escape is not known here")),
    }
}

fn unicode(cursor: &mut Cursor<'_>) -> Result<Escaped, Unreadable> {
    if cursor.take("{") {
        let digits = cursor.take_while(|byte| byte.is_ascii_hexdigit());
        let point = u32::from_str_radix(digits, 16).ok().filter(|_| cursor.take("}"));
        let point = point.ok_or_else(|| cursor.wrong("this escape is not known here"))?;
        return one(cursor, point);
    }
    let unit = hex(cursor, 4)?;
    // A character beyond the first 65,536 may be written as its two UTF-16 units.
    if (0xd800..0xdc00).contains(&unit) && cursor.take(r"\u") {
        let low = hex(cursor, 4)?;
        if !(0xdc00..0xe000).contains(&low) {
            return Err(cursor.wrong("half of a character"));
        }
        return one(cursor, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    }
    one(cursor, unit)
}

fn hex(cursor: &mut Cursor<'_>, digits: usize) -> Result<u32, Unreadable> {
    let wrong = cursor.wrong("this escape is not known here");
    let read =
        cursor.rest().get(..digits).filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(read) = read else { return Err(wrong) };
    cursor.take(read);
    u32::from_str_radix(read, 16).map_err(|_| wrong)
}

fn one(cursor: &Cursor<'_>, point: u32) -> Result<Escaped, Unreadable> {
    char::from_u32(point).map(Escaped::One).ok_or_else(|| cursor.wrong("half of a character"))
}

/// Writes a character as an escape, so that it never means anything to `fancy-regex`.
pub(crate) fn literal(out: &mut String, c: char) {
    out.push_str(&format!(r"\x{{{:x}}}", u32::from(c)));
}
