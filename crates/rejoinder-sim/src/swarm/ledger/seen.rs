//! The check of what is shown: it is noted, and its named authors are compared with those who wrote
//! it.

use std::collections::BTreeSet;

use rejoinder::{HomeEvent, OpeningId, PeerId, RequestStatus, RequestView};

use super::{Inner, Ledger};
use crate::swarm::tokens::{self, Mark, Shown, Token};

impl Ledger {
    pub(in crate::swarm) fn event(&self, peer: &str, event: &HomeEvent) -> Result<(), String> {
        event.request().map_or(Ok(()), |view| self.seen(peer, view))
    }

    /// Notes what a peer shows, and checks the authors that it names.
    pub(in crate::swarm) fn seen(&self, peer: &str, view: &RequestView) -> Result<(), String> {
        let mut inner = self.lock();
        for shown in tokens::shown(view) {
            let Some(token) = inner.written(peer, view, &shown)? else { continue };
            let key = (peer.to_owned(), view.opening, shown.question);
            inner.shown.entry(key).or_default().insert(token);
        }
        Ok(())
    }

    /// Returns the edits that a request shows.
    pub(in crate::swarm) fn tokens(&self, view: &RequestView) -> BTreeSet<Token> {
        let inner = self.lock();
        let shown = tokens::shown(view).into_iter();
        shown.filter_map(|shown| inner.token(&view.opening, shown.mark)).collect()
    }

    /// Returns the edit with that mark.
    pub(in crate::swarm) fn token(&self, opening: &OpeningId, mark: Mark) -> Option<Token> {
        self.lock().token(opening, mark)
    }
}

impl Inner {
    /// Returns the edit that is shown, after a check that it was written there by the named
    /// authors.
    fn written(
        &self,
        peer: &str,
        view: &RequestView,
        shown: &Shown,
    ) -> Result<Option<Token>, String> {
        let (opening, mark) = (view.opening, shown.mark);
        if let Mark::Token(tokens::GIVEN..) = mark {
            return Ok(None);
        }
        let token = self.token(&opening, mark);
        let edit = token.and_then(|token| self.edits.get(&token));
        let edit = edit.filter(|edit| edit.opening == opening && edit.question == shown.question);
        let Some(edit) = edit else {
            // Text that several people type at once may look like a mark that nobody wrote, and
            // somebody may have submitted such a text.
            let restated = self.restated.contains_key(&(opening, shown.question.clone()));
            if shown.mixed || restated {
                return Ok(None);
            }
            return Err(format!("{peer} shows {mark:?}, which nobody wrote there"));
        };
        // The author of a completion that carries an answer counts as its author too, and so does
        // anybody who submits it again.
        let decider = match &view.status {
            RequestStatus::Decided { by, .. } => Some(*by),
            RequestStatus::Open | RequestStatus::Suspended | RequestStatus::Ended(_) => None,
        };
        let restated = self.restated.get(&(opening, edit.question.clone()));
        let proven = |author: &PeerId| {
            *author == edit.device
                || Some(*author) == decider
                || restated.is_some_and(|devices| devices.contains(author))
        };
        let all_proven = !shown.authors.is_empty() && shown.authors.iter().all(proven);
        if !shown.mixed && !all_proven {
            let (of, by) = (&edit.peer, &shown.authors);
            return Err(format!("{peer} shows {mark:?} of {of} as by {by:?}"));
        }
        Ok(token)
    }
}
