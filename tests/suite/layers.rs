//! The arrows between our crates, and the things that the pure ones must not know.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The crates of ours that each crate may use. An arrow that is not here is a change of the
/// architecture: draw it in ARCHITECTURE.md first.
const ARROWS: &[(&str, &[&str])] = &[
    ("rejoinder-identity", &[]),
    ("rejoinder-schema", &[]),
    ("rejoinder-answers", &["rejoinder-identity", "rejoinder-schema"]),
    ("rejoinder-finalizer", &["rejoinder-identity"]),
    ("rejoinder-sync", &["rejoinder-identity"]),
    (
        "rejoinder-replica",
        &["rejoinder-answers", "rejoinder-finalizer", "rejoinder-identity", "rejoinder-sync"],
    ),
    // It knows only H of identity, by which it tells a row from the remains of one.
    ("rejoinder-storage", &["rejoinder-identity", "rejoinder-replica"]),
    ("rejoinder-quic", &["rejoinder-identity"]),
    (
        "rejoinder",
        &["rejoinder-identity", "rejoinder-quic", "rejoinder-replica", "rejoinder-storage"],
    ),
    // It runs the public API, and looks at the disks below it.
    (
        "rejoinder-sim",
        &["rejoinder", "rejoinder-identity", "rejoinder-replica", "rejoinder-storage"],
    ),
    ("rejoinder-mcp", &["rejoinder-identity", "rejoinder-schema"]),
    ("rejoinder-cli", &["rejoinder", "rejoinder-mcp"]),
    // Programs that use the public API as anybody would.
    ("rejoinder-examples", &["rejoinder", "rejoinder-sim"]),
];

const PURE: &[&str] = &[
    "rejoinder-identity",
    "rejoinder-schema",
    "rejoinder-answers",
    "rejoinder-finalizer",
    "rejoinder-sync",
    "rejoinder-replica",
];

/// Libraries, each with the only crates that may know it.
const KEEPERS: &[(&str, &[&str])] = &[
    ("automerge", &["rejoinder-answers"]),
    ("fancy-regex", &["rejoinder-schema"]),
    ("ahp", &["rejoinder-finalizer"]),
    ("redb", &["rejoinder-storage", "rejoinder", "rejoinder-sim"]),
    ("rustls", &["rejoinder-quic", "rejoinder", "rejoinder-sim"]),
    ("quinn", &["rejoinder-quic", "rejoinder", "rejoinder-sim"]),
];

/// The words that a pure crate must not contain outside its tests, and their replacements.
const IMPURE: &[(&str, &str)] = &[
    ("tokio", "the shell is the one that waits"),
    ("std::time::Instant", "time is an input: Timestamp"),
    ("SystemTime", "time is an input: Timestamp"),
    ("HashMap", "its order is random: BTreeMap"),
    ("HashSet", "its order is random: BTreeSet"),
    ("std::fs", "the disk is an output: Store, Load"),
    ("std::net::UdpSocket", "the network is an output: Send"),
    ("std::thread", "the shell owns threads"),
    ("static mut", "no global state"),
    ("AtomicU", "no global counters"),
    ("OnceLock", "no global state"),
    ("ActorId::random", "an actor is derived from the incarnation"),
];

#[test]
fn arrows_point_down_only() {
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ARROWS.iter().map(|(from, to)| (*from, to.iter().copied().collect())).collect();
    let mut seen = BTreeSet::new();
    for (package, dependencies) in normal_dependencies() {
        let Some(allowed) = allowed.get(package.as_str()) else {
            assert_eq!(package, "rejoinder-tests", "{package} is not on the map: add it to ARROWS");
            continue;
        };
        seen.insert(package.clone());
        for dependency in dependencies.iter().filter(|name| name.starts_with("rejoinder")) {
            assert!(
                allowed.contains(dependency.as_str()),
                "{package} must not know {dependency}: there is no such arrow"
            );
        }
    }
    let drawn: BTreeSet<_> = ARROWS.iter().map(|(from, _)| (*from).to_owned()).collect();
    assert_eq!(seen, drawn, "the map and the workspace differ");
}

#[test]
fn each_library_has_its_keepers() {
    for (package, dependencies) in normal_dependencies() {
        for (library, keepers) in KEEPERS {
            let allowed = keepers.contains(&package.as_str()) || package == "rejoinder-tests";
            assert!(
                allowed || !dependencies.contains(*library),
                "{package} must not know {library}: that is for {keepers:?}"
            );
        }
    }
}

#[test]
fn pure_crates_know_no_clock_no_disk_no_random_order() {
    for package in PURE {
        let dependencies = &normal_dependencies()[*package];
        for impure in ["tokio", "quinn", "redb", "getrandom", "rand"] {
            assert!(!dependencies.contains(impure), "{package} must not depend on {impure}");
        }
        let sources = rust_files(&root().join("crates").join(package).join("src"));
        assert!(!sources.is_empty(), "{package} has no sources");
        for file in sources {
            let text = fs::read_to_string(&file).unwrap();
            // Tests come last in a file.
            let code = text.split("#[cfg(test)]").next().unwrap();
            for (number, line) in code.lines().enumerate() {
                if line.trim_start().starts_with("//") {
                    continue;
                }
                for (impure, instead) in IMPURE {
                    assert!(
                        !line.contains(impure),
                        "{}:{}: {impure}: {instead}",
                        file.display(),
                        number + 1
                    );
                }
            }
        }
    }
}

#[test]
fn every_select_is_biased() {
    // Tokio's unbiased `select!` draws from a generator that no seed reaches.
    for file in rust_files(&root().join("crates")) {
        let text = fs::read_to_string(&file).unwrap();
        for (place, _) in text.match_indices("select! {") {
            let rest = text[place + "select! {".len()..].trim_start();
            assert!(rest.starts_with("biased;"), "{}: select! without biased;", file.display());
        }
    }
}

fn normal_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo metadata");
    let of = |package: &cargo_metadata::Package| {
        package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.clone())
            .collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), of(package))).collect()
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(crate) fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
