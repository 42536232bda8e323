//! Homes that are taken, made, half made, and lost in part.

use std::path::Path;

use super::*;

#[test]
fn the_key_is_made_once_and_the_lock_goes_with_its_holder() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("deep/home");
    let taken = Directory::new(&path).take([7; 32]).unwrap();
    assert_eq!(*taken.key.seed(), [7; 32]);

    let in_use = Directory::new(&path).take([8; 32]).unwrap_err().to_string();
    let expected = format!("home {} is in use by process {}", path.display(), std::process::id());
    assert_eq!(in_use, expected);

    drop(taken);
    let again = Directory::new(&path).take([9; 32]).unwrap();
    assert_eq!(*again.key.seed(), [7; 32]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("home");
    let _taken = Directory::new(&path).take([7; 32]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&path.join(KEY)), 0o600);
    assert_eq!(mode(&path.join(LOCK)), 0o600);
}

#[test]
fn a_damaged_key_is_named_and_left_alone() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().to_owned();
    fs::write(path.join(KEY), b"short").unwrap();
    let error = Directory::new(&path).take([7; 32]).unwrap_err();
    assert!(error.to_string().contains("device.key"), "{error}");
    assert_eq!(fs::read(path.join(KEY)).unwrap(), b"short");
}

#[test]
fn a_file_in_the_way_is_named() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("file");
    fs::write(&path, b"").unwrap();
    let error = Directory::new(&path).take([7; 32]).unwrap_err();
    assert!(error.to_string().contains("file"), "{error}");
}

fn refused(place: Directory) -> String {
    let mut place = place;
    place.take([9; 32]).unwrap_err().to_string()
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// A home that holds something.
fn home(path: &Path) {
    let _taken = Directory::new(path).take([7; 32]).unwrap();
    let (mut store, _) = Store::open_file(&path.join(STORE)).unwrap();
    let mut batch = rejoinder_replica::Batch::default();
    batch.put(rejoinder_replica::Table::Meta, b"row".to_vec(), b"value".to_vec());
    store.commit(&[batch]).unwrap();
}

#[test]
fn a_key_without_its_store_is_said_and_not_begun_over() {
    for lose in [|file: &Path| fs::remove_file(file), |file: &Path| fs::write(file, b"")] {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        home(path);
        lose(&path.join(STORE)).unwrap();
        for place in [Directory::new(path), Directory::new(path).existing()] {
            let said = refused(place);
            assert!(said.contains("home.redb is missing or empty"), "{said}");
        }
        let said = Directory::new(path).device().unwrap_err().to_string();
        assert!(said.contains("home.redb is missing or empty"), "{said}");
        let taken = Directory::new(path).anew().take([9; 32]).unwrap();
        assert_eq!(*taken.key.seed(), [7; 32], "the device is the same one");
        drop(taken);
        Directory::new(path).take([9; 32]).unwrap();
    }
}

#[test]
fn a_store_without_its_key_is_said_and_kept() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path();
    home(path);
    fs::remove_file(path.join(KEY)).unwrap();
    let stored = fs::read(path.join(STORE)).unwrap();
    for place in [Directory::new(path), Directory::new(path).existing()] {
        let said = refused(place);
        assert!(said.contains("device.key is missing"), "{said}");
    }
    assert!(matches!(Directory::new(path).device(), Err(OpenError::KeyMissing { .. })));
    assert_eq!(names(path), [STORE, LOCK]);
    let taken = Directory::new(path).anew().take([9; 32]).unwrap();
    assert_eq!(*taken.key.seed(), [9; 32]);
    assert!(Store::is_blank(&path.join(STORE)).unwrap());
    assert_eq!(fs::read(path.join("home.redb.of-another-key-1")).unwrap(), stored);
}

/// A first start that broke off at any step, and nothing is missing.
#[test]
fn a_first_start_that_was_broken_off_goes_on() {
    let broken_off: [fn(&Path); 4] = [
        |_| {},
        |path| fs::write(path.join("home.redb.new"), b"half").unwrap(),
        |path| Store::make_file(&path.join(STORE)).unwrap(),
        |path| {
            Store::make_file(&path.join(STORE)).unwrap();
            fs::write(path.join("device.key.new"), b"half").unwrap();
        },
    ];
    for state in broken_off {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        state(path);
        assert!(matches!(Directory::new(path).device(), Err(OpenError::NoHome { .. })));
        let taken = Directory::new(path).take([7; 32]).unwrap();
        assert_eq!(*taken.key.seed(), [7; 32]);
        assert_eq!(names(path), [KEY, STORE, LOCK]);
    }
}

/// The steps are in that order: when the key can't be made, there is a store already.
#[test]
fn the_store_is_there_before_the_key() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path();
    fs::create_dir(path.join("device.key.new")).unwrap();
    let said = refused(Directory::new(path));
    assert!(said.contains("device.key"), "{said}");
    assert!(Store::is_blank(&path.join(STORE)).unwrap());
    fs::remove_dir(path.join("device.key.new")).unwrap();
    Directory::new(path).take([7; 32]).unwrap();
}

#[test]
fn nothing_is_made_where_a_home_must_be() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("mistyped");
    for directory in [path.clone(), scratch.path().to_owned()] {
        let said = refused(Directory::new(&directory).existing());
        assert_eq!(said, format!("there is no home in {}", directory.display()));
        let said = Directory::new(&directory).device().unwrap_err().to_string();
        assert_eq!(said, format!("there is no home in {}", directory.display()));
    }
    assert_eq!(names(scratch.path()), [""; 0]);
}

#[test]
fn a_home_that_is_held_is_looked_at() {
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path();
    let taken = Directory::new(path).take([7; 32]).unwrap();
    let _store = Store::open_file(&path.join(STORE)).unwrap();
    assert_eq!(Directory::new(path).device().unwrap(), taken.key.public());
    assert_eq!(
        CopyOf(Directory::new(path)).take([8; 32]).unwrap().key.public(),
        taken.key.public()
    );
    assert_eq!(names(path), [KEY, STORE, LOCK]);
}

#[cfg(unix)]
mod others {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_home_that_others_may_write_to_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("home");
        home(&path);
        for name in ["", KEY, STORE, LOCK] {
            let loose = if name.is_empty() { path.clone() } else { path.join(name) };
            let (sound, bytes) = (mode(&loose), fs::read(path.join(KEY)).unwrap());
            for others in [0o020, 0o002] {
                set_mode(&loose, sound | others);
                let said = refused(Directory::new(&path));
                let remedy = format!("chmod go-w {}", loose.display());
                assert!(said.contains(&remedy), "{name}: {said}");
                if name != LOCK {
                    let said = Directory::new(&path).device().unwrap_err().to_string();
                    assert!(said.contains(&remedy), "{name}: {said}");
                }
            }
            set_mode(&loose, sound);
            assert_eq!(fs::read(path.join(KEY)).unwrap(), bytes);
        }
        Directory::new(&path).take([9; 32]).unwrap();
    }

    #[test]
    fn a_prepared_directory_is_no_home_whoever_makes_the_key() {
        let scratch = tempfile::tempdir().unwrap();
        set_mode(scratch.path(), 0o777);
        let said = refused(Directory::new(scratch.path()));
        assert!(said.contains("others may write"), "{said}");
        assert_eq!(names(scratch.path()), [""; 0]);
    }

    #[test]
    fn a_file_that_others_may_read_is_its_owners_again() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path();
        home(path);
        for name in [KEY, STORE, LOCK] {
            set_mode(&path.join(name), 0o644);
        }
        Directory::new(path).device().unwrap();
        assert_eq!(mode(&path.join(KEY)), 0o644, "whoever looks changes nothing");
        Directory::new(path).take([9; 32]).unwrap();
        for name in [KEY, STORE, LOCK] {
            assert_eq!(mode(&path.join(name)), 0o600, "{name}");
        }
    }

    #[test]
    fn no_file_of_a_home_is_a_link() {
        for name in [KEY, STORE, LOCK] {
            let scratch = tempfile::tempdir().unwrap();
            let path = scratch.path().join("home");
            home(&path);
            let target = scratch.path().join("target");
            fs::rename(path.join(name), &target).unwrap();
            let bytes = fs::read(&target).unwrap();
            symlink(&target, path.join(name)).unwrap();
            let said = refused(Directory::new(&path));
            assert!(said.contains(name) && said.contains("no file"), "{said}");
            assert_eq!(fs::read(&target).unwrap(), bytes);
        }
    }

    #[test]
    fn what_lies_where_the_first_start_writes_is_not_written_through() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("home");
        fs::create_dir(&path).unwrap();
        set_mode(&path, 0o700);
        let target = scratch.path().join("target");
        fs::write(&target, b"mine").unwrap();
        for name in ["home.redb.new", "device.key.new"] {
            symlink(&target, path.join(name)).unwrap();
        }
        Directory::new(&path).take([7; 32]).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"mine");
    }

    /// Only root can make that: a directory of another user.
    #[test]
    fn a_home_of_another_user_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let path = scratch.path().join("home");
        home(&path);
        for name in ["", KEY, STORE, LOCK] {
            let file = if name.is_empty() { path.clone() } else { path.join(name) };
            match std::os::unix::fs::lchown(&file, Some(65_534), None) {
                Ok(()) => {}
                Err(_) => return,
            }
            let said = refused(Directory::new(&path));
            assert!(said.contains("belongs to another user (65534)"), "{said}");
            std::os::unix::fs::lchown(&file, Some(0), None).unwrap();
        }
    }
}
