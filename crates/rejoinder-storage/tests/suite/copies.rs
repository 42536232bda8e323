//! A store that is looked at while somebody writes to it, or where nobody can.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use rejoinder_replica::Table;
use rejoinder_storage::{Store, What};

use crate::{batch, load, row};

fn everything(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(Result::unwrap);
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_held_store_is_read_and_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("home.redb");
    let (mut held, _) = Store::open_file(&path).unwrap();
    held.commit(&[batch(&[(Table::Envelopes, "k", "v")])]).unwrap();
    let before = everything(directory.path());
    let (mut copy, restored) = Store::open_copy(&path).unwrap();
    assert_eq!(restored.salvaged, None);
    assert_eq!(load(&copy, Table::Envelopes, ""), [row("k", "v")]);
    copy.commit(&[batch(&[(Table::Envelopes, "mine", "alone")])]).unwrap();
    assert_eq!(load(&copy, Table::Envelopes, "m"), [row("mine", "alone")]);
    drop(copy);
    assert_eq!(everything(directory.path()), before);
    held.commit(&[batch(&[(Table::Envelopes, "k2", "v")])]).unwrap();
    assert_eq!(load(&held, Table::Envelopes, ""), [row("k", "v"), row("k2", "v")]);
}

/// Every commit writes the same number everywhere, so a copy of two commits would show.
#[test]
fn a_store_that_is_written_to_all_the_time_is_read_as_it_was_at_one_moment() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("home.redb");
    let (mut held, _) = Store::open_file(&path).unwrap();
    let keys: Vec<String> = (0..400).map(|key| format!("{key:03}")).collect();
    let mut write = move |number: u32| {
        let value = number.to_string().repeat(300);
        let rows: Vec<_> =
            keys.iter().map(|key| (Table::Envelopes, key.as_str(), value.as_str())).collect();
        held.commit(&[batch(&rows)]).unwrap();
    };
    write(10_000);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = 10_000;
            while !done.load(Ordering::Relaxed) {
                number += 1;
                write(number);
            }
        });
        let mut last = String::new();
        let mut seen = 0;
        // A home that is written to without a pause may be too quick for a copy; it says so.
        for _ in 0..40 {
            let copy = match Store::open_copy(&path) {
                Ok((copy, _)) => copy,
                Err(error) => {
                    assert_eq!(error.what, What::InUse, "{error}");
                    continue;
                }
            };
            let rows = load(&copy, Table::Envelopes, "");
            assert_eq!(rows.len(), 400);
            assert!(rows.iter().all(|(_, value)| *value == rows[0].1), "rows of two commits");
            assert!(rows[0].1 >= last, "an older moment than before");
            last.clone_from(&rows[0].1);
            seen += 1;
        }
        done.store(true, Ordering::Relaxed);
        assert!(seen > 0, "no copy was whole");
    });
}

#[test]
fn a_store_is_made_whole_and_holds_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("home.redb");
    // What a maker left that died.
    fs::write(directory.path().join("home.redb.new"), b"half").unwrap();
    Store::make_file(&path).unwrap();
    assert_eq!(everything(directory.path()).len(), 1);
    assert!(Store::is_blank(&path).unwrap());
    let (mut store, restored) = Store::open_file(&path).unwrap();
    assert!(restored.rows.values().all(Vec::is_empty), "{restored:?}");
    store.commit(&[batch(&[(Table::Envelopes, "k", "v")])]).unwrap();
    assert!(!Store::is_blank(&path).unwrap());
}

#[test]
fn a_damaged_store_is_shown_as_far_as_it_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("home.redb");
    let (mut store, _) = Store::open_file(&path).unwrap();
    store
        .commit(&[batch(&[(Table::Envelopes, "k", "a value that is found in the file")])])
        .unwrap();
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let needle = b"a value that is found";
    let at = bytes.windows(needle.len()).position(|window| window == needle).unwrap();
    bytes[at] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let before = everything(directory.path());
    let (copy, _) = Store::open_copy(&path).unwrap();
    let request = rejoinder_replica::Load { table: Table::Envelopes, prefix: Vec::new() };
    assert_eq!(copy.load(&request).unwrap().damaged, [b"k".to_vec()]);
    assert!(!Store::is_blank(&path).unwrap());
    assert_eq!(everything(directory.path()), before);
}
