//! A document that was read from a damaged disk: what is said of it becomes what is there, and
//! what others have of the rest is taken in again.

use std::collections::BTreeMap;

use rejoinder_answers::NotAdmitted;
use rejoinder_identity::{ActorId, ChangeHash, DocumentId, PeerId, Tip, VersionVector};
use rejoinder_sync::Envelope;

use super::{Documents, Filled, Kept, warm::Behind};
use crate::{
    rows::{self, VersionRow},
    store::{Batch, Table},
};

/// The claims about a document.
#[derive(Debug)]
pub(crate) struct Said<'a> {
    /// To the peers.
    pub(crate) to_peers: &'a VersionVector,
    /// By rows of it that were there before its log came: one that stays would make this home one
    /// that carries, at its next start, what it has lost.
    pub(crate) left_over: &'a BTreeMap<ActorId, (PeerId, Tip)>,
}

/// The corrections that a document needs whose rows are not what was said of it.
#[derive(Debug)]
pub(crate) struct Repaired {
    /// The changes of its rows.
    pub(crate) batch: Batch,
    /// The changes that it holds.
    pub(crate) held: VersionVector,
    /// Rows that could not be used.
    pub(crate) damaged: u64,
    /// This device's own changes that are not there any more.
    pub(crate) own_missing: u64,
}

/// The outcome for an envelope that lay on the disk behind others.
#[derive(Debug)]
pub(crate) enum Unparked {
    /// It is in the document now. The batch moves its row to its place there.
    Kept(Kept, Batch),
    /// This device wrote it, and no document lets it in.
    OwnRefused(String),
    /// It is of no use, and the batch deletes its row.
    Useless(Batch),
}

impl Documents {
    /// Brings what is said of a document, here and on the disk, to what its rows were. None if that
    /// is the same.
    pub(crate) fn repair(
        &mut self,
        me: PeerId,
        document: DocumentId,
        filled: Filled,
        said: &Said<'_>,
    ) -> Option<Repaired> {
        let Filled { unusable, authors, own_refused: _ } = filled;
        let Said { to_peers, left_over } = said;
        let warm = self.warm(&document)?;
        let held = warm.document().version_vector().clone();
        if **to_peers == held && unusable.is_empty() && left_over.is_empty() {
            return None;
        }
        let behind = warm.behind.values().map(Vec::len).sum::<usize>();
        tracing::warn!(%document, unusable = unusable.len(), behind, "not what was said of it");
        let mut batch = Batch::default();
        for (actor, tip) in held.iter().filter(|(actor, tip)| to_peers.get(*actor) != Some(*tip)) {
            let author = authors[actor];
            let row = VersionRow { author, tip: *tip };
            let key = rows::version_key(&document, actor);
            batch.put(Table::VersionVectors, key, rows::value(&row));
            if author == me {
                self.own.written(document, *actor, tip.seq);
            }
        }
        let rows = to_peers.keys().chain(left_over.keys());
        for actor in rows.filter(|actor| !held.contains_key(*actor)) {
            batch.delete(Table::VersionVectors, rows::version_key(&document, actor));
        }
        let damaged = unusable.len() as u64;
        for key in unusable {
            batch.delete(Table::Envelopes, key);
        }
        // As at any start, nothing says yet which of these a peer has.
        for (actor, (_, tip)) in left_over.iter().filter(|(_, (author, _))| *author == me) {
            self.own.written(document, *actor, tip.seq);
        }
        let own_missing = self.own.cut(&document, |actor| held.get(actor).map_or(0, |tip| tip.seq));
        Some(Repaired { batch, held, damaged, own_missing })
    }

    /// Tries the envelopes of a document that lay on the disk behind a change that has come, and
    /// those behind them in turn: all that wait, if what came is the structure of a revision.
    /// Returns what became of those that need not wait any more, and how many were tried.
    pub(crate) fn unpark(
        &mut self,
        me: PeerId,
        document: DocumentId,
        came: Option<ChangeHash>,
    ) -> (Vec<Unparked>, u64) {
        let (mut unparked, mut tried) = (Vec::new(), 0);
        let Some(warm) = self.warm_mut(&document) else { return (unparked, tried) };
        let mut next: Vec<Behind> = match came {
            Some(hash) => warm.behind.remove(&hash).unwrap_or_default(),
            None => std::mem::take(&mut warm.behind).into_values().flatten().collect(),
        };
        // A loop, and not each from within the one before it: thousands may wait in a row.
        while let Some(one) = next.pop() {
            tried += 1;
            let Some(one) = self.unpark_one(me, document, one) else { continue };
            if let Unparked::Kept(kept, _) = &one
                && let Some(warm) = self.warm_mut(&document)
            {
                next.extend(warm.behind.remove(&kept.admitted.hash).into_iter().flatten());
            }
            unparked.push(one);
        }
        (unparked, tried)
    }

    fn unpark_one(&mut self, me: PeerId, document: DocumentId, one: Behind) -> Option<Unparked> {
        let warm = self.warm_mut(&document)?;
        let Envelope { author, incarnation, change, .. } = one.envelope.value();
        let (author, bytes) = (*author, one.envelope.bytes().clone());
        let admitted = match warm.document_mut().admit(author, *incarnation, change) {
            Ok(admitted) => admitted,
            Err(NotAdmitted::Missing(missing)) => {
                warm.wait_behind(&missing, one);
                return None;
            }
            Err(why @ (NotAdmitted::Refused(_) | NotAdmitted::Fork { .. })) if author == me => {
                warm.own_refused.push(one);
                return Some(Unparked::OwnRefused(why.to_string()));
            }
            // Somebody had it, and sent it again; or it follows nothing that anybody has.
            Err(NotAdmitted::Known | NotAdmitted::Refused(_) | NotAdmitted::Fork { .. }) => {
                let mut batch = Batch::default();
                batch.delete(Table::Envelopes, one.key);
                return Some(Unparked::Useless(batch));
            }
        };
        let mut batch = Batch::default();
        batch.delete(Table::Envelopes, one.key);
        let kept = Kept { document, author, admitted, bytes };
        warm.note(&kept, &mut batch);
        if author == me {
            self.own.written(document, kept.admitted.actor, kept.admitted.seq);
        }
        Some(Unparked::Kept(kept, batch))
    }
}
