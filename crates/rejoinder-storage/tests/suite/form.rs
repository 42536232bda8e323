//! The form of the file: where it says which one it has, and how an older one is brought into it.

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, TableHandle};
use rejoinder_replica::Table;
use rejoinder_storage::{FORMAT, Store, What};

use crate::{
    batch,
    disk::{Break, Disk},
    file::home,
    load, row, text,
};

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;
const FORMAT_TABLE: Definition = TableDefinition::new("format");
/// Those that a home of format 1 has.
const TABLES: [&str; 6] = ["meta", "records", "envelopes", "frontiers", "proposals", "addresses"];

#[test]
fn the_format_stays_where_older_releases_look_for_it() {
    let (_directory, path) = home();
    drop(Store::open_file(&path).unwrap());
    let database = Database::open(&path).unwrap();
    let read = database.begin_read().unwrap();
    let table = read.open_table(FORMAT_TABLE).unwrap();
    assert_eq!(table.get(b"version".as_slice()).unwrap().unwrap().value(), [2, 0, 0, 0]);
    let names: Vec<String> = read.list_tables().unwrap().map(|t| t.name().to_owned()).collect();
    assert_eq!(
        names,
        ["addresses", "envelopes", "format", "frontiers", "meta", "proposals", "records", "shell"]
    );
}

fn say(path: &std::path::Path, format: u32, checksum: bool) {
    let database = Database::open(path).unwrap();
    let write = database.begin_write().unwrap();
    {
        let mut table = write.open_table(FORMAT_TABLE).unwrap();
        table.insert(b"version".as_slice(), format.to_le_bytes().as_slice()).unwrap();
        if !checksum {
            table.remove(b"version/seal".as_slice()).unwrap();
        }
    }
    write.commit().unwrap();
}

#[test]
fn a_newer_format_is_left_alone() {
    let (_directory, path) = home();
    drop(Store::open_file(&path).unwrap());
    say(&path, FORMAT + 1, false);
    let error = Store::open_file(&path).unwrap_err();
    assert_eq!(error.what, What::Newer(FORMAT + 1));
    assert!(error.to_string().contains("update Rejoinder"), "{error}");
    assert!(!path.with_file_name("home.redb.damaged-1").exists());
}

#[test]
fn a_flipped_bit_is_not_taken_for_another_format() {
    for format in [FORMAT + 1, 0, 1] {
        let (_directory, path) = home();
        let (mut store, _) = Store::open_file(&path).unwrap();
        store.commit(&[batch(&[(Table::Meta, "key", "value")])]).unwrap();
        drop(store);
        say(&path, format, true);
        let (_, restored) = Store::open_file(&path).unwrap();
        assert_eq!(text(restored.rows[&Table::Meta].clone()), [row("key", "value")]);
        assert_eq!(restored.salvaged.map(|one| (one.rows, one.lost)), Some((1, 0)));
    }
}

#[test]
fn tables_of_a_later_release_of_the_same_format_are_made() {
    let (_directory, path) = home();
    drop(Store::open_file(&path).unwrap());
    {
        let database = Database::open(&path).unwrap();
        let write = database.begin_write().unwrap();
        assert!(write.delete_table(TableDefinition::<&[u8], &[u8]>::new("addresses")).unwrap());
        write.commit().unwrap();
    }
    let (store, _) = Store::open_file(&path).unwrap();
    assert_eq!(load(&store, Table::Addresses, ""), []);
}

/// A file as the release before this one wrote it, on a disk in memory.
fn format_1() -> Vec<u8> {
    let (_directory, path) = home();
    let database = Database::create(&path).unwrap();
    let write = database.begin_write().unwrap();
    let version = 1_u32.to_le_bytes();
    write
        .open_table(FORMAT_TABLE)
        .unwrap()
        .insert(b"version".as_slice(), version.as_slice())
        .unwrap();
    for name in TABLES {
        let mut table = write.open_table(Definition::new(name)).unwrap();
        for key in ["a", "b"] {
            let value = format!("{key} of {name}");
            table.insert(key.as_bytes(), value.as_bytes()).unwrap();
        }
    }
    write.commit().unwrap();
    drop(database);
    std::fs::read(&path).unwrap()
}

fn check(store: &Store) {
    for table in Table::ALL {
        let name = table.name();
        let of = |key: &str| row(key, &format!("{key} of {name}"));
        let rows = if TABLES.contains(&name) { vec![of("a"), of("b")] } else { Vec::new() };
        assert_eq!(load(store, table, ""), rows);
    }
}

#[test]
fn a_home_of_format_1_gets_its_checksums_when_it_is_opened() {
    let disk = Disk::of_bytes(format_1());
    let (store, mut restored) = Store::open(disk.backend()).unwrap();
    assert_eq!((&restored.damaged.len(), &restored.salvaged), (&0, &None));
    let meta = text(restored.rows.remove(&Table::Meta).unwrap());
    assert_eq!(meta, [row("a", "a of meta"), row("b", "b of meta")]);
    check(&store);
    drop(store);
    let (_directory, path) = home();
    std::fs::write(&path, disk.bytes()).unwrap();
    let database = Database::open(&path).unwrap();
    let table = database.begin_read().unwrap().open_table(Definition::new("meta")).unwrap();
    let values: Vec<usize> =
        table.iter().unwrap().map(|row| row.unwrap().1.value().len()).collect();
    assert_eq!(values, [9 + 8, 9 + 8]);
    drop(database);
    check(&Store::open_file(&path).unwrap().0);
}

#[test]
fn a_crash_while_a_home_gets_its_checksums_leaves_it_in_one_form_or_the_other() {
    let old = format_1();
    for at in 0.. {
        let disk = Disk::of_bytes(old.clone());
        disk.break_after(at, Break::ForGood);
        drop(Store::open(disk.backend()));
        let broke = disk.broke();
        disk.crash(|| at % 2 == 0);
        let (store, restored) = Store::open(disk.backend()).unwrap();
        assert_eq!((restored.damaged.len(), restored.salvaged), (0, None), "at {at}");
        check(&store);
        if !broke {
            return;
        }
    }
}
