//! A damaged file gives errors, or other bytes, which whoever reads them checks; never a panic.

use rejoinder_replica::{Load, Table};
use rejoinder_storage::{Store, What};

use crate::{batch, disk::Disk};

fn sound() -> Vec<u8> {
    let disk = Disk::default();
    let (mut store, _) = Store::open(disk.backend()).unwrap();
    for at in 0..50 {
        let (key, value) = (format!("{at:03}"), "v".repeat(at * 40));
        store
            .commit(&[batch(&[(Table::Records, &key, &value), (Table::Envelopes, &key, &value)])])
            .unwrap();
    }
    drop(store);
    disk.bytes()
}

/// Opens, reads and writes; says whether anything was noticed.
fn use_all(bytes: Vec<u8>) -> bool {
    let disk = Disk::of_bytes(bytes);
    let Ok((mut store, _)) = Store::open(disk.backend()) else { return true };
    let mut noticed = false;
    for table in Table::ALL {
        noticed |= store.load(&Load { table, prefix: vec![] }).is_err();
    }
    noticed | store.commit(&[batch(&[(Table::Envelopes, "new", "row")])]).is_err()
}

#[test]
fn flipped_bytes() {
    let sound = sound();
    let used = sound.iter().rposition(|byte| *byte != 0).unwrap();
    let places = (0..512).chain((512..used).step_by(used / 400));
    let noticed = places
        .filter(|place| {
            let mut bytes = sound.clone();
            bytes[*place] ^= 0xff;
            use_all(bytes)
        })
        .count();
    assert!(noticed > 20, "only {noticed} were noticed: the test does not reach what it is for");
}

#[test]
fn cut_short() {
    let sound = sound();
    for length in [1, 100, 320, 4096, 5000, 8192, sound.len() / 2, sound.len() - 1] {
        assert!(use_all(sound[..length].to_vec()), "cut to {length} bytes");
    }
}

#[test]
fn what_is_said_names_the_file_and_the_release() {
    let mut bytes = sound();
    // The roots of both commit slots.
    bytes[64..320].fill(0xa5);
    let error = Store::open(Disk::of_bytes(bytes).backend()).unwrap_err();
    assert!(matches!(error.what, What::Damaged(_)), "{error:?}");
    let said = error.to_string();
    assert!(said.contains("/test/home.redb") && said.contains(env!("CARGO_PKG_VERSION")), "{said}");
}
