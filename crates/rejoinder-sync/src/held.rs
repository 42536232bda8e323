//! The items held here, and those of them that are not on the disk yet.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rejoinder_identity::{ActorId, DocumentId, Hash, ProposalId, RecordId, Tip, VersionVector};

use crate::{
    Item, LinkId,
    digest::{Digest, Tips},
    key::{Key, Line},
    limits,
    list::List,
    log::{Log, LogPosition},
    message::{LogSummary, Position},
};

/// The links that want to hear when an item is stored: they sent it, or said that they hold it.
type Asking = BTreeSet<LinkId>;

/// The items of one workspace that are held here.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) log: Log,
    log_stored: u64,
    tips: Tips,
    proposals: BTreeSet<ProposalId>,
    digest: Digest,
    unstored_records: BTreeMap<u64, Asking>,
    /// Records that became void before they were stored, by the length that they gave the log:
    /// their writes are still reported, before those of what replaced them.
    void_writes: VecDeque<u64>,
    /// With the number up to which they are stored.
    unstored_envelopes: BTreeMap<(DocumentId, ActorId), (u64, Asking)>,
    unstored_proposals: BTreeMap<ProposalId, Asking>,
}

impl Held {
    pub(crate) fn restore_log(&mut self, log: Log) {
        self.log_stored = log.length();
        self.log = log;
    }

    pub(crate) fn restore_document(
        &mut self,
        document: DocumentId,
        version_vector: &VersionVector,
    ) {
        self.tips.extend(version_vector.iter().map(|(actor, tip)| ((document, *actor), *tip)));
        self.digest.document_changed(&document);
    }

    pub(crate) fn version_vector(&self, document: &DocumentId) -> VersionVector {
        let range = (*document, ActorId([0; 16]))..=(*document, ActorId([255; 16]));
        self.tips.range(range).map(|((_, actor), tip)| (*actor, *tip)).collect()
    }

    pub(crate) fn restore_proposal(&mut self, id: ProposalId) {
        self.proposals.insert(id);
        self.digest.proposals_changed();
    }

    pub(crate) fn add_record(&mut self, epoch: u64, id: RecordId, from: Option<LinkId>) {
        self.log.push(epoch, id);
        let length = self.log.length();
        match from {
            Some(link) => _ = self.unstored_records.insert(length, Asking::from([link])),
            // The host stores its records before anybody hears of them.
            None => self.log_stored = length,
        }
    }

    pub(crate) fn truncate_log(&mut self, length: u64) {
        self.log.truncate(length);
        self.log_stored = self.log_stored.min(length);
        let void = self.unstored_records.split_off(&(length + 1));
        self.void_writes.extend(void.into_keys());
    }

    pub(crate) fn add_envelope(
        &mut self,
        document: DocumentId,
        actor: ActorId,
        tip: Tip,
        from: Option<LinkId>,
    ) {
        self.tips.insert((document, actor), tip);
        self.digest.document_changed(&document);
        let unstored = self.unstored_envelopes.entry((document, actor));
        unstored.or_insert((tip.seq.saturating_sub(1), Asking::new())).1.extend(from);
    }

    pub(crate) fn add_proposal(&mut self, id: ProposalId, from: Option<LinkId>) {
        self.proposals.insert(id);
        self.digest.proposals_changed();
        self.unstored_proposals.entry(id).or_default().extend(from);
    }

    pub(crate) fn drop_proposal(&mut self, id: &ProposalId) -> bool {
        self.digest.proposals_changed();
        self.unstored_proposals.remove(id);
        self.proposals.remove(id)
    }

    /// Returns the keys that no longer exist.
    pub(crate) fn forget_document(&mut self, document: &DocumentId) -> Vec<Key> {
        self.digest.document_changed(document);
        let range = (*document, ActorId([0; 16]))..=(*document, ActorId([255; 16]));
        let places: Vec<_> = self.tips.range(range).map(|(place, _)| *place).collect();
        for place in &places {
            self.tips.remove(place);
            self.unstored_envelopes.remove(place);
        }
        places.into_iter().map(|(document, actor)| Key::Envelopes(document, actor)).collect()
    }

    /// The disk has it, and all before it of its log or actor. Calls `tell` for each link that
    /// wants to know.
    pub(crate) fn stored(&mut self, item: Item, mut tell: impl FnMut(LinkId)) {
        match item {
            Item::Record { length } => {
                if let Some(place) = self.void_writes.iter().position(|void| *void == length) {
                    self.void_writes.remove(place);
                    return;
                }
                self.log_stored = self.log_stored.max(length.min(self.log.length()));
                let rest = self.unstored_records.split_off(&(length + 1));
                let asking = std::mem::replace(&mut self.unstored_records, rest);
                asking.into_values().flatten().for_each(tell);
            }
            Item::Envelope { document, actor, seq } => {
                let place = (document, actor);
                let Some((stored, asking)) = self.unstored_envelopes.get_mut(&place) else {
                    return;
                };
                *stored = (*stored).max(seq);
                asking.iter().copied().for_each(&mut tell);
                let done = self.tips.get(&place).is_none_or(|tip| tip.seq <= *stored);
                if done {
                    self.unstored_envelopes.remove(&place);
                }
            }
            Item::Proposal(id) => {
                self.unstored_proposals.remove(&id).into_iter().flatten().for_each(tell);
            }
        }
    }

    /// Notes that a link has an item too. Returns whether the item is stored here already.
    pub(crate) fn also_at(&mut self, item: Item, link: LinkId) -> bool {
        let asking = match item {
            Item::Record { length } => self.unstored_records.get_mut(&length),
            Item::Envelope { document, actor, seq } => self
                .unstored_envelopes
                .get_mut(&(document, actor))
                .filter(|(stored, _)| *stored < seq)
                .map(|(_, asking)| asking),
            Item::Proposal(id) => self.unstored_proposals.get_mut(&id),
        };
        asking.map(|asking| asking.insert(link)).is_none()
    }

    pub(crate) fn forget_link(&mut self, link: LinkId) {
        self.unstored_records.values_mut().for_each(|asking| _ = asking.remove(&link));
        self.unstored_envelopes.values_mut().for_each(|(_, asking)| _ = asking.remove(&link));
        self.unstored_proposals.values_mut().for_each(|asking| _ = asking.remove(&link));
    }

    pub(crate) fn all_stored(&self) -> bool {
        self.unstored_records.is_empty()
            && self.unstored_envelopes.is_empty()
            && self.unstored_proposals.is_empty()
    }

    pub(crate) fn digest(&mut self) -> Hash {
        self.digest.root(&self.tips, &self.proposals)
    }

    pub(crate) fn position(&mut self, compare: bool) -> Position {
        let (log, digest) = (self.log.position(), self.digest());
        Position { log, digest, all_stored: self.all_stored(), compare }
    }

    /// Returns whether this position is ours: the same log and the same items.
    pub(crate) fn is_at(&mut self, position: &Position) -> bool {
        let log: LogPosition = self.log.position();
        log == position.log && self.digest() == position.digest
    }

    pub(crate) fn log_summary(&self) -> LogSummary {
        let (position, trail) = (self.log.position(), List(self.log.trail()));
        LogSummary { position, stored: self.log_stored, trail }
    }

    /// Returns the number of the last envelope; for a proposal, 1 if it is here.
    pub(crate) fn seq(&self, key: &Key) -> u64 {
        match key {
            Key::Proposal(id) => u64::from(self.proposals.contains(id)),
            Key::Envelopes(document, actor) => {
                self.tips.get(&(*document, *actor)).map_or(0, |tip| tip.seq)
            }
        }
    }

    /// Returns the lines of all items from a key on, in order.
    pub(crate) fn lines(&self, from: Option<Key>) -> impl Iterator<Item = Line> {
        let (proposal, place) = match from {
            None => (Some(ProposalId([0; 32])), FIRST),
            Some(Key::Proposal(id)) => (Some(id), FIRST),
            Some(Key::Envelopes(document, actor)) => (None, (document, actor)),
        };
        let proposals = proposal.into_iter().flat_map(|from| self.proposals.range(from..));
        proposals
            .map(|id| self.proposal_line(*id))
            .chain(self.tips.range(place..).map(|(place, tip)| self.envelopes_line(place, tip)))
    }

    /// Returns the lines of one part of a summary, and the key at which the next part begins.
    pub(crate) fn part(&self, from: Option<Key>) -> (Vec<Line>, Option<Key>) {
        let mut lines: Vec<Line> = self.lines(from).take(limits::LINES + 1).collect();
        let next = lines.get(limits::LINES).map(Line::key);
        lines.truncate(limits::LINES);
        (lines, next)
    }

    fn proposal_line(&self, id: ProposalId) -> Line {
        Line::Proposal { id, stored: !self.unstored_proposals.contains_key(&id) }
    }

    fn envelopes_line(&self, place: &(DocumentId, ActorId), tip: &Tip) -> Line {
        let stored = self.unstored_envelopes.get(place).map_or(tip.seq, |(stored, _)| *stored);
        let (document, actor) = *place;
        Line::Envelopes { document, actor, tip: *tip, unstored: tip.seq.saturating_sub(stored) }
    }
}

const FIRST: (DocumentId, ActorId) = (DocumentId([0; 32]), ActorId([0; 16]));
