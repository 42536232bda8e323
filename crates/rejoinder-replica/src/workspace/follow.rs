//! Consequences of what has happened: one queue, and one place that says what is next.
//!
//! Each item of a chain releases the one behind it, and no stack is as deep as a chain may be long.
//! So nothing here is done by a call within the one that caused it.

use rejoinder_finalizer::{Appended, Checked, LogChange, LogError, Record, Voided};
use rejoinder_identity::{OpeningId, PeerId, RecordId};
use rejoinder_sync::{Item, ItemKind, LinkId, ParkedItem, Wait};

use super::{Workspace, then::Then};
use crate::{
    chain::Grown,
    core::{After, Core, Stored},
    documents::Raised,
    event::Event,
    refused::Refused,
};

/// Something that has happened, and that others must follow.
#[derive(Debug)]
pub(super) enum Happened {
    /// A record changed something.
    Changed(LogChange),
    /// The log has this record: what waited for it may come.
    Recorded(RecordId),
    /// The log has its first record.
    LogBegan,
    /// All that follows from a record of this host was followed.
    HostRecorded(Then),
    /// An item that was parked can be taken in.
    Released(ParkedItem),
}

impl Workspace {
    /// Follows what has happened, and what happens by that, until nothing has.
    pub(super) fn follow(&mut self, core: &mut Core) {
        while let Some(happened) = self.happened.pop_front() {
            match happened {
                Happened::Changed(change) => self.changed(core, change),
                Happened::Recorded(record) => self.release(&Wait::Record(record)),
                Happened::LogBegan => core.tell(Event::PeersChanged),
                Happened::HostRecorded(then) => self.host_recorded(core, then),
                Happened::Released(ParkedItem { link, kind, bytes }) => {
                    self.arrived(core, link, kind, &bytes);
                }
            }
        }
    }

    /// Queues what follows from a record, before whatever else has happened: what is released was
    /// sent by those who know what the record changed.
    pub(super) fn follow_record(&mut self, appended: Appended, last: Option<Happened>) {
        let Appended { changes, record, .. } = appended;
        let changes = changes.into_iter().map(Happened::Changed);
        let all = changes.chain([Happened::Recorded(record)]).chain(last);
        let all: Vec<_> = all.collect();
        all.into_iter().rev().for_each(|one| self.happened.push_front(one));
    }

    /// Queues what waited for this.
    pub(super) fn release(&mut self, wait: &Wait) {
        self.happened.extend(self.parked.release(wait).into_iter().map(Happened::Released));
    }

    /// A record came over a link.
    pub(super) fn record_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        match self.chain.check(bytes) {
            Ok(record) => {
                let before = self.chain.position().length;
                let grown = match self.append_record(core, record, Some(link)) {
                    Ok(grown) => grown,
                    Err(error) => return core.close(link, format!("record: {error}")),
                };
                let after = Stored::Records { length: grown.length };
                core.store(grown.rows(&self.id), After::In(self.id, after));
                self.follow_record(grown.appended, (before == 0).then_some(Happened::LogBegan));
            }
            Err(LogError::Known) => {
                let length = self.chain.position().length;
                self.sync.seen_again(core.now, link, Item::Record { length });
            }
            Err(error) if error.is_misbehaviour() => core.close(link, format!("record: {error}")),
            Err(error) => {
                tracing::debug!(%error, "not appended");
                self.sync.compare_soon(core.now, link);
            }
        }
    }

    /// Appends a record and passes it on.
    pub(super) fn append_record(
        &mut self,
        core: &mut Core,
        record: Checked<Record>,
        from: Option<LinkId>,
    ) -> Result<Grown, LogError> {
        let grown = self.chain.append(record)?;
        let (seq, id) = (grown.appended.seq, grown.id);
        core.work.records += grown.folded;
        tracing::debug!(workspace = %self.id, seq, record = %id, "record");
        if grown.cut_from.is_some() {
            self.sync.truncate_log(core.now, seq);
        }
        self.sync.add_record(core.now, grown.epoch, id, &grown.bytes, from);
        Ok(grown)
    }

    /// A record changed something: it becomes visible, and what it makes possible is done.
    fn changed(&mut self, core: &mut Core, change: LogChange) {
        let workspace = self.id;
        match change {
            LogChange::Voided(voided) => self.voided(core, voided),
            LogChange::EpochStarted { host, .. } => {
                if self.hosting.as_ref().is_some_and(|_| host != core.me) {
                    self.stop_hosting(core);
                }
                self.member_added(core, host);
                self.part_with_strangers();
                core.tell(Event::Chat(workspace));
            }
            LogChange::MemberAdded { device, .. } => self.member_added(core, device),
            LogChange::RequestRaised { opening, .. } => self.raised(core, opening),
            LogChange::RequestDecided { opening } => {
                tracing::info!(workspace = %self.id, %opening, "decided");
                self.settled(&opening);
                #[cfg(rejoinder_mutants)]
                if rejoinder_identity::mutant!("mutant-handed-over-when-decided") {
                    self.outcomes.forget(&opening);
                }
                core.tell(Event::Decided { workspace, opening });
                self.tell_completions(core, &opening);
            }
            LogChange::RequestEnded { opening, .. } => {
                self.settled(&opening);
                core.tell(Event::Ended { workspace, opening });
                self.tell_completions(core, &opening);
            }
            LogChange::RequestSuspended { opening } => {
                core.tell(Event::Ended { workspace, opening })
            }
            LogChange::RequestReopened { opening } => {
                self.keep_in_memory(&opening);
                self.warm_up(core, opening);
                core.tell(Event::Resumed { workspace, opening });
            }
            LogChange::Answered { proposal, .. } => {
                self.proposals.answered(&proposal);
                self.sync.drop_proposal(core.now, &proposal);
                self.answer_door(core, &proposal);
                self.tell_fate(core, proposal);
            }
            LogChange::TurnStarted { .. }
            | LogChange::TurnResumed { .. }
            | LogChange::TurnEnded { .. }
            | LogChange::Published => core.tell(Event::Chat(workspace)),
            // A join waits for the invite whose key vouches for it.
            LogChange::InviteIssued { invite } => self.release(&Wait::Author(invite)),
            LogChange::Skipped { kind } => tracing::info!(kind, "a record of a later release"),
        }
    }

    fn raised(&mut self, core: &mut Core, opening: OpeningId) {
        let Some(request) = self.chain.state().request(&opening) else { return };
        let document = request.document();
        let host = self.chain.state().host().unwrap_or(core.me);
        // Its log was lost for a while, its rows were not.
        let left_over = core.left_over.contains_key(&document);
        match self.documents.raise(request, host, left_over) {
            Raised::Ready => self.unpark(core, document, None),
            Raised::LeftOver => drop(self.warm_up(core, opening)),
        }
        core.tell(Event::Opened { workspace: self.id, opening });
        self.release(&Wait::Document(document));
        // What was written on the structure that has just grown.
        let grown = self.parked.release_document(&document);
        self.happened.extend(grown.into_iter().map(Happened::Released));
    }

    fn member_added(&mut self, core: &mut Core, device: PeerId) {
        let workspace = self.id;
        core.tell(Event::PeersChanged);
        core.tell(Event::Member { workspace, device });
        if device == core.me {
            core.tell(Event::Joined(workspace));
        }
        self.drop_joins_of(core, &device);
        // Its card may have come before this record.
        if core.cards.bytes(&device).is_some() {
            core.save_card(&device);
        }
        self.release(&Wait::Author(device));
    }

    fn voided(&mut self, core: &mut Core, voided: Voided) {
        let workspace = self.id;
        for opening in &voided.openings {
            if let Some((document, loading)) = self.documents.forget(opening) {
                self.sync.forget_document(core.now, &document);
                if let Some(loading) = loading {
                    self.turn_away(core, document, loading, &Refused::NoRequest);
                }
            }
            core.tell(Event::Void { workspace, opening: *opening });
        }
        for opening in voided.reopened.iter().chain(&voided.revised) {
            // Its structure may be another now: it is read again when somebody looks at it.
            if let Ok(request) = self.chain.request(opening) {
                self.documents.drop_from_memory(&request.document());
            }
            if self.open_request(opening).is_ok() {
                self.keep_in_memory(opening);
                self.warm_up(core, *opening);
            }
            core.tell(Event::Void { workspace, opening: *opening });
            self.tell_completions(core, opening);
        }
    }

    /// An item came over a link, now or some time ago.
    pub(super) fn arrived(&mut self, core: &mut Core, link: LinkId, kind: ItemKind, bytes: &[u8]) {
        core.work.items += 1;
        match kind {
            ItemKind::Record => self.record_arrived(core, link, bytes),
            ItemKind::Envelope => self.envelope_arrived(core, link, bytes),
            ItemKind::Proposal => self.proposal_arrived(core, link, bytes),
            ItemKind::AddressCard => self.card_arrived(core, link, bytes),
        }
    }
}
