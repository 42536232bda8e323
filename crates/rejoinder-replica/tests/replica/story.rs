//! What people must be able to rely on, told as stories.

use ahp_types::state::{
    ChatInputAnswerValue, ChatInputRequest,
    ChatInputResponseKind::{Accept, Decline},
};
use rejoinder_finalizer::{
    Refusal, TurnEnd,
    refusal::{BadAnswers, Over},
};
use rejoinder_identity::{OpeningId, OptionId, QuestionId, Ticket, WorkspaceId};
use rejoinder_replica::{Command, Edit, Event, Fate, HostAct, Refused, Reply, RequestStatus};
use serde_json::json;

use crate::world::{Peer, World, q};

pub(crate) const HOST: Peer = 0;
pub(crate) const ANA: Peer = 1;
pub(crate) const BEN: Peer = 2;
const CAT: Peer = 3;

pub(crate) fn form() -> ChatInputRequest {
    serde_json::from_value(json!({
        "id": "r1",
        "message": "Deploy?",
        "questions": [
            { "kind": "single-select", "id": "env", "message": "Where?", "required": true,
              "options": [{ "id": "prod", "label": "Production" }, { "id": "dev", "label": "Dev" }] },
            { "kind": "multi-select", "id": "checks", "message": "Which?",
              "options": [{ "id": "unit", "label": "u" }, { "id": "e2e", "label": "e" }] },
            { "kind": "text", "id": "notes", "message": "Notes" }
        ]
    }))
    .unwrap()
}

fn value(json: serde_json::Value) -> ChatInputAnswerValue {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn selected(option: &str) -> ChatInputAnswerValue {
    value(json!({ "kind": "selected", "value": option }))
}

pub(crate) fn text(text: &str) -> ChatInputAnswerValue {
    value(json!({ "kind": "text", "value": text }))
}

pub(crate) fn submit(question: &str, value: ChatInputAnswerValue) -> Edit {
    Edit::Submit { question: q(question), value: Some(value) }
}

pub(crate) fn draft(question: &str, value: ChatInputAnswerValue) -> Edit {
    Edit::Draft { question: q(question), value }
}

/// A host and people who have joined through its door, all linked with all, and an open request.
pub(crate) fn team(seed: u64, names: &[&'static str]) -> (World, WorkspaceId, OpeningId, Ticket) {
    let mut world = World::new(seed, names);
    let workspace = world.found(HOST);
    let ticket = world.invite(HOST, workspace);
    for peer in 1..names.len() {
        world.join(peer, &ticket, HOST);
    }
    for one in 0..names.len() {
        for two in one + 1..names.len() {
            world.link(one, two);
        }
    }
    world.quiet();
    world.start_turn(HOST, workspace);
    let opening = world.raise(HOST, workspace, form());
    world.quiet();
    (world, workspace, opening, ticket)
}

fn everywhere_the_same(world: &World, workspace: WorkspaceId, opening: OpeningId) -> String {
    let shown = world.answers(HOST, workspace, opening);
    for peer in world.running() {
        assert_eq!(world.answers(peer, workspace, opening), shown, "{}", world.peers[peer].name);
        let chat = world.replica(peer).chat(&workspace).unwrap();
        assert_eq!(chat.chat, world.replica(HOST).chat(&workspace).unwrap().chat);
    }
    shown
}

#[test]
fn two_people_answer_apart_and_one_decision_has_both_answers() {
    let (mut world, workspace, opening, _) = team(1, &["host", "ana", "ben"]);
    world.cut(HOST, ANA);
    world.cut(HOST, BEN);
    world.cut(ANA, BEN);
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.edit(BEN, workspace, opening, submit("notes", text("careful"))).unwrap();
    world.link(HOST, ANA);
    world.link(HOST, BEN);
    world.quiet();
    world.pass(1_000);
    assert!(world.replica(ANA).synced(&workspace), "ana's edit is on the host's disk");
    let proposal = world.complete(BEN, workspace, opening, Accept).unwrap();
    world.quiet();

    assert_eq!(world.fate(BEN, workspace, proposal), Some(Fate::Granted));
    let decided = everywhere_the_same(&world, workspace, opening);
    let expected = json!({
        "env": { "answer": { "state": "submitted", "value": { "kind": "selected", "value": "prod" } },
                 "authors": [world.id(ANA).to_string()] },
        "notes": { "answer": { "state": "submitted", "value": { "kind": "text", "value": "careful" } },
                   "authors": [world.id(BEN).to_string()] },
    });
    assert_eq!(decided, expected.to_string());

    // What the decision was made on is on the host's disk: nobody needs to say so again.
    world.crash(HOST);
    world.crash(ANA);
    world.start(ANA);
    assert_eq!(world.replica(ANA).workspace(&workspace).unwrap().uncarried, 0);
}

#[test]
fn what_both_type_toggle_and_submit_at_once() {
    let (mut world, workspace, opening, _) = team(2, &["host", "ana", "ben"]);
    world.cut(HOST, ANA);
    world.cut(ANA, BEN);
    let toggle = |option: &str| Edit::Toggle {
        question: q("checks"),
        option: OptionId(option.into()),
        on: true,
    };
    for (peer, notes, option, env) in [(ANA, "left", "unit", "prod"), (BEN, "right", "e2e", "dev")]
    {
        world.edit(peer, workspace, opening, draft("notes", text(notes))).unwrap();
        world.edit(peer, workspace, opening, toggle(option)).unwrap();
        world.edit(peer, workspace, opening, submit("env", selected(env))).unwrap();
    }
    world.link(HOST, ANA);
    world.link(ANA, BEN);
    world.quiet();

    let answers = everywhere_the_same(&world, workspace, opening);
    assert!(answers.contains("left") && answers.contains("right"), "{answers}");
    assert!(answers.contains(r#"["unit","e2e"]"#), "{answers}");
    let view = world.view(ANA, workspace, opening);
    let conflicts = &view.projection.conflicts[&q("env")];
    let shown = &view.projection.answers[&q("env")];
    assert_eq!(conflicts.len(), 1);
    let mut authors = [conflicts[0].authors.clone(), shown.authors.clone()].concat();
    authors.sort();
    let mut both = vec![world.id(ANA), world.id(BEN)];
    both.sort();
    assert_eq!(authors, both);

    // Ben takes what the other one said, whoever won: the conflict is gone everywhere.
    let loser = conflicts[0].authors[0];
    let taken = conflicts[0].answer.clone();
    let command = Command::Take { workspace, opening, question: q("env"), from: loser };
    world.run(BEN, command).unwrap();
    world.quiet();
    let view = world.view(HOST, workspace, opening);
    assert_eq!(view.projection.answers[&q("env")].answer, taken);
    assert!(view.projection.conflicts.is_empty());
}

#[test]
fn an_accept_without_a_required_answer_is_refused_and_the_request_stays_open() {
    let (mut world, workspace, opening, _) = team(3, &["host", "ana"]);
    world.edit(ANA, workspace, opening, draft("env", selected("prod"))).unwrap();
    let refused = world.complete(ANA, workspace, opening, Accept).unwrap_err();
    assert_eq!(refused.code(), "required-unanswered");
    assert!(refused.to_string().contains("env"), "{refused}");
    world.quiet();
    assert_eq!(world.view(HOST, workspace, opening).status, RequestStatus::Open);
}

#[test]
fn the_second_accept_is_told_who_decided_and_a_late_draft_is_kept() {
    let (mut world, workspace, opening, _) = team(4, &["host", "ana", "ben"]);
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.quiet();
    world.cut(HOST, BEN);
    world.cut(ANA, BEN);
    world.complete(ANA, workspace, opening, Accept).unwrap();
    let late = world.complete(BEN, workspace, opening, Decline).unwrap();
    world.edit(BEN, workspace, opening, draft("notes", text("wait!"))).unwrap();
    world.quiet();
    world.link(HOST, BEN);
    world.quiet();

    match world.fate(BEN, workspace, late) {
        Some(Fate::Refused(Refusal::Nobody(Over::AlreadyDecided { by, response, .. }))) => {
            assert_eq!((by, response), (world.id(ANA), Accept));
        }
        other => panic!("{other:?}"),
    }
    let decided = everywhere_the_same(&world, workspace, opening);
    assert!(!decided.contains("wait!"));
    for peer in [HOST, ANA, BEN] {
        let kept = world.view(peer, workspace, opening).not_included;
        if peer == ANA {
            // Not linked with ben any more, and the host forwards.
            assert_eq!(kept.len(), 1);
        }
        assert_eq!(kept[0].question, q("notes"));
        assert_eq!(kept[0].author, world.id(BEN));
    }
    let by = world.id(BEN);
    let told = world.peers[HOST].events.iter().any(|event| {
        matches!(event, Event::NotIncluded { question, by: who, .. } if *question == q("notes") && *who == by)
    });
    assert!(told);
}

#[test]
fn a_line_where_the_ends_never_meet() {
    for seed in 0..30 {
        let mut world = World::new(seed, &["ana", "ben", "cat"]);
        let (host, middle, end) = (0, 1, 2);
        let workspace = world.found(host);
        let ticket = world.invite(host, workspace);
        world.join(middle, &ticket, host);
        world.link(host, middle);
        world.quiet();
        // The far end comes in through the middle's door, and only ever links with it.
        world.join(end, &ticket, middle);
        world.quiet();
        world.link(middle, end);
        world.quiet();
        world.knock(end, workspace, middle);
        world.quiet();
        world.start_turn(host, workspace);
        let opening = world.raise(host, workspace, form());
        world.quiet();

        world.edit(end, workspace, opening, submit("env", selected("dev"))).unwrap();
        world.quiet();
        assert!(world.answers(host, workspace, opening).contains("dev"), "seed {seed}");
        let proposal = world.complete(end, workspace, opening, Accept).unwrap();
        world.quiet();
        assert_eq!(world.fate(end, workspace, proposal), Some(Fate::Granted), "seed {seed}");
        everywhere_the_same(&world, workspace, opening);
        for peer in [host, middle, end] {
            world.pass(120_000);
            assert!(world.replica(peer).synced(&workspace), "seed {seed}, peer {peer}");
        }
    }
}

#[test]
fn the_host_and_each_peer_are_killed_while_a_request_is_open() {
    for seed in 0..60 {
        let (mut world, workspace, opening, _) = team(seed, &["host", "ana", "ben"]);
        let first = world.edit(ANA, workspace, opening, draft("notes", text("from ana")));
        let second = world.edit(BEN, workspace, opening, submit("env", selected("prod")));
        assert!(first.is_ok() && second.is_ok());
        let order = [HOST, ANA, BEN];
        let first = world.below(3);
        for nth in 0..3 {
            let peer = order[(first + nth) % 3];
            for _ in 0..world.below(20) {
                world.step();
            }
            world.crash(peer);
            for _ in 0..world.below(20) {
                world.step();
            }
            world.start(peer);
            if peer == HOST {
                world.host(HOST, workspace);
            }
        }
        world.quiet();
        let answers = everywhere_the_same(&world, workspace, opening);
        assert!(answers.contains("from ana") && answers.contains("prod"), "seed {seed}: {answers}");
        assert_eq!(world.view(HOST, workspace, opening).status, RequestStatus::Open);
        let proposal = world.complete(ANA, workspace, opening, Accept).unwrap();
        world.quiet();
        assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Granted), "seed {seed}");
    }
}

#[test]
fn carried_counts_what_is_stored() {
    let (mut world, workspace, opening, _) = team(7, &["host", "ana", "ben"]);
    world.cut(HOST, BEN);
    world.cut(HOST, ANA);
    world.peers[BEN].stalled = true;
    let before = world.replica(ANA).workspace(&workspace).unwrap().uncarried;
    assert_eq!(before, 0);
    world.edit(ANA, workspace, opening, submit("env", selected("dev"))).unwrap();
    let proposal = world.complete(ANA, workspace, opening, Accept).unwrap();
    world.quiet();
    assert!(world.peers[BEN].unwritten() >= 2, "ben has both, and not on the disk");
    assert!(world.answers(BEN, workspace, opening).contains("dev"), "and shows it");
    assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Saved));
    assert_eq!(world.replica(ANA).workspace(&workspace).unwrap().uncarried, 1);
    assert!(!world.replica(ANA).synced(&workspace));
    world.pass(100_000);
    assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Saved), "nor by comparing");

    world.peers[BEN].stalled = false;
    world.quiet();
    assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Carried(1)));
    assert!(world.replica(ANA).synced(&workspace));
    // The same, learned after a restart of everything.
    world.crash(ANA);
    world.start(ANA);
    world.quiet();
    assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Carried(1)));
    assert_eq!(world.replica(ANA).workspace(&workspace).unwrap().uncarried, 0);
    world.link(HOST, BEN);
    world.quiet();
    assert_eq!(world.fate(ANA, workspace, proposal), Some(Fate::Granted));
}

#[test]
fn a_full_disk_says_no_and_recovers_without_a_restart() {
    let (mut world, workspace, opening, _) = team(8, &["host", "ana"]);
    let (host, before) = (world.id(HOST), world.replica(ANA).incarnation());
    let hello = world.replica(ANA).hello(&host);
    world.peers[ANA].full = true;
    let edit = draft("notes", text("first"));
    let command = world.ask_for(ANA, Command::Edit { workspace, opening, edit });
    world.quiet();
    assert!(!world.peers[ANA].replies.contains_key(&command), "it is not saved");
    assert!(world.answers(ANA, workspace, opening).contains("first"), "and not lost");
    let refused = world.edit(ANA, workspace, opening, draft("notes", text("second")));
    assert_eq!(refused.unwrap_err().code(), "disk");
    // What was not written may yet be on the disk, so she goes on as another incarnation; to those
    // with whom she links she is the run that she was.
    assert_ne!(world.replica(ANA).incarnation(), before);
    assert_eq!(world.replica(ANA).hello(&host), hello);
    world.edit(HOST, workspace, opening, submit("env", selected("dev"))).unwrap();
    world.pass(5_000);
    assert!(world.answers(ANA, workspace, opening).contains("dev"), "reading goes on");

    world.peers[ANA].full = false;
    world.pass(20_000);
    assert!(matches!(world.peers[ANA].replies.get(&command), Some(Ok(Reply::Saved))));
    world.edit(ANA, workspace, opening, draft("notes", text("first and second"))).unwrap();
    world.quiet();
    assert!(everywhere_the_same(&world, workspace, opening).contains("first and second"));
    world.crash(ANA);
    world.start(ANA);
    world.quiet();
    assert!(everywhere_the_same(&world, workspace, opening).contains("first and second"));
}

#[test]
fn a_failed_turn_suspends_and_its_resume_brings_back_everything_written_meanwhile() {
    let (mut world, workspace, opening, _) = team(9, &["host", "ana"]);
    world.edit(ANA, workspace, opening, draft("notes", text("before"))).unwrap();
    world.quiet();
    world.cut(HOST, ANA);
    let turn = world.replica(HOST).request(&workspace, &opening).unwrap().turn;
    let fail = HostAct::FailTurn {
        turn: turn.clone(),
        error_type: "overloaded".into(),
        message: "the model is busy".into(),
        resumable: true,
    };
    world.act(HOST, workspace, fail).unwrap();
    assert_eq!(world.view(HOST, workspace, opening).status, RequestStatus::Suspended);
    // Ana has not heard of it and goes on writing.
    world.edit(ANA, workspace, opening, draft("notes", text("before, and meanwhile"))).unwrap();
    world.link(HOST, ANA);
    world.quiet();
    let suspended = everywhere_the_same(&world, workspace, opening);
    assert!(suspended.contains("before") && !suspended.contains("meanwhile"), "{suspended}");
    let refused = world.edit(ANA, workspace, opening, submit("env", selected("dev")));
    assert!(matches!(refused, Err(Refused::NotOpen)));

    world.act(HOST, workspace, HostAct::ResumeTurn(turn)).unwrap();
    world.quiet();
    let live = everywhere_the_same(&world, workspace, opening);
    assert!(live.contains("meanwhile"), "{live}");
    assert_eq!(world.view(ANA, workspace, opening).status, RequestStatus::Open);
}

#[test]
fn a_request_raised_again_keeps_drafts_and_refuses_what_meant_the_old_text() {
    let (mut world, workspace, opening, _) = team(10, &["host", "ana", "ben"]);
    world.edit(ANA, workspace, opening, draft("notes", text("kept"))).unwrap();
    world.edit(ANA, workspace, opening, submit("env", selected("dev"))).unwrap();
    world.quiet();
    world.cut(HOST, ANA);
    world.cut(BEN, ANA);
    let stale = world.complete(ANA, workspace, opening, Accept).unwrap();
    let mut changed = form();
    let questions = changed.questions.as_mut().unwrap();
    questions.remove(1);
    questions.push(
        serde_json::from_value(json!({ "kind": "boolean", "id": "sure", "message": "Sure?" }))
            .unwrap(),
    );
    let again = world.raise(HOST, workspace, changed);
    assert_eq!(again, opening, "the same request, with another text");
    // Ben answers the new question before ana has heard of it.
    world.quiet();
    let yes = value(json!({ "kind": "boolean", "value": true }));
    world.edit(BEN, workspace, opening, submit("sure", yes)).unwrap();
    world.quiet();
    world.link(BEN, ANA);
    world.quiet();
    assert!(matches!(
        world.fate(ANA, workspace, stale),
        Some(Fate::Refused(Refusal::Answerer(BadAnswers::RequestChanged { revision: 2 })))
    ));
    let answers = everywhere_the_same(&world, workspace, opening);
    assert!(answers.contains("kept") && answers.contains("sure"), "{answers}");
    world.complete(ANA, workspace, opening, Accept).unwrap();
    world.quiet();
    assert!(everywhere_the_same(&world, workspace, opening).contains("sure"));
}

#[test]
fn a_completion_that_crosses_the_end_of_the_turn() {
    let (mut world, workspace, opening, _) = team(11, &["host", "ana"]);
    world.edit(ANA, workspace, opening, submit("env", selected("dev"))).unwrap();
    world.quiet();
    let turn = world.view(HOST, workspace, opening).turn;
    world.cut(HOST, ANA);
    let proposal = world.complete(ANA, workspace, opening, Accept).unwrap();
    world.act(HOST, workspace, HostAct::CancelTurn(turn)).unwrap();
    world.link(HOST, ANA);
    world.quiet();
    assert!(matches!(
        world.fate(ANA, workspace, proposal),
        Some(Fate::Refused(Refusal::Nobody(Over::NoOpenRequest {
            ended: Some(TurnEnd::Cancelled)
        })))
    ));
    for peer in [HOST, ANA] {
        let view = world.view(peer, workspace, opening);
        assert_eq!(view.status, RequestStatus::Ended(TurnEnd::Cancelled));
        assert!(view.projection.answers.contains_key(&QuestionId("env".into())));
    }
}

#[test]
fn what_comes_before_what_it_depends_on_is_parked() {
    // Cat is let in by the host; ben hears of cat's edits before he hears of cat.
    let mut late = World::new(13, &["host", "ana", "ben", "cat"]);
    let workspace2 = late.found(HOST);
    let ticket2 = late.invite(HOST, workspace2);
    for peer in [ANA, BEN] {
        late.join(peer, &ticket2, HOST);
        late.link(HOST, peer);
    }
    late.link(ANA, BEN);
    late.quiet();
    late.start_turn(HOST, workspace2);
    let opening2 = late.raise(HOST, workspace2, form());
    late.quiet();
    late.cut(HOST, BEN);
    late.cut(ANA, BEN);
    late.join(CAT, &ticket2, HOST);
    late.link(HOST, CAT);
    late.quiet();
    late.edit(CAT, workspace2, opening2, draft("notes", text("cat was here"))).unwrap();
    late.quiet();
    late.link(ANA, BEN);
    late.quiet();
    assert!(late.answers(BEN, workspace2, opening2).contains("cat was here"));
}

#[test]
fn a_ticket_has_seats_and_ends() {
    let mut world = World::new(14, &["host", "ana", "ben", "cat"]);
    let workspace = world.found(HOST);
    let mut ticket = world.invite(HOST, workspace);
    world.join(ANA, &ticket, HOST);
    assert!(world.replica(HOST).may_link(&world.id(ANA)));
    // Another invite's key opens nothing.
    ticket.invite = rejoinder_identity::SecretKey::from_seed([9; 32]);
    world.join(BEN, &ticket, HOST);
    assert!(!world.replica(HOST).may_link(&world.id(BEN)));
    let refused = world.peers[BEN]
        .events
        .iter()
        .any(|event| matches!(event, Event::JoinRefused { why, .. } if why.contains("ticket")));
    assert!(refused, "{:?}", world.peers[BEN].events);
    // An expired one neither, by the host's clock.
    let ticket = world.invite(HOST, workspace);
    world.pass(2_000_000);
    world.join(CAT, &ticket, HOST);
    assert!(!world.replica(HOST).may_link(&world.id(CAT)));
    // A member needs no seat: it finds its way back with any ticket.
    world.join(ANA, &ticket, HOST);
    assert!(world.replica(HOST).may_link(&world.id(ANA)));
}

#[test]
fn members_find_each_other_through_a_third_that_then_is_gone() {
    let mut world = World::new(15, &["host", "ana", "ben"]);
    let workspace = world.found(HOST);
    let ticket = world.invite(HOST, workspace);
    for (peer, port) in [(ANA, 1), (BEN, 2)] {
        let address = std::net::SocketAddr::from(([127, 0, 0, 1], port));
        world.run(peer, Command::Addresses(vec![address])).unwrap();
    }
    // Ben is linked with the host before ana comes.
    world.join(BEN, &ticket, HOST);
    world.link(HOST, BEN);
    world.quiet();
    world.join(ANA, &ticket, HOST);
    world.link(HOST, ANA);
    world.quiet();
    let known = |world: &World, at: Peer, of: Peer| {
        world.replica(at).peers()[&world.id(of)].iter().map(|one| one.port()).collect::<Vec<_>>()
    };
    assert_eq!(known(&world, BEN, ANA), [1]);
    assert_eq!(known(&world, ANA, BEN), [2]);
    // Ana moves; ben hears of it while his link to the host stays.
    world.cut(HOST, ANA);
    let address = std::net::SocketAddr::from(([127, 0, 0, 1], 3));
    world.run(ANA, Command::Addresses(vec![address])).unwrap();
    world.link(HOST, ANA);
    world.quiet();
    assert_eq!(known(&world, BEN, ANA), [3]);
    // And remembers it.
    world.crash(BEN);
    world.start(BEN);
    assert_eq!(known(&world, BEN, ANA), [3]);
}

fn fates(world: &World, peer: Peer, proposal: rejoinder_identity::ProposalId) -> Vec<Fate> {
    let told = world.peers[peer].events.iter().filter_map(|event| {
        let Event::Fate { proposal: of, fate, .. } = event else { return None };
        (*of == proposal).then(|| fate.clone())
    });
    told.collect()
}

#[test]
fn who_lost_a_race_learns_it_from_another_member_while_the_host_is_away() {
    let (mut world, workspace, opening, _) = team(41, &["host", "ana", "ben"]);
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.quiet();
    world.cut(HOST, ANA);
    world.cut(ANA, BEN);
    let late = world.complete(ANA, workspace, opening, Accept).unwrap();
    world.complete(BEN, workspace, opening, Decline).unwrap();
    world.quiet();
    world.crash(HOST);
    world.link(ANA, BEN);
    world.quiet();

    let fate = world.fate(ANA, workspace, late);
    let Some(Fate::Refused(Refusal::Nobody(Over::AlreadyDecided {
        by, response: Decline, ..
    }))) = &fate
    else {
        panic!("{fate:?}")
    };
    assert_eq!(*by, world.id(BEN));
    assert_eq!(fates(&world, ANA, late).last(), fate.as_ref(), "it is told too");
    assert_eq!(world.replica(ANA).workspace(&workspace).unwrap().waiting.len(), 0);

    // It is known after a restart, and the host's own word changes nothing and tells nothing.
    world.crash(ANA);
    world.start(ANA);
    world.quiet();
    assert_eq!(world.fate(ANA, workspace, late), fate);
    world.link(HOST, ANA);
    world.start(HOST);
    world.host(HOST, workspace);
    world.quiet();
    assert_eq!(world.fate(ANA, workspace, late), fate);
    for peer in [HOST, ANA, BEN] {
        assert_eq!(world.keys(peer, rejoinder_replica::Table::Proposals), [] as [Vec<u8>; 0]);
    }
    let refused = |fate: &&Fate| matches!(fate, Fate::Refused(_));
    // Each run of hers tells it once: whoever listens to the second has not heard the first.
    assert_eq!(fates(&world, ANA, late).iter().filter(refused).count(), 2);
}

#[test]
fn an_accept_that_the_end_of_its_turn_overtook_is_over_without_the_host() {
    let (mut world, workspace, opening, _) = team(42, &["host", "ana", "ben"]);
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.quiet();
    world.cut(HOST, ANA);
    world.cut(ANA, BEN);
    let late = world.complete(ANA, workspace, opening, Accept).unwrap();
    world.act(HOST, workspace, HostAct::Expire(opening)).unwrap();
    world.quiet();
    world.crash(HOST);
    world.link(ANA, BEN);
    world.quiet();
    let fate =
        Fate::Refused(Refusal::Nobody(Over::NoOpenRequest { ended: Some(TurnEnd::Expired) }));
    assert_eq!(world.fate(ANA, workspace, late), Some(fate));
}
