//! One hash over all that is held, so that two sides find out in a line that they hold the same.
//!
//! It is the root of a tree of two levels: documents fall into 256 buckets by the first byte of
//! their ids, and a bucket is hashed again only after something in it changed. (A sum of hashes
//! would be simpler, but a member could make up a few thousand changes whose sum hides what
//! somebody else is lacking.)

use std::collections::{BTreeMap, BTreeSet};

use rejoinder_identity::{ActorId, DocumentId, Hash, ProposalId, Tip, hash};

/// The last change of each actor in each document.
pub(crate) type Tips = BTreeMap<(DocumentId, ActorId), Tip>;

/// The hashes that are still right.
#[derive(Debug, Default)]
pub(crate) struct Digest {
    buckets: BTreeMap<u8, Hash>,
    stale: BTreeSet<u8>,
    root: Option<Hash>,
}

impl Digest {
    pub(crate) fn document_changed(&mut self, document: &DocumentId) {
        self.stale.insert(document.0[0]);
        self.root = None;
    }

    pub(crate) fn proposals_changed(&mut self) {
        self.root = None;
    }

    pub(crate) fn root(&mut self, tips: &Tips, proposals: &BTreeSet<ProposalId>) -> Hash {
        *self.root.get_or_insert_with(|| {
            for bucket in std::mem::take(&mut self.stale) {
                match bucket_hash(bucket, tips) {
                    Some(hash) => _ = self.buckets.insert(bucket, hash),
                    None => _ = self.buckets.remove(&bucket),
                }
            }
            let proposals: Vec<u8> = proposals.iter().flat_map(|id| id.0).collect();
            let buckets: Vec<u8> = self
                .buckets
                .iter()
                .flat_map(|(bucket, hash)| [*bucket].into_iter().chain(hash.0))
                .collect();
            hash("held", &[&proposals, &buckets])
        })
    }
}

/// Returns the hash of a bucket; `None` if it is empty.
fn bucket_hash(bucket: u8, tips: &Tips) -> Option<Hash> {
    let (mut first, mut last) = ([0; 32], [255; 32]);
    (first[0], last[0]) = (bucket, bucket);
    let range = (DocumentId(first), ActorId([0; 16]))..=(DocumentId(last), ActorId([255; 16]));
    let mut bytes = Vec::new();
    for ((document, actor), tip) in tips.range(range) {
        bytes.extend_from_slice(&document.0);
        bytes.extend_from_slice(&actor.0);
        bytes.extend_from_slice(&tip.seq.to_le_bytes());
        bytes.extend_from_slice(&tip.hash.0);
    }
    (!bytes.is_empty()).then(|| hash("held-bucket", &[&bytes]))
}

#[cfg(test)]
mod tests {
    use rejoinder_identity::ChangeHash;

    use super::*;

    /// Adds (document's first byte, actor, seq) in that order, asking for the root in between.
    fn root_after(entries: &[(u8, u8, u64)]) -> Hash {
        let (mut digest, mut tips) = (Digest::default(), Tips::new());
        for (document, actor, seq) in entries {
            let document = DocumentId([*document; 32]);
            let tip = Tip { seq: *seq, hash: ChangeHash([9; 32]) };
            tips.insert((document, ActorId([*actor; 16])), tip);
            digest.document_changed(&document);
            digest.root(&tips, &BTreeSet::new());
        }
        digest.root(&tips, &BTreeSet::new())
    }

    #[test]
    fn the_order_does_not_count_and_everything_else_does() {
        let root = root_after(&[(1, 1, 1), (1, 2, 5), (255, 1, 1)]);
        assert_eq!(root, root_after(&[(255, 1, 1), (1, 2, 4), (1, 1, 1), (1, 2, 5)]));
        for other in [[(1, 1, 2), (1, 2, 5), (255, 1, 1)], [(1, 1, 1), (1, 3, 5), (255, 1, 1)]] {
            assert_ne!(root, root_after(&other));
        }
        assert_ne!(root, root_after(&[(1, 1, 1), (1, 2, 5)]));
        assert_ne!(root_after(&[]), root);
    }

    #[test]
    fn a_document_without_changes_does_not_count() {
        let (mut touched, tips) = (Digest::default(), Tips::new());
        touched.document_changed(&DocumentId([3; 32]));
        let untouched = Digest::default().root(&tips, &BTreeSet::new());
        assert_eq!(touched.root(&tips, &BTreeSet::new()), untouched);
    }

    #[test]
    fn proposals_count() {
        let (mut digest, tips) = (Digest::default(), Tips::new());
        let none = digest.root(&tips, &BTreeSet::new());
        digest.proposals_changed();
        let one = digest.root(&tips, &BTreeSet::from([ProposalId([1; 32])]));
        assert_ne!(none, one);
        digest.proposals_changed();
        assert_eq!(digest.root(&tips, &BTreeSet::new()), none);
    }
}
