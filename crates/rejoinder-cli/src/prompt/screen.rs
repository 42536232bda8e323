//! Frames as bytes for a terminal. Only our own rows are written, and of them only those that
//! changed. The rest of the terminal, with its scrollback, stays as it is.

use std::io::{self, Write};

use crossterm::{
    cursor::{Hide, MoveToColumn, MoveUp, Show},
    queue,
    style::{Attribute, Color, Print, ResetColor, SetAttribute, SetForegroundColor},
    terminal::{Clear, ClearType},
};

use super::{Frame, Row, Tone};
use crate::plain;

/// Our part of the terminal, and what it shows.
#[derive(Debug)]
pub(crate) struct Screen {
    colours: bool,
    reflows: bool,
    shown: Vec<Row>,
    /// The terminal cursor's row, counted from our first.
    at: usize,
    /// The terminal cursor's column.
    column: usize,
}

impl Screen {
    /// Makes a screen that owns no rows yet. Without `colours` (`NO_COLOR`) text has no attributes.
    /// A terminal that `reflows` rewraps its lines when it gets narrower.
    pub(crate) fn new(colours: bool, reflows: bool) -> Self {
        Self { colours, reflows, shown: Vec::new(), at: 0, column: 0 }
    }

    /// Shows a frame in place of the last one.
    pub(crate) fn show(&mut self, frame: &Frame, out: &mut impl Write) -> io::Result<()> {
        let unchanged = self.shown == frame.rows;
        queue!(out, Hide)?;
        if !unchanged {
            self.go(0, out)?;
            let old = self.shown.len();
            for (at, row) in frame.rows.iter().enumerate() {
                if self.shown.get(at) != Some(row) {
                    self.go(at, out)?;
                    queue!(out, Clear(ClearType::CurrentLine))?;
                    self.print(row, out)?;
                }
            }
            if frame.rows.len() < old {
                self.go(frame.rows.len(), out)?;
                queue!(out, Clear(ClearType::FromCursorDown))?;
            }
            self.shown.clone_from(&frame.rows);
        }
        match frame.cursor {
            Some((row, column)) => {
                self.go(row, out)?;
                self.column = column;
                queue!(out, MoveToColumn(u16::try_from(column).unwrap_or(u16::MAX)), Show)?;
            }
            None => self.go(frame.rows.len().saturating_sub(1), out)?,
        }
        out.flush()
    }

    /// Leaves a line above the form for good. The form is shown again with the next frame.
    pub(crate) fn leave(&mut self, line: &str, out: &mut impl Write) -> io::Result<()> {
        self.clear(out)?;
        queue!(out, Print(line), Print("\r\n"))?;
        out.flush()
    }

    /// Removes the form from a terminal that now has this width. If the terminal rewrapped our
    /// rows, there are more of them above the cursor than we drew.
    pub(crate) fn resized(&mut self, columns: usize, out: &mut impl Write) -> io::Result<()> {
        if self.reflows {
            let columns = columns.max(1);
            let above = self.shown.iter().take(self.at);
            let above: usize =
                above.map(|row| plain::width(&row.text).div_ceil(columns).max(1)).sum();
            self.at = above + self.column / columns;
        }
        self.clear(out)
    }

    /// Leaves our rows to the terminal: none is ours any more, and the form is drawn again at the
    /// cursor.
    pub(crate) fn forget(&mut self) {
        self.shown.clear();
        (self.at, self.column) = (0, 0);
    }

    /// Removes the form: no row is ours any more, and the cursor is where the form began.
    pub(crate) fn clear(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.go(0, out)?;
        queue!(out, Clear(ClearType::FromCursorDown), Show)?;
        self.shown.clear();
        out.flush()
    }

    /// Moves to the start of one of our rows. Below the last one, line feeds make room.
    fn go(&mut self, row: usize, out: &mut impl Write) -> io::Result<()> {
        queue!(out, MoveToColumn(0))?;
        if let Some(up) = self.at.checked_sub(row).filter(|up| *up > 0) {
            queue!(out, MoveUp(u16::try_from(up).unwrap_or(u16::MAX)))?;
        }
        for _ in self.at..row {
            queue!(out, Print("\n"))?;
        }
        (self.at, self.column) = (row, 0);
        Ok(())
    }

    fn print(&self, row: &Row, out: &mut impl Write) -> io::Result<()> {
        if !self.colours {
            return queue!(out, Print(&row.text));
        }
        match row.tone {
            Tone::Plain => return queue!(out, Print(&row.text)),
            Tone::Strong => queue!(out, SetAttribute(Attribute::Bold))?,
            Tone::Faint => queue!(out, SetAttribute(Attribute::Dim))?,
            Tone::Alert => queue!(out, SetForegroundColor(Color::Yellow))?,
        }
        queue!(out, Print(&row.text), SetAttribute(Attribute::Reset), ResetColor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(rows: &[&str]) -> Frame {
        let rows = rows.iter().map(|text| Row::new(Tone::Strong, *text)).collect();
        Frame { rows, cursor: None }
    }

    fn show(screen: &mut Screen, frame: &Frame) -> String {
        let mut out = Vec::new();
        screen.show(frame, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn only_what_changed_is_drawn() {
        let mut screen = Screen::new(false, true);
        let first = show(&mut screen, &frame(&["one", "two", "three"]));
        assert!(first.contains("one") && first.contains("three"));
        let second = show(&mut screen, &frame(&["one", "2", "three"]));
        assert!(second.contains('2') && !second.contains("one") && !second.contains("three"));
        assert!(second.contains("\u{1b}[2A"), "up by the two rows that are ours: {second:?}");
        let third = show(&mut screen, &frame(&["one", "2", "three"]));
        assert!(!third.contains("one") && !third.contains('\n'), "{third:?}");
        let shorter = show(&mut screen, &frame(&["one"]));
        assert!(shorter.contains("\u{1b}[J"), "{shorter:?}");
        assert!(!shorter.contains("\u{1b}[2J"), "the screen is not ours to clear: {shorter:?}");
    }

    #[test]
    fn the_cursor_stands_where_one_types() {
        let mut screen = Screen::new(false, true);
        let mut shown = frame(&["one", "two"]);
        shown.cursor = Some((0, 2));
        let text = show(&mut screen, &shown);
        assert!(text.ends_with("\u{1b}[1A\u{1b}[3G\u{1b}[?25h"), "{text:?}");
        let mut out = Vec::new();
        screen.clear(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains("\u{1b}[1A"), "the cursor was in the first row already: {text:?}");
    }

    #[test]
    fn rows_that_the_terminal_broke_anew_go_too() {
        for (reflows, up) in [(true, "\u{1b}[8A"), (false, "\u{1b}[1A")] {
            let mut screen = Screen::new(false, reflows);
            let mut shown = frame(&["a row of 21 columns..", "another of 18 cols"]);
            shown.cursor = Some((1, 16));
            show(&mut screen, &shown);
            let mut out = Vec::new();
            // Five rows of the first, and the cursor in the fourth of the second.
            screen.resized(5, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains(up), "{text:?}");
        }
    }

    #[test]
    fn no_colour_means_no_attributes() {
        let plain = show(&mut Screen::new(false, true), &frame(&["x"]));
        assert!(!plain.contains('m'), "{plain:?}");
        let bold = show(&mut Screen::new(true, true), &frame(&["x"]));
        assert!(bold.contains("\u{1b}[1mx\u{1b}[0m"), "{bold:?}");
    }

    #[test]
    fn lines_are_left_above() {
        let mut screen = Screen::new(false, true);
        show(&mut screen, &frame(&["form"]));
        let mut out = Vec::new();
        screen.leave("accepted by Ben", &mut out).unwrap();
        let again = show(&mut screen, &frame(&["form"]));
        assert!(String::from_utf8(out).unwrap().ends_with("accepted by Ben\r\n"));
        assert!(again.contains("form"));
    }
}
