//! The conversation on one link: when to tell our position, and when to compare.

mod round;
mod timer;

use rejoinder_identity::Timestamp;

pub(crate) use self::round::Part;
use self::{
    round::Round,
    timer::{Timer, TimerTable},
};
use crate::{key::Key, limits, message::Position};

/// The conversation on one link.
///
/// It begins with both positions. If they differ, both sides send a summary. Later, one side asks
/// with a position. If the other still differs after a while, it sends a summary, and gets one in
/// answer.
#[derive(Debug)]
pub(crate) struct Talk {
    /// The position that was last told; `None` if it is to be told at once, asking for a
    /// comparison.
    told: Option<Position>,
    timers: TimerTable,
    round: Round,
    theirs: Theirs,
    /// When a comparison was last due; at first, when the link came up.
    asked: Timestamp,
    /// When our last summary began to leave.
    summarized: Option<Timestamp>,
    /// When the two sides last began to differ, or to agree.
    turned: Timestamp,
}

/// The summary that the other side sends.
#[derive(Debug, Default)]
struct Theirs {
    /// The key at which its next part must begin; `None` if no part is to follow.
    next: Option<Key>,
    /// When the last one that was heeded began.
    began: Option<Timestamp>,
    /// Whether this one came too soon after that one to be heeded.
    ignored: bool,
}

impl Talk {
    pub(crate) fn new(now: Timestamp, compare: Timestamp) -> Self {
        let mut timers = TimerTable::default();
        timers.set(Timer::Compare, compare);
        Self {
            told: None,
            timers,
            round: Round::Resting,
            theirs: Theirs::default(),
            asked: now,
            summarized: None,
            turned: now,
        }
    }

    // Our position.

    /// Returns whether our position is to be told at once, asking for a comparison.
    pub(crate) fn asks(&self) -> bool {
        self.told.is_none()
    }

    /// Tells our position by then.
    pub(crate) fn tell_by(&mut self, time: Timestamp) {
        self.timers.set_by(Timer::Tell, time);
    }

    /// Returns whether it is time to tell our position.
    pub(crate) fn is_to_tell(&self, now: Timestamp) -> bool {
        self.timers.is_due(Timer::Tell, now)
    }

    /// Notes that a position is told now. Returns whether it is news to the other side.
    pub(crate) fn tell(&mut self, position: Position) -> bool {
        self.timers.stop(Timer::Tell);
        let told = Some(Position { compare: false, ..position });
        std::mem::replace(&mut self.told, told) != told
    }

    // When to compare.

    /// Asks for a comparison soon.
    pub(crate) fn compare_soon(&mut self, now: Timestamp) {
        let soonest = self.asked.after(limits::COMPARE_SOONEST);
        self.timers.set_by(Timer::Compare, now.max(soonest));
    }

    /// The other side asked for a comparison, and its position is not ours.
    pub(crate) fn check_soon(&mut self, now: Timestamp) {
        if self.round == Round::Resting {
            let settled = self.turned.after(limits::SETTLE);
            let soonest = self.soonest(self.summarized);
            self.timers.set_by(Timer::Check, now.max(settled).max(soonest));
        }
    }

    /// The two sides began to differ, or to agree.
    pub(crate) fn turned(&mut self, now: Timestamp) {
        self.turned = now;
    }

    /// The two sides are the same: there is nothing to check.
    pub(crate) fn agrees(&mut self) {
        self.timers.stop(Timer::Check);
    }

    /// Does what is due. `next` is the time of the next regular comparison. Returns whether one
    /// begins now.
    pub(crate) fn timeout(&mut self, now: Timestamp, next: Timestamp, in_sync: bool) -> bool {
        let compares = self.timers.expire(Timer::Compare, now);
        if compares {
            self.timers.set(Timer::Compare, next);
            (self.asked, self.told) = (now, None);
            // If the other side never answered, it is asked again.
            self.round = self.round.stop_awaiting();
        }
        self.answer_if_due(now);
        if self.timers.expire(Timer::Check, now) && !in_sync {
            self.open(now);
        }
        compares
    }

    /// Returns the time of the next timeout. A position that is held back (not `may_tell`) needs
    /// none: it is told when what holds it back has left.
    pub(crate) fn next(&self, may_tell: bool) -> Option<Timestamp> {
        self.timers.next(|timer| match timer {
            Timer::Tell => may_tell,
            Timer::Compare | Timer::Check | Timer::Answer => true,
        })
    }

    // Our summary.

    /// Begins to send a summary that the other side answers.
    pub(crate) fn open(&mut self, now: Timestamp) {
        self.summarize(now, Round::Opening { next: None });
    }

    /// Returns the part of our summary that is to leave, if one is.
    pub(crate) fn part(&self) -> Option<Part> {
        self.round.part()
    }

    /// A part of our summary has left. `until` is the key at which the next one begins.
    pub(crate) fn part_sent(&mut self, until: Option<Key>) {
        self.round = self.round.part_sent(until);
    }

    fn summarize(&mut self, now: Timestamp, round: Round) {
        if rejoinder_identity::mutant!("mutant-never-compares") {
            return;
        }
        if self.round != Round::Resting {
            return;
        }
        self.round = round;
        self.summarized = Some(now);
        self.timers.stop(Timer::Check);
        self.timers.stop(Timer::Answer);
    }

    // Their summary.

    /// A part of their summary arrived. Returns whether it begins where it must.
    pub(crate) fn part_arrived(&mut self, from: Option<Key>, until: Option<Key>) -> bool {
        let follows = from.is_none() || from == self.theirs.next;
        if follows {
            self.theirs.next = until;
        }
        follows
    }

    /// The first part of their summary is dealt with.
    pub(crate) fn begins_to_take(&mut self, now: Timestamp) {
        let theirs = &self.theirs;
        let ignored = theirs.began.is_some() && now < self.soonest(theirs.began);
        self.theirs.ignored = ignored;
        if !ignored {
            self.theirs.began = Some(now);
        }
    }

    /// Returns whether their summary came too soon after the one before to be heeded.
    pub(crate) fn ignores(&self) -> bool {
        self.theirs.ignored
    }

    /// The last part of their summary was dealt with. If it is an answer, it is not answered.
    pub(crate) fn ends_to_take(&mut self, now: Timestamp, answer: bool) {
        // While a round is under way, our summary is leaving or has left: it is the answer.
        if !answer && self.round == Round::Resting {
            self.timers.set_by(Timer::Answer, now.max(self.soonest(self.summarized)));
        }
        self.round = self.round.stop_awaiting();
    }

    /// Begins to send the answer to their summary, if it is time.
    pub(crate) fn answer_if_due(&mut self, now: Timestamp) {
        if self.timers.expire(Timer::Answer, now) {
            self.summarize(now, Round::Answering { next: None });
        }
    }

    /// Returns the soonest time for another summary in the same direction as the `last`.
    fn soonest(&self, last: Option<Timestamp>) -> Timestamp {
        last.map_or(self.asked, |last| last.after(limits::COMPARE_SOONEST))
    }
}
