//! What was called saved is not lost: neither at its author's next start, nor anywhere else.

use std::collections::BTreeMap;

use ahp_types::state::ChatInputResponseKind::Decline;
use rejoinder_identity::{OpeningId, PeerId, Verified, WorkspaceId};
use rejoinder_replica::{
    Command, Edit, Event, HostAct, Refused, Reply, RequestStatus, Table, Version,
};
use rejoinder_sync::Envelope;
use serde_json::json;

use crate::{
    story::{ANA, BEN, HOST, draft, form, selected, submit, team, text},
    world::{World, q},
};

fn typing(at: usize, delete: usize, insert: &str) -> Edit {
    Edit::Type { question: q("notes"), at, delete, insert: insert.to_owned() }
}

fn linked(world: &mut World, linked: bool) {
    for (one, two) in [(HOST, ANA), (HOST, BEN), (ANA, BEN)] {
        if linked { world.link(one, two) } else { world.cut(one, two) }
    }
}

/// Two type twenty kilobytes each while apart. What one of them then replaces in the text, which is too
/// long now, reaches all, and is there after her next start, as is what she writes after it.
#[test]
fn a_large_replacement_in_a_text_that_is_too_long() {
    let (mut world, workspace, opening, _) = team(21, &["host", "ana", "ben"]);
    linked(&mut world, false);
    world.edit(ANA, workspace, opening, typing(0, 0, &"a".repeat(20_000))).unwrap();
    world.edit(BEN, workspace, opening, typing(0, 0, &"b".repeat(20_000))).unwrap();
    linked(&mut world, true);
    world.pass(10_000);
    world.edit(ANA, workspace, opening, typing(100, 3_000, &"y".repeat(1_500))).unwrap();
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.pass(60_000);
    let right = world.answers(ANA, workspace, opening);
    assert!(right.contains(&"y".repeat(1_500)) && right.contains("prod"));
    let rows = world.keys(ANA, Table::Envelopes);
    world.crash(ANA);
    world.start(ANA);
    world.pass(60_000);
    for peer in [HOST, ANA, BEN] {
        assert!(world.answers(peer, workspace, opening) == right, "{}", world.peers[peer].name);
        assert!(world.replica(peer).synced(&workspace));
    }
    assert_eq!(world.keys(ANA, Table::Envelopes), rows);
}

/// A home holds changes that it signed, and that no document lets in: it keeps them, says so at each
/// start, and goes on. What others wrote is not held up, nor what it writes itself from now on.
#[test]
fn what_a_device_signed_itself_stays_on_its_disk_whatever_it_is() {
    let (mut world, workspace, opening, _) = team(22, &["host", "ana", "ben"]);
    linked(&mut world, false);
    for word in ["one", "two", "three"] {
        world.edit(ANA, workspace, opening, draft("notes", text(word))).unwrap();
    }
    world.quiet();
    world.crash(ANA);
    let second = world.keys(ANA, Table::Envelopes)[1].clone();
    let row = &world.peers[ANA].disk[&(Table::Envelopes, second.clone())];
    let mut envelope = Verified::<Envelope>::from_bytes(row).unwrap().value().clone();
    *envelope.change.last_mut().unwrap() ^= 1;
    let bytes = Verified::sign(&world.peers[ANA].key, envelope).bytes().to_vec();
    world.peers[ANA].disk.insert((Table::Envelopes, second), bytes);
    let kept: Vec<_> = envelopes(&world);
    assert_eq!(kept.len(), 3);
    for start in ["first", "second"] {
        world.peers[ANA].events.clear();
        world.start(ANA);
        world.quiet();
        let me = world.id(ANA);
        let said = world.peers[ANA]
            .events
            .iter()
            .any(|event| matches!(event, Event::NotAdmitted { from, .. } if *from == me));
        assert!(said, "at the {start} start");
        assert!(envelopes(&world).starts_with(&kept), "at the {start} start");
        world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
        world
            .edit(
                BEN,
                workspace,
                opening,
                Edit::Toggle { question: q("checks"), option: "unit".into(), on: start == "first" },
            )
            .unwrap();
        linked(&mut world, true);
        world.pass(60_000);
        let right = world.answers(HOST, workspace, opening);
        assert!(right.contains("one") && right.contains("prod"), "{right}");
        for peer in [ANA, BEN] {
            assert_eq!(world.answers(peer, workspace, opening), right);
            assert!(world.replica(peer).synced(&workspace));
        }
        assert!(envelopes(&world).starts_with(&kept), "at the {start} start");
        linked(&mut world, false);
        world.crash(ANA);
    }
}

fn envelopes(world: &World) -> Vec<Vec<u8>> {
    let rows = world.keys(ANA, Table::Envelopes).into_iter();
    rows.map(|key| world.peers[ANA].disk[&(Table::Envelopes, key)].clone()).collect()
}

/// One may make so many changes as one incarnation in a document, and then goes on as another, also
/// where an edit that takes several has room for some of them alone.
#[test]
fn a_run_that_has_made_all_changes_of_an_incarnation_goes_on_as_another() {
    let (mut world, workspace, opening, _) = team(23, &["host"]);
    let before = world.replica(HOST).incarnation();
    let hello = world.replica(HOST).hello(&PeerId([9; 32]));
    for change in 0..3_998 {
        let (question, option, on) = (q("checks"), "unit".into(), change % 2 == 0);
        world.edit(HOST, workspace, opening, Edit::Toggle { question, option, on }).unwrap();
    }
    assert_eq!(world.replica(HOST).incarnation(), before);
    let long = "x".repeat(10_000);
    let saved = world.edit(HOST, workspace, opening, typing(0, 0, &long));
    assert!(matches!(saved, Ok(Reply::Saved)), "{saved:?}");
    assert_ne!(world.replica(HOST).incarnation(), before);
    assert_eq!(world.replica(HOST).hello(&PeerId([9; 32])), hello, "it is the same run to others");
    assert!(world.answers(HOST, workspace, opening).contains(&long));
    assert!(world.keys(HOST, Table::Envelopes).len() > 3_998 + 1);
}

/// A suspended request was read, so it is among those that may leave memory; open again it is not,
/// however many requests are settled after it.
#[test]
fn a_request_that_is_open_again_stays_in_memory() {
    let (mut world, workspace, opening, _) = team(24, &["host", "ana"]);
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.quiet();
    let turn = world.view(HOST, workspace, opening).turn;
    let fail = HostAct::FailTurn {
        turn: turn.clone(),
        error_type: "overloaded".into(),
        message: "the model is busy".into(),
        resumable: true,
    };
    world.act(HOST, workspace, fail).unwrap();
    world.quiet();
    world.crash(ANA);
    world.start(ANA);
    assert!(!world.view(ANA, workspace, opening).here);
    world.run(ANA, Command::Read { workspace, opening }).unwrap();
    assert!(world.view(ANA, workspace, opening).here);
    world.act(HOST, workspace, HostAct::ResumeTurn(turn)).unwrap();
    for other in 0..70 {
        let mut request = form();
        request.id = format!("r{other}-more");
        let other = world.raise(HOST, workspace, request);
        world.complete(HOST, workspace, other, Decline).unwrap();
        world.quiet();
    }
    let view = world.view(ANA, workspace, opening);
    assert_eq!((view.status, view.here), (RequestStatus::Open, true));
    assert_eq!(world.answers(ANA, workspace, opening), world.answers(HOST, workspace, opening));
    assert!(world.answers(ANA, workspace, opening).contains("prod"));
}

fn draft_on(world: &mut World, place: (WorkspaceId, OpeningId), seen: Version, words: &str) {
    let (workspace, opening) = place;
    let edit = Box::new(draft("notes", text(words)));
    let reply = world.run(ANA, Command::EditOn { workspace, opening, edit, seen });
    assert!(matches!(reply, Ok(Reply::Saved)), "{reply:?}");
}

/// Ana types on what she sees, while Ben's words come in: his stay, and hers are beside them.
#[test]
fn what_is_typed_on_an_older_state_takes_nothing_away() {
    let (mut world, workspace, opening, _) = team(25, &["host", "ana", "ben"]);
    let place = (workspace, opening);
    let seen = |world: &World| world.view(ANA, workspace, opening).seen.unwrap();
    let nothing = seen(&world);
    draft_on(&mut world, place, nothing, "see the log");
    world.quiet();
    let before = seen(&world);
    world.edit(BEN, workspace, opening, draft("notes", text("please see the log first"))).unwrap();
    world.quiet();
    draft_on(&mut world, place, before, "see the whole log");
    world.pass(60_000);
    for peer in [HOST, ANA, BEN] {
        let answers = world.answers(peer, workspace, opening);
        assert!(answers.contains("please see the whole log first"), "{answers}");
    }
}

/// The request ends while Ana types. Her words come too late, and are kept: here, at the others, and
/// after her next start.
#[test]
fn what_is_typed_while_the_request_ends_is_kept() {
    let (mut world, workspace, opening, _) = team(26, &["host", "ana", "ben"]);
    let seen = world.view(ANA, workspace, opening).seen.unwrap();
    world.complete(BEN, workspace, opening, Decline).unwrap();
    world.quiet();
    let view = world.view(ANA, workspace, opening);
    assert!(matches!(view.status, RequestStatus::Decided { .. }) && view.seen.is_none());
    let typed = draft("notes", text("half a sent"));
    let refused = world.edit(ANA, workspace, opening, typed.clone());
    assert!(matches!(refused, Err(Refused::NotOpen)), "who sees that it is over: {refused:?}");
    draft_on(&mut world, (workspace, opening), seen, "half a sent");
    world.pass(60_000);
    for peer in [HOST, ANA, BEN] {
        kept_late(&world, peer, workspace, opening);
    }
    world.crash(ANA);
    world.start(ANA);
    world.run(ANA, Command::Read { workspace, opening }).unwrap();
    kept_late(&world, ANA, workspace, opening);
}

fn kept_late(world: &World, peer: usize, workspace: WorkspaceId, opening: OpeningId) {
    let view = world.view(peer, workspace, opening);
    let late: Vec<String> = view.not_included.iter().map(|late| format!("{late:?}")).collect();
    assert!(late.len() == 1 && late[0].contains("half a sent"), "{peer}: {late:?}");
}

/// The form again, with answers that the host gives it.
fn raised_again(answers: serde_json::Value) -> HostAct {
    let mut request = serde_json::to_value(form()).unwrap();
    request["answers"] = answers;
    HostAct::Ask {
        request: Box::new(serde_json::from_value(request).unwrap()),
        rules: BTreeMap::new(),
        strict: false,
    }
}

#[test]
fn answers_that_a_revision_does_not_take_are_refused_before_it_is_raised() {
    let (mut world, workspace, opening, _) = team(28, &["host", "ana"]);
    let submitted = |value: serde_json::Value| json!({ "state": "submitted", "value": value });
    for (answers, code) in [
        (json!({ "notes": submitted(json!({ "kind": "number", "value": 3 })) }), "wrong-kind"),
        (json!({ "gone": submitted(json!({ "kind": "text", "value": "x" })) }), "no-such-question"),
        (json!({ "env": submitted(json!({ "kind": "selected", "value": "moon" })) }), "invalid"),
    ] {
        let refused = world.act(HOST, workspace, raised_again(answers)).unwrap_err();
        assert_eq!(refused.code(), code, "{refused}");
    }
    world.quiet();
    assert_eq!(world.view(ANA, workspace, opening).revision, 1, "nothing was raised");
    assert!(!world.peers[HOST].events.iter().any(|one| matches!(one, Event::NotAdmitted { .. })));
}

#[test]
fn a_revision_is_raised_when_the_answers_it_came_with_are_on_the_disk() {
    let (mut world, workspace, opening, _) = team(29, &["host", "ana"]);
    let seed = json!({ "kind": "text", "value": "seed" });
    let answers = json!({ "notes": { "state": "submitted", "value": seed } });
    let before = world.keys(HOST, Table::Envelopes);
    let asked = world.ask_for(HOST, Command::HostAct(workspace, raised_again(answers)));
    while !world.peers[HOST].replies.contains_key(&asked) {
        assert!(world.step(), "no reply ever comes");
    }
    assert!(
        matches!(world.peers[HOST].replies[&asked], Ok(Reply::Asked(again)) if again == opening)
    );
    assert!(world.keys(HOST, Table::Envelopes).len() > before.len(), "it was said too early");
    world.crash(HOST);
    world.crash(ANA);
    world.start(HOST);
    world.pass(1_000);
    assert_eq!(world.view(HOST, workspace, opening).revision, 2);
    assert!(world.answers(HOST, workspace, opening).contains("seed"));
}
