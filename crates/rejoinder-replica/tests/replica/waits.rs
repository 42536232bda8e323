//! Nobody waits for ever, and no disk is asked over and over.

use ahp_types::state::ChatInputResponseKind::{Accept, Decline};
use rejoinder_identity::{Role, Ticket, Timestamp, WorkspaceId};
use rejoinder_replica::{Backlog, Command, Event, Fate, HostAct, Refused, Reply, Table};

use crate::{
    story::{ANA, BEN, HOST, draft, form, selected, submit, team, text},
    world::{Peer, World},
};

fn asked_about(world: &World, device: Peer) -> usize {
    let whom = world.id(device);
    let about =
        |event: &&Event| matches!(event, Event::ApprovalNeeded { device, .. } if *device == whom);
    world.peers[HOST].events.iter().filter(about).count()
}

fn invite(world: &mut World, workspace: WorkspaceId, seats: u16, approve: bool) -> Ticket {
    let expires = Timestamp::from_millis(world.now + 1_000_000);
    let act = HostAct::Invite { seats, expires, role: Role::Collaborator, approve };
    let Ok(Reply::Invited(ticket)) = world.act(HOST, workspace, act) else { panic!("an invite") };
    *ticket
}

fn joins_on_disk(world: &World, peer: Peer) -> usize {
    world.keys(peer, Table::Proposals).len()
}

#[test]
fn a_host_leaves_a_document_alone_that_cannot_be_read_and_goes_on_with_the_rest() {
    let (mut world, workspace, first, _) = team(40, &["host", "ana"]);
    let mut other = form();
    other.id = "r2".into();
    let second = world.raise(HOST, workspace, other);
    world.quiet();
    world.edit(ANA, workspace, first, submit("env", selected("prod"))).unwrap();
    world.quiet();
    let document = world.view(HOST, workspace, first).document;
    world.crash(HOST);
    world.peers[HOST].reads = 0;
    world.peers[HOST].unreadable.push(document.0.to_vec());
    world.start(HOST);
    world.host(HOST, workspace);
    let accepted = world.complete(ANA, workspace, first, Accept).unwrap();
    let declined = world.complete(ANA, workspace, second, Decline).unwrap();
    world.pass(60_000);

    let reads = world.peers[HOST].reads;
    assert!(reads < 30, "{reads} reads within a minute");
    assert_eq!(world.fate(ANA, workspace, declined), Some(Fate::Granted));
    assert_eq!(world.fate(ANA, workspace, accepted), Some(Fate::Received));
    let told = world.peers[HOST].events.iter();
    let told = told
        .filter(|one| matches!(one, Event::Unreadable { opening, .. } if *opening == first))
        .count();
    assert_eq!(told, 1, "the program is told once");
    // What needs that document is refused, the rest is done.
    world.act(HOST, workspace, HostAct::Say { text: "hm".into() }).unwrap();
    let turn = world.view(HOST, workspace, first).turn;
    let refused = world.act(HOST, workspace, HostAct::CompleteTurn(turn));
    assert_eq!(refused.unwrap_err().code(), "disk");

    world.peers[HOST].unreadable.clear();
    world.pass(20_000);
    assert_eq!(world.fate(ANA, workspace, accepted), Some(Fate::Granted));
}

#[test]
fn a_document_that_somebody_waits_for_is_not_dropped_before_it_is_used() {
    let (mut world, workspace, first, _) = team(41, &["host", "ana"]);
    world.complete(HOST, workspace, first, Decline).unwrap();
    world.quiet();
    world.crash(ANA);
    world.start(ANA);
    world.quiet();
    world.peers[ANA].full = true;
    for index in 0..70 {
        let mut form = form();
        form.id = format!("more-{index}");
        let opening = world.raise(HOST, workspace, form);
        world.edit(HOST, workspace, opening, draft("notes", text("x"))).unwrap();
        world.complete(HOST, workspace, opening, Decline).unwrap();
        world.quiet();
    }
    world.peers[ANA].reads = 0;
    let read = world.ask_for(ANA, Command::Read { workspace, opening: first });
    world.quiet();
    assert!(matches!(world.peers[ANA].replies.get(&read), Some(Ok(Reply::Read))));
    assert_eq!(world.peers[ANA].reads, 1);
}

#[test]
fn only_the_hosts_word_ends_a_join() {
    const GHOST: Peer = 2;
    let mut world = World::new(42, &["host", "ana", "ghost"]);
    let workspace = world.found(HOST);
    let ticket = world.invite(HOST, workspace);
    // The ghost's home was made anew: it knows of no workspace.
    world.join(ANA, &ticket, GHOST);
    let ended = |world: &World| {
        world.peers[ANA].events.iter().any(|event| matches!(event, Event::JoinRefused { .. }))
    };
    assert!(!ended(&world), "{:?}", world.peers[ANA].events);
    world.knock(ANA, workspace, HOST);
    world.quiet();
    assert!(world.replica(HOST).may_link(&world.id(ANA)));
}

#[test]
fn acts_of_a_host_whose_disk_refuses_writes_are_refused() {
    let (mut world, workspace, opening, _) = team(48, &["host", "ana"]);
    world.peers[HOST].full = true;
    let say = |text: &str| HostAct::Say { text: text.into() };
    let meets = world.ask_for(HOST, Command::HostAct(workspace, say("first")));
    world.quiet();
    assert!(!world.peers[HOST].replies.contains_key(&meets), "it waits");
    let device = world.id(ANA);
    for command in [
        Command::HostAct(workspace, say("second")),
        Command::HostAct(workspace, HostAct::Approve { device, yes: true }),
        Command::Name("hobbes".into()),
    ] {
        let asked = world.ask_for(HOST, command);
        world.pass(5_000);
        let reply = world.peers[HOST].replies.remove(&asked);
        assert!(matches!(reply, Some(Err(Refused::Disk(_)))), "{reply:?}");
    }
    assert_eq!(world.replica(HOST).name(), "host");
    // What writes nothing is done.
    world.act(HOST, workspace, HostAct::TakeUp(opening)).unwrap();
    world.run(HOST, Command::Read { workspace, opening }).unwrap();

    world.peers[HOST].full = false;
    world.pass(20_000);
    assert!(matches!(world.peers[HOST].replies.get(&meets), Some(Ok(Reply::Saved))));
    world.act(HOST, workspace, say("third")).unwrap();
}

/// What somebody knows who hears events alone.
#[derive(Debug, PartialEq, Eq)]
struct Folded {
    in_sync: bool,
    uncarried: u64,
}

fn folded(world: &World, peer: Peer) -> Folded {
    let mut folded = Folded { in_sync: false, uncarried: 0 };
    for event in &world.peers[peer].events {
        if let Event::InSync { yes, .. } = event {
            folded.in_sync = *yes;
        }
        if let Event::Uncarried { count, .. } = event {
            folded.uncarried = *count;
        }
    }
    folded
}

/// That is what the views say.
fn check_folded(world: &World, peer: Peer, workspace: WorkspaceId) -> Folded {
    let view = world.replica(peer).workspace(&workspace).unwrap();
    let folded = folded(world, peer);
    assert_eq!(folded.uncarried, view.uncarried);
    assert_eq!(folded.in_sync && view.uncarried == 0, world.replica(peer).synced(&workspace));
    folded
}

#[test]
fn whoever_hears_events_alone_knows_that_a_silent_peer_is_gone() {
    let (mut world, workspace, opening, _) = team(47, &["host", "ana", "ben"]);
    world.cut(HOST, BEN);
    world.pass(10_000);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: true, uncarried: 0 });
    world.peers[BEN].silent = true;
    world.edit(ANA, workspace, opening, draft("notes", text("a"))).unwrap();
    world.pass(1_000);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: false, uncarried: 0 });
    world.cut(ANA, BEN);
    world.pass(60_000);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: true, uncarried: 0 });
    world.cut(ANA, HOST);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: false, uncarried: 0 });
}

#[test]
fn whoever_hears_events_alone_knows_what_is_carried() {
    let (mut world, workspace, opening, _) = team(49, &["host", "ana", "ben"]);
    world.cut(HOST, BEN);
    world.pass(10_000);
    world.peers[BEN].silent = true;
    world.peers[HOST].silent = true;
    world.edit(ANA, workspace, opening, draft("notes", text("a"))).unwrap();
    world.pass(1_000);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: false, uncarried: 1 });
    world.peers[HOST].silent = false;
    world.pass(1_000);
    assert_eq!(check_folded(&world, ANA, workspace), Folded { in_sync: false, uncarried: 0 });
    // A run begins without knowing what of an earlier one is carried.
    world.cut(HOST, ANA);
    world.crash(ANA);
    world.peers[ANA].events.clear();
    world.start(ANA);
    world.quiet();
    assert_eq!(check_folded(&world, ANA, workspace).uncarried, 1);
    world.link(HOST, ANA);
    world.pass(1_000);
    assert_eq!(check_folded(&world, ANA, workspace).uncarried, 0);
}

#[test]
fn a_newer_join_of_a_device_takes_the_place_of_its_older_one() {
    let mut world = World::new(43, &["host", "ana", "ben"]);
    let workspace = world.found(HOST);
    let mut ticket = invite(&mut world, workspace, 20, true);
    ticket.hints = vec![];
    for _ in 0..70 {
        world.join(ANA, &ticket, HOST);
        world.pass(10);
    }
    assert_eq!(joins_on_disk(&world, HOST), 1);
    assert_eq!(asked_about(&world, ANA), 1, "and a person is asked once");
    world.join(BEN, &ticket, HOST);
    assert_eq!(asked_about(&world, BEN), 1, "about others as well");
    for peer in [ANA, BEN] {
        let device = world.id(peer);
        world.act(HOST, workspace, HostAct::Approve { device, yes: true }).unwrap();
        world.quiet();
        assert!(world.replica(HOST).may_link(&device));
    }
    world.link(HOST, ANA);
    world.pass(200_000);
    assert_eq!(joins_on_disk(&world, HOST), 0);
    assert_eq!(joins_on_disk(&world, ANA), 0);
}

#[test]
fn the_record_that_adds_a_device_answers_all_its_joins() {
    // Two members hold two joins of one device, and are apart.
    let (mut world, workspace, _, _) = team(45, &["host", "ana", "ben"]);
    let ticket = invite(&mut world, workspace, 20, true);
    world.pass(1_000);
    for (one, two) in [(HOST, ANA), (HOST, BEN), (ANA, BEN)] {
        world.cut(one, two);
    }
    let dan = world.newcomer("dan");
    world.join(dan, &ticket, ANA);
    world.pass(10);
    world.join(dan, &ticket, BEN);
    assert_eq!((joins_on_disk(&world, ANA), joins_on_disk(&world, BEN)), (1, 1));
    for (one, two) in [(HOST, ANA), (HOST, BEN), (ANA, BEN)] {
        world.link(one, two);
    }
    world.pass(60_000);
    for peer in [HOST, ANA, BEN] {
        assert_eq!(joins_on_disk(&world, peer), 1, "the newer one alone is carried");
        assert!(world.replica(peer).synced(&workspace), "and all agree which that is");
    }
    let device = world.id(dan);
    world.act(HOST, workspace, HostAct::Approve { device, yes: true }).unwrap();
    world.pass(60_000);
    for peer in [HOST, ANA, BEN] {
        assert_eq!(joins_on_disk(&world, peer), 0);
        assert!(world.replica(peer).may_link(&device));
        assert!(world.replica(peer).synced(&workspace));
    }
}

#[test]
fn a_leaked_ticket_does_not_fill_a_members_door() {
    let (mut world, workspace, _, _) = team(46, &["host", "ana"]);
    let used = invite(&mut world, workspace, 1, false);
    let good = invite(&mut world, workspace, 20, false);
    let held_back = invite(&mut world, workspace, 60_000, true);
    world.stranger_knocks(HOST, &used);
    world.quiet();
    world.cut(HOST, ANA);
    for _ in 0..70 {
        world.stranger_knocks(ANA, &used);
        world.quiet();
    }
    assert_eq!(joins_on_disk(&world, ANA), 0, "what can't be granted is not carried");
    for _ in 0..70 {
        world.stranger_knocks(ANA, &held_back);
        world.quiet();
    }
    let ben = world.newcomer("ben");
    let before = joins_on_disk(&world, ANA);
    world.join(ben, &good, ANA);
    assert_eq!(joins_on_disk(&world, ANA), before + 1);
    world.link(HOST, ANA);
    world.pass(1_000);
    assert!(world.replica(HOST).may_link(&world.id(ben)));
}

#[test]
fn who_lets_a_device_in_hears_when_that_is_written() {
    let mut world = World::new(50, &["host", "ana"]);
    let workspace = world.found(HOST);
    let ticket = invite(&mut world, workspace, 20, true);
    world.join(ANA, &ticket, HOST);
    world.peers[HOST].stalled = true;
    let act = HostAct::Approve { device: world.id(ANA), yes: true };
    let asked = world.ask_for(HOST, Command::HostAct(workspace, act));
    world.quiet();
    let early = world.peers[HOST].replies.remove(&asked);
    assert!(early.is_none(), "{early:?}");
    world.peers[HOST].stalled = false;
    world.quiet();
    assert!(matches!(world.peers[HOST].replies.get(&asked), Some(Ok(Reply::Saved))));
}

#[test]
fn acts_that_wait_hear_that_this_device_is_no_host_any_more() {
    let (mut world, workspace, _, _) = team(51, &["host", "ana"]);
    // The root key is brought to another home, which hosts from now on.
    world.cut(HOST, ANA);
    world.crash(ANA);
    let mut keys = world.keys(HOST, Table::Meta).into_iter();
    let row = (Table::Meta, keys.find(|key| key.starts_with(b"workspace/")).expect("its row"));
    let root = world.peers[HOST].disk[&row].clone();
    world.peers[ANA].disk.insert(row, root);
    world.start(ANA);
    world.peers[HOST].stalled = true;
    let say = || Command::HostAct(workspace, HostAct::Say { text: "hm".into() });
    let (written, queued) = (world.ask_for(HOST, say()), world.ask_for(HOST, say()));
    world.host(ANA, workspace);
    world.link(HOST, ANA);
    world.pass(10_000);
    for act in [written, queued] {
        let reply = world.peers[HOST].replies.remove(&act);
        assert!(matches!(reply, Some(Err(Refused::NotHost))), "{reply:?}");
    }
}

#[test]
fn what_comes_for_a_document_whose_read_never_ends_is_not_held_without_bound() {
    let (mut world, workspace, opening, _) = team(52, &["host", "ana", "ben"]);
    world.cut(HOST, BEN);
    world.crash(BEN);
    world.peers[BEN].unanswered = true;
    world.start(BEN);
    for number in 0..60 {
        let paste = format!("{number} {}", "x".repeat(30_000));
        world.edit(ANA, workspace, opening, submit("notes", text(&paste))).unwrap();
        world.pass(100);
        assert!(world.replica(BEN).backlog().is_within(&Backlog::most(2)), "after {number}");
    }
    let held = world.replica(BEN).backlog().unread;
    assert!(held > 0 && held <= Backlog::most(2).unread, "{held} bytes");
    world.peers[BEN].unanswered = false;
    world.pass(60_000);
    assert_eq!(world.replica(BEN).backlog().unread, 0);
    let right = world.answers(ANA, workspace, opening);
    assert!(world.answers(BEN, workspace, opening) == right, "what was turned away came again");
}

#[test]
fn whoever_waits_for_a_document_that_becomes_void_hears_that() {
    let (mut world, workspace, _, _) = team(53, &["host", "ana"]);
    // What the host raises now, its next epoch has not: it is set back to before it.
    let saved = world.peers[HOST].disk.clone();
    let mut other = form();
    other.id = "r2".into();
    let void = world.raise(HOST, workspace, other);
    world.quiet();
    world.crash(ANA);
    world.crash(HOST);
    world.peers[HOST].disk = saved;
    world.peers[ANA].unanswered = true;
    world.start(ANA);
    let read = world.ask_for(ANA, Command::Read { workspace, opening: void });
    let edit = submit("notes", text("x"));
    let edit = world.ask_for(ANA, Command::Edit { workspace, opening: void, edit });
    world.cut(HOST, ANA);
    world.start(HOST);
    world.host(HOST, workspace);
    world.act(HOST, workspace, HostAct::Say { text: "another epoch".into() }).unwrap();
    world.act(HOST, workspace, HostAct::Say { text: "and longer".into() }).unwrap();
    world.link(HOST, ANA);
    world.pass(60_000);
    for waits in [read, edit] {
        let reply = world.peers[ANA].replies.remove(&waits);
        assert!(matches!(reply, Some(Err(Refused::NoRequest))), "{reply:?}");
    }
}
