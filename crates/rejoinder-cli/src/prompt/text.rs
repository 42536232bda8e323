//! Text that is being typed here while others type into it too.

use unicode_segmentation::UnicodeSegmentation;

use crate::plain;

/// Text with a cursor. What people take for one character is one step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TextField {
    text: String,
    /// In bytes, between two characters.
    cursor: usize,
}

/// Text laid out in columns, and where the cursor stands in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) rows: Vec<String>,
    pub(super) row: usize,
    pub(super) column: usize,
}

impl TextField {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    pub(super) fn backspace(&mut self) -> bool {
        let end = self.cursor;
        self.left();
        self.text.replace_range(self.cursor..end, "");
        self.cursor != end
    }

    pub(super) fn delete(&mut self) -> bool {
        let start = self.cursor;
        self.right();
        let end = self.cursor;
        self.cursor = start;
        self.text.replace_range(start..end, "");
        start != end
    }

    pub(super) fn left(&mut self) {
        let before = self.text[..self.cursor].graphemes(true).next_back();
        self.cursor -= before.map_or(0, str::len);
    }

    pub(super) fn right(&mut self) {
        let after = self.text[self.cursor..].graphemes(true).next();
        self.cursor += after.map_or(0, str::len);
    }

    pub(super) fn home(&mut self) {
        self.cursor = self.text[..self.cursor].rfind('\n').map_or(0, |at| at + 1);
    }

    pub(super) fn end(&mut self) {
        self.cursor =
            self.text[self.cursor..].find('\n').map_or(self.text.len(), |at| self.cursor + at);
    }

    /// Others' text came while this was typed on top of `base`: keep both, and the cursor where
    /// it was among the characters.
    pub(super) fn merge(&mut self, base: &str, theirs: &str) {
        let cursor = self.text[..self.cursor].chars().count();
        let (text, cursor) = rebase(base, &self.text, cursor, theirs);
        self.cursor = text.char_indices().nth(cursor).map_or(text.len(), |(at, _)| at);
        self.text = text;
    }

    /// Its rows at a width. A character that must not be printed is shown as a question mark, so
    /// that whoever edits it meets it.
    pub(super) fn layout(&self, columns: usize) -> Layout {
        let columns = columns.max(2);
        let mut layout = Layout { rows: vec![String::new()], row: 0, column: 0 };
        let mut used = 0;
        for (at, grapheme) in self.text.grapheme_indices(true) {
            let is_break = grapheme == "\n" || grapheme == "\r\n";
            let shown = plain::line(grapheme);
            let shown = if shown == grapheme { shown } else { "\u{fffd}".to_owned() };
            let wide = plain::width(&shown);
            if !is_break && used + wide > columns {
                layout.rows.push(String::new());
                used = 0;
            }
            if at == self.cursor {
                (layout.row, layout.column) = (layout.rows.len() - 1, used);
            }
            if is_break {
                layout.rows.push(String::new());
                used = 0;
            } else {
                layout.rows.last_mut().expect("there is always a row").push_str(&shown);
                used += wide;
            }
        }
        if self.cursor == self.text.len() {
            if used == columns {
                layout.rows.push(String::new());
                used = 0;
            }
            (layout.row, layout.column) = (layout.rows.len() - 1, used);
        }
        layout
    }
}

/// A replacement of one stretch, in Unicode code points.
struct Splice {
    at: usize,
    delete: usize,
    insert: Vec<char>,
}

/// The smallest replacement that leads from one text to another.
fn splice(from: &[char], to: &[char]) -> Splice {
    let same = |(a, b): &(&char, &char)| a == b;
    let at = from.iter().zip(to).take_while(same).count();
    let (from, to) = (&from[at..], &to[at..]);
    let tail = from.iter().rev().zip(to.iter().rev()).take_while(same).count();
    Splice { at, delete: from.len() - tail, insert: to[..to.len() - tail].to_vec() }
}

/// What was typed (`base` to `mine`) on top of what others made of `base` meanwhile, with the
/// place of a cursor that stood in `mine`. Nothing that either side typed is lost. Each side
/// counts as one replacement, so what others did in several places at once is one stretch.
pub fn rebase(base: &str, mine: &str, cursor: usize, theirs: &str) -> (String, usize) {
    let base: Vec<char> = base.chars().collect();
    let ours = splice(&base, &mine.chars().collect::<Vec<_>>());
    let others = splice(&base, &theirs.chars().collect::<Vec<_>>());
    let deleted = |splice: &Splice, at: usize| (splice.at..splice.at + splice.delete).contains(&at);
    let mut text = String::new();
    let mut length = 0;
    let mut placed = None;
    for at in 0..=base.len() {
        if at == others.at {
            text.extend(&others.insert);
            length += others.insert.len();
        }
        if at == ours.at {
            if (at..=at + ours.insert.len()).contains(&cursor) {
                placed = Some(length + cursor - at);
            }
            text.extend(&ours.insert);
            length += ours.insert.len();
        }
        let in_mine =
            if at < ours.at { at } else { (at + ours.insert.len()).saturating_sub(ours.delete) };
        if placed.is_none() && in_mine == cursor && !deleted(&ours, at) {
            placed = Some(length);
        }
        if at < base.len() && !deleted(&ours, at) && !deleted(&others, at) {
            text.push(base[at]);
            length += 1;
        }
    }
    (text, placed.unwrap_or(length))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(base: &str, mine: &str, theirs: &str, expected: &str) {
        let cursor = mine.chars().count();
        assert_eq!(rebase(base, mine, cursor, theirs).0, expected, "{base:?} {mine:?} {theirs:?}");
    }

    #[test]
    fn both_texts_are_there() {
        check("", "abc", "xyz", "xyzabc");
        check("one", "one two", "zero one", "zero one two");
        check("one two", "one", "one two three", "one three");
        check("abcdef", "abXef", "abcdYef", "abXYef");
        check("same", "same", "other", "other");
        check("same", "mine", "same", "mine");
        check("🦀", "🦀é", "日🦀", "日🦀é");
    }

    #[test]
    fn the_cursor_stays_among_its_characters() {
        let mut field = TextField::new("hello world");
        field.home();
        for _ in 0..5 {
            field.right();
        }
        field.insert(",");
        field.merge("hello world", "oh hello world");
        field.insert("|");
        assert_eq!(field.text(), "oh hello,| world");
    }

    #[test]
    fn editing_goes_by_characters_as_people_see_them() {
        let mut field = TextField::new("e\u{301}🇩🇪");
        assert!(field.backspace());
        assert_eq!(field.text(), "e\u{301}");
        field.left();
        assert!(!field.backspace());
        assert!(field.delete());
        assert_eq!(field.text(), "");
        assert!(!field.delete());
        field.insert("a\nb");
        field.home();
        field.insert("x");
        field.left();
        field.left();
        field.end();
        field.insert("y");
        assert_eq!(field.text(), "ay\nxb");
    }

    #[test]
    fn layout() {
        let at = |text: &str, columns| TextField::new(text).layout(columns);
        assert_eq!(at("", 5), Layout { rows: vec![String::new()], row: 0, column: 0 });
        let rows = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>();
        assert_eq!(at("abcdef", 4), Layout { rows: rows(&["abcd", "ef"]), row: 1, column: 2 });
        assert_eq!(at("abcd", 4), Layout { rows: rows(&["abcd", ""]), row: 1, column: 0 });
        assert_eq!(at("日本語", 5), Layout { rows: rows(&["日本", "語"]), row: 1, column: 2 });
        assert_eq!(
            at("a\n\u{1b}b", 9),
            Layout { rows: rows(&["a", "\u{fffd}b"]), row: 1, column: 2 }
        );
    }

    proptest! {
        #[test]
        fn nothing_typed_is_lost(base in "[a-c]{0,8}", mine in "[a-cX]{0,8}", theirs in "[a-cY]{0,8}", cursor in 0usize..9) {
            let cursor = cursor.min(mine.chars().count());
            let (text, cursor) = rebase(&base, &mine, cursor, &theirs);
            prop_assert!(cursor <= text.chars().count());
            let count = |text: &str, c| text.chars().filter(|other| *other == c).count();
            prop_assert_eq!(count(&text, 'X'), count(&mine, 'X'));
            prop_assert_eq!(count(&text, 'Y'), count(&theirs, 'Y'));
            prop_assert_eq!(rebase(&base, &base, 0, &theirs).0, theirs);
            prop_assert_eq!(rebase(&base, &mine, 0, &base).0, mine);
        }

        #[test]
        fn no_keys_panic(text in ".{0,20}", keys in prop::collection::vec(0..7u8, 0..40), columns in 0usize..9) {
            let mut field = TextField::new(&text);
            for key in keys {
                match key {
                    0 => field.left(),
                    1 => field.right(),
                    2 => field.home(),
                    3 => field.end(),
                    4 => { field.backspace(); }
                    5 => { field.delete(); }
                    _ => field.insert("é\n🇩"),
                }
                let layout = field.layout(columns);
                prop_assert!(layout.row < layout.rows.len());
            }
        }
    }
}
