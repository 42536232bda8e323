//! A frame came: it is taken apart, and what must wait its turn is put in line.

#[cfg(test)]
mod hostile;

use rejoinder_identity::Timestamp;

use crate::{
    Carried, Effect, ItemKind, LinkId, Misbehaved, Sync,
    key::Key,
    message::{Items, Message, Stored, Summary},
    sync::Inbound,
};

impl Sync {
    /// A frame came over a link. Frames of links that are down are ignored.
    ///
    /// # Errors
    ///
    /// The other side broke the protocol: close the link and say that it is down.
    pub fn receive(&mut self, now: Timestamp, id: LinkId, frame: &[u8]) -> Result<(), Misbehaved> {
        self.now = now;
        let Some(link) = self.links.get_mut(&id) else { return Ok(()) };
        match Message::from_frame(frame)? {
            None => {}
            Some(Message::Heard(heard)) => {
                link.outflow.heard(heard.bytes)?;
                self.wake(id);
            }
            Some(Message::Stored(stored)) => self.carried(id, stored),
            Some(Message::Position(position)) => {
                self.inbox.push_back((id, Inbound::Position(position)));
            }
            Some(Message::Summary(summary)) => {
                check_order(&summary)?;
                if !link.talk.part_arrived(summary.from, summary.until) {
                    return Err(Misbehaved::SummaryOutOfOrder);
                }
                link.inflow.came(frame.len())?;
                self.inbox.push_back((id, Inbound::Summary(summary)));
                self.inbox.push_back((id, Inbound::End(frame.len())));
            }
            Some(Message::Items(items)) => {
                link.inflow.came(frame.len())?;
                self.unpack(id, &items)?;
                self.inbox.push_back((id, Inbound::End(frame.len())));
            }
        }
        Ok(())
    }

    fn unpack(&mut self, id: LinkId, Items(items): &Items<'_>) -> Result<(), Misbehaved> {
        for (kind, bytes) in &items.0 {
            // What a later release sends beside ours is not for us.
            let Some(kind) = ItemKind::of_number(*kind) else { continue };
            let bytes = bytes.0;
            if bytes.len() > kind.limit() {
                return Err(Misbehaved::ItemTooLarge { kind, bytes: bytes.len() });
            }
            self.inbox.push_back((id, Inbound::Item(kind, bytes.to_vec())));
        }
        Ok(())
    }

    /// An acknowledgement counts for what is held here, whatever else it names.
    fn carried(&mut self, link: LinkId, stored: Stored) {
        let Stored { log: (length, head), envelopes, proposals } = stored;
        let ours = head.is_some_and(|head| self.held.log.has(length, head));
        let held = |document, actor| self.held.seq(&Key::Envelopes(document, actor));
        let envelopes = envelopes.0.into_iter().filter_map(|(document, actor, seq)| {
            let seq = seq.min(held(document, actor));
            (seq > 0).then_some((document, actor, seq))
        });
        let carried = Carried::These {
            envelopes: envelopes.collect(),
            proposals: proposals.0,
            log_length: if ours { length } else { 0 },
        };
        self.effects.push_back(Effect::Carried { link, carried });
    }
}

fn check_order(summary: &Summary) -> Result<(), Misbehaved> {
    let mut after = None;
    for line in &summary.lines.0 {
        let key = line.key();
        let in_part = summary.from.is_none_or(|from| from <= key)
            && summary.until.is_none_or(|until| key < until);
        if !in_part || after.is_some_and(|after| key <= after) {
            return Err(Misbehaved::SummaryOutOfOrder);
        }
        after = Some(key);
    }
    // A part must lead on, or a summary need never end.
    let leads_on = match (summary.from, summary.until) {
        (Some(from), Some(until)) => from < until,
        (None, _) | (_, None) => true,
    };
    if leads_on { Ok(()) } else { Err(Misbehaved::SummaryOutOfOrder) }
}
