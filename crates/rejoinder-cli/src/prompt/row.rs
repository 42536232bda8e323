//! The screen's contents, before they are bytes.

/// Rows from top to bottom, none wider than the terminal, and the place of the cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    /// The rows.
    pub rows: Vec<Row>,
    /// The row and column of the cursor, if it is visible.
    pub cursor: Option<(usize, usize)>,
}

/// One row, in one tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its text, safe to print.
    pub text: String,
    /// The look, where colours are wanted.
    pub tone: Tone,
}

/// The look of a row. It adds nothing that the text does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Normal text.
    Plain,
    /// The subject.
    Strong,
    /// Text that can be read later.
    Faint,
    /// Text that needs attention.
    Alert,
}

impl Row {
    pub(super) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone }
    }
}
