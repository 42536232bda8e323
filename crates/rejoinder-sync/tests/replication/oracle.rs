//! The checks in every step of a world.

use rejoinder_identity::{ProposalId, RecordId};
use rejoinder_sync::{Carried, LinkId};

use super::net::World;

impl World {
    /// Nothing is said to be carried that is not on the peer's disk.
    pub(super) fn check_carried(&mut self, node: usize, link: LinkId, carried: &Carried) {
        let Some(end) = self.ends.get(&link) else { return };
        let there = &self.nodes[self.ends[&end.other].node].disk;
        let (log, tips, proposals) = self.nodes[node].state();
        let has_record = |id: &RecordId| there.ever.contains(id);
        let has_proposal = |id: &ProposalId| there.ever_proposed.contains(id);
        match carried {
            Carried::Everything => {
                assert!(log.iter().all(has_record), "a record is carried that is not stored");
                for ((document, actor), tip) in tips {
                    assert!(there.has_envelope(document, actor, tip.seq), "not stored there");
                }
                assert!(proposals.iter().all(has_proposal), "a proposal is not stored there");
                self.count("everything carried");
            }
            Carried::These { envelopes, proposals, log_length } => {
                let log_length = usize::try_from(*log_length).unwrap();
                let has = log[..log_length].iter().filter(|id| has_record(id)).count();
                assert_eq!(has, log_length, "records stored there");
                for (document, actor, seq) in envelopes {
                    assert!(there.has_envelope(*document, *actor, *seq), "not stored there");
                }
                assert!(proposals.iter().all(has_proposal), "a proposal is not stored there");
                self.count("carried");
            }
        }
    }

    /// "In sync" is said exactly when what is held here is what the other end held when it told its
    /// position.
    pub(super) fn check_in_sync(&mut self, node: usize, link: LinkId, yes: bool) {
        let Some(end) = self.ends.get_mut(&link) else { return };
        assert_ne!(end.in_sync, yes, "said when it changes");
        end.in_sync = yes;
        let same = end.told.as_ref() == Some(&self.nodes[node].state());
        assert!(!yes || same, "said to be in sync while the version_vectors differ");
        self.count(if yes { "in sync" } else { "not in sync" });
    }

    /// When nothing is on its way, both ends say the same, and only what is so.
    pub(super) fn check_quiet(&mut self) {
        for end in self.ends.values() {
            let other = &self.ends[&end.other];
            let same = self.nodes[end.node].state() == self.nodes[other.node].state();
            assert_eq!(end.in_sync, same, "{} and {}", end.node, other.node);
            assert!(end.arriving.is_empty());
        }
    }

    pub(super) fn all_in_sync(&self) -> bool {
        self.ends.values().all(|end| end.in_sync)
    }

    /// Describes the differences between linked nodes, for the message of a failure.
    pub(super) fn differences(&self) -> String {
        let mut text = String::new();
        for end in self.ends.values() {
            let (a, b) = (end.node, self.ends[&end.other].node);
            let (ours, theirs) = (self.nodes[a].state(), self.nodes[b].state());
            let lacking = ours.1.iter().filter(|(key, tip)| theirs.1.get(key) != Some(tip)).count();
            let waiting = ours.2.difference(&theirs.2).count();
            let (log, same) = (ours.0.len(), ours.0 == theirs.0);
            text += &format!(
                "{a} to {b}: in sync {}, log {log} (same: {same}), \
                 {lacking} tips and {waiting} proposals that {b} lacks\n",
                end.in_sync
            );
        }
        text
    }

    /// Returns the largest number of times that one item went one way over one link.
    pub(super) fn most_arrivals(&self) -> usize {
        self.ends.values().flat_map(|end| end.arrived.values().copied()).max().unwrap_or(0)
    }

    /// Returns the number of items that have arrived at `a` from `b` over the link that is up.
    pub(super) fn arrivals(&self, a: usize, b: usize) -> usize {
        self.end_between(a, b).map_or(0, |id| self.ends[&id].arrived.values().sum())
    }

    pub(super) fn check_converged(&self) {
        let first = self.nodes[0].state();
        for node in &self.nodes {
            assert_eq!(node.state(), first, "node {} differs from node 0", node.index);
        }
    }
}
