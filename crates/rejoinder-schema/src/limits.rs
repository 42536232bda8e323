//! Patterns come from outside; so does what they are checked on. A text answer has at most 32 KiB.

/// Bytes of a pattern. The longest that a widespread library writes, for dates, has about 500.
pub(crate) const PATTERN: usize = 4_096;
/// Bytes of a text that is searched with a pattern whose search may have to go back: each step of
/// such a search can read all the rest of the text. 32 KiB of it took six seconds at worst, this a tenth.
pub(crate) const TEXT: usize = 4_096;
/// The number of times that such a search may go back: more than a text has places to begin at, so
/// that no honest search meets it.
pub(crate) const BACKTRACKS: usize = 10_000;
/// Bytes of each part of a pattern that is searched without going back, when it is compiled.
pub(crate) const COMPILED: usize = 1024 * 1024;
/// The largest count in `{n,m}`. A hostname has at most 253 characters, and patterns say so.
pub(crate) const REPEATS: u32 = 1_000;
/// Groups within groups: the translation is parsed by recursion.
pub(crate) const DEPTH: usize = 64;
