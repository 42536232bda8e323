//! Crashes: batches that were called durable are there afterwards, and failed ones left no part.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};
use rejoinder_replica::{Restored, Table};
use rejoinder_storage::{Store, StoreError, What};

use crate::{
    batch,
    disk::{Break, Disk},
    load, row, text,
};

/// Two tables, so that a half of it would show.
fn second() -> [rejoinder_replica::Batch; 2] {
    [
        batch(&[(Table::Records, "2", "two"), (Table::VersionVectors, "2", "two")]),
        batch(&[(Table::Envelopes, "2", "two"), (Table::Records, "1", "one again")]),
    ]
}

fn open(disk: &Disk) -> (Store, Restored) {
    Store::open(disk.backend()).unwrap()
}

fn with_first(disk: &Disk) -> Store {
    let (mut store, _) = open(disk);
    store.commit(&[batch(&[(Table::Records, "1", "one")])]).unwrap();
    store
}

/// Whether the second commit is there: all of it, or nothing. Anything else fails.
fn second_is_there(store: &Store) -> bool {
    let rows =
        [Table::Records, Table::VersionVectors, Table::Envelopes].map(|t| load(store, t, ""));
    let without = [vec![row("1", "one")], vec![], vec![]];
    let with = [
        vec![row("1", "one again"), row("2", "two")],
        vec![row("2", "two")],
        vec![row("2", "two")],
    ];
    assert!(rows == without || rows == with, "a part of a commit: {rows:?}");
    rows == with
}

/// Runs the second commit with the disk breaking at each of its operations in turn; returns after
/// the first run in which it did not come so far.
fn break_everywhere(
    breaks: Break,
    mut afterwards: impl FnMut(&Disk, Store, Result<(), StoreError>),
) {
    for at in 0.. {
        let disk = Disk::default();
        let mut store = with_first(&disk);
        disk.break_after(at, breaks);
        let committed = store.commit(&second());
        if !disk.broke() {
            committed.unwrap();
            assert!(at > 4, "a commit has several operations, and each was tried: {at}");
            return;
        }
        afterwards(&disk, store, committed);
    }
}

#[test]
fn a_failed_write_or_sync_is_a_typed_error_and_the_store_goes_on() {
    break_everywhere(Break::Once, |_, mut store, committed| {
        // An error of the last step may be one after which all is there.
        if let Err(error) = committed {
            assert_eq!(error.what, What::Io, "{error}");
            assert!(error.to_string().contains("/test/home.redb"), "{error}");
        }
        second_is_there(&store);
        store.commit(&second()).unwrap();
        assert!(second_is_there(&store));
    });
}

#[test]
fn after_a_crash_what_was_committed_is_there_and_nothing_is_there_by_half() {
    break_everywhere(Break::ForGood, |disk, store, committed| {
        drop(store);
        disk.crash(|| false);
        let (store, _) = open(disk);
        assert!(second_is_there(&store) || committed.is_err());
    });
}

#[test]
fn a_crash_may_keep_any_of_the_writes_that_were_not_synced() {
    for seed in 0..20 {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        break_everywhere(Break::ForGood, |disk, store, committed| {
            drop(store);
            disk.crash(|| rng.next_u32() % 2 == 0);
            let (mut store, _) = open(disk);
            assert!(second_is_there(&store) || committed.is_err());
            store.commit(&second()).unwrap();
            assert!(second_is_there(&store));
        });
    }
}

#[test]
fn a_crash_right_after_a_commit_loses_nothing() {
    let disk = Disk::default();
    let mut store = with_first(&disk);
    store.commit(&second()).unwrap();
    // The process is gone: nothing that a destructor writes may reach the disk.
    disk.break_after(0, Break::ForGood);
    drop(store);
    disk.crash(|| false);
    let (store, restored) = open(&disk);
    assert!(second_is_there(&store));
    let records = restored.rows[&Table::Records].clone();
    assert_eq!(text(records), [row("1", "one again"), row("2", "two")]);
}

#[test]
fn a_crash_while_a_store_is_made_leaves_one_that_opens() {
    for at in 0.. {
        let disk = Disk::default();
        disk.break_after(at, Break::ForGood);
        let opened = Store::open(disk.backend());
        let broke = disk.broke();
        drop(opened);
        disk.crash(|| false);
        let mut store = open(&disk).0;
        store.commit(&second()).unwrap();
        if !broke {
            return;
        }
    }
}

#[test]
fn a_full_disk_stops_writing_and_not_reading() {
    let disk = Disk::default();
    let mut store = with_first(&disk);
    disk.set_room(Some(disk.pages_written() + 3));
    let big = "x".repeat(10_000);
    let mut kept = 0;
    let error = loop {
        let key = format!("{kept:04}");
        match store.commit(&[batch(&[(Table::Envelopes, &key, &big)])]) {
            Ok(()) => kept += 1,
            Err(error) => break error,
        }
        assert!(kept < 1000, "the disk never became full");
    };
    assert_eq!(error.what, What::Full, "{error}");
    assert_eq!(
        error.to_string(),
        "cannot write to /test/home.redb: no space left on the disk; free some and go on"
    );

    for _ in 0..2 {
        assert_eq!(load(&store, Table::Records, ""), [row("1", "one")]);
        assert_eq!(load(&store, Table::Envelopes, "").len(), kept);
        let error = store.commit(&[batch(&[(Table::Envelopes, "more", &big)])]).unwrap_err();
        assert_eq!(error.what, What::Full, "{error}");
    }

    disk.set_room(None);
    store.commit(&[batch(&[(Table::Envelopes, "more", &big)])]).unwrap();
    assert_eq!(load(&store, Table::Envelopes, "more").len(), 1);
    drop(store);
    let (store, _) = open(&disk);
    assert_eq!(load(&store, Table::Envelopes, "").len(), kept + 1);
}

#[test]
fn a_disk_that_takes_no_write_at_all_can_be_read() {
    let disk = Disk::default();
    let mut store = with_first(&disk);
    disk.set_full(true);
    for _ in 0..2 {
        let error = store.commit(&second()).unwrap_err();
        assert_eq!(error.what, What::Full, "{error}");
        assert!(!second_is_there(&store));
    }
    disk.set_full(false);
    assert!(!second_is_there(&store));
    store.commit(&second()).unwrap();
    assert!(second_is_there(&store));
}

#[test]
fn what_waits_together_is_one_transaction() {
    let disk = Disk::default();
    let mut store = with_first(&disk);
    let before = disk.operations();
    store.commit(&second()).unwrap();
    let together = disk.operations() - before;

    let disk = Disk::default();
    let mut store = with_first(&disk);
    let before = disk.operations();
    for batch in second() {
        store.commit(&[batch]).unwrap();
    }
    let apart = disk.operations() - before;
    assert!(together < apart, "{together} operations together, {apart} apart");
}

#[test]
fn a_home_that_may_not_be_read_says_so() {
    let disk = Disk::default();
    disk.set_denied(true);
    let error = Store::open(disk.backend()).unwrap_err();
    assert_eq!(error.what, What::Denied);
    assert_eq!(
        error.to_string(),
        "cannot open /test/home.redb: permission denied; check who owns it and its directory"
    );
}
