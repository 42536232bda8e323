//! Who wrote what, and what was promised to them: every edit and every proposal of a swarm.
//!
//! An edit is not lost if it is shown in the end, or if somebody who had seen it wrote the same
//! field later. What was promised by a call that returned is owed; what a crash interrupted is not.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use rejoinder::{HomeEvent, OpeningId, PeerId, ProposalId, QuestionId, RequestStatus, RequestView};

use super::tokens::{self, Token};
use crate::world::lock;

/// The ledger of a swarm.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    edits: BTreeMap<Token, Edit>,
    /// What each peer's process has been shown of each question.
    shown: BTreeMap<(String, OpeningId, QuestionId), BTreeSet<Token>>,
    proposals: BTreeMap<ProposalId, String>,
    openings: BTreeSet<OpeningId>,
    truncated: bool,
    done: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) peer: String,
    pub(super) device: PeerId,
    pub(super) opening: OpeningId,
    pub(super) question: QuestionId,
    /// Its author was told that it is saved.
    pub(super) owed: bool,
    /// It leaves no answer.
    pub(super) clears: bool,
    /// No answer to it came yet.
    open: bool,
    /// What its author may have had on the screen.
    pub(super) over: BTreeSet<Token>,
}

impl Ledger {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.0)
    }

    pub(super) fn count(&self, what: &'static str) {
        *self.lock().done.entry(what).or_default() += 1;
    }

    pub(super) fn done(&self) -> BTreeMap<&'static str, u64> {
        self.lock().done.clone()
    }

    /// The mark of the next edit.
    pub(super) fn next(&self) -> Token {
        tokens::FIRST + self.lock().edits.len() as Token
    }

    pub(super) fn issue(
        &self,
        peer: &str,
        device: PeerId,
        view: &RequestView,
        question: &QuestionId,
        clears: bool,
    ) -> Token {
        let token = self.next();
        let (peer, opening, question) = (peer.to_owned(), view.opening, question.clone());
        let over = BTreeSet::new();
        let edit = Edit { peer, device, opening, question, owed: false, clears, open: true, over };
        self.lock().edits.insert(token, edit);
        token
    }

    /// An edit was saved.
    pub(super) fn saved(&self, token: Token) {
        self.end(token, true);
    }

    /// An edit was refused or cut off: nothing was promised, but it may have got out.
    pub(super) fn unsaved(&self, token: Token) {
        self.end(token, false);
    }

    fn end(&self, token: Token, owed: bool) {
        let mut inner = self.lock();
        let Inner { edits, shown, .. } = &mut *inner;
        let Some(edit) = edits.get_mut(&token) else { return };
        let key = (edit.peer.clone(), edit.opening, edit.question.clone());
        let seen = shown.entry(key).or_default();
        edit.over.extend(seen.iter().filter(|seen| **seen != token));
        (edit.owed, edit.open) = (owed, false);
        if owed && !edit.clears {
            seen.insert(token);
        }
    }

    /// A peer's process is gone, and with it what it had on the screen.
    pub(super) fn crashed(&self, peer: &str) {
        self.cut_off(peer);
        self.lock().shown.retain(|(of, ..), _| of != peer);
    }

    fn cut_off(&self, peer: &str) {
        let open: Vec<Token> = {
            let inner = self.lock();
            let open = inner.edits.iter().filter(|(_, edit)| edit.open && edit.peer == peer);
            open.map(|(token, _)| *token).collect()
        };
        for token in open {
            self.unsaved(token);
        }
    }

    /// Nobody writes any more.
    pub(super) fn rest(&self) {
        let peers: BTreeSet<String> =
            self.lock().edits.values().map(|edit| edit.peer.clone()).collect();
        for peer in peers {
            self.cut_off(&peer);
        }
    }

    /// A disk was set back to what it was when the next edit was to be `since`: what was promised
    /// there since then is not owed any more.
    pub(super) fn set_back(&self, peer: &str, since: Token) {
        let mut inner = self.lock();
        for (_, edit) in inner.edits.range_mut(since..).filter(|(_, edit)| edit.peer == peer) {
            edit.owed = false;
        }
        inner.proposals.retain(|_, of| of != peer);
    }

    pub(super) fn proposed(&self, peer: &str, proposal: ProposalId) {
        self.lock().proposals.insert(proposal, peer.to_owned());
    }

    pub(super) fn proposals(&self) -> BTreeMap<ProposalId, String> {
        self.lock().proposals.clone()
    }

    pub(super) fn asked(&self, opening: OpeningId) {
        self.lock().openings.insert(opening);
    }

    pub(super) fn truncates(&self) {
        self.lock().truncated = true;
    }

    /// The requests that must be in the log.
    pub(super) fn openings(&self) -> BTreeSet<OpeningId> {
        let inner = self.lock();
        if inner.truncated { BTreeSet::new() } else { inner.openings.clone() }
    }

    pub(super) fn event(&self, peer: &str, event: &HomeEvent) -> Result<(), String> {
        match event {
            HomeEvent::Opened(view)
            | HomeEvent::Decided(view)
            | HomeEvent::Ended(view)
            | HomeEvent::Resumed(view)
            | HomeEvent::Answer { request: view, .. }
            | HomeEvent::NotIncluded { request: view, .. } => self.seen(peer, view),
            HomeEvent::Listening { .. }
            | HomeEvent::LinkUp { .. }
            | HomeEvent::LinkDown { .. }
            | HomeEvent::Joined { .. }
            | HomeEvent::JoinRefused { .. }
            | HomeEvent::ApprovalNeeded { .. }
            | HomeEvent::Member { .. }
            | HomeEvent::Fate { .. }
            | HomeEvent::Void { .. }
            | HomeEvent::Chat { .. }
            | HomeEvent::InSync { .. }
            | HomeEvent::NotAdmitted { .. }
            | HomeEvent::DiskFailing { .. }
            | HomeEvent::DiskRecovered
            | HomeEvent::Missed(_) => Ok(()),
        }
    }

    /// Notes what a peer shows, and checks whom it names as authors.
    pub(super) fn seen(&self, peer: &str, view: &RequestView) -> Result<(), String> {
        let mut inner = self.lock();
        for shown in tokens::shown(view) {
            let written = inner
                .edits
                .get(&shown.token)
                .filter(|edit| edit.opening == view.opening && edit.question == shown.question);
            let Some(edit) = written else {
                if shown.mixed {
                    continue;
                }
                return Err(format!("{peer} shows {}, which nobody wrote there", shown.token));
            };
            // Who carries an answer in a completion has said it too.
            let decider = match &view.status {
                RequestStatus::Decided { by, .. } => Some(*by),
                RequestStatus::Open | RequestStatus::Suspended | RequestStatus::Ended(_) => None,
            };
            let proven = |author: &PeerId| *author == edit.device || Some(*author) == decider;
            let all_proven = !shown.authors.is_empty() && shown.authors.iter().all(proven);
            if !shown.mixed && !all_proven {
                return Err(format!(
                    "{peer} shows {} of {} as by {:?}",
                    shown.token, edit.peer, shown.authors
                ));
            }
            let key = (peer.to_owned(), view.opening, shown.question);
            inner.shown.entry(key).or_default().insert(shown.token);
        }
        Ok(())
    }

    /// The edits that are owed and that no later edit of the same field had before it.
    pub(super) fn must_be_shown(&self) -> BTreeMap<Token, Edit> {
        let inner = self.lock();
        let covered: BTreeSet<Token> =
            inner.edits.values().flat_map(|edit| edit.over.iter().copied()).collect();
        let mut owed = inner.edits.clone();
        owed.retain(|token, edit| edit.owed && !edit.clears && !covered.contains(token));
        owed
    }
}
