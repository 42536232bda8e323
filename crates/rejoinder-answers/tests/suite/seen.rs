//! Edits by people who see an older version than is there: beside what came since, not over it.

use proptest::prelude::*;
use rejoinder_answers::Version;
use serde_json::json;

use crate::desk::{Peer, chosen, draft, every_kind, form, id, peers, submit, text};

fn notes(peer: &Peer) -> String {
    let draft = peer.document.draft(&peer.form, &id("notes")).unwrap();
    serde_json::to_value(draft).unwrap()["value"].as_str().unwrap().to_owned()
}

#[test]
fn several_places_on_both_sides_merge_by_character() {
    let [mut ana, mut ben, mut reader] = peers(&form(every_kind()));
    ana.edit(draft("notes", text("0123456789")));
    ben.take(&ana).edit(draft("notes", text("01234C5678D9")));
    let seen = ana.document.version();
    ana.take(&ben);
    assert_eq!(notes(&ana), "01234C5678D9");
    ana.try_edit_on(&seen, &draft("notes", text("01A234567B89"))).unwrap();
    assert_eq!(notes(&ana), "01A234C567B8D9");
    assert_eq!(notes(reader.take(&ana).take(&ben).take(&ana)), "01A234C567B8D9");
}

#[test]
fn what_was_not_seen_is_not_taken_back() {
    let [mut ana, mut ben] = peers(&form(every_kind()));
    let seen = ana.document.version();
    ben.edit(submit("env", chosen("prod")));
    ana.take(&ben);
    ana.try_edit_on(&seen, &draft("env", chosen("staging"))).unwrap();
    let shown = ana.document.projection(&ana.form);
    let submitted = json!({"state": "submitted", "value": {"kind": "selected", "value": "prod"}});
    let answer = rejoinder_answers::answer_to_json(&shown.answers[&id("env")].answer);
    assert_eq!(answer, submitted, "she had not seen what Ben submitted");
    assert_eq!(shown.conflicts[&id("env")].len(), 1);
    let seen = ana.document.version();
    ana.try_edit_on(&seen, &draft("env", chosen("staging"))).unwrap();
    let shown = ana.document.projection(&ana.form);
    assert!(shown.conflicts.is_empty(), "now she had");
}

#[test]
fn two_windows_of_one_device() {
    let [mut ana] = peers(&form(every_kind()));
    ana.edit(draft("notes", text("one three")));
    let seen = ana.document.version();
    ana.try_edit_on(&seen, &draft("notes", text("zero one three"))).unwrap();
    ana.try_edit_on(&seen, &draft("notes", text("one two three"))).unwrap();
    assert_eq!(notes(&ana), "zero one two three");
}

#[test]
fn a_paste_of_several_changes_stands_beside_what_came() {
    let [mut ana, mut ben, mut reader] = peers(&form(every_kind()));
    let seen = Version::default();
    ben.edit(draft("notes", text("Ben")));
    ana.take(&ben);
    let long = "x".repeat(5_000);
    let written = ana.try_edit_on(&seen, &draft("notes", text(&long))).unwrap();
    assert!(written.len() > 2, "as one change it would be too large");
    assert_eq!(notes(&ana).len(), 5_003);
    assert!(notes(&ana).contains("Ben") && notes(&ana).contains(&long));
    reader.take(&ben).take(&ana);
    assert_eq!(notes(&reader), notes(&ana));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn many_places_on_both_sides(
        mine in prop::collection::btree_set(0usize..13, 0..8),
        theirs in prop::collection::btree_set(0usize..13, 0..8),
    ) {
        let [mut ana, mut ben] = peers(&form(every_kind()));
        let base = "abcdefghijkl";
        // At each place a character that is nowhere else.
        let with = |places: &std::collections::BTreeSet<usize>, first: u8| -> String {
            let mut made = String::new();
            for (at, character) in base.chars().map(Some).chain([None]).enumerate() {
                if places.contains(&at) {
                    made.push(char::from(first + u8::try_from(at).unwrap()));
                }
                made.extend(character);
            }
            made
        };
        ana.edit(draft("notes", text(base)));
        ben.take(&ana);
        let seen = ana.document.version();
        let (mine, theirs) = (with(&mine, b'A'), with(&theirs, b'0'));
        ben.edit(draft("notes", text(&theirs)));
        ana.take(&ben);
        ana.try_edit_on(&seen, &draft("notes", text(&mine))).unwrap();
        let both = notes(&ana);
        for side in [&mine, &theirs] {
            let kept: String = both.chars().filter(|character| side.contains(*character)).collect();
            prop_assert_eq!(&kept, side);
        }
        let new = mine.len() + theirs.len() - base.len();
        prop_assert_eq!(both.len(), new);
        ben.take(&ana);
        prop_assert_eq!(notes(&ben), both);
    }
}
