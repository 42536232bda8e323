//! What the screen shows, before it is bytes.

/// Rows from top to bottom, none wider than the terminal, and where the cursor stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    /// The rows.
    pub rows: Vec<Row>,
    /// Row and column of the cursor, if it is to be seen.
    pub cursor: Option<(usize, usize)>,
}

/// One row, in one tone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Its text, safe to print.
    pub text: String,
    /// How it looks where colours are wanted.
    pub tone: Tone,
}

/// How a row looks. The text alone says the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As text is.
    Plain,
    /// Its subject.
    Strong,
    /// What can be read later.
    Faint,
    /// What wants attention.
    Alert,
}

impl Row {
    pub(super) fn new(tone: Tone, text: impl Into<String>) -> Self {
        Self { text: text.into(), tone }
    }
}
