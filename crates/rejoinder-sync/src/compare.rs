//! Anti-entropy: two sides find out what each of them lacks. Positions go first, and summaries if
//! they differ.

use rejoinder_identity::RecordId;

use crate::{
    Carried, Effect, LinkId, Sync,
    held::Held,
    key::{Key, Line},
    link::{Known, Link},
    message::{LogSummary, Position, Summary},
};

/// The items that a part of a summary said to be on the other side's disk.
#[derive(Debug, Default)]
struct Learned {
    log_length: u64,
    lines: Vec<(Key, u64)>,
    /// Held on both sides, and not stored here: the other side wants to hear when it is.
    unstored: Vec<Line>,
}

impl Sync {
    /// The other side told its position.
    pub(crate) fn take_position(&mut self, id: LinkId, position: Position) {
        let Some(link) = self.links.get_mut(&id) else { return };
        link.theirs = Some(position);
        link.look = true;
        if !link.cards.is_empty() {
            self.wake(id);
        }
        self.look(id);
        let Some(link) = self.links.get_mut(&id).filter(|link| !link.in_sync) else { return };
        if link.owed.records().is_none()
            && self.held.log.has(position.log.length, position.log.head)
        {
            // The log goes first, and it needs no comparison to see what is lacking of it.
            link.owed.set_records(position.log.length);
        }
        if position.compare {
            match link.known {
                Known::Nothing => link.talk.open(self.now),
                Known::Below(_) | Known::All => link.talk.check_soon(self.now),
            }
        }
        self.wake(id);
    }

    /// Finds out whether the two sides are the same now.
    pub(crate) fn look(&mut self, id: LinkId) {
        let Some(link) = self.links.get_mut(&id) else { return };
        let Some(theirs) = link.theirs.filter(|_| std::mem::take(&mut link.look)) else { return };
        let same = self.held.is_at(&theirs);
        if same != link.in_sync {
            link.in_sync = same;
            link.talk.turned(self.now);
            self.effects.push_back(Effect::InSync(id, same));
        }
        if !same {
            return;
        }
        link.known = Known::All;
        link.owed.has_all(self.held.log.length());
        link.talk.agrees();
        if theirs.all_stored && !std::mem::replace(&mut link.all_carried, true) {
            self.effects.push_back(Effect::Carried { link: id, carried: Carried::Everything });
        }
    }

    /// A part of the other side's summary.
    pub(crate) fn take_summary(&mut self, id: LinkId, summary: &Summary) {
        let Some(link) = self.links.get_mut(&id) else { return };
        if summary.from.is_none() {
            link.talk.begins_to_take(self.now);
        }
        if !link.talk.ignores() {
            let learned = learn(&self.held, link, summary);
            self.note(id, learned);
        }
        let Some(link) = self.links.get_mut(&id) else { return };
        if summary.until.is_none() {
            link.talk.ends_to_take(self.now, summary.answer);
        }
        link.talk.answer_if_due(self.now);
        self.wake(id);
    }

    fn note(&mut self, id: LinkId, learned: Learned) {
        for line in learned.unstored {
            self.held.also_at(line.item(), id);
        }
        let (mut envelopes, mut proposals) = (Vec::new(), Vec::new());
        for (key, seq) in learned.lines {
            match key {
                Key::Proposal(id) => proposals.push(id),
                Key::Envelopes(document, actor) => envelopes.push((document, actor, seq)),
            }
        }
        let log_length = learned.log_length;
        if log_length > 0 || !envelopes.is_empty() || !proposals.is_empty() {
            let carried = Carried::These { envelopes, proposals, log_length };
            self.effects.push_back(Effect::Carried { link: id, carried });
        }
    }
}

fn learn(held: &Held, link: &mut Link, summary: &Summary) -> Learned {
    let mut learned = Learned::default();
    if summary.from.is_none() {
        link.owed.forget_failures();
    }
    if let Some(log) = &summary.log {
        learned.log_length = learn_log(held, link, log);
    }
    let mut theirs = summary.lines.0.iter().peekable();
    let in_part = |key: &Key| summary.until.is_none_or(|until| *key < until);
    for ours in held.lines(summary.from) {
        let key = ours.key();
        if !in_part(&key) {
            break;
        }
        // Items that only they have are theirs to send.
        while theirs.next_if(|line| line.key() < key).is_some() {}
        let their = theirs.next_if(|line| line.key() == key);
        learn_line(link, &ours, their, &mut learned);
    }
    link.known = match (link.known, summary.until) {
        (Known::All, _) | (_, None) => Known::All,
        (Known::Nothing | Known::Below(_), Some(until)) => Known::Below(until),
    };
    learned
}

fn learn_line(link: &mut Link, ours: &Line, their: Option<&Line>, learned: &mut Learned) {
    let key = ours.key();
    let has = their.map_or(0, |line| line.seq());
    // On a fork they get our branch: both sides must see that there are two.
    let has = if their.is_some_and(|their| their.forks(ours)) { has - 1 } else { has };
    let has = has.max(link.outflow.flying(&key));
    if has < ours.seq() {
        link.owed.owe(key, has);
    } else {
        link.owed.has(&key, has, ours.seq());
    }
    if let Some(their) = their {
        let stored = their.stored().min(ours.seq());
        if stored > 0 {
            learned.lines.push((key, stored));
        }
        if ours.stored() < their.seq().min(ours.seq()) {
            learned.unstored.push(*ours);
        }
    }
}

/// Returns how many of our records are on their disk.
fn learn_log(held: &Held, link: &mut Link, theirs: &LogSummary) -> u64 {
    let (position, trail): (_, &[(u64, RecordId)]) = (&theirs.position, &theirs.trail.0);
    let known = held.log.known_at(position, trail);
    let flying = link.outflow.flying_log().min(held.log.length());
    link.owed.set_records(known.max(flying));
    let shared = if held.log.has(position.length, position.head) {
        position.length
    } else {
        held.log.common(trail)
    };
    theirs.stored.min(shared)
}
