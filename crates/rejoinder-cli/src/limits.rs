//! The limits of this crate.

/// Bytes of a form file. The request in it must fit into a record, which is smaller.
pub(crate) const FORM_FILE: u64 = 1024 * 1024;

/// Bytes of one line on stdin: a text answer of 32 KiB, each byte written as `\u00XX`, and room.
pub(crate) const STDIN_LINE: usize = 256 * 1024;

/// What `wait` waits when it is not told.
pub(crate) const WAIT_SECONDS: f64 = 30.0;

/// How long a command waits for a request that it can mean.
pub(crate) const WAIT: std::time::Duration = std::time::Duration::from_secs(30);

/// What `wait` waits at most: a day. More is a mistake in the script.
pub(crate) const WAIT_SECONDS_MAX: f64 = 86_400.0;

/// How long typing must pause before it becomes a draft, in milliseconds.
pub(crate) const TYPING_PAUSE_MS: u64 = 300;

/// How long typing without a pause waits until it becomes a draft, in milliseconds: what the power
/// takes with it, and what others don't see of somebody who types steadily.
pub(crate) const TYPING_LONGEST_MS: u64 = 1_000;

/// Marks that may pile up on one character when others' text is printed. Vietnamese and the
/// pointed scripts need three.
pub(crate) const MARKS_ON_A_CHARACTER: usize = 4;

/// Devices that a ticket of `ask` may bring in, unless it is told.
pub(crate) const ASK_SEATS: u16 = 8;

/// Lines said above the terminal form that are kept until the terminal takes them.
pub(crate) const NOTICES: usize = 256;

/// Rows of the form's foot that one thing takes that is said there, at most.
pub(crate) const FOOT_ROWS: usize = 3;

/// Bytes of a member's name that are told to programs: what the engine takes of whoever joins.
pub(crate) const NAME: usize = 256;

/// Columns of an answer in the line that says it has changed: `show` and `--json` have all of it.
/// Somebody who types a text of 32 KiB would fill the screen with each word.
pub(crate) const EVENT_COLUMNS: usize = 200;

/// Columns of a member's name that are shown. A guess: wider than most names, and it leaves room for
/// what its owner did.
pub(crate) const NAME_COLUMNS: usize = 40;

/// The narrowest terminal that the form is drawn for: room for the longest mark and some text.
pub(crate) const COLUMNS_MIN: usize = 20;

/// Lines of stdin that are read ahead of the command in progress; each may be as long as above.
pub(crate) const LINES_AHEAD: usize = 64;

/// How long `withdraw` waits for a member to whom it can hand the end of the request.
pub(crate) const WITHDRAW_SECONDS: u64 = 5;

/// How often `--until` looks at the clock: a machine that sleeps does not count its sleep.
pub(crate) const UNTIL_LOOK_SECONDS: u64 = 30;

/// How long a look at the engine may take: even `wait synced 0` sees what is so.
pub(crate) const LOOK: std::time::Duration = std::time::Duration::from_millis(200);
