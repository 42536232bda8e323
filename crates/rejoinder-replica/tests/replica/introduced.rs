//! A member that others do not know yet: it was let in while they were away, and who let it in is
//! gone.

use rejoinder_finalizer::{Body, EpochCertificate, InviteIssued, MemberAdded, Record};
use rejoinder_identity::{
    Incarnation, OpeningId, PeerId, ProposalId, RecordId, Role, SecretKey, Ticket, Timestamp,
    Verified, WorkspaceId, from_bytes, to_bytes,
};
use rejoinder_replica::{Command, Hello, Input, LinkId, is_let_in};

use crate::{
    story::{ANA, BEN, HOST, selected, submit, team},
    world::{Peer, World},
};

/// The host and Ana have a workspace; while she is away Ben is let in, and then the host is gone.
fn apart(seed: u64) -> (World, WorkspaceId, OpeningId, Ticket) {
    let (mut world, workspace, opening, ticket) = team(seed, &["host", "ana"]);
    world.cut(HOST, ANA);
    let ben = world.newcomer("ben");
    assert_eq!(ben, BEN);
    world.join(BEN, &ticket, HOST);
    world.link(HOST, BEN);
    world.quiet();
    world.crash(HOST);
    (world, workspace, opening, ticket)
}

fn records(world: &World, peer: Peer, workspace: WorkspaceId) -> u64 {
    world.replica(peer).workspace(&workspace).unwrap().log_length
}

#[test]
fn a_newcomer_and_a_member_that_was_away_link_without_a_third() {
    let (mut world, workspace, opening, _) = apart(201);
    world.edit(BEN, workspace, opening, submit("env", selected("prod"))).unwrap();
    assert!(records(&world, ANA, workspace) < records(&world, BEN, workspace));
    world.link(ANA, BEN);
    world.pass(60_000);
    assert_eq!(records(&world, ANA, workspace), records(&world, BEN, workspace));
    assert!(world.answers(ANA, workspace, opening).contains("prod"));
    assert!(world.replica(ANA).synced(&workspace) && world.replica(BEN).synced(&workspace));
}

#[test]
fn it_is_let_into_a_workspace_over_the_link_of_another() {
    let (mut world, workspace, opening, _) = apart(202);
    // Both are in another workspace, and linked there.
    let other = world.found(ANA);
    let ticket = world.invite(ANA, other);
    world.join(BEN, &ticket, ANA);
    world.link(ANA, BEN);
    world.edit(BEN, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.pass(60_000);
    assert_eq!(records(&world, ANA, workspace), records(&world, BEN, workspace));
    assert!(world.answers(ANA, workspace, opening).contains("prod"));
}

#[test]
fn the_host_of_an_epoch_that_began_meanwhile_needs_no_record_that_adds_it() {
    let (mut world, workspace, _, _) = team(203, &["host", "ana", "ben"]);
    for (one, two) in [(HOST, ANA), (HOST, BEN), (ANA, BEN)] {
        world.cut(one, two);
    }
    // The home goes on with another device's key.
    world.crash(HOST);
    world.peers[HOST].key = SecretKey::from_seed([77; 32]);
    world.start(HOST);
    world.host(HOST, workspace);
    world.quiet();
    assert!(!world.replica(ANA).may_link(&world.id(HOST)));
    world.link(HOST, ANA);
    world.pass(60_000);
    assert_eq!(records(&world, ANA, workspace), records(&world, HOST, workspace));
}

/// The signed certificate and the signed record of an introduction.
type Parts = (Vec<u8>, Option<Vec<u8>>);

/// What Ben shows: the workspace's id before a frame.
fn bens(world: &World) -> Vec<u8> {
    world.replica(BEN).introductions(&world.id(ANA)).remove(0)
}

fn parts(introduction: &[u8]) -> Parts {
    from_bytes("introduction", &introduction[34..]).unwrap()
}

fn introduction(workspace: WorkspaceId, parts: &Parts) -> Vec<u8> {
    [&workspace.0[..], &[1, 6], &to_bytes(parts)].concat()
}

/// A record that adds a device, at the end of the log that Ben has or behind it.
fn added(world: &World, workspace: WorkspaceId, device: PeerId, name: String) -> Record {
    Record {
        workspace,
        epoch: 1,
        seq: records(world, BEN, workspace),
        prev: RecordId([5; 32]),
        at: Timestamp::from_millis(0),
        body: Body::MemberAdded(MemberAdded {
            device,
            name,
            role: Role::Owner,
            invite: None,
            join: ProposalId([6; 32]),
        }),
    }
}

fn signed(key: &SecretKey, record: Record) -> Option<Vec<u8>> {
    Some(Verified::sign(key, record).bytes().to_vec())
}

/// What shows nothing of a device with that key, each for one reason.
fn bad(world: &World, workspace: WorkspaceId, key: &SecretKey) -> Vec<(&'static str, Vec<u8>)> {
    let (mal, host) = (key.public(), world.key(HOST));
    let real = bens(world);
    let (certificate, bens_record) = parts(&real);
    let adds = |device: PeerId| added(world, workspace, device, "mal".into());
    let invites = Body::InviteIssued(InviteIssued {
        invite: mal,
        seats: 1,
        expires: Timestamp::from_millis(0),
        role: Role::Owner,
        approve: false,
    });
    let of_root = |root: &SecretKey, workspace| {
        let certificate = EpochCertificate {
            workspace,
            epoch: 99,
            host: mal,
            head: RecordId::NONE,
            incarnation: Incarnation([1; 16]),
        };
        Verified::sign(root, certificate).bytes().to_vec()
    };
    let with = |certificate: &Vec<u8>, record: Option<Vec<u8>>| {
        introduction(workspace, &(certificate.clone(), record))
    };
    let by_host = |record: Record| with(&certificate, signed(&host, record));
    let before = Record { seq: records(world, ANA, workspace) - 1, ..adds(mal) };
    let elsewhere = WorkspaceId([8; 32]);
    vec![
        ("another's", real.clone()),
        ("another's, one byte short", real[..real.len() - 1].to_vec()),
        ("a frame without anything", [&workspace.0[..], &[1, 6]].concat()),
        ("no record, and it is not the host", with(&certificate, None)),
        ("a record that it signed itself", with(&certificate, signed(key, adds(mal)))),
        ("a record that a member signed", with(&certificate, signed(&world.key(ANA), adds(mal)))),
        ("a record of another workspace", by_host(Record { workspace: elsewhere, ..adds(mal) })),
        ("a record of another epoch", by_host(Record { epoch: 2, ..adds(mal) })),
        ("a record that adds nobody", by_host(Record { body: invites, ..adds(mal) })),
        ("a record where the log has another", by_host(before)),
        ("a host that its own key lets write", with(&of_root(key, workspace), None)),
        ("a host of another workspace", {
            with(&of_root(key, WorkspaceId::of_root(&mal)), bens_record)
        }),
        ("a record that is too long", by_host(added(world, workspace, mal, "m".repeat(2_048)))),
    ]
}

/// All that tells that something came of what a stranger said.
fn seen(world: &World, workspace: WorkspaceId) -> (usize, usize, u64, usize) {
    let ana = &world.peers[ANA];
    let (peers, records) = (world.replica(ANA).peers().len(), records(world, ANA, workspace));
    (ana.events.len(), ana.disk.len() + ana.unwritten(), records, peers)
}

#[test]
fn who_shows_nothing_hears_what_one_hears_that_asks_about_no_workspace_of_ours() {
    let (mut world, workspace, _, _) = apart(204);
    let key = SecretKey::from_seed([66; 32]);
    let nowhere = introduction(WorkspaceId([9; 32]), &parts(&bens(&world)));
    let unknown = world.ask_at_door(ANA, key.public(), nowhere);
    assert!(!is_let_in(&unknown));
    let before = seen(&world, workspace);
    for (what, bytes) in bad(&world, workspace, &key) {
        assert_eq!(world.ask_at_door(ANA, key.public(), bytes), unknown, "{what}");
        assert!(!world.replica(ANA).may_link(&key.public()), "{what}");
        assert_eq!(seen(&world, workspace), before, "{what}");
    }
    // Nor does a member that knows it ask anything of a home that is no member.
    assert_eq!(world.replica(BEN).introductions(&key.public()), [] as [Vec<u8>; 0]);
    let real = bens(&world);
    assert!(is_let_in(&world.ask_at_door(ANA, world.id(BEN), real)));
}

/// A program with that key has a link with Ana: they share another workspace.
fn linked(world: &mut World, key: &SecretKey) -> LinkId {
    let link = LinkId(1_000_000);
    let incarnation = Incarnation([2; 16]);
    let hello = Hello { version: Hello::VERSION, incarnation, cards: vec![] }.to_bytes();
    world.handle(ANA, Input::LinkUp { link, peer: key.public(), hello });
    link
}

#[test]
fn nothing_is_taken_from_a_stranger_over_a_link_and_nothing_is_told_it() {
    let (mut world, workspace, opening, _) = apart(205);
    let key = SecretKey::from_seed([66; 32]);
    let link = linked(&mut world, &key);
    let before = seen(&world, workspace);
    // One that is right in itself, of each kind of item, and a position that asks for all.
    let (_, record) = parts(&bens(&world));
    let items = |kind: u8| {
        let items = to_bytes(&vec![(kind, record.clone().unwrap())]);
        [&workspace.0[..], &[1, 3], &items].concat()
    };
    let position = [&workspace.0[..], &[1, 1], &[0; 34], &[0; 32], &[1, 1]].concat();
    let mut frames: Vec<_> = (0..8).map(|kind| ("an item", items(kind))).collect();
    frames.push(("a position", position));
    frames.extend(bad(&world, workspace, &key));
    for (what, bytes) in frames {
        world.handle(ANA, Input::Frame { link, bytes });
        world.pass(60_000);
        assert_eq!(seen(&world, workspace), before, "{what}");
    }
    // Nor what happens meanwhile.
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.pass(60_000);
    assert_eq!(world.peers[ANA].sent.get(&link), None);
}

#[test]
fn introductions_over_a_link_are_looked_at_now_and_then() {
    let (mut world, _, _, _) = apart(206);
    let (key, id) = (world.key(BEN), world.id(BEN));
    let link = linked(&mut world, &key);
    let real = bens(&world);
    let bad = real[..real.len() - 1].to_vec();
    world.handle(ANA, Input::Frame { link, bytes: bad });
    world.handle(ANA, Input::Frame { link, bytes: real.clone() });
    assert!(!world.replica(ANA).may_link(&id), "too soon");
    world.pass(10_000);
    world.handle(ANA, Input::Frame { link, bytes: real });
    assert!(world.replica(ANA).may_link(&id));
    assert!(world.peers[ANA].sent[&link] > 0, "and is spoken with");
}

#[test]
fn members_that_the_log_awaits_are_bounded() {
    let (mut world, workspace, _, _) = apart(207);
    let (host, (certificate, _)) = (world.key(HOST), parts(&bens(&world)));
    for number in 0..=64 {
        let device = SecretKey::from_seed([100 + number; 32]).public();
        let record = signed(&host, added(&world, workspace, device, "one".into()));
        let bytes = introduction(workspace, &(certificate.clone(), record));
        let answer = world.ask_at_door(ANA, device, bytes);
        assert_eq!(is_let_in(&answer), number < 64, "{number}");
    }
}

#[test]
fn a_newer_epoch_in_which_it_is_no_member_makes_it_a_stranger_again() {
    let (mut world, workspace, opening, ticket) = team(208, &["host", "ana"]);
    world.cut(HOST, ANA);
    let old = world.peers[HOST].disk.clone();
    world.newcomer("ben");
    world.join(BEN, &ticket, HOST);
    world.link(HOST, BEN);
    world.quiet();
    world.crash(HOST);
    world.cut(HOST, BEN);
    // Ben gets a link, and says nothing on it.
    world.peers[BEN].silent = true;
    world.link(ANA, BEN);
    world.pass(1_000);
    let (link, id, real) = (world.link_of(ANA, BEN), world.id(BEN), bens(&world));
    assert!(world.replica(ANA).may_link(&id) && world.peers[ANA].sent[&link] > 0);
    // The host comes back from a backup that has not heard of him.
    world.peers[HOST].disk = old;
    world.start(HOST);
    world.host(HOST, workspace);
    world.link(HOST, ANA);
    world.pass(60_000);
    assert_eq!(records(&world, ANA, workspace), records(&world, HOST, workspace));
    assert!(!world.replica(ANA).may_link(&id));
    let sent = world.peers[ANA].sent[&link];
    world.edit(ANA, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.run(ANA, Command::Name("ana anew".into())).unwrap();
    world.pass(60_000);
    assert_eq!(world.peers[ANA].sent[&link], sent);
    assert!(!is_let_in(&world.ask_at_door(ANA, id, real)));
}
