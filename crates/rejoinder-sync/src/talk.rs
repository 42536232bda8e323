//! When to tell the other side where we are, and when to compare.

use rejoinder_identity::Timestamp;

use crate::{key::Key, limits, message::Position};

/// A summary that is being sent, part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sending {
    pub(crate) from: Option<Key>,
    pub(crate) answer: bool,
}

/// The conversation on one link.
///
/// It begins with both positions. If they differ, both sides send a summary; later, one side asks
/// with a position, the other sends a summary if it still differs after a while, and gets one in
/// answer.
#[derive(Debug)]
pub(crate) struct Talk {
    /// The position that was last told.
    pub(crate) told: Option<Position>,
    /// When to tell it again; never, when it has not changed.
    tell: Timestamp,
    /// The position is to be told at once, asking for a comparison.
    pub(crate) ask: bool,
    /// When to ask next.
    compare: Timestamp,
    asked: Timestamp,
    /// When to send a summary if the two sides still differ.
    check: Timestamp,
    /// When to answer a summary that came too soon.
    answer: Timestamp,
    pub(crate) differs_since: Timestamp,
    pub(crate) sending: Option<Sending>,
    /// Our summary, not an answer, was sent; theirs has not come to its end.
    pub(crate) waits_for_summary: bool,
    last_sent: Option<Timestamp>,
    last_taken: Option<Timestamp>,
    /// The summary that comes is too soon after the one before to be acted on.
    pub(crate) ignores: bool,
    /// Where the next part of a summary must begin.
    pub(crate) next_part: Option<Key>,
}

impl Talk {
    pub(crate) fn new(now: Timestamp, compare: Timestamp) -> Self {
        Self {
            told: None,
            tell: limits::NEVER,
            ask: true,
            compare,
            asked: now,
            check: limits::NEVER,
            answer: limits::NEVER,
            differs_since: now,
            sending: None,
            waits_for_summary: false,
            last_sent: None,
            last_taken: None,
            ignores: false,
            next_part: None,
        }
    }

    pub(crate) fn tell_by(&mut self, time: Timestamp) {
        self.tell = self.tell.min(time);
    }

    pub(crate) fn is_to_tell(&self, now: Timestamp) -> bool {
        self.tell <= now
    }

    /// This was told.
    pub(crate) fn tells(&mut self, position: Position) {
        self.told = Some(Position { compare: false, ..position });
        self.tell = limits::NEVER;
        self.ask = false;
    }

    pub(crate) fn nothing_to_tell(&mut self) {
        self.tell = limits::NEVER;
    }

    /// Asks for a comparison soon.
    pub(crate) fn compare_soon(&mut self, now: Timestamp) {
        self.compare = self.compare.min(now.max(self.asked.after(limits::COMPARE_SOONEST)));
    }

    /// The other side asked for a comparison, and differs.
    pub(crate) fn check_soon(&mut self, now: Timestamp) {
        if !self.is_talking() {
            let settled = self.differs_since.after(limits::SETTLE);
            self.check = self.check.min(now.max(settled).max(self.soonest(self.last_sent)));
        }
    }

    /// A summary came to its end that wants an answer.
    pub(crate) fn answer_soon(&mut self, now: Timestamp) {
        if !self.is_talking() {
            self.answer = self.answer.min(now.max(self.soonest(self.last_sent)));
        }
    }

    /// Begins to send a summary.
    pub(crate) fn summarize(&mut self, now: Timestamp, answer: bool) {
        if rejoinder_identity::mutant!("mutant-never-compares") {
            return;
        }
        if self.is_talking() {
            return;
        }
        self.sending = Some(Sending { from: None, answer });
        self.waits_for_summary = !answer;
        self.last_sent = Some(now);
        (self.check, self.answer) = (limits::NEVER, limits::NEVER);
    }

    /// The first part of a summary came.
    pub(crate) fn begins_to_take(&mut self, now: Timestamp) {
        self.ignores = self.last_taken.is_some() && now < self.soonest(self.last_taken);
        if !self.ignores {
            self.last_taken = Some(now);
        }
    }

    /// The two sides are the same.
    pub(crate) fn agrees(&mut self) {
        self.check = limits::NEVER;
    }

    /// What is due; `next` is the time of the next regular comparison. Whether one begins.
    pub(crate) fn timeout(&mut self, now: Timestamp, next: Timestamp, in_sync: bool) -> bool {
        let compares = self.compare <= now;
        if compares {
            (self.compare, self.asked, self.ask) = (next, now, true);
            // If the other side never answered, it is asked anew.
            self.waits_for_summary = false;
        }
        self.answer_if_due(now);
        if self.check <= now {
            self.check = limits::NEVER;
            if !in_sync {
                self.summarize(now, false);
            }
        }
        compares
    }

    pub(crate) fn answer_if_due(&mut self, now: Timestamp) {
        if self.answer <= now {
            self.summarize(now, true);
            self.answer = limits::NEVER;
        }
    }

    /// When to come back; to tell a position only when it is not held back.
    pub(crate) fn next(&self, may_tell: bool) -> Timestamp {
        let tell = if may_tell { self.tell } else { limits::NEVER };
        self.compare.min(self.check).min(self.answer).min(tell)
    }

    fn is_talking(&self) -> bool {
        self.sending.is_some() || self.waits_for_summary
    }

    fn soonest(&self, last: Option<Timestamp>) -> Timestamp {
        last.map_or(self.asked, |last| last.after(limits::COMPARE_SOONEST))
    }
}
