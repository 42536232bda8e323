//! The log of a workspace grows: what each record changes here.

use rejoinder_finalizer::{Appended, Checked, LogChange, LogError, Record, Voided};
use rejoinder_identity::{OpeningId, PeerId};
use rejoinder_sync::{Item, ItemKind, LinkId, ParkedItem, Wait};

use crate::{
    chain::Grown,
    core::{After, Core, Stored},
    documents::Raised,
    event::Event,
    refused::Refused,
    workspace::Workspace,
    workspace::save_card,
};

impl Workspace {
    /// A record came over a link.
    pub(crate) fn record_arrived(&mut self, core: &mut Core, link: LinkId, bytes: &[u8]) {
        match self.chain.check(bytes) {
            Ok(record) => {
                let before = self.chain.position().length;
                let grown = match self.append_record(core, record, Some(link)) {
                    Ok(grown) => grown,
                    Err(error) => return core.close(link, format!("record: {error}")),
                };
                let after = Stored::Records { length: grown.length };
                core.store(grown.rows(&self.id), After::In(self.id, after));
                self.react(core, grown.appended);
                if before == 0 {
                    self.log_began(core);
                }
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
    pub(crate) fn append_record(
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

    /// What a record changed becomes visible.
    pub(crate) fn react(&mut self, core: &mut Core, appended: Appended) {
        for change in appended.changes {
            self.react_to(core, change);
        }
        self.release(&Wait::Record(appended.record));
    }

    fn react_to(&mut self, core: &mut Core, change: LogChange) {
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
            Raised::Ready => self.unpark(core, document),
            Raised::LeftOver => drop(self.warm_up(core, opening)),
        }
        core.tell(Event::Opened { workspace: self.id, opening });
        self.release(&Wait::Document(document));
        // What was written on the structure that has just grown.
        self.released.extend(self.parked.release_document(&document));
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
            save_card(core, &device);
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

    /// The first record of the log is here.
    fn log_began(&mut self, core: &mut Core) {
        core.tell(Event::PeersChanged);
    }

    /// What waited for this is next. It is taken in by [`take_in_released`](Self::take_in_released)
    /// and not by a call within this one: each item of a chain releases the one behind it, and no
    /// stack is as deep as a chain may be long.
    pub(crate) fn release(&mut self, wait: &Wait) {
        self.released.extend(self.parked.release(wait));
    }

    /// Takes in what was released, and what that releases, one after the other.
    pub(crate) fn take_in_released(&mut self, core: &mut Core) {
        while let Some(ParkedItem { link, kind, bytes }) = self.released.pop_front() {
            self.arrived(core, link, kind, &bytes);
        }
    }

    /// An item came over a link, now or some time ago.
    pub(crate) fn arrived(&mut self, core: &mut Core, link: LinkId, kind: ItemKind, bytes: &[u8]) {
        core.work.items += 1;
        match kind {
            ItemKind::Record => self.record_arrived(core, link, bytes),
            ItemKind::Envelope => self.envelope_arrived(core, link, bytes),
            ItemKind::Proposal => self.proposal_arrived(core, link, bytes),
            ItemKind::AddressCard => self.card_arrived(core, link, bytes),
        }
    }
}
