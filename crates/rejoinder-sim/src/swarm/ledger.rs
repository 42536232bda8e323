//! Who wrote what, and what was promised to them: every edit and every proposal of a swarm.
//!
//! An edit is not lost if it is shown in the end, or if somebody who had seen it wrote the same
//! field later. What was promised by a call that returned is owed; what a crash interrupted is not.

mod seen;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use rejoinder::{OpeningId, PeerId, ProposalId, QuestionId, RequestView};

use super::{
    form,
    tokens::{self, Mark, Token},
};
use crate::world::lock;

/// The ledger of a swarm.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    edits: BTreeMap<Token, Edit>,
    /// Which edit ticked an option.
    ticks: BTreeMap<(OpeningId, usize), Token>,
    /// Who submitted what others had said to a question.
    restated: BTreeMap<(OpeningId, QuestionId), BTreeSet<PeerId>>,
    /// What each peer's process has been shown of each question.
    shown: BTreeMap<(String, OpeningId, QuestionId), BTreeSet<Token>>,
    proposals: BTreeMap<ProposalId, String>,
    openings: BTreeSet<OpeningId>,
    truncated: bool,
    /// How many edits were said to be saved.
    saved: u64,
    /// And how many when all that a peer had written was last known to be on another's disk.
    carried: BTreeMap<String, u64>,
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
    /// How many edits had been saved before, when that was told.
    saved_after: u64,
    does: Does,
    /// No answer to it came yet.
    open: bool,
    /// What it goes over: its author may have had it on the screen.
    over: BTreeSet<Token>,
}

/// What an edit does to what its author has on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// It answers the question, over all that is there.
    Answers,
    /// It leaves nothing there.
    Clears,
    /// It ticks an option; the others stay.
    Ticks,
    /// It unticks the option that this edit ticked.
    Unticks(Token),
    /// It submits what is there.
    Restates,
}

impl Does {
    /// Whether something that can be found again is there after it.
    fn leaves(self) -> bool {
        match self {
            Self::Answers | Self::Ticks => true,
            Self::Clears | Self::Unticks(_) | Self::Restates => false,
        }
    }
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

    /// An option of a request that nobody has ticked, for the next edit.
    pub(super) fn option(&self, opening: OpeningId) -> Option<usize> {
        let next = self.next();
        let ticks = &mut self.lock().ticks;
        let free = (0..form::OPTIONS).find(|number| !ticks.contains_key(&(opening, *number)))?;
        ticks.insert((opening, free), next);
        Some(free)
    }

    pub(super) fn issue(
        &self,
        peer: &str,
        device: PeerId,
        view: &RequestView,
        question: &QuestionId,
        does: Does,
    ) -> Token {
        let token = self.next();
        let (peer, opening, question) = (peer.to_owned(), view.opening, question.clone());
        let over = BTreeSet::new();
        let mut inner = self.lock();
        if does == Does::Restates {
            inner.restated.entry((opening, question.clone())).or_default().insert(device);
        }
        let (owed, saved_after, open) = (false, 0, true);
        let edit = Edit { peer, device, opening, question, owed, saved_after, does, open, over };
        inner.edits.insert(token, edit);
        token
    }

    /// An edit was saved.
    pub(super) fn saved(&self, token: Token) {
        self.lock().end(token, true);
    }

    /// An edit was refused or cut off: nothing was promised, but it may have got out.
    pub(super) fn unsaved(&self, token: Token) {
        self.lock().end(token, false);
    }

    /// What was on the screen was submitted again, and this of it is there still. If none is
    /// known to be, nothing of what was there is owed any more.
    pub(super) fn restated(&self, token: Token, kept: &BTreeSet<Mark>) {
        let mut inner = self.lock();
        inner.end(token, true);
        let Some(opening) = inner.edits.get(&token).map(|edit| edit.opening) else { return };
        let kept: BTreeSet<Token> =
            kept.iter().filter_map(|mark| inner.token(&opening, *mark)).collect();
        let Some(edit) = inner.edits.get_mut(&token) else { return };
        let over = std::mem::take(&mut edit.over);
        if kept.is_empty() {
            for token in over {
                inner.edits.entry(token).and_modify(|edit| edit.owed = false);
            }
        } else {
            edit.over = over.difference(&kept).copied().collect();
        }
    }

    /// A peer's process is gone, and with it what it had on the screen.
    pub(super) fn crashed(&self, peer: &str) {
        let mut inner = self.lock();
        inner.cut_off(Some(peer));
        inner.shown.retain(|(of, ..), _| of != peer);
    }

    /// Nobody writes any more.
    pub(super) fn rest(&self) {
        self.lock().cut_off(None);
    }

    /// How many edits were said to be saved so far.
    pub(super) fn saves(&self) -> u64 {
        self.lock().saved
    }

    /// All that a peer has written is on another's disk.
    pub(super) fn all_carried(&self, peer: &str) {
        let mut inner = self.lock();
        let saved = inner.saved;
        inner.carried.insert(peer.to_owned(), saved);
    }

    /// A disk is not what it was: what others don't have may be lost.
    pub(super) fn rots(&self, peer: &str) {
        let carried = self.lock().carried.get(peer).copied().unwrap_or(0);
        self.set_back(peer, carried);
    }

    /// A disk was set back to what it was after so many saves: what was promised there since then
    /// is not owed any more. An edit may have been on its way to a slow disk all along.
    pub(super) fn set_back(&self, peer: &str, saves: u64) {
        let mut inner = self.lock();
        for edit in inner.edits.values_mut() {
            if edit.peer == peer && edit.saved_after >= saves {
                edit.owed = false;
            }
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

    /// The edits that are owed and that no later edit of the same field went over.
    pub(super) fn must_be_shown(&self) -> BTreeMap<Token, Edit> {
        let inner = self.lock();
        let covered: BTreeSet<Token> =
            inner.edits.values().flat_map(|edit| edit.over.iter().copied()).collect();
        let mut owed = inner.edits.clone();
        owed.retain(|token, edit| edit.owed && edit.does.leaves() && !covered.contains(token));
        owed
    }
}

impl Inner {
    /// The edit that a mark is found by.
    fn token(&self, opening: &OpeningId, mark: Mark) -> Option<Token> {
        match mark {
            Mark::Token(token) => self.edits.contains_key(&token).then_some(token),
            Mark::Option(number) => self.ticks.get(&(*opening, number)).copied(),
        }
    }

    fn end(&mut self, token: Token, owed: bool) {
        let Self { edits, shown, saved, .. } = self;
        let Some(edit) = edits.get_mut(&token) else { return };
        let key = (edit.peer.clone(), edit.opening, edit.question.clone());
        let seen = shown.entry(key).or_default();
        match edit.does {
            Does::Answers | Does::Clears | Does::Restates => {
                edit.over.extend(seen.iter().filter(|seen| **seen != token));
            }
            Does::Ticks => {}
            Does::Unticks(ticked) => edit.over.extend([ticked]),
        }
        (edit.owed, edit.open, edit.saved_after) = (owed, false, *saved);
        *saved += u64::from(owed);
        if owed && edit.does.leaves() {
            seen.insert(token);
        }
    }

    /// What somebody, or anybody, was just about to write is not known to be saved.
    fn cut_off(&mut self, peer: Option<&str>) {
        let of = |edit: &Edit| edit.open && peer.is_none_or(|peer| edit.peer == peer);
        let open = self.edits.iter().filter(|(_, edit)| of(edit));
        let open: Vec<Token> = open.map(|(token, _)| *token).collect();
        for token in open {
            self.end(token, false);
        }
    }
}
