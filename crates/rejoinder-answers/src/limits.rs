//! The limits of this crate, in bytes where nothing else is said. Each refuses with a typed error,
//! and each is tested at n and at n + 1.

/// A change. Its envelope is bounded by 64 KiB and adds at most 200 bytes to it.
pub const CHANGE: usize = 64 * 1024 - 256;
/// Operations of a change.
pub const OPERATIONS: usize = 2_000;
/// Predecessors of all operations of a change together: every change in its past can have left one
/// live value in the register that it writes.
pub const PREDS: usize = PAST;
/// Dependencies of a change.
pub const DEPS: usize = 64;
/// Changes of one actor.
pub const ACTOR_CHANGES: u64 = 4_000;
/// Changes in the causal past of a change.
pub const PAST: usize = 20_000;
/// The first time that is too late to be written in a change: seconds, the year 36812.
pub const TIME: i64 = 1 << 40;

/// A text answer.
pub const TEXT: usize = 32 * 1024;
/// The JSON of one answer: what a mark, a register or one answer of a completion may hold.
pub const ANSWER: usize = 48 * 1024;
/// A mark: an answer, and 64 bytes to tell it from every other.
pub const MARK: usize = ANSWER + 64;
/// The JSON of all answers of a request.
pub const ANSWERS: usize = 1024 * 1024;
/// Freeform values of one answer.
pub const FREEFORM_VALUES: usize = 64;
/// One freeform value.
pub const FREEFORM_VALUE: usize = 4 * 1024;

/// The id of a request, of a question or of an option. A guess, large enough for an enum that holds sentences.
pub const ID: usize = 1024;
/// Questions of a request.
pub const QUESTIONS: usize = 200;
/// Options of a question.
pub const OPTIONS: usize = 1_000;
/// Options of all questions of a request.
pub const ALL_OPTIONS: usize = 10_000;

/// A skeleton: its record is bounded by 256 KiB and holds the request beside it.
pub const SKELETON: usize = 256 * 1024;
/// Operations of a skeleton: each question makes six, each option one, each character of an answer
/// that the request came with one; more than its bytes it can't have.
pub const SKELETON_OPERATIONS: usize = SKELETON;
