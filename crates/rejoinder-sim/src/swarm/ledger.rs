//! The ledger of a swarm: every edit and every proposal, with its author and the promises made to
//! the author.
//!
//! An edit is not lost if it is shown in the end, or if somebody who had seen it wrote the same
//! field later. If the call returned, its promise is owed; if a crash cut it off, it is not.

mod seen;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
};

use rejoinder::{
    OpeningId, PeerId, ProposalId, QuestionId, RequestStatus, RequestView, WorkspaceId,
    WorkspaceView,
};

use super::{
    form,
    tokens::{self, Mark, Token},
};
use crate::lock::lock;

/// The number of edits of long texts in a world.
const LONG: u32 = 8;
/// The number of times in a world that a number is changed over and over.
const TALLIES: u32 = 2;
/// The number of times in a world that many short requests are asked: enough that not all settled
/// requests stay in memory.
const RUSHES: u32 = 6;

/// The ledger of a swarm.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    edits: BTreeMap<Token, Edit>,
    /// The edit that ticked each option.
    ticks: BTreeMap<(OpeningId, usize), Token>,
    /// The devices that submitted others' answers to each question.
    restated: BTreeMap<(OpeningId, QuestionId), BTreeSet<PeerId>>,
    /// The edits that each peer's process has been shown, by question.
    shown: BTreeMap<(String, OpeningId, QuestionId), BTreeSet<Token>>,
    proposals: BTreeMap<ProposalId, String>,
    /// The request that each proposal would complete.
    completes: BTreeMap<ProposalId, OpeningId>,
    /// Requests whose outcomes the agent's program was about to say that it has; true if it has
    /// said so.
    taken: BTreeMap<OpeningId, bool>,
    openings: BTreeMap<OpeningId, WorkspaceId>,
    truncated: bool,
    /// The number of edits that were reported as saved.
    saved: u64,
    /// The value of `saved` when everything that a peer had written in a workspace was last known
    /// to be on another's disk.
    carried: BTreeMap<(String, WorkspaceId), u64>,
    /// The number of times that a text was made longer.
    long: u32,
    tallies: u32,
    rushes: u32,
    /// The number of answers that requests came with.
    gave: u64,
    given: BTreeMap<Token, OpeningId>,
    done: BTreeMap<&'static str, u64>,
}

#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) peer: String,
    pub(super) device: PeerId,
    workspace: WorkspaceId,
    pub(super) opening: OpeningId,
    pub(super) question: QuestionId,
    /// True if its author was told that it is saved.
    pub(super) owed: bool,
    /// The number of edits that had been saved before that.
    saved_after: u64,
    does: Does,
    /// True if its call has not returned yet.
    open: bool,
    /// The edits that it replaces: its author may have had them on the screen.
    over: BTreeSet<Token>,
}

/// The effect of an edit on what its author has on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// Answers the question, replacing everything there.
    Answers,
    /// Removes everything there.
    Clears,
    /// Ticks an option. The others stay.
    Ticks,
    /// Unticks the option that this edit ticked.
    Unticks(Token),
    /// Submits the answer that is there.
    Restates,
    /// Replaces a part of a text, whatever is in that part by then.
    Replaces,
    /// Answers in a kind that the question may no longer take.
    Shifts,
}

impl Does {
    /// True if it leaves something that can be found again.
    fn leaves(self) -> bool {
        match self {
            Self::Answers | Self::Ticks | Self::Replaces => true,
            Self::Clears | Self::Unticks(_) | Self::Restates | Self::Shifts => false,
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

    /// Returns the mark of the next edit.
    pub(super) fn next(&self) -> Token {
        tokens::FIRST + self.lock().edits.len() as Token
    }

    /// Returns an option of a request that nobody has ticked, and reserves it for the next edit.
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
        let workspace = view.workspace;
        let over = BTreeSet::new();
        let mut inner = self.lock();
        if does == Does::Restates {
            inner.restated.entry((opening, question.clone())).or_default().insert(device);
        }
        let (owed, saved_after, open) = (false, 0, true);
        let edit = Edit {
            peer,
            device,
            workspace,
            opening,
            question,
            owed,
            saved_after,
            does,
            open,
            over,
        };
        inner.edits.insert(token, edit);
        token
    }

    /// Notes that an edit was saved.
    pub(super) fn saved(&self, token: Token) {
        self.lock().end(token, true);
    }

    /// Notes that an edit was refused or cut off: nothing was promised, but it may have got out.
    pub(super) fn unsaved(&self, token: Token) {
        self.lock().end(token, false);
    }

    /// Notes that what was on the screen was submitted again, and that `kept` of it is still there.
    /// If that is known of none, nothing that was there is owed any more.
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

    /// Notes that a peer's process has ended, and with it what it had on the screen.
    pub(super) fn crashed(&self, peer: &str) {
        let mut inner = self.lock();
        inner.cut_off(peer);
        inner.shown.retain(|(of, ..), _| of != peer);
    }

    /// Returns the number of edits that were reported as saved so far.
    pub(super) fn saves(&self) -> u64 {
        self.lock().saved
    }

    /// Notes that everything that a peer has written in a workspace is on another's disk.
    pub(super) fn all_carried(&self, peer: &str, workspace: WorkspaceId) {
        let mut inner = self.lock();
        let saved = inner.saved;
        inner.carried.insert((peer.to_owned(), workspace), saved);
    }

    /// Notes that a disk has rotted: anything that others don't have may be lost.
    pub(super) fn rots(&self, peer: &str) {
        let carried = self.lock().carried.clone();
        self.owes_less(peer, |workspace| {
            carried.get(&(peer.to_owned(), workspace)).copied().unwrap_or(0)
        });
    }

    /// Notes that a disk was set back to its state after that many saves. What was promised since
    /// then is not owed any more, nor is an edit that was on its way to a slow disk all along.
    pub(super) fn set_back(&self, peer: &str, saves: u64) {
        self.owes_less(peer, |_| saves);
    }

    fn owes_less(&self, peer: &str, saves: impl Fn(WorkspaceId) -> u64) {
        let mut inner = self.lock();
        for edit in inner.edits.values_mut() {
            if edit.peer == peer && edit.saved_after >= saves(edit.workspace) {
                edit.owed = false;
            }
        }
        inner.proposals.retain(|_, of| of != peer);
    }

    pub(super) fn proposed(&self, peer: &str, proposal: ProposalId) {
        self.lock().proposals.insert(proposal, peer.to_owned());
    }

    /// Works like [`proposed`](Self::proposed), for the completion of a request.
    pub(super) fn completes(&self, peer: &str, proposal: ProposalId, opening: OpeningId) {
        self.proposed(peer, proposal);
        self.lock().completes.insert(proposal, opening);
    }

    /// Checks that nobody who sees a decision still waits for a proposal to complete that request.
    pub(super) fn waits_in_vain(&self, peer: &str, view: &WorkspaceView) -> Result<(), String> {
        let inner = self.lock();
        let decided = |opening: &OpeningId| {
            view.requests.iter().any(|request| {
                request.opening == *opening
                    && matches!(request.status, RequestStatus::Decided { .. })
            })
        };
        let vain =
            view.waiting.iter().find(|(id, _)| inner.completes.get(*id).is_some_and(&decided));
        match vain {
            None => Ok(()),
            Some((id, fate)) => Err(format!(
                "{peer} has the decision on a request, and its completion {id} of that is {fate:?}"
            )),
        }
    }

    /// Notes that the agent's program is about to say that it has an outcome.
    pub(super) fn takes(&self, opening: OpeningId) {
        self.lock().taken.entry(opening).or_insert(false);
    }

    /// Notes that this was acknowledged as being on the disk.
    pub(super) fn taken(&self, opening: OpeningId) {
        self.lock().taken.insert(opening, true);
    }

    /// Checks the outcomes that a workspace's host still has to tell its program.
    pub(super) fn untold(&self, view: &WorkspaceView, untold: &[OpeningId]) -> Result<(), String> {
        let inner = self.lock();
        for request in &view.requests {
            let opening = &request.opening;
            let (is_untold, taken) = (untold.contains(opening), inner.taken.get(opening));
            let why = match taken {
                Some(true) if is_untold => "was taken, and is told again",
                None if !is_untold && inner.openings.contains_key(opening) => {
                    "was not taken, and is told to nobody"
                }
                Some(_) | None => continue,
            };
            return Err(format!("what became of request {} {why}", request.id));
        }
        Ok(())
    }

    pub(super) fn proposals(&self) -> BTreeMap<ProposalId, String> {
        self.lock().proposals.clone()
    }

    /// Returns the mark of the next answer that a request comes with.
    pub(super) fn next_given(&self) -> Token {
        let mut inner = self.lock();
        inner.gave += 1;
        tokens::GIVEN + inner.gave
    }

    /// True if another text may be made longer: each such edit costs all peers much.
    pub(super) fn may_be_long(&self) -> bool {
        let mut inner = self.lock();
        inner.long += 1;
        inner.long <= LONG
    }

    /// True if another number may be changed over and over.
    pub(super) fn may_tally(&self) -> bool {
        let mut inner = self.lock();
        inner.tallies += 1;
        inner.tallies <= TALLIES
    }

    /// True if many short requests may be asked once more: every look shows all of them.
    pub(super) fn may_rush(&self) -> bool {
        let mut inner = self.lock();
        inner.rushes += 1;
        inner.rushes <= RUSHES
    }

    /// Notes that a request was asked with an answer that has this mark. Nobody else answers that
    /// question.
    pub(super) fn given(&self, opening: OpeningId, token: Token) {
        self.lock().given.insert(token, opening);
    }

    /// Returns the answers that requests came with.
    pub(super) fn all_given(&self) -> BTreeMap<Token, OpeningId> {
        self.lock().given.clone()
    }

    pub(super) fn asked(&self, opening: OpeningId, workspace: WorkspaceId) {
        self.lock().openings.insert(opening, workspace);
    }

    pub(super) fn truncates(&self) {
        self.lock().truncated = true;
    }

    /// Returns the requests that must be in the log of a workspace.
    pub(super) fn openings(&self, workspace: WorkspaceId) -> BTreeSet<OpeningId> {
        let inner = self.lock();
        let of = inner.openings.iter().filter(|(_, of)| **of == workspace && !inner.truncated);
        of.map(|(opening, _)| *opening).collect()
    }

    /// Returns the edits that are owed and that no later edit of the same field has replaced.
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
    /// Returns the edit with that mark.
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
            Does::Ticks | Does::Shifts => {}
            Does::Replaces => {
                let (opening, question) = (edit.opening, edit.question.clone());
                let there = |other: &Edit| other.opening == opening && other.question == question;
                let there = edits.iter().filter(|(other, edit)| **other != token && there(edit));
                let there: Vec<Token> = there.map(|(other, _)| *other).collect();
                let edit = edits.get_mut(&token).expect("it was there a line above");
                edit.over.extend(there);
                (edit.owed, edit.open, edit.saved_after) = (owed, false, *saved);
                *saved += u64::from(owed);
                return;
            }
            Does::Unticks(ticked) => edit.over.extend([ticked]),
        }
        (edit.owed, edit.open, edit.saved_after) = (owed, false, *saved);
        *saved += u64::from(owed);
        if owed && edit.does.leaves() {
            seen.insert(token);
        }
    }

    /// Notes that edits which a peer was about to write are not known to be saved.
    fn cut_off(&mut self, peer: &str) {
        let of = |edit: &Edit| edit.open && edit.peer == peer;
        let open = self.edits.iter().filter(|(_, edit)| of(edit));
        let open: Vec<Token> = open.map(|(token, _)| *token).collect();
        for token in open {
            self.end(token, false);
        }
    }
}
