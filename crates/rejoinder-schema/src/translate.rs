//! Translates a pattern from ECMA's syntax to that of `fancy-regex`, piece by piece.
//!
//! We only ask whether a text matches. Captures and the order of attempts do not change that, so
//! groups lose their names and repetitions their laziness.

use crate::{
    class,
    cursor::Cursor,
    escape::{self, Escaped, literal},
    limits, sets,
    unreadable::Unreadable,
};

/// The kind of thing before a place: decides whether a repetition may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// One thing that can be repeated.
    Thing,
    /// Nothing, a condition, or a repetition.
    Other,
}

/// A pattern in the other syntax.
#[derive(Debug)]
pub(crate) struct Translated {
    pub(crate) text: String,
    /// It looks neither ahead nor behind: a search of it never goes back.
    pub(crate) is_linear: bool,
}

pub(crate) fn translate(source: &str) -> Result<Translated, Unreadable> {
    let mut cursor = Cursor::new(source);
    let mut out = String::new();
    let mut is_linear = true;
    // What each open group is for a repetition behind it.
    let mut open: Vec<Before> = Vec::new();
    let mut before = Before::Other;
    while let Some(c) = cursor.next() {
        before = match c {
            '^' => condition(&mut out, r"\A"),
            '$' => condition(&mut out, r"\z"),
            '|' => condition(&mut out, "|"),
            '.' => thing(&mut out, sets::NO_LINE_END),
            '(' => {
                if open.len() == limits::DEPTH {
                    return Err(cursor.wrong("too many groups within groups"));
                }
                let of_group = group(&mut cursor, &mut out)?;
                is_linear &= of_group == Before::Thing;
                open.push(of_group);
                Before::Other
            }
            ')' => {
                let of_group = open.pop().ok_or_else(|| cursor.wrong("no group is open"))?;
                out.push(')');
                of_group
            }
            '[' => class::translate(&mut cursor, &mut out).map(|()| Before::Thing)?,
            '\\' => match escape::read(&mut cursor)? {
                Escaped::One(c) => {
                    literal(&mut out, c);
                    Before::Thing
                }
                Escaped::Class(class) => thing(&mut out, &class),
                Escaped::Boundary => {
                    is_linear = false;
                    condition(&mut out, &boundary(["(?<=", "(?!"], ["(?<!", "(?="]))
                }
                Escaped::NoBoundary => {
                    is_linear = false;
                    condition(&mut out, &boundary(["(?<=", "(?="], ["(?<!", "(?!"]))
                }
            },
            '*' | '+' | '?' => repeat(&mut cursor, &mut out, before, &c.to_string())?,
            '{' => match count(&mut cursor)? {
                Some(count) => repeat(&mut cursor, &mut out, before, &count)?,
                None => {
                    literal(&mut out, c);
                    Before::Thing
                }
            },
            other => {
                literal(&mut out, other);
                Before::Thing
            }
        };
    }
    if !open.is_empty() {
        return Err(cursor.wrong("a group is not closed"));
    }
    Ok(Translated { text: out, is_linear })
}

fn condition(out: &mut String, text: &str) -> Before {
    out.push_str(text);
    Before::Other
}

fn thing(out: &mut String, text: &str) -> Before {
    out.push_str(text);
    Before::Thing
}

/// A boundary between a word character and another: ECMA's words are ASCII, also with the flag `u`.
fn boundary(one: [&str; 2], other: [&str; 2]) -> String {
    let word = sets::WORD;
    let side = |[before, after]: [&str; 2]| format!("{before}{word}){after}{word})");
    format!("(?:{}|{})", side(one), side(other))
}

fn group(cursor: &mut Cursor<'_>, out: &mut String) -> Result<Before, Unreadable> {
    for condition in ["?=", "?!", "?<=", "?<!"] {
        if cursor.take(condition) {
            out.push('(');
            out.push_str(condition);
            return Ok(Before::Other);
        }
    }
    if cursor.take("?<") {
        let name = cursor.take_while(|byte| byte.is_ascii_alphanumeric() || b"_$".contains(&byte));
        if name.is_empty() || !cursor.take(">") {
            return Err(cursor.wrong("the name of a group is not known here"));
        }
    } else if !cursor.take("?:") && cursor.rest().starts_with('?') {
        return Err(cursor.wrong("this kind of group is not known here"));
    }
    out.push_str("(?:");
    Ok(Before::Thing)
}

/// The rest of `{n}`, `{n,}` or `{n,m}`, as it is written there too; else the brace is itself.
fn count(cursor: &mut Cursor<'_>) -> Result<Option<String>, Unreadable> {
    let mut ahead = cursor.clone();
    let least = ahead.take_while(|byte| byte.is_ascii_digit());
    let comma = ahead.take(",");
    let most = if comma { ahead.take_while(|byte| byte.is_ascii_digit()) } else { "" };
    if least.is_empty() || !ahead.take("}") {
        return Ok(None);
    }
    let read = |digits: &str| {
        let count = digits.parse::<u32>().ok().filter(|count| *count <= limits::REPEATS);
        count.ok_or_else(|| cursor.wrong("it repeats too often"))
    };
    let least = read(least)?;
    let most = if most.is_empty() { None } else { Some(read(most)?) };
    if most.is_some_and(|most| most < least) {
        return Err(cursor.wrong("the counts of a repetition are in the wrong order"));
    }
    *cursor = ahead;
    Ok(Some(match (comma, most) {
        (false, _) => format!("{{{least}}}"),
        (true, None) => format!("{{{least},}}"),
        (true, Some(most)) => format!("{{{least},{most}}}"),
    }))
}

fn repeat(
    cursor: &mut Cursor<'_>,
    out: &mut String,
    before: Before,
    text: &str,
) -> Result<Before, Unreadable> {
    match before {
        Before::Other => Err(cursor.wrong("there is nothing to repeat")),
        Before::Thing => {
            cursor.take("?");
            out.push_str(text);
            Ok(Before::Other)
        }
    }
}
