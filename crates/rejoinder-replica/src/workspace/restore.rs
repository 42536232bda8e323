//! A workspace as its home left it.

use std::collections::BTreeMap;

use rejoinder_finalizer::{Log, Request};
use rejoinder_identity::{
    ActorId, DocumentId, Hint, OpeningId, PeerId, ProposalId, RecordId, Tip, VersionVector,
};

use super::Workspace;
use crate::proposals::{Content, Pending};

impl Workspace {
    /// The log, to append to it what the disk holds.
    pub(crate) fn log_mut(&mut self) -> &mut Log {
        self.chain.log_mut()
    }

    pub(crate) fn log_length(&self) -> u64 {
        self.chain.position().length
    }

    /// Notes that there are more rows of the log on the disk than could be read.
    pub(crate) fn was_longer(&mut self, was: u64) {
        self.chain.was_longer(was);
    }

    /// True if the disk held more of the log than is here.
    pub(crate) fn is_cut_short(&self) -> bool {
        self.chain.is_cut_short()
    }

    /// Begins with the log that was read, whose records have these ids.
    pub(crate) fn restore_log(&mut self, ids: Vec<RecordId>) {
        self.sync.restore_log(self.chain.position().epoch, ids);
        for request in self.chain.state().requests() {
            self.documents.restore(request.document(), request.opening());
        }
    }

    /// Notes how far each actor of a document has come.
    pub(crate) fn restore_document(
        &mut self,
        me: PeerId,
        document: DocumentId,
        actors: &BTreeMap<ActorId, (PeerId, Tip)>,
    ) {
        let versions: VersionVector =
            actors.iter().map(|(actor, (_, tip))| (*actor, *tip)).collect();
        self.sync.restore_document(document, &versions);
        for (actor, (_, tip)) in actors.iter().filter(|(_, (author, _))| *author == me) {
            self.documents.restore_own(document, *actor, tip.seq);
        }
    }

    /// Notes which documents are to be read and checked.
    pub(crate) fn suspect(&mut self, is: impl Fn(&DocumentId) -> bool) {
        self.documents.suspect(is);
    }

    pub(crate) fn has_document(&self, document: &DocumentId) -> bool {
        self.documents.contains(document)
    }

    /// Notes that whatever a record was made on was on the host's disk before it.
    pub(crate) fn acknowledge_what_records_were_made_on(&mut self) {
        let openings: Vec<_> = self.chain.state().requests().map(Request::opening).collect();
        openings.iter().for_each(|opening| self.acknowledged_by_record(opening));
    }

    pub(crate) fn restore_untold(&mut self, opening: OpeningId) {
        self.outcomes.restore(opening);
    }

    pub(crate) fn restore_noted(&mut self, noted: bool) {
        self.outcomes.restore_noted(noted);
    }

    /// Adds devices that may have what is missing of the log.
    pub(crate) fn add_hints(&mut self, hints: impl IntoIterator<Item = Hint>) {
        self.access.add_hints(hints);
    }

    /// True if a record answers a proposal: it names it, or has let its device in.
    pub(crate) fn is_over(&self, id: &ProposalId, content: &Content) -> bool {
        self.chain.state().answered(id).is_some()
            || match content {
                Content::Proposal(_) => false,
                Content::Join(join) => self.member(&join.value().device).is_some(),
            }
    }

    /// Adds a proposal that is on the disk.
    pub(crate) fn restore_proposal(&mut self, me: PeerId, pending: Pending) {
        self.sync.restore_proposal(pending.content.id());
        self.proposals.restore(me, pending);
    }
}
