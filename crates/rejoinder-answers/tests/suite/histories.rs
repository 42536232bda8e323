//! Any history of two to four people, merged in any order. The seed of a failing one is printed by
//! proptest and kept.

use std::sync::{
    LazyLock,
    atomic::{AtomicU32, Ordering},
};

use proptest::{prelude::*, sample::Index, test_runner::Config};
use rejoinder_answers::{Edit, NotAdmitted, Written};
use rejoinder_identity::{PeerId, QuestionId};
use serde_json::{Value, json};

use crate::desk::*;

/// Something that happens.
#[derive(Debug, Clone)]
enum Event {
    Edit {
        peer: usize,
        what: Act,
        question: usize,
        pick: u8,
    },
    /// All of what one has reaches another.
    Reach {
        from: usize,
        to: usize,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Draft,
    Type,
    Toggle,
    Submit,
    SubmitDraft,
    Skip,
    Clear,
}

const QUESTIONS: [&str; 6] = ["notes", "ratio", "retries", "sure", "env", "checks"];

fn event() -> impl Strategy<Value = Event> {
    let act = prop_oneof![
        3 => Just(Act::Draft),
        3 => Just(Act::Type),
        3 => Just(Act::Toggle),
        2 => Just(Act::Submit),
        1 => Just(Act::SubmitDraft),
        1 => Just(Act::Skip),
        1 => Just(Act::Clear),
    ];
    prop_oneof![
        3 => (0..4usize, act, 0..QUESTIONS.len(), any::<u8>())
            .prop_map(|(peer, what, question, pick)| Event::Edit { peer, what, question, pick }),
        1 => (0..4usize, 0..4usize).prop_map(|(from, to)| Event::Reach { from, to }),
    ]
}

/// An edit that fits the question, its content from `pick`.
fn edit(what: Act, question: usize, pick: u8, length: usize) -> Edit {
    let question = QUESTIONS[question];
    let unique = format!("{}", char::from(b'a' + pick % 26));
    let given = match question {
        "notes" => text(&unique.repeat(1 + usize::from(pick % 3))),
        "ratio" => number(f64::from(pick % 8) / 8.0),
        "retries" => number(f64::from(pick % 9)),
        "sure" => value(json!({ "kind": "boolean", "value": pick.is_multiple_of(2) })),
        "env" if pick.is_multiple_of(3) => {
            value(json!({ "kind": "selected", "value": "", "freeformValues": [unique] }))
        }
        "env" => chosen(["prod", "staging"][usize::from(pick % 2)]),
        _ => {
            let ids: Vec<&str> = ["unit", "e2e", "docs"]
                .into_iter()
                .enumerate()
                .filter(|(bit, _)| pick >> bit & 1 == 1)
                .map(|(_, id)| id)
                .collect();
            many(&ids)
        }
    };
    match what {
        Act::Draft => draft(question, given),
        Act::Type => {
            let at = usize::from(pick) % (length + 1);
            typing("notes", at, usize::from(pick / 64).min(length - at), &unique)
        }
        Act::Toggle => {
            toggle("checks", ["unit", "e2e", "docs"][usize::from(pick % 3)], pick.is_multiple_of(2))
        }
        Act::Submit => submit(question, given),
        Act::SubmitDraft => submit_draft(question),
        Act::Skip => skip(question),
        Act::Clear => clear(question),
    }
}

/// An edit that was made, and what its author had seen by then.
#[derive(Debug, Clone)]
struct Made {
    peer: usize,
    edit: Edit,
    /// Its place in the author's list of changes, after it.
    place: usize,
    /// The number of changes of each peer that its author had.
    seen: Vec<usize>,
}

impl Made {
    fn saw(&self, other: &Made) -> bool {
        self.seen[other.peer] >= other.place
    }

    fn beside(&self, other: &Made) -> bool {
        self.edit.question() == other.edit.question()
            && self.peer != other.peer
            && !self.saw(other)
            && !other.saw(self)
    }
}

/// Before anything was written; made once, for it takes longer than most histories.
static EVERYONE: LazyLock<[Peer; 4]> = LazyLock::new(|| peers(&form(every_kind())));

struct History {
    peers: Vec<Peer>,
    made: Vec<Made>,
}

/// Plays the events. Each peer has a prefix of each other's changes, as they come in order.
fn play(count: usize, events: &[Event]) -> History {
    let mut peers = EVERYONE[..count].to_vec();
    let mut seen = vec![vec![0; count]; count];
    let mut made = Vec::new();
    for event in events {
        match event {
            Event::Edit { peer, what, question, pick } => {
                let peer = peer % count;
                let author = &mut peers[peer];
                let drafted = author.document.draft(&author.form, &id("notes"));
                let length = match drafted {
                    Some(ahp_types::state::ChatInputAnswerValue::Text(text)) => {
                        text.value.chars().count()
                    }
                    _ => 0,
                };
                let edit = edit(*what, *question, *pick, length);
                match author.try_edit(&edit) {
                    Ok(written) if written.is_empty() => continue,
                    Ok(_) => {}
                    // Nothing to submit, or not a valid draft.
                    Err(_) if *what == Act::SubmitDraft => continue,
                    Err(refused) => panic!("{edit:?}: {refused}"),
                }
                let place = author.written.len();
                seen[peer][peer] = place;
                made.push(Made { peer, edit, place, seen: seen[peer].clone() });
            }
            Event::Reach { from, to } => {
                let (from, to) = (from % count, to % count);
                let reaches = seen[from].clone();
                for (had, has) in seen[to].iter_mut().zip(reaches) {
                    *had = has.max(*had);
                }
                catch_up(&mut peers, to, &seen[to]);
            }
        }
    }
    History { peers, made }
}

/// Takes what it is said to have of each other's changes, causes first.
fn catch_up(peers: &mut [Peer], to: usize, seen: &[usize]) {
    let mut waiting: Vec<(usize, Written)> = Vec::new();
    for (source, author) in peers.iter().enumerate() {
        let new = author.written[..seen[source]]
            .iter()
            .filter(|written| !peers[to].document.contains(&written.hash));
        waiting.extend(new.map(|written| (source, written.clone())));
    }
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|(source, written)| {
            let (device, incarnation) = (peers[*source].device, peers[*source].incarnation());
            match peers[to].document.admit(device, incarnation, &written.change) {
                Ok(_) => false,
                Err(NotAdmitted::Missing(_)) => true,
                Err(refused) => panic!("{refused:?}"),
            }
        });
        assert!(waiting.len() < before, "what somebody has, its causes they have too");
    }
}

/// Everything into a fresh copy, in an order that `order` picks; what must wait comes later.
fn merged_in_some_order(peers: &[Peer], order: &[Index]) -> Peer {
    let mut reader = EVERYONE[0].clone();
    let mut waiting: Vec<(usize, Written)> = peers
        .iter()
        .enumerate()
        .flat_map(|(peer, author)| {
            author.written.iter().map(move |written| (peer, written.clone()))
        })
        .collect();
    let mut picks = order.iter().cycle();
    while !waiting.is_empty() {
        let pick = picks.next().map_or(0, |pick| pick.index(waiting.len()));
        let found = (0..waiting.len()).map(|offset| (pick + offset) % waiting.len()).find(|at| {
            let (peer, written) = &waiting[*at];
            match reader.receive(&peers[*peer], &written.change) {
                Ok(_) => true,
                Err(NotAdmitted::Missing(_)) => false,
                Err(refused) => panic!("{refused:?}"),
            }
        });
        waiting.remove(found.expect("something has all its causes"));
    }
    reader
}

fn strength(answer: &Value) -> u8 {
    match answer["state"].as_str() {
        Some("submitted") => 3,
        Some("skipped") => 2,
        Some("draft") => 1,
        _ => 0,
    }
}

/// No edit that nobody's later edit of the question has seen is missing from what is shown.
fn check_nothing_vanished(reader: &Peer, history: &History) -> Result<(), TestCaseError> {
    let projection = reader.document.projection(&reader.form).to_json();
    for question in QUESTIONS.map(id) {
        let of_it: Vec<&Made> =
            history.made.iter().filter(|made| *made.edit.question() == question).collect();
        let last: Vec<&&Made> = of_it
            .iter()
            .filter(|made| {
                !of_it.iter().any(|later| !std::ptr::eq(**made, *later) && later.saw(made))
            })
            .collect();
        let answer = &projection["answers"][question.as_str()]["answer"];
        let shown = format!(
            "{}{}",
            projection["answers"][question.as_str()],
            projection["conflicts"][question.as_str()]
        );
        for made in last {
            let author = history.peers[made.peer].device;
            let seen = of_it.iter().filter(|earlier| made.saw(earlier));
            let seen: String = seen.filter_map(|earlier| written(&earlier.edit)).collect();
            check_shown(&question, made, author, answer, &shown, &seen)?;
        }
    }
    Ok(())
}

/// The text that an edit writes.
fn written(edit: &Edit) -> Option<String> {
    let value = match edit {
        Edit::Draft { value, .. } => json!(value)["value"].clone(),
        Edit::Submit { value, .. } => json!(value.as_ref()?)["value"].clone(),
        Edit::Type { insert, .. } => json!(insert),
        Edit::Skip { .. } | Edit::Toggle { .. } | Edit::Clear { .. } => return None,
    };
    value.as_str().map(str::to_owned)
}

fn check_shown(
    question: &QuestionId,
    made: &Made,
    author: PeerId,
    answer: &Value,
    shown: &str,
    seen: &str,
) -> Result<(), TestCaseError> {
    let (least, content) = match &made.edit {
        Edit::Submit { value, .. } => {
            (3, value.as_ref().map(|value| json!(value)["value"].clone()))
        }
        Edit::Skip { .. } => (2, None),
        Edit::Draft { value, .. } => (1, Some(json!(value)["value"].clone())),
        Edit::Type { insert, .. } => (1, Some(json!(insert))),
        Edit::Toggle { .. } => (1, None),
        Edit::Clear { .. } => return Ok(()),
    };
    prop_assert!(strength(answer) >= least, "{question} {made:?} is displaced by {answer}");
    prop_assert!(shown.contains(&author.to_string()), "{question} {made:?} is not in {shown}");
    // Characters of a text may stand among another's; a number is there as it was written.
    match (question.as_str(), content) {
        ("ratio" | "retries" | "sure", Some(content)) => {
            let content = rejoinder_number(&content);
            prop_assert!(
                shown.contains(&format!("\"value\":{content}")),
                "{content} is not in {shown}"
            );
        }
        ("notes", Some(Value::String(text))) => {
            // A whole text is written as the smallest splice: a character that was there already is
            // kept, not typed, and a peer that had seen it may remove it at the same time.
            for character in text.chars().filter(|character| !seen.contains(*character)) {
                prop_assert!(shown.contains(character), "{character} is not in {shown}");
            }
        }
        _ => {}
    }
    Ok(())
}

/// As the projection spells it.
fn rejoinder_number(value: &Value) -> String {
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 => format!("{number:.0}"),
        _ => value.to_string(),
    }
}

static HISTORIES: AtomicU32 = AtomicU32::new(0);
static CONCURRENT: AtomicU32 = AtomicU32::new(0);
const CASES: u32 = 2_000;

#[test]
fn histories() {
    proptest!(Config::with_cases(CASES), |(
        count in 2..=4usize,
        events in prop::collection::vec(event(), 1..24),
        order in prop::collection::vec(any::<Index>(), 1..8),
        other_order in prop::collection::vec(any::<Index>(), 1..8),
    )| {
        let history = play(count, &events);
        let one = merged_in_some_order(&history.peers, &order);
        let other = merged_in_some_order(&history.peers, &other_order);
        let projection = one.projection().to_string();
        prop_assert_eq!(&projection, &other.projection().to_string());
        prop_assert_eq!(one.document.version_vector(), other.document.version_vector());
        // Those who took part end with the same.
        let mut everyone = history.peers.clone();
        let all: Vec<usize> = everyone.iter().map(|peer| peer.written.len()).collect();
        for peer in 0..everyone.len() {
            catch_up(&mut everyone, peer, &all);
            prop_assert_eq!(&projection, &everyone[peer].projection().to_string());
        }
        check_nothing_vanished(&one, &history)?;
        let concurrent = history
            .made
            .iter()
            .any(|made| history.made.iter().any(|other| made.beside(other)));
        HISTORIES.fetch_add(1, Ordering::Relaxed);
        CONCURRENT.fetch_add(u32::from(concurrent), Ordering::Relaxed);
    });
    let (all, concurrent) = (HISTORIES.load(Ordering::Relaxed), CONCURRENT.load(Ordering::Relaxed));
    println!("{concurrent} of {all} histories have concurrent edits of one question");
    assert!(concurrent * 5 >= all, "too few to say anything");
}
