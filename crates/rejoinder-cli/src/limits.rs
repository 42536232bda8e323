//! The limits of this crate.

/// The most bytes in a form file. The request in it must fit into a record, which is smaller.
pub(crate) const FORM_FILE: u64 = 1024 * 1024;

/// The most bytes in a line on stdin: a text answer of 32 KiB, each byte written as `\u00XX`, and
/// room.
pub(crate) const STDIN_LINE: usize = 256 * 1024;

/// The seconds that `wait` waits unless told otherwise.
pub(crate) const WAIT_SECONDS: f64 = 30.0;

/// The time that a command waits for a request to apply to.
pub(crate) const WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// The most seconds that `wait` accepts: a day. More is a mistake in the script.
pub(crate) const WAIT_SECONDS_MAX: f64 = 86_400.0;

/// The pause in typing after which the text becomes a draft, in milliseconds.
pub(crate) const TYPING_PAUSE_MS: u64 = 300;

/// The longest that typing without a pause waits until it becomes a draft, in milliseconds. A power
/// cut loses that much, and others see a steady typist's text that late.
pub(crate) const TYPING_LONGEST_MS: u64 = 1_000;

/// The most marks on one character when text by others is printed. Vietnamese and the pointed
/// scripts need three.
pub(crate) const MARKS_ON_A_CHARACTER: usize = 4;

/// The number of devices that a ticket of `ask` lets in by default.
pub(crate) const ASK_SEATS: u16 = 8;

/// The most lines kept for printing above the terminal form until the terminal takes them.
pub(crate) const NOTICES: usize = 256;

/// The most rows that one message takes in the form's foot.
pub(crate) const FOOT_ROWS: usize = 3;

/// The most bytes of a member's name in output for programs: as many as the engine accepts from a
/// device that joins.
pub(crate) const NAME: usize = 256;

/// The most columns of an answer in the line that reports its change: `show` and `--json` print all
/// of it. A person typing a text of 32 KiB would otherwise fill the screen with every word.
pub(crate) const EVENT_COLUMNS: usize = 200;

/// The most columns of a member's name that are shown. A guess: wider than most names, and it
/// leaves room for what the member did.
pub(crate) const NAME_COLUMNS: usize = 40;

/// The narrowest terminal that the form is drawn for: room for the longest mark and some text.
pub(crate) const COLUMNS_MIN: usize = 20;

/// The lines of stdin that are read ahead of the current command; each may be as long as above.
pub(crate) const LINES_AHEAD: usize = 64;

/// The seconds that `withdraw` waits for a member to hand the end of the request to.
pub(crate) const WITHDRAW_SECONDS: u64 = 5;

/// The seconds between two looks of `--until` at the clock: a timer does not count the time that a
/// machine sleeps.
pub(crate) const UNTIL_LOOK_SECONDS: u64 = 30;

/// The least time for a look at the engine: even `wait synced 0` sees the present state.
pub(crate) const LOOK: std::time::Duration = std::time::Duration::from_millis(200);
