//! Cache of the last view of a document. A view of a workspace reads every request in it, at
//! each change of one; merging all of them again took two fifths of a simulated world's time.

use std::{cell::RefCell, collections::BTreeMap};

use rejoinder_answers::{Conflict, NotIncluded, Projection};
use rejoinder_identity::{QuestionId, RecordId};

/// The parts of a request's view that are read from its document.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// While the request is open.
    pub(crate) projection: Projection,
    /// Once it is settled.
    pub(crate) passed_over: BTreeMap<QuestionId, Vec<Conflict>>,
    pub(crate) not_included: Vec<NotIncluded>,
}

/// The last answer to one question: what does the document show, given the record that settled
/// its request, if one did?
#[derive(Debug, Default)]
pub(crate) struct Cache(RefCell<Option<(Option<RecordId>, Shown)>>);

impl Cache {
    pub(crate) fn get(&self, settled: Option<RecordId>, look: impl FnOnce() -> Shown) -> Shown {
        let mut last = self.0.borrow_mut();
        match &*last {
            Some((of, shown)) if *of == settled => shown.clone(),
            Some(_) | None => last.insert((settled, look())).1.clone(),
        }
    }

    /// The document has changed.
    pub(crate) fn forget(&mut self) {
        if rejoinder_identity::mutant!("mutant-shown-from-an-old-look") {
            return;
        }
        *self.0.get_mut() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_looks_once_for_each_record_and_each_change() {
        let mut cache = Cache::default();
        let (open, decided) = (None, Some(RecordId([1; 32])));
        let mut looks = Vec::new();
        for settled in [open, open, decided, decided, open] {
            cache.get(settled, || {
                looks.push(settled);
                Shown::default()
            });
        }
        assert_eq!(looks, [open, decided, open]);
        cache.forget();
        cache.get(open, || {
            looks.push(open);
            Shown::default()
        });
        assert_eq!(looks.len(), 4);
    }
}
