//! A store in a file of the real disk.

use std::{fs, path::PathBuf};

use redb::{Database, TableDefinition};
use rejoinder_replica::{Batch, Table};
use rejoinder_storage::{Doing, Store, What};
use tempfile::TempDir;

use crate::{batch, load, row, text};

pub(crate) fn home() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("home.redb");
    (directory, path)
}

#[test]
fn what_was_committed_is_restored_or_loaded() {
    let (_directory, path) = home();
    let (mut store, restored) = Store::open_file(&path).unwrap();
    assert!(restored.rows.values().all(Vec::is_empty));
    let mut removes = Batch::default();
    removes.delete(Table::Records, b"b".to_vec());
    removes.delete(Table::Records, b"never there".to_vec());
    store
        .commit(&[
            batch(&[(Table::Records, "b", "2"), (Table::Records, "a", "1")]),
            batch(&[(Table::Envelopes, "d1/x", "e"), (Table::Envelopes, "d2/x", "f")]),
            removes,
        ])
        .unwrap();
    store.commit(&[]).unwrap();
    drop(store);

    let (store, mut restored) = Store::open_file(&path).unwrap();
    assert_eq!(restored.rows.keys().copied().collect::<Vec<_>>(), Table::AT_OPEN);
    assert_eq!(text(restored.rows.remove(&Table::Records).unwrap()), [row("a", "1")]);
    assert_eq!(load(&store, Table::Envelopes, "d1"), [row("d1/x", "e")]);
    assert_eq!(load(&store, Table::Envelopes, "").len(), 2);
    assert_eq!(load(&store, Table::Envelopes, "d3"), []);
}

#[test]
fn a_prefix_of_high_bytes_ends_where_it_ends() {
    let (_directory, path) = home();
    let (mut store, _) = Store::open_file(&path).unwrap();
    let mut rows = Batch::default();
    for key in [vec![0xfe, 1], vec![0xff], vec![0xff, 0xff], vec![0xff, 0xff, 3]] {
        rows.put(Table::Envelopes, key, vec![]);
    }
    store.commit(&[rows]).unwrap();
    let found = |prefix: &[u8]| {
        let load = rejoinder_replica::Load { table: Table::Envelopes, prefix: prefix.to_vec() };
        store.load(&load).unwrap().rows.len()
    };
    assert_eq!([found(&[]), found(&[0xfe]), found(&[0xff]), found(&[0xff, 0xff])], [4, 1, 3, 2]);
}

#[cfg(unix)]
#[test]
fn a_new_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (_directory, path) = home();
    drop(Store::open_file(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_home_in_use_says_so() {
    let (_directory, path) = home();
    let held = Store::open_file(&path).unwrap();
    let error = Store::open_file(&path).unwrap_err();
    assert_eq!((error.doing, &error.what), (Doing::Open, &What::InUse));
    assert_eq!(
        error.to_string(),
        format!("cannot open {}: another process is using it", path.display())
    );
    drop(held);
    Store::open_file(&path).unwrap();
}

#[test]
fn a_home_without_its_directory_says_so() {
    let (directory, _) = home();
    let path = directory.path().join("not there").join("home.redb");
    let error = Store::open_file(&path).unwrap_err();
    assert_eq!(error.what, What::NoDirectory);
    assert!(error.to_string().contains("not there"), "{error}");
    // A directory where the file should be.
    assert_eq!(Store::open_file(directory.path()).unwrap_err().what, What::Io);
}

#[test]
fn a_file_of_another_program_is_left_as_it_is() {
    let (_directory, path) = home();
    for content in ["not a database at all".into(), "x".repeat(100_000), "\0".repeat(8000) + "x"] {
        fs::write(&path, &content).unwrap();
        let error = Store::open_file(&path).unwrap_err();
        assert_eq!(error.what, What::Foreign, "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    {
        let database = Database::create(&path).unwrap();
        let write = database.begin_write().unwrap();
        write.open_table(TableDefinition::<u64, u64>::new("theirs")).unwrap();
        write.commit().unwrap();
    }
    assert_eq!(Store::open_file(&path).unwrap_err().what, What::Foreign);
}
