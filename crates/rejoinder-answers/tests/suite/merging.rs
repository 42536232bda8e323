//! Several people who did not see each other's edits.

use rejoinder_identity::PeerId;
use serde_json::{Value, json};

use crate::desk::*;

fn submitted(value: Value) -> Value {
    json!({ "state": "submitted", "value": value })
}

fn drafted(value: Value) -> Value {
    json!({ "state": "draft", "value": value })
}

fn text_value(text: &str) -> Value {
    json!({ "kind": "text", "value": text })
}

fn number_value(number: i64) -> Value {
    json!({ "kind": "number", "value": number })
}

/// Two people at once, then everything to both.
fn at_once(
    before: impl FnOnce(&mut Peer),
    ana: impl FnOnce(&mut Peer),
    ben: impl FnOnce(&mut Peer),
) -> [Peer; 2] {
    let [mut first, mut second] = peers(&form(every_kind()));
    before(&mut first);
    second.take(&first);
    ana(&mut first);
    ben(&mut second);
    exchange(&mut [&mut first, &mut second]);
    [first, second]
}

fn sorted(mut peers: Vec<PeerId>) -> Vec<PeerId> {
    peers.sort_unstable();
    peers
}

#[test]
fn two_who_type_into_the_same_text_are_both_in_it() {
    let [ana, ben] = at_once(
        |ana| {
            ana.edit(draft("notes", text("one two")));
        },
        |ana| {
            ana.edit(typing("notes", 0, 0, "zero "));
        },
        |ben| {
            ben.edit(typing("notes", 7, 0, " three"));
        },
    );
    assert_eq!(ana.answer("notes"), drafted(text_value("zero one two three")));
    assert_eq!(ana.authors("notes"), sorted(vec![ana.device, ben.device]));
    assert_eq!(ana.conflicts("notes"), []);
}

#[test]
fn toggles_of_different_options_are_all_there() {
    let [ana, _] = at_once(
        |_| (),
        |ana| {
            ana.edit(toggle("checks", "unit", true));
        },
        |ben| {
            ben.edit(toggle("checks", "docs", true));
        },
    );
    assert_eq!(ana.answer("checks")["value"]["value"], json!(["unit", "docs"]));
    assert_eq!(ana.conflicts("checks"), []);
}

#[test]
fn of_one_option_ticked_wins_and_it_is_a_conflict() {
    let [ana, ben] = at_once(
        |ana| {
            ana.edit(draft("checks", many(&["unit", "docs"])));
        },
        |ana| {
            ana.edit(toggle("checks", "unit", false)).edit(toggle("checks", "unit", true));
        },
        |ben| {
            ben.edit(toggle("checks", "unit", false));
        },
    );
    assert_eq!(ana.answer("checks")["value"]["value"], json!(["unit", "docs"]));
    let without = drafted(json!({ "kind": "selected-many", "value": ["docs"] }));
    assert_eq!(ana.conflicts("checks"), [(without, vec![ben.device])]);
}

#[test]
fn two_submits_are_one_answer_and_a_conflict_with_both_authors() {
    let [mut ana, ben] = at_once(
        |_| (),
        |ana| {
            ana.edit(submit("env", chosen("prod")));
        },
        |ben| {
            ben.edit(submit("env", chosen("staging")));
        },
    );
    let conflicts = ana.conflicts("env");
    let mut both: Vec<(Value, Vec<PeerId>)> =
        vec![(ana.answer("env"), ana.authors("env")), conflicts[0].clone()];
    both.sort_by_key(|(_, authors)| authors.clone());
    let value = |id| submitted(json!({ "kind": "selected", "value": id }));
    assert_eq!(both, [(value("prod"), vec![ana.device]), (value("staging"), vec![ben.device])]);
    assert_eq!(conflicts.len(), 1);
    // Who sees both resolves it by saying one of them.
    ana.edit(submit_draft("env"));
    assert_eq!(ana.conflicts("env"), []);
}

#[test]
fn equal_submits_are_one_answer_with_both_authors() {
    let [ana, ben] = at_once(
        |_| (),
        |ana| {
            ana.edit(submit("checks", many(&["docs", "unit"])));
        },
        |ben| {
            ben.edit(submit("checks", many(&["unit", "docs", "unit"])));
        },
    );
    assert_eq!(ana.authors("checks"), sorted(vec![ana.device, ben.device]));
    assert_eq!(ana.conflicts("checks"), []);
}

#[test]
fn nothing_displaces_a_submitted_answer() {
    type Weaker = (&'static str, fn(&mut Peer), Option<Value>);
    let edits: [Weaker; 3] = [
        (
            "draft",
            |ben| {
                ben.edit(draft("retries", number(5.0)));
            },
            Some(drafted(number_value(5))),
        ),
        (
            "skip",
            |ben| {
                ben.edit(skip("retries"));
            },
            Some(json!({ "state": "skipped" })),
        ),
        (
            "clear",
            |ben| {
                ben.edit(clear("retries"));
            },
            None,
        ),
    ];
    for (what, ben, conflict) in edits {
        let [ana, ben] = at_once(
            |ana| {
                ana.edit(draft("retries", number(1.0)));
            },
            |ana| {
                ana.edit(submit("retries", number(3.0)));
            },
            // Further edits don't make it stronger.
            |peer| (0..5).for_each(|_| ben(peer)),
        );
        assert_eq!(ana.answer("retries"), submitted(number_value(3)), "{what}");
        assert_eq!(ana.authors("retries"), [ana.device]);
        let expected: Vec<_> =
            conflict.into_iter().map(|conflict| (conflict, vec![ben.device])).collect();
        assert_eq!(ana.conflicts("retries"), expected, "{what}");
    }
}

#[test]
fn a_draft_beside_a_submitted_text_is_shown_as_the_text_stands() {
    let [ana, ben] = at_once(
        |ana| {
            ana.edit(draft("notes", text("plan")));
        },
        |ana| {
            ana.edit(submit("notes", text("plan A")));
        },
        |ben| {
            ben.edit(typing("notes", 0, 0, "my "));
        },
    );
    assert_eq!(ana.answer("notes"), submitted(text_value("plan A")));
    assert_eq!(ana.conflicts("notes"), [(drafted(text_value("my plan A")), vec![ben.device])]);
}

#[test]
fn a_skip_is_stronger_than_a_draft() {
    let [ana, ben] = at_once(
        |_| (),
        |ana| {
            ana.edit(skip("sure"));
        },
        |ben| {
            let yes = json!({ "kind": "boolean", "value": true });
            ben.edit(draft("sure", value(yes)));
        },
    );
    assert_eq!(ana.answer("sure"), json!({ "state": "skipped" }));
    let draft = drafted(json!({ "kind": "boolean", "value": true }));
    assert_eq!(ana.conflicts("sure"), [(draft, vec![ben.device])]);
}

#[test]
fn what_is_written_while_another_clears_survives() {
    let [ana, ben] = at_once(
        |ana| {
            ana.edit(draft("notes", text("old"))).edit(draft("retries", number(1.0)));
            ana.edit(draft("checks", many(&["unit"])));
        },
        |ana| {
            ana.edit(clear("notes")).edit(clear("retries")).edit(clear("checks"));
        },
        |ben| {
            ben.edit(typing("notes", 3, 0, " new")).edit(draft("retries", number(2.0)));
            ben.edit(toggle("checks", "docs", true));
        },
    );
    assert_eq!(ana.answer("notes"), drafted(text_value(" new")));
    assert_eq!(ana.answer("retries"), drafted(number_value(2)));
    assert_eq!(ana.answer("checks")["value"]["value"], json!(["docs"]));
    assert_eq!(ana.authors("retries"), [ben.device]);
}

#[test]
fn drafts_of_different_values_are_both_shown() {
    let [ana, ben] = at_once(
        |_| (),
        |ana| {
            ana.edit(draft("retries", number(1.0)));
        },
        |ben| {
            ben.edit(draft("retries", number(2.0)));
        },
    );
    let mut shown: Vec<(Value, Vec<PeerId>)> = ana.conflicts("retries");
    shown.push((ana.answer("retries"), ana.authors("retries")));
    shown.sort_by_key(|(_, authors)| authors.clone());
    let expected = [
        (drafted(number_value(1)), vec![ana.device]),
        (drafted(number_value(2)), vec![ben.device]),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn text_of_ones_own_beside_another_option_is_there() {
    let own =
        |text: &str| value(json!({ "kind": "selected", "value": "", "freeformValues": [text] }));
    let [ana, _] = at_once(
        |_| (),
        |ana| {
            ana.edit(draft("env", own("mars")));
        },
        |ben| {
            ben.edit(draft("env", own("moon")));
        },
    );
    let all = format!("{} {:?}", ana.answer("env"), ana.conflicts("env"));
    assert!(all.contains("mars") && all.contains("moon"), "{all}");
    assert_eq!(ana.conflicts("env").len(), 1);
}

/// Found by the histories: Automerge drops a put of what is there, so ana's second edit was no
/// match for ben's and vanished.
#[test]
fn what_is_said_again_stands_against_what_another_says_meanwhile() {
    let [ana, ben] = at_once(
        |ana| {
            ana.edit(draft("retries", number(1.0))).edit(toggle("checks", "unit", true));
        },
        |ana| {
            ana.edit(draft("retries", number(1.0))).edit(toggle("checks", "unit", true));
        },
        |ben| {
            ben.edit(draft("retries", number(2.0))).edit(toggle("checks", "unit", false));
        },
    );
    let mut shown = ana.conflicts("retries");
    shown.push((ana.answer("retries"), ana.authors("retries")));
    shown.sort_by_key(|(_, authors)| authors.clone());
    let expected = [
        (drafted(number_value(1)), vec![ana.device]),
        (drafted(number_value(2)), vec![ben.device]),
    ];
    assert_eq!(shown, expected);
    assert_eq!(ana.answer("checks")["value"]["value"], json!(["unit"]));
    assert_eq!(ana.conflicts("checks").len(), 1);
}

#[test]
fn a_take_back_by_someone_who_saw_it_holds() {
    let [ana, _] = at_once(
        |ana| {
            ana.edit(submit("retries", number(3.0)));
        },
        |_| (),
        |ben| {
            ben.edit(draft("retries", number(4.0)));
        },
    );
    assert_eq!(ana.answer("retries"), drafted(number_value(4)));
    assert_eq!(ana.conflicts("retries"), []);
}

#[test]
fn more_heads_than_a_change_may_name_are_joined_first() {
    const MANY: usize = 150;
    let everyone: Box<[Peer; MANY]> = Box::new(peers(&form(every_kind())));
    let mut everyone = everyone.to_vec();
    for peer in &mut everyone {
        peer.edit(draft("retries", number(f64::from(peer.device.0[0] % 10))));
    }
    let mut reader = everyone[0].clone();
    let mut other = everyone[1].clone();
    for peer in &everyone {
        reader.take(peer);
        other.take(peer);
    }
    let written = reader.try_edit(&submit("retries", number(3.0))).unwrap();
    assert!(written.len() > 1);
    other.take(&reader);
    for peer in [&reader, &other] {
        assert_eq!(peer.answer("retries"), submitted(number_value(3)));
        assert_eq!(peer.conflicts("retries"), []);
    }
    let next = other.try_edit(&draft("retries", number(4.0))).unwrap();
    assert_eq!(next.len(), 1);
}
