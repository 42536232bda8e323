//! A normal build contains none of the known faults.

use std::{fs, path::Path};

#[test]
fn a_normal_build_has_no_mutants() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/simulation.md");
    let page = fs::read_to_string(page).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split(' ').next());
    let names: Vec<&str> = rows.filter(|name| name.starts_with("mutant-")).collect();
    assert!(names.len() >= 15, "{names:?}");

    // This program is built like the one that users get: the names would be in it.
    let program = fs::read(std::env::current_exe().unwrap()).unwrap();
    for name in names {
        let found = program.windows(name.len()).any(|bytes| bytes == name.as_bytes());
        assert!(!found, "{name} is in a normal build");
    }
}
