//! Whatever an edit is written as here, every other document lets in, change by change: with texts and
//! values around and above each limit.

use std::{
    collections::BTreeMap,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering},
    },
};

use ahp_types::state::ChatInputAnswerValue;
use proptest::{prelude::*, test_runner::Config};
use rejoinder_answers::{Document, Edit, limits};
use serde_json::json;

use crate::desk::*;

/// Something that one of two people does, or hears.
#[derive(Debug, Clone)]
enum Event {
    /// Of a text as it stands: characters go, and others come. `less` of them than go, where it is
    /// not free.
    Type {
        at: usize,
        delete: usize,
        less: isize,
        character: char,
    },
    Whole {
        length: usize,
        submit: bool,
    },
    SubmitDraft,
    Own {
        count: usize,
        length: usize,
        how: u8,
    },
    Clear,
    Hear,
    /// Looks: the next edits are made on what is shown now.
    Look,
}

fn around(limit: usize) -> impl Strategy<Value = usize> {
    prop_oneof![Just(limit - 1), Just(limit), Just(limit + 1), Just(2 * limit)]
}

fn event() -> impl Strategy<Value = Event> {
    let delete = prop_oneof![
        Just(0),
        Just(1),
        Just(5),
        around(limits::OPERATIONS / 2),
        around(limits::OPERATIONS),
        Just(3_000),
        Just(7_000)
    ];
    let less = prop_oneof![-1..6isize, Just(1_000), Just(-20), Just(-1_500)];
    let character = prop_oneof![3 => Just('y'), 1 => Just('é'), 1 => Just('😀')];
    prop_oneof![
        10 => (0..40_000usize, delete, less, character).prop_map(|(at, delete, less, character)| {
            Event::Type { at, delete, less, character }
        }),
        1 => (around(limits::TEXT), any::<bool>())
            .prop_map(|(length, submit)| Event::Whole { length, submit }),
        1 => Just(Event::SubmitDraft),
        3 => (
            prop_oneof![around(limits::FREEFORM_VALUES), Just(1), Just(11), Just(12)],
            prop_oneof![around(limits::FREEFORM_VALUE), Just(700), Just(765)],
            0..4u8,
        )
            .prop_map(|(count, length, how)| Event::Own { count, length, how }),
        1 => Just(Event::Clear),
        3 => Just(Event::Hear),
        2 => Just(Event::Look),
    ]
}

/// An edit for what its author sees.
fn edit(author: &Peer, event: &Event) -> Edit {
    match *event {
        Event::Type { at, delete, less, character } => {
            let shown =
                author.answer("notes")["value"]["value"].as_str().unwrap_or("").chars().count();
            let at = at.min(shown);
            let delete = delete.min(shown - at);
            let insert = delete.saturating_add_signed(-less);
            typing("notes", at, delete, &character.to_string().repeat(insert))
        }
        Event::Whole { length, submit: true } => submit("notes", text(&"w".repeat(length))),
        Event::Whole { length, submit: false } => draft("notes", text(&"w".repeat(length))),
        Event::SubmitDraft => submit_draft("notes"),
        Event::Own { count, length, how } => {
            let own = vec!["x".repeat(length); count];
            let chosen = |value: serde_json::Value, kind| -> ChatInputAnswerValue {
                value_of(json!({ "kind": kind, "value": value, "freeformValues": own }))
            };
            match how {
                0 => draft("env", chosen(json!("prod"), "selected")),
                1 => submit("env", chosen(json!(""), "selected")),
                2 => submit("checks", chosen(json!(["unit", "docs"]), "selected-many")),
                _ => Edit::Skip { question: id("sure"), freeform: own },
            }
        }
        Event::Clear => clear("notes"),
        Event::Hear | Event::Look => unreachable!("it is no edit"),
    }
}

fn value_of(json: serde_json::Value) -> ChatInputAnswerValue {
    value(json)
}

/// Two people, and one who only hears, after the two have written 20 kB each while apart; the request
/// came with a text that is as long as one may be for the first of the two sets.
static BEGINNINGS: LazyLock<[[Peer; 3]; 2]> = LazyLock::new(|| {
    let form = form(every_kind());
    let seed = answer(json!({ "state": "draft",
        "value": { "kind": "text", "value": "s".repeat(limits::TEXT) } }));
    let answers = BTreeMap::from([(id("notes"), seed)]);
    let skeleton = Document::new(DOCUMENT).skeleton(&form, &answers).unwrap();
    let mut seeded = peers(&form);
    for peer in &mut seeded {
        peer.document = Document::new(DOCUMENT);
        peer.document.admit_skeleton(&skeleton, HOST).unwrap();
    }
    let mut apart: [Peer; 3] = peers(&form);
    let [ana, ben, cleo] = &mut apart;
    ana.edit(typing("notes", 0, 0, &"a".repeat(20_000)));
    ben.edit(typing("notes", 0, 0, &"b".repeat(20_000)));
    exchange(&mut [ana, ben, cleo]);
    [seeded, apart]
});

static WRITTEN: AtomicU32 = AtomicU32::new(0);

#[test]
fn whatever_an_edit_writes_is_let_in_elsewhere() {
    // Each event by one of two; edits by what is shown, or on what was seen before.
    let event = (0..2usize, any::<bool>(), event());
    let history = (0..2usize, prop::collection::vec(event, 1..10));
    let config = Config { cases: 24, ..Config::with_source_file("tests/suite/admitted.rs") };
    proptest!(config, |((beginning, events) in history)| {
        let mut peers = BEGINNINGS[beginning].clone();
        let mut seen = [peers[0].document.version(), peers[1].document.version()];
        for (place, on_seen, event) in &events {
            let [ana, ben, cleo] = &mut peers;
            let (author, other) = if *place == 0 { (ana, ben) } else { (ben, ana) };
            match event {
                // The other's changes may stand on this one's, which this one has.
                Event::Hear => {
                    author.take(other);
                    continue;
                }
                Event::Look => {
                    seen[*place] = author.document.version();
                    continue;
                }
                Event::Type { .. }
                | Event::Whole { .. }
                | Event::SubmitDraft
                | Event::Own { .. }
                | Event::Clear => {}
            }
            let edit = edit(author, event);
            let written = match on_seen {
                true => author.try_edit_on(&seen[*place], &edit),
                false => author.try_edit(&edit),
            };
            for written in written.unwrap_or_default() {
                let admitted = cleo.receive(author, &written.change);
                prop_assert!(admitted.is_ok(), "{event:?}: {admitted:?}");
                WRITTEN.fetch_add(1, Ordering::Relaxed);
            }
        }
        let [ana, ben, cleo] = &mut peers;
        ana.take(ben);
        prop_assert_eq!(ana.projection(), cleo.projection());
    });
    assert!(WRITTEN.load(Ordering::Relaxed) > 24, "most edits were refused: nothing was asked");
}
