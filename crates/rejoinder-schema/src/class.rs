//! Sets of characters that a pattern lists: `[a-z]`.

use crate::{
    cursor::Cursor,
    escape::{self, Escaped, literal},
    unreadable::Unreadable,
};

const ANYTHING: &str = r"[\x{0}-\x{10ffff}]";

/// Translates a set whose opening bracket was read.
pub(crate) fn translate(cursor: &mut Cursor<'_>, out: &mut String) -> Result<(), Unreadable> {
    let negated = cursor.take("^");
    if cursor.take("]") {
        if !negated {
            return Err(cursor.wrong("nothing is in this set"));
        }
        out.push_str(ANYTHING);
        return Ok(());
    }
    out.push_str(if negated { "[^" } else { "[" });
    while !cursor.take("]") {
        match item(cursor)? {
            Escaped::One(first) if is_range(cursor) => {
                cursor.take("-");
                let Escaped::One(last) = item(cursor)? else {
                    return Err(cursor.wrong("a range ends in a set"));
                };
                if last < first {
                    return Err(cursor.wrong("a range is in the wrong order"));
                }
                literal(out, first);
                out.push('-');
                literal(out, last);
            }
            Escaped::One(c) => literal(out, c),
            Escaped::Class(class) => out.push_str(&class),
            Escaped::Boundary => literal(out, '\u{8}'),
            Escaped::NoBoundary => return Err(cursor.wrong("this escape is not known here")),
        }
    }
    out.push(']');
    Ok(())
}

/// A dash is itself at the end of a set.
fn is_range(cursor: &Cursor<'_>) -> bool {
    cursor.rest().starts_with('-') && !cursor.rest().starts_with("-]")
}

fn item(cursor: &mut Cursor<'_>) -> Result<Escaped, Unreadable> {
    match cursor.next() {
        None => Err(cursor.wrong("a set is not closed")),
        Some('\\') => escape::read(cursor),
        Some(c) => Ok(Escaped::One(c)),
    }
}
