//! This device's way into a workspace: the root key that it made it with, or a ticket.

use rejoinder_finalizer::{Checked, Join};
use rejoinder_identity::{Hint, Nonce, PeerId, SecretKey, Timestamp, WorkspaceId};

use crate::{
    rows::{self, WorkspaceRow},
    store::{Batch, Table},
};

/// The part of a workspace that a home keeps beside its log.
#[derive(Debug, Default)]
pub(crate) struct Access {
    /// In the home that made it.
    root: Option<SecretKey>,
    /// The devices that the ticket named.
    hints: Vec<Hint>,
    /// The join that this device asks with.
    join: Option<Vec<u8>>,
}

impl Access {
    /// Of a workspace that this device makes.
    pub(crate) fn founded(root: SecretKey) -> Self {
        Self { root: Some(root), ..Self::default() }
    }

    pub(crate) fn restored(row: WorkspaceRow) -> Self {
        Self { root: row.root_key(), hints: row.hints, join: row.join }
    }

    /// Notes what this device asks to be let in with.
    pub(crate) fn ask(&mut self, hints: Vec<Hint>, join: &Checked<Join>) {
        self.hints = hints;
        self.join = Some(join.bytes().to_vec());
    }

    /// Adds devices that may know more than is here.
    pub(crate) fn add_hints(&mut self, hints: impl IntoIterator<Item = Hint>) {
        for hint in hints {
            if !self.hints_at(&hint.device) {
                self.hints.push(hint);
            }
        }
    }

    pub(crate) fn root(&self) -> Option<&SecretKey> {
        self.root.as_ref()
    }

    pub(crate) fn hints(&self) -> &[Hint] {
        &self.hints
    }

    pub(crate) fn hints_at(&self, device: &PeerId) -> bool {
        self.hints.iter().any(|hint| hint.device == *device)
    }

    pub(crate) fn join(&self) -> Option<&[u8]> {
        self.join.as_deref()
    }

    /// A nonce above those of this device's earlier joins here, so that everybody agrees which of
    /// them is the newest: it begins with the time, or with one more than that of the last.
    pub(crate) fn next_nonce(
        &self,
        workspace: &WorkspaceId,
        now: Timestamp,
        mut fresh: Nonce,
    ) -> Nonce {
        let last = self.join().and_then(|join| Checked::<Join>::read(join, workspace).ok());
        let after_last = last.map_or(0, |join| {
            let first = join.value().nonce.0.first_chunk().copied().unwrap_or_default();
            u64::from_be_bytes(first).saturating_add(1)
        });
        let now = u64::try_from(now.as_millis()).unwrap_or(0);
        fresh.0[..8].copy_from_slice(&now.max(after_last).to_be_bytes());
        fresh
    }

    /// Its row.
    pub(crate) fn rows(&self, workspace: &WorkspaceId, batch: &mut Batch) {
        let root = self.root.as_ref().map(|root| *root.seed());
        let row = WorkspaceRow { root, hints: self.hints.clone(), join: self.join.clone() };
        batch.put(Table::Meta, rows::workspace_key(workspace), rows::value(&row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKSPACE: WorkspaceId = WorkspaceId([9; 32]);

    fn hint(device: u8) -> Hint {
        Hint { device: PeerId([device; 32]), addresses: Vec::new() }
    }

    #[test]
    fn each_join_is_newer_than_the_last_whatever_the_clock_says() {
        let (device, invite) = (SecretKey::from_seed([1; 32]), SecretKey::from_seed([2; 32]));
        let mut access = Access::default();
        let mut last = None;
        for now in [5_000, 5_000, 4_000, 9_000] {
            let fresh = Nonce([0xff; 16]);
            let nonce = access.next_nonce(&WORKSPACE, Timestamp::from_millis(now), fresh);
            assert!(Some(nonce) > last, "at {now}");
            last = Some(nonce);
            let join = Checked::<Join>::sign(&device, &invite, WORKSPACE, "Ana", nonce).unwrap();
            access.ask(vec![hint(3)], &join);
        }
    }

    #[test]
    fn what_is_written_is_what_is_restored() {
        let (device, invite) = (SecretKey::from_seed([1; 32]), SecretKey::from_seed([2; 32]));
        let nonce = Nonce([7; 16]);
        let join = Checked::<Join>::sign(&device, &invite, WORKSPACE, "Ana", nonce).unwrap();
        let mut access = Access::founded(SecretKey::from_seed([4; 32]));
        access.ask(vec![hint(3)], &join);
        access.add_hints([hint(3), hint(5)]);
        assert_eq!(access.hints(), [hint(3), hint(5)]);
        let mut batch = Batch::default();
        access.rows(&WORKSPACE, &mut batch);
        let [crate::store::RowOp::Put(_, _, value)] = &batch.changes[..] else { panic!() };
        let again = Access::restored(rows::row("workspace row", value).unwrap());
        assert_eq!(again.hints(), access.hints());
        assert_eq!(again.join(), access.join());
        assert_eq!(again.root().map(SecretKey::seed), access.root().map(SecretKey::seed));
    }
}
