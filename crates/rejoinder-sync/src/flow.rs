//! Flow control: the bytes and items on their way over a link, in each direction.
//!
//! Only summaries and items count: the other messages are small and rare.

use std::collections::{BTreeMap, VecDeque};

use crate::{Misbehaved, key::Key, limits};

/// The frames that we sent. They arrive in order, so "heard so many bytes" says which arrived.
#[derive(Debug, Default)]
pub(crate) struct Outflow {
    sent: u64,
    heard: u64,
    frames: VecDeque<(u64, Vec<Key>)>,
    /// The last item of each key that may not have arrived yet, and where its frame ends; `None` if
    /// it was not sent yet.
    flying: BTreeMap<Key, (u64, Option<u64>)>,
    flying_log: (u64, Option<u64>),
}

impl Outflow {
    /// Returns the number of bytes that may be sent now.
    pub(crate) fn room(&self) -> usize {
        let flying = usize::try_from(self.sent - self.heard).unwrap_or(usize::MAX);
        limits::WINDOW.saturating_sub(flying)
    }

    /// This is about to be sent.
    pub(crate) fn will_send(&mut self, key: Key, seq: u64) {
        self.flying.insert(key, (seq, None));
    }

    /// The log up to this length is about to be sent.
    pub(crate) fn will_send_log(&mut self, length: u64) {
        self.flying_log = (length, None);
    }

    /// A frame was sent with the last that was to be sent of these keys, and of the log if
    /// `log` is its length there.
    pub(crate) fn sent(&mut self, bytes: usize, contents: Vec<(Key, u64)>, log: Option<u64>) {
        self.sent += bytes as u64;
        for (key, seq) in &contents {
            if let Some((flying, end)) = self.flying.get_mut(key)
                && flying == seq
            {
                *end = Some(self.sent);
            }
        }
        if log == Some(self.flying_log.0) {
            self.flying_log.1 = Some(self.sent);
        }
        self.frames.push_back((self.sent, contents.into_iter().map(|(key, _)| key).collect()));
    }

    /// The other side has dealt with so much.
    pub(crate) fn heard(&mut self, total: u64) -> Result<(), Misbehaved> {
        if total > self.sent {
            return Err(Misbehaved::HeardTooMuch);
        }
        self.heard = self.heard.max(total);
        while let Some((end, _)) = self.frames.front()
            && *end <= self.heard
        {
            let (end, keys) = self.frames.pop_front().expect("it was looked at");
            for key in keys {
                if self.flying.get(&key).is_some_and(|(_, last)| *last == Some(end)) {
                    self.flying.remove(&key);
                }
            }
            if self.flying_log.1 == Some(end) {
                self.flying_log = (0, None);
            }
        }
        Ok(())
    }

    /// Returns the number up to which the other side may have this key, although it did not say so.
    pub(crate) fn flying(&self, key: &Key) -> u64 {
        self.flying.get(key).map_or(0, |(seq, _)| *seq)
    }

    /// The same of the log.
    pub(crate) fn flying_log(&self) -> u64 {
        self.flying_log.0
    }

    /// Up to this number it will not be sent after all.
    pub(crate) fn will_not_send(&mut self, key: &Key, seq: u64) {
        if self.flying.get(key).is_some_and(|(last, end)| end.is_none() && *last <= seq) {
            self.flying.remove(key);
        }
    }

    /// Some records are void, perhaps in flight: it is no longer known which have landed.
    pub(crate) fn log_cut(&mut self) {
        self.flying_log = (0, None);
    }
}

/// The bytes that came.
#[derive(Debug, Default)]
pub(crate) struct Inflow {
    came: u64,
    dealt_with: u64,
    told: u64,
}

impl Inflow {
    pub(crate) fn came(&mut self, bytes: usize) -> Result<(), Misbehaved> {
        self.came += bytes as u64;
        let bytes = self.came - self.told;
        // A sender with any room left may send one whole frame.
        if bytes > (limits::WINDOW + limits::FRAME) as u64 {
            return Err(Misbehaved::Overrun { bytes });
        }
        Ok(())
    }

    pub(crate) fn dealt_with(&mut self, bytes: usize) {
        self.dealt_with += bytes as u64;
    }

    /// Returns the credit to tell, if more than `least` bytes were dealt with since the last time.
    pub(crate) fn tell(&mut self, least: usize) -> Option<u64> {
        if self.dealt_with - self.told <= least as u64 {
            return None;
        }
        self.told = self.dealt_with;
        Some(self.told)
    }
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::{ActorId, DocumentId, ProposalId};

    use super::*;

    const KEY: Key = Key::Envelopes(DocumentId([1; 32]), ActorId([1; 16]));
    const OTHER: Key = Key::Proposal(ProposalId([1; 32]));

    #[test]
    fn room_comes_back_when_it_was_heard() {
        let mut flow = Outflow::default();
        flow.sent(limits::WINDOW - 1, Vec::new(), None);
        assert_eq!(flow.room(), 1);
        flow.sent(limits::FRAME, Vec::new(), None);
        assert_eq!(flow.room(), 0);
        flow.heard((limits::WINDOW - 1) as u64).unwrap();
        assert_eq!(flow.room(), 0, "the large frame is still on its way");
        flow.heard((limits::WINDOW - 1 + limits::FRAME) as u64).unwrap();
        assert_eq!(flow.room(), limits::WINDOW);
        assert_eq!(flow.heard(u64::MAX), Err(Misbehaved::HeardTooMuch));
    }

    #[test]
    fn what_flies_lands_with_its_last_frame() {
        let mut flow = Outflow::default();
        flow.will_send(KEY, 1);
        flow.will_send(KEY, 2);
        flow.will_send(OTHER, 1);
        assert_eq!(flow.flying(&KEY), 2, "before it is sent too");
        flow.sent(10, vec![(KEY, 1), (OTHER, 1)], None);
        flow.sent(10, vec![(KEY, 2)], None);
        flow.heard(10).unwrap();
        assert_eq!((flow.flying(&KEY), flow.flying(&OTHER)), (2, 0));
        flow.heard(19).unwrap();
        assert_eq!(flow.flying(&KEY), 2);
        flow.heard(20).unwrap();
        assert_eq!(flow.flying(&KEY), 0);
        assert!(flow.flying.is_empty() && flow.frames.is_empty());
    }

    #[test]
    fn what_was_not_sent_after_all_does_not_fly() {
        let mut flow = Outflow::default();
        flow.will_send(KEY, 1);
        flow.will_send(KEY, 2);
        flow.will_not_send(&KEY, 1);
        assert_eq!(flow.flying(&KEY), 2);
        flow.will_not_send(&KEY, 2);
        assert_eq!(flow.flying(&KEY), 0);
    }

    #[test]
    fn the_log_flies_too() {
        let mut flow = Outflow::default();
        flow.will_send_log(7);
        flow.sent(10, Vec::new(), Some(6));
        flow.heard(10).unwrap();
        assert_eq!(flow.flying_log(), 7);
        flow.sent(10, Vec::new(), Some(7));
        flow.heard(20).unwrap();
        assert_eq!(flow.flying_log(), 0);
        flow.will_send_log(8);
        flow.log_cut();
        assert_eq!(flow.flying_log(), 0);
    }

    #[test]
    fn a_sender_that_does_not_wait_is_noticed() {
        let mut flow = Inflow::default();
        flow.came(limits::WINDOW).unwrap();
        flow.came(limits::FRAME).unwrap();
        assert!(matches!(flow.came(1), Err(Misbehaved::Overrun { .. })));
        let mut flow = Inflow::default();
        flow.came(limits::WINDOW).unwrap();
        flow.dealt_with(limits::WINDOW);
        assert_eq!(flow.tell(limits::WINDOW), None);
        assert_eq!(flow.tell(limits::HEARD), Some(limits::WINDOW as u64));
        assert_eq!(flow.tell(0), None, "told once");
        flow.came(limits::WINDOW).unwrap();
        flow.came(limits::FRAME).unwrap();
    }
}
