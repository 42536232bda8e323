//! The sets of characters that ECMA-262 has a short sign for, as `fancy-regex` writes them.

pub(crate) const DIGIT: &str = "[0-9]";
pub(crate) const NO_DIGIT: &str = "[^0-9]";
pub(crate) const WORD: &str = "[0-9A-Za-z_]";
pub(crate) const NO_WORD: &str = "[^0-9A-Za-z_]";
/// ECMA's white space and ends of lines.
pub(crate) const SPACE: &str = r"[\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]";
pub(crate) const NO_SPACE: &str = r"[^\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]";
/// The translation of `.`.
pub(crate) const NO_LINE_END: &str = r"[^\x{a}\x{d}\x{2028}\x{2029}]";
