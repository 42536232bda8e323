//! The order in which things are said: one at a time, links in turns, so that no link waits for
//! another that has much to send.

use crate::{
    Effect, LinkId, Sync,
    held::Held,
    limits,
    link::Link,
    list::List,
    message::{Heard, Message, Stored, Summary},
    owed::Want,
    sync::Inbound,
    talk::Part,
};

impl Sync {
    /// Returns the next thing to do; `None` until something happens.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        loop {
            if let Some(effect) = self.effects.pop_front() {
                return Some(effect);
            }
            if let Some((link, inbound)) = self.inbox.pop_front() {
                self.deal_with(link, inbound);
            } else {
                let id = self.speakers.pop_front()?;
                self.speak(id);
            }
        }
    }

    fn deal_with(&mut self, link: LinkId, inbound: Inbound) {
        match inbound {
            Inbound::Item(kind, bytes) => {
                self.effects.push_back(Effect::Arrived { link, kind, bytes });
            }
            Inbound::Position(position) => self.take_position(link, position),
            Inbound::Summary(summary) => self.take_summary(link, &summary),
            Inbound::End(bytes) => {
                if let Some(other) = self.links.get_mut(&link) {
                    other.inflow.dealt_with(bytes);
                    self.wake(link);
                }
            }
        }
    }

    /// Lets a link say one thing, and puts it at the end of the line if it did.
    fn speak(&mut self, id: LinkId) {
        self.look(id);
        let Some(link) = self.links.get_mut(&id) else { return };
        link.queued = false;
        let said = link.next_control(&mut self.held, self.has_room);
        let said = said.map(|message| message.to_frame()).or_else(|| link.next_items());
        let said = said.or_else(|| link.next_part(&self.held, self.has_room));
        let effect = said
            .map(|frame| Effect::Send(id, frame))
            .or_else(|| link.next_fetch(id, &self.held))
            .or_else(|| {
                link.next_position(&mut self.held, self.now).map(|frame| Effect::Send(id, frame))
            });
        if let Some(effect) = effect {
            self.effects.push_back(effect);
            self.wake(id);
        }
    }
}

impl Link {
    /// Returns a message that is small and waits for nothing.
    fn next_control(&mut self, held: &mut Held, has_room: bool) -> Option<Message<'static>> {
        if self.talk.asks() {
            let position = held.position(true);
            self.talk.tell(position);
            return Some(Message::Position(position));
        }
        if !self.acknowledging.is_empty() {
            return Some(Message::Stored(self.next_acknowledgement(held)));
        }
        let heard = has_room.then(|| self.inflow.tell(limits::HEARD)).flatten();
        heard.map(|bytes| Message::Heard(Heard { bytes }))
    }

    fn next_acknowledgement(&mut self, held: &Held) -> Stored {
        let acknowledging = &mut self.acknowledging;
        let length = std::mem::take(&mut acknowledging.log).min(held.log.length());
        let mut stored = Stored::default();
        if length > 0 {
            stored.log = (length, Some(held.log.head_at(length)));
        }
        while stored.envelopes.0.len() < limits::ACKNOWLEDGED
            && let Some(((document, actor), seq)) = acknowledging.envelopes.pop_first()
        {
            stored.envelopes.0.push((document, actor, seq));
        }
        while stored.proposals.0.len() < limits::ACKNOWLEDGED
            && let Some(id) = acknowledging.proposals.pop_first()
        {
            stored.proposals.0.push(id);
        }
        stored
    }

    fn next_items(&mut self) -> Option<Vec<u8>> {
        let frame = (self.outflow.room() > 0).then(|| self.outbox.next_frame()).flatten()?;
        self.outflow.sent(frame.bytes.len(), frame.contents, frame.log);
        Some(frame.bytes)
    }

    /// Returns the next part of our summary. Received bytes are acknowledged first; otherwise the
    /// peer cannot tell whether an item missing from this summary is still in flight.
    fn next_part(&mut self, held: &Held, has_room: bool) -> Option<Vec<u8>> {
        let Part { from, answer } =
            self.talk.part().filter(|_| self.has_room(limits::FRAME_TARGET))?;
        if has_room && let Some(bytes) = self.inflow.tell(0) {
            return Some(Message::Heard(Heard { bytes }).to_frame());
        }
        let (lines, until) = held.part(from);
        let log = from.is_none().then(|| held.log_summary());
        let frame =
            Message::Summary(Summary { answer, log, from, until, lines: List(lines) }).to_frame();
        self.talk.part_sent(until);
        self.outflow.sent(frame.len(), Vec::new(), None);
        Some(frame)
    }

    fn next_fetch(&mut self, link: LinkId, held: &Held) -> Option<Effect> {
        if !self.has_room(limits::FRAME_TARGET) {
            return None;
        }
        let budget = limits::FRAME_TARGET;
        Some(match self.owed.next_want(held.log.length())? {
            Want::Records { from } => Effect::WantRecords { link, from, budget },
            Want::Envelopes { document, after } => {
                Effect::WantEnvelopes { link, document, after, budget }
            }
            Want::Proposals(ids) => Effect::WantProposals { link, ids },
        })
    }

    /// Returns our position, if it has changed and everything that had to be sent has left.
    fn next_position(
        &mut self,
        held: &mut Held,
        now: rejoinder_identity::Timestamp,
    ) -> Option<Vec<u8>> {
        if !self.talk.is_to_tell(now) || !self.is_caught_up(held.log.length()) {
            return None;
        }
        let position = held.position(false);
        self.talk.tell(position).then(|| Message::Position(position).to_frame())
    }
}
