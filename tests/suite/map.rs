//! The map, ARCHITECTURE.md, names files and words that exist, and no page has lines that are too
//! long to read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::layers::{root, rust_files};

/// The longest line of a page, except in tables and in the output of programs.
const COLUMNS: usize = 120;

/// The words before a name where it is defined.
const DEFINITIONS: &[&str] = &["struct ", "enum ", "trait ", "type ", "fn ", "macro_rules! "];

#[test]
fn what_the_map_names_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    assert_eq!(missing_files(&map), Vec::<String>::new());
    assert_eq!(missing_words(&map), Vec::<String>::new());
    assert!(words(&map).count() > 40, "the table of words was not found");
}

#[test]
fn a_wrong_name_on_the_map_is_found() {
    let map = "\
| `rejoinder-identity` | ids | `id.rs`, `nothing.rs` |\n\
An id is in `identity/id.rs`, or in `identity/none.rs`; see `docs/none.md` and `limits.rs`.\n\
| home | a directory | `Home` in `rejoinder` |\n\
| hovel | a directory | `Hovel` in `rejoinder` |\n\
| house | a directory | `Home` in `rejoinder-house` |\n";
    assert_eq!(missing_files(map), ["nothing.rs", "identity/none.rs", "docs/none.md"]);
    assert_eq!(missing_words(map), ["hovel", "house"]);
}

#[test]
fn no_page_has_a_line_that_is_too_long() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let mut in_code = false;
        for (number, line) in text.lines().enumerate() {
            in_code ^= line.starts_with("```");
            let length = line.chars().count();
            assert!(
                length <= COLUMNS || in_code || line.starts_with('|'),
                "{}:{}: {length} columns, at most {COLUMNS}",
                page.display(),
                number + 1
            );
        }
    }
}

fn pages() -> Vec<PathBuf> {
    [root(), root().join("docs")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// Returns the names between backticks that end like a file's but are not files.
fn missing_files(map: &str) -> Vec<String> {
    let mut missing = Vec::new();
    for line in map.lines() {
        let mut names = line.split('`').skip(1).step_by(2);
        // In a row of the table of crates, files are named relative to the crate.
        let own = line.strip_prefix("| `rejoinder").and_then(|_| names.next());
        for name in names.filter(|name| name.ends_with(".rs") || name.ends_with(".md")) {
            if !places(own, name).iter().any(|path| path.is_file()) {
                missing.push(name.to_owned());
            }
        }
    }
    missing
}

/// Returns the places of a file that the map names: `sync/log.rs` is
/// `crates/rejoinder-sync/src/log.rs`.
fn places(own: Option<&str>, name: &str) -> Vec<PathBuf> {
    let crates = root().join("crates");
    if let Some(own) = own {
        return vec![source(own).join(name)];
    }
    match name.split_once('/') {
        Some((part, rest)) => vec![
            root().join(name),
            source(&format!("rejoinder-{part}")).join(rest),
            source(part).join(rest),
        ],
        // "The `limits.rs` of the crate", or a page.
        None => fs::read_dir(crates)
            .unwrap()
            .map(|entry| entry.unwrap().path().join("src").join(name))
            .chain([root().join(name)])
            .collect(),
    }
}

/// Returns the words whose code is not where the map says.
fn missing_words(map: &str) -> Vec<String> {
    words(map)
        .filter(|(_, name, package)| !is_defined(name, &source(package)))
        .map(|(word, _, _)| word.to_owned())
        .collect()
}

/// Returns the rows that end in "`Name` in `crate`": word, name, crate.
fn words(map: &str) -> impl Iterator<Item = (&str, &str, &str)> {
    map.lines().filter_map(|line| {
        let [_, word, _, code, _] = *line.split('|').collect::<Vec<_>>() else { return None };
        let ["", name, "in", package, ""] =
            code.trim().split('`').map(str::trim).collect::<Vec<_>>()[..]
        else {
            return None;
        };
        Some((word.trim(), name, package))
    })
}

fn is_defined(name: &str, source: &Path) -> bool {
    source.is_dir()
        && rust_files(source).iter().any(|file| {
            let text = fs::read_to_string(file).unwrap();
            DEFINITIONS.iter().any(|word| {
                let definition = format!("{word}{name}");
                text.match_indices(&definition).any(|(at, _)| {
                    let next = text[at + definition.len()..].chars().next();
                    next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
                })
            }) || text.lines().any(|line| is_id(name, line.trim_start()))
        })
}

/// True if a line makes an id with that name by the macro of `identity/id.rs`:
/// `PeerId(32), "peer id";`
fn is_id(name: &str, line: &str) -> bool {
    let length = line.strip_prefix(name).and_then(|rest| rest.strip_prefix('('));
    length.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn source(package: &str) -> PathBuf {
    root().join("crates").join(package).join("src")
}
