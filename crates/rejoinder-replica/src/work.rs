//! Work that one call of [`Replica::handle`](crate::Replica::handle) computes, counted: so that a
//! simulation can bound it without a clock.

/// Counts of the steps whose number grows with what there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Items of links were looked at: as they came, and again when what they waited for was here.
    pub items: u64,
    /// Records were folded: new ones, and those before a cut again.
    pub records: u64,
    /// Changes were checked against their documents, or written: those that came, those that wait
    /// there for others, and all of a document that is read.
    pub changes: u64,
}

impl Work {
    /// Of each the larger of the two.
    pub fn max(self, other: Self) -> Self {
        Self {
            items: self.items.max(other.items),
            records: self.records.max(other.records),
            changes: self.changes.max(other.changes),
        }
    }

    /// Compares each count: true if none exceeds the other's.
    pub fn is_within(&self, most: &Self) -> bool {
        let Self { items, records, changes } = *self;
        items <= most.items && records <= most.records && changes <= most.changes
    }
}
