//! The port of the last run: the one row of the shell's own table.

use rejoinder_replica::{Batch, Restored, Table};

const PORT: &[u8] = b"port";

/// The row's key among the replica's own rows, where it was before the shell had a table.
const OLD_PORT: &[u8] = b"shell/port";

/// The part of the last run that was kept.
#[derive(Debug)]
pub(super) struct Kept {
    port: Option<u16>,
    /// Takes away the old row, and rows that are damaged.
    stale: Batch,
}

impl Kept {
    /// Takes the shell's rows out of those of a home. The replica knows nothing of them.
    pub(super) fn take(restored: &mut Restored) -> Self {
        let mut stale = Batch::default();
        // Another port is kept soon: nobody need hear of the damage.
        for key in restored.damaged.remove(&Table::Shell).unwrap_or_default() {
            stale.delete(Table::Shell, key);
        }
        let rows = restored.rows.remove(&Table::Shell).unwrap_or_default();
        let new = rows.into_iter().find(|(key, _)| key == PORT).map(|(_, value)| value);
        let old = take_old(restored, &mut stale);
        // A release that knows only the old row was the last to run here if there is one.
        let port = old.or(new).and_then(|value| value.try_into().ok()).map(u16::from_le_bytes);
        Self { port, stale }
    }

    /// The port of the last run, if it was kept.
    pub(super) fn port(&self) -> Option<u16> {
        self.port
    }

    /// The rows that keep this port; `None` if they are on the disk.
    pub(super) fn keep(self, port: u16) -> Option<Batch> {
        if self.port == Some(port) && self.stale.is_empty() {
            return None;
        }
        let mut batch = self.stale;
        batch.put(Table::Shell, PORT.to_vec(), port.to_le_bytes().to_vec());
        Some(batch)
    }
}

fn take_old(restored: &mut Restored, stale: &mut Batch) -> Option<Vec<u8>> {
    let before = stale.changes.len();
    if let Some(damaged) = restored.damaged.get_mut(&Table::Meta) {
        let whole = damaged.len();
        damaged.retain(|key| key != OLD_PORT);
        if damaged.len() < whole {
            stale.delete(Table::Meta, OLD_PORT.to_vec());
        }
        if damaged.is_empty() {
            restored.damaged.remove(&Table::Meta);
        }
    }
    let rows = restored.rows.get_mut(&Table::Meta)?;
    let place = rows.iter().position(|(key, _)| key == OLD_PORT)?;
    if stale.changes.len() == before {
        stale.delete(Table::Meta, OLD_PORT.to_vec());
    }
    Some(rows.remove(place).1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rejoinder_replica::RowOp;

    use super::*;

    fn row(key: &[u8], port: u16) -> (Vec<u8>, Vec<u8>) {
        (key.to_vec(), port.to_le_bytes().to_vec())
    }

    fn restored(meta: &[(&[u8], u16)], shell: &[(&[u8], u16)]) -> Restored {
        let rows = |rows: &[(&[u8], u16)]| rows.iter().map(|(key, port)| row(key, *port)).collect();
        let rows = BTreeMap::from([(Table::Meta, rows(meta)), (Table::Shell, rows(shell))]);
        Restored { rows, ..Restored::default() }
    }

    #[test]
    fn the_old_row_is_read_once_and_moves_in_one_batch() {
        let mut restored = restored(&[(b"device", 1), (OLD_PORT, 4711)], &[]);
        let kept = Kept::take(&mut restored);
        assert_eq!(kept.port(), Some(4711));
        assert_eq!(restored.rows[&Table::Meta], [row(b"device", 1)], "the replica's stay");
        assert_eq!(
            kept.keep(4711).unwrap().changes,
            [
                RowOp::Delete(Table::Meta, b"shell/port".to_vec()),
                RowOp::Put(Table::Shell, b"port".to_vec(), vec![0x67, 0x12]),
            ]
        );
    }

    #[test]
    fn a_port_that_is_on_the_disk_is_not_written_again() {
        let kept = || Kept::take(&mut restored(&[], &[(PORT, 4711)]));
        assert!(kept().keep(4711).is_none());
        assert_eq!(kept().keep(4712).unwrap().changes.len(), 1);
    }

    #[test]
    fn damage_of_the_shells_rows_is_the_shells_business() {
        let mut restored = restored(&[], &[]);
        restored.damaged = BTreeMap::from([
            (Table::Meta, vec![OLD_PORT.to_vec()]),
            (Table::Shell, vec![b"p0rt".to_vec()]),
        ]);
        let kept = Kept::take(&mut restored);
        assert!(restored.damaged.is_empty());
        assert_eq!(kept.port(), None);
        assert_eq!(kept.keep(1).unwrap().changes.len(), 3);
    }
}
