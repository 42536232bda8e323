//! The store on a real disk, and on one that fails, fills up and loses what was not synced.

#![expect(clippy::unwrap_used, reason = "a test that can't go on stops where it is")]

mod copies;
mod disk;
mod faults;
mod file;
mod form;
mod rot;

use rejoinder_replica::{Batch, Load, Rows, Table};
use rejoinder_storage::Store;

fn batch(rows: &[(Table, &str, &str)]) -> Batch {
    let mut batch = Batch::default();
    for (table, key, value) in rows {
        batch.put(*table, key.as_bytes().to_vec(), value.as_bytes().to_vec());
    }
    batch
}

fn load(store: &Store, table: Table, prefix: &str) -> Vec<(String, String)> {
    let loaded = store.load(&Load { table, prefix: prefix.as_bytes().to_vec() }).unwrap();
    assert_eq!(loaded.damaged, Vec::<Vec<u8>>::new());
    text(loaded.rows)
}

fn text(rows: Rows) -> Vec<(String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    rows.into_iter().map(|(key, value)| (text(key), text(value))).collect()
}

fn row(key: &str, value: &str) -> (String, String) {
    (key.to_owned(), value.to_owned())
}
