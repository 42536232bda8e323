//! The changes in `tests/fixtures/hostile-changes`: each `admit` goes in, each `refuse` does not,
//! none panics and none hangs. Their actors are not H(…), so this is the layer below that question.

use std::{fs, path::PathBuf};

use automerge::Automerge;
use rejoinder_identity::{ActorId, DocumentId, PeerId};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{
    AdmissionError, NotAdmitted,
    automerge_names::heads,
    document::Document,
    limits,
    parse::{Parsed, Size},
};

/// The fixture was made for a mark of up to 64,000 bytes; ours hold an answer of 48 KiB.
const LARGER_THAN_OURS: &str = "ok-submit-62k.change";

#[derive(Deserialize)]
struct Case {
    file: String,
    expect: String,
    why: String,
    size: usize,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hostile-changes")
}

fn cases() -> Vec<Case> {
    serde_json::from_slice(&fs::read(folder().join("manifest.json")).unwrap()).unwrap()
}

fn fixture_actor(name: &str) -> ActorId {
    let hash = Sha256::digest(format!("rejoinder fixture device: {name}"));
    ActorId(hash[..16].try_into().unwrap())
}

/// The base document, built change by change.
fn base() -> Document {
    let saved = Automerge::load(&fs::read(folder().join("base.automerge")).unwrap()).unwrap();
    let mut document = Document::new(DocumentId([1; 32]));
    for change in saved.get_changes(&[]) {
        let bytes = change.raw_bytes();
        let parsed = Parsed::read(bytes, Size::SKELETON).unwrap();
        if parsed.actor() == fixture_actor("host") {
            document.admit_structure(PeerId([0; 32]), &parsed, bytes).unwrap();
        } else {
            document.admit_parsed(PeerId([1; 32]), &parsed, bytes).unwrap();
        }
    }
    assert_eq!(document.automerge.get_heads(), saved.get_heads());
    document
}

fn admit(document: &mut Document, bytes: &[u8]) -> Result<(), NotAdmitted> {
    let parsed = Parsed::read(bytes, Size::EDIT)?;
    document.admit_parsed(PeerId([2; 32]), &parsed, bytes).map(|_| ())
}

#[test]
fn every_change_of_the_manifest() {
    let base = base();
    let mut outcomes = Vec::new();
    let mut wrong = Vec::new();
    for case in cases() {
        let bytes = fs::read(folder().join(&case.file)).unwrap();
        assert_eq!(bytes.len(), case.size, "{}", case.file);
        let mut document = base.clone();
        let outcome = admit(&mut document, &bytes);
        let expect_admit = case.expect == "admit" && case.file != LARGER_THAN_OURS;
        if outcome.is_ok() != expect_admit {
            wrong.push(format!("{}: {outcome:?} ({})", case.file, case.why));
        }
        if outcome.is_err() {
            assert_eq!(document.automerge.get_heads(), base.automerge.get_heads());
            assert_eq!(document.version_vector(), base.version_vector());
        }
        outcomes.push(format!("{:40} {outcome:?}", case.file));
    }
    println!("{}", outcomes.join("\n"));
    assert!(outcomes.len() > 180, "the manifest is whole");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_good_ones_commute() {
    let mut files: Vec<String> = cases()
        .into_iter()
        .filter(|case| case.expect == "admit" && case.file != LARGER_THAN_OURS)
        .map(|case| case.file)
        .collect();
    let take_all = |files: &[String]| {
        let mut document = base();
        for file in files {
            admit(&mut document, &fs::read(folder().join(file)).unwrap()).unwrap();
        }
        let saved = document.automerge.save();
        assert_eq!(Automerge::load(&saved).unwrap().get_heads(), document.automerge.get_heads());
        document.automerge.get_heads()
    };
    let forward = take_all(&files);
    files.reverse();
    assert_eq!(take_all(&files), forward);
    files.sort_by_key(|file| Sha256::digest(file).to_vec());
    assert_eq!(take_all(&files), forward);
}

#[test]
fn a_mark_larger_than_an_answer_is_refused_for_that() {
    let bytes = fs::read(folder().join(LARGER_THAN_OURS)).unwrap();
    let outcome = admit(&mut base(), &bytes);
    assert!(matches!(
        outcome,
        Err(NotAdmitted::Refused(AdmissionError::TooLarge { limit: limits::MARK, .. }))
    ));
}

#[test]
fn orphans_wait_and_forks_are_named() {
    let base = base();
    let outcome =
        |file: &str| admit(&mut base.clone(), &fs::read(folder().join(file)).unwrap()).unwrap_err();
    assert!(
        matches!(outcome("deps-unknown.change"), NotAdmitted::Missing(deps) if deps.len() == 1)
    );
    assert!(
        matches!(outcome("deps-one-unknown.change"), NotAdmitted::Missing(deps) if deps.len() == 1)
    );
    for file in ["seq-reuse.change", "seq-reuse-first.change"] {
        assert!(matches!(outcome(file), NotAdmitted::Fork { .. }), "{file}");
    }
}

#[test]
fn the_graph_knows_the_past_as_automerge_does() {
    let document = base();
    for change in document.automerge.get_changes(&[]) {
        let deps: Vec<_> =
            change.deps().iter().map(|dep| rejoinder_identity::ChangeHash(dep.0)).collect();
        let past = document.graph.past(&deps).count();
        let fork = document.automerge.fork_at(&heads(&deps)).unwrap();
        assert_eq!(past, fork.get_changes(&[]).len());
    }
}
