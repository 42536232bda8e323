//! Text that is typed here while others type into it too.

use unicode_segmentation::UnicodeSegmentation;

use crate::plain;

/// Text with a cursor. It moves by characters as people see them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TextField {
    text: String,
    /// The offset in bytes, between two characters.
    cursor: usize,
}

/// Text laid out in columns, and the place of the cursor in it.
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

    /// Takes over the shared text. The cursor stays behind the same character.
    pub(super) fn follow(&mut self, shared: &str) {
        if self.text == shared {
            return;
        }
        let cursor = self.text[..self.cursor].chars().count();
        let cursor = rejoinder::form::cursor_after(&self.text, shared, cursor);
        self.cursor = shared.char_indices().nth(cursor).map_or(shared.len(), |(at, _)| at);
        self.text = shared.to_owned();
    }

    /// Returns the rows at a width. A character that must not be printed is shown as a replacement
    /// character, so that a person who edits the text notices it.
    pub(super) fn layout(&self, columns: usize) -> Layout {
        let columns = columns.max(2);
        let mut layout = Layout { rows: vec![String::new()], row: 0, column: 0 };
        let mut used = 0;
        for (at, grapheme) in self.text.grapheme_indices(true) {
            let is_break = grapheme == "\n" || grapheme == "\r\n";
            let shown = match plain::line(grapheme) {
                shown if shown == grapheme || grapheme == "\t" => shown,
                _ => "\u{fffd}".to_owned(),
            };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_cursor_stays_among_its_characters() {
        let mut field = TextField::new("hello world");
        field.home();
        for _ in 0..5 {
            field.right();
        }
        field.insert(",");
        field.follow("oh hello, world!");
        field.insert("|");
        assert_eq!(field.text(), "oh hello,| world!");
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
        assert_eq!(at("a\tb", 9), Layout { rows: rows(&["a b"]), row: 0, column: 3 });
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(at(family, 9), Layout { rows: rows(&[family]), row: 0, column: 2 });
        assert_eq!(
            at("a\n\u{1b}b", 9),
            Layout { rows: rows(&["a", "\u{fffd}b"]), row: 1, column: 2 }
        );
    }

    proptest! {
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
