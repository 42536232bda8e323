//! Members whose programs are not this one: what they send ends nobody's process.

use std::{collections::BTreeMap, net::SocketAddr};

use rejoinder_answers::{Document, Writer};
use rejoinder_identity::{DocumentId, Incarnation, SecretKey, Timestamp, Verified};
use rejoinder_replica::{Command, Edit, Event, Form, Hello, Input, LinkId, Table};
use rejoinder_sync::{AddressCard, Envelope, limits};

use crate::{
    story::{ANA, BEN, HOST, form, team},
    world::{Peer, World, q},
};

/// A program with the key of a member reaches a replica, with such cards in its hello.
fn reach(world: &mut World, at: Peer, key: &SecretKey, number: u64, cards: Vec<Vec<u8>>) -> LinkId {
    let link = LinkId(1_000_000 + number);
    let incarnation = Incarnation(u128::from(number).to_le_bytes());
    let hello = Hello { version: Hello::VERSION, incarnation, cards }.to_bytes();
    world.handle(at, Input::LinkUp { link, peer: key.public(), hello });
    link
}

fn card(key: &SecretKey, addresses: Vec<SocketAddr>, counter: u64) -> Vec<u8> {
    let card = AddressCard { device: key.public(), addresses, counter };
    Verified::sign(key, card).bytes().to_vec()
}

fn at(port: u16) -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], port))
}

fn ports(world: &World, known_at: Peer, of: Peer) -> Vec<u16> {
    let peers = world.replica(known_at).peers();
    peers[&world.id(of)].iter().map(|address| address.port()).collect()
}

/// Cards that nobody takes, though their devices signed them.
fn bad_cards(key: &SecretKey) -> Vec<(&'static str, Vec<u8>)> {
    let to = |address: &str| card(key, vec![at(7), address.parse().unwrap()], 99);
    vec![
        ("longer than a card may be", card(key, vec![at(7); 400], 99)),
        ("of too many addresses", card(key, vec![at(7); limits::CARD_ADDRESSES + 1], 99)),
        ("to everybody near", to("255.255.255.255:9")),
        ("to a group", to("224.0.0.251:5353")),
        ("to a group, IPv6", to("[ff02::fb]:5353")),
        ("to a group, IPv4 in IPv6", to("[::ffff:224.0.0.251]:5353")),
        ("to nowhere", to("0.0.0.0:9")),
        ("to nowhere, IPv6", to("[::]:9")),
        ("to no port", to("127.0.0.1:0")),
    ]
}

#[test]
fn a_card_that_is_too_long_or_leads_nowhere_is_neither_taken_nor_passed_on() {
    let (mut world, _, _, _) = team(101, &["host", "ana", "ben"]);
    world.cut(HOST, BEN);
    world.cut(ANA, BEN);
    let key = world.key(BEN);
    for (number, (what, bad)) in (0..).zip(bad_cards(&key)) {
        let link = reach(&mut world, HOST, &key, number, vec![bad]);
        world.quiet();
        for peer in [HOST, ANA] {
            assert_eq!(ports(&world, peer, BEN), [] as [u16; 0], "{what}");
        }
        world.handle(HOST, Input::LinkDown { link });
    }
    // One in order is, also behind bad ones in the same hello.
    let (_, bad) = bad_cards(&key).remove(0);
    reach(&mut world, HOST, &key, 99, vec![bad, card(&key, vec![at(8)], 1)]);
    world.quiet();
    assert_eq!(ports(&world, ANA, BEN), [8]);
}

#[test]
fn a_stored_card_that_nobody_takes_is_set_aside() {
    let kinds = bad_cards(&SecretKey::from_seed([0; 32])).len();
    for kind in 0..kinds {
        let (mut world, _, _, _) = team(102, &["host", "ana", "ben"]);
        world.crash(ANA);
        world.crash(HOST);
        // Of a release that took any.
        let (what, bad) = bad_cards(&world.key(BEN)).remove(kind);
        let row = (Table::Addresses, world.id(BEN).0.to_vec());
        world.peers[ANA].disk.insert(row.clone(), bad);
        world.start(ANA);
        world.start(HOST);
        world.quiet();
        assert_eq!(ports(&world, HOST, BEN), [] as [u16; 0], "{what}");
        assert!(!world.peers[ANA].disk.contains_key(&row), "{what}");
        let told = world.peers[ANA].events.iter().any(|event| {
            matches!(event, Event::Damaged { rows } if rows.get(&Table::Addresses) == Some(&1))
        });
        assert!(told, "{what}");
    }
}

/// How often it was told that there is another copy of its home.
fn copies_told(world: &World, peer: Peer) -> usize {
    world.peers[peer].events.iter().filter(|event| matches!(event, Event::OwnCopy)).count()
}

#[test]
fn a_member_that_was_set_back_is_found_where_it_is_now() {
    let (mut world, _, _, _) = team(103, &["host", "ana", "ben"]);
    world.run(ANA, Command::Addresses(vec![at(1)])).unwrap();
    world.quiet();
    let old = world.peers[ANA].disk.clone();
    for port in 2..6 {
        world.run(ANA, Command::Addresses(vec![at(port)])).unwrap();
        world.quiet();
    }
    assert_eq!(ports(&world, HOST, ANA), [5]);
    world.crash(ANA);
    world.peers[ANA].disk = old;
    world.start(ANA);
    world.run(ANA, Command::Addresses(vec![at(7)])).unwrap();
    world.quiet();
    assert_eq!((ports(&world, HOST, ANA), ports(&world, BEN, ANA)), (vec![7], vec![7]));
    assert_eq!(copies_told(&world, ANA), 1);
    // And when she moves again, in the same run and in the next.
    world.run(ANA, Command::Addresses(vec![at(8)])).unwrap();
    world.quiet();
    assert_eq!((ports(&world, HOST, ANA), ports(&world, BEN, ANA)), (vec![8], vec![8]));
    world.crash(ANA);
    world.start(ANA);
    world.run(ANA, Command::Addresses(vec![at(9)])).unwrap();
    world.quiet();
    assert_eq!((ports(&world, HOST, ANA), ports(&world, BEN, ANA)), (vec![9], vec![9]));
}

#[test]
fn no_two_cards_of_one_counter_come_of_a_crash() {
    let (mut world, _, _, _) = team(104, &["host", "ana"]);
    world.peers[ANA].stalled = true;
    world.ask_for(ANA, Command::Addresses(vec![at(1)]));
    world.quiet();
    assert_eq!(ports(&world, HOST, ANA), [] as [u16; 0], "its counter is not on the disk");
    world.peers[ANA].stalled = false;
    world.quiet();
    assert_eq!(ports(&world, HOST, ANA), [1]);
}

#[test]
fn two_copies_of_a_home_do_not_outdo_each_other_for_ever() {
    let (mut world, _, _, _) = team(105, &["host", "ana"]);
    world.run(ANA, Command::Addresses(vec![at(1)])).unwrap();
    world.quiet();
    let key = world.key(ANA);
    let mut outdone = 0;
    for counter in (100..).step_by(100).take(100) {
        // The other copy, linked with the host too.
        let link = reach(&mut world, HOST, &key, counter, vec![card(&key, vec![at(2)], counter)]);
        world.quiet();
        outdone += u32::from(ports(&world, HOST, ANA) == [1]);
        world.handle(HOST, Input::LinkDown { link });
    }
    assert!((1..20).contains(&outdone), "{outdone} times");
    assert_eq!((copies_told(&world, ANA), copies_told(&world, HOST)), (1, 0));
}

/// A document as a member's own program would hold it.
fn own_copy(world: &World, document: DocumentId) -> (Document, Form) {
    let form = Form::read(&form());
    let mut copy = Document::new(document);
    let skeleton = copy.skeleton(&form, &BTreeMap::new()).unwrap();
    copy.admit_skeleton(&skeleton, world.id(HOST)).unwrap();
    (copy, form)
}

/// The next change of a chain: it ticks or unticks an option.
fn link_of_chain(copy: &mut Document, form: &Form, key: &SecretKey, on: bool) -> Vec<u8> {
    let (document, incarnation, author) = (copy.id(), Incarnation([5; 16]), key.public());
    let writer = Writer { device: author, incarnation, now: Timestamp::from_millis(1) };
    let edit = Edit::Toggle { question: q("checks"), option: "unit".into(), on };
    let change = copy.edit(form, &writer, &edit).unwrap().remove(0).change;
    Verified::sign(key, Envelope { document, author, incarnation, change }).bytes().to_vec()
}

/// A frame of envelopes, as it goes over the wire.
fn frame(workspace: [u8; 32], envelopes: &[Vec<u8>]) -> Vec<u8> {
    let mut frame = workspace.to_vec();
    frame.extend([1, 3]);
    varint(&mut frame, envelopes.len());
    for envelope in envelopes {
        frame.push(2);
        varint(&mut frame, envelope.len());
        frame.extend(envelope);
    }
    frame
}

fn varint(frame: &mut Vec<u8>, mut number: usize) {
    while number > 0x7f {
        frame.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    frame.push(u8::try_from(number).unwrap());
}

/// Sixteen devices write in turns, each change on the one before; all but the first come, the last
/// one first.
fn a_chain_comes_backwards() {
    const WRITERS: usize = limits::PARKED_TOTAL / limits::PARKED;
    const NAMES: [&str; WRITERS + 2] = [
        "host", "ana", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
        "p",
    ];
    let mut world = World::new(106, &NAMES);
    let workspace = world.found(HOST);
    let ticket = world.invite(HOST, workspace);
    for peer in 1..NAMES.len() {
        world.join(peer, &ticket, HOST);
    }
    world.link(HOST, ANA);
    world.quiet();
    world.start_turn(HOST, workspace);
    let opening = world.raise(HOST, workspace, form());
    world.quiet();
    let document = world.view(ANA, workspace, opening).document;
    let (mut copy, form) = own_copy(&world, document);
    let first = link_of_chain(&mut copy, &form, &world.key(HOST), true);
    let mut chains = vec![Vec::new(); WRITERS];
    for number in 0..limits::PARKED_TOTAL {
        let writer = number % WRITERS;
        let key = world.key(2 + writer);
        chains[writer].push(link_of_chain(&mut copy, &form, &key, number % 2 == 1));
    }
    let mut links = Vec::new();
    for (number, mut chain) in (0..).zip(chains) {
        let key = world.key(2 + usize::try_from(number).unwrap());
        links.push(reach(&mut world, ANA, &key, number, vec![]));
        chain.reverse();
        let bytes = frame(workspace.0, &chain);
        world.handle(ANA, Input::Frame { link: links[links.len() - 1], bytes });
    }
    assert_eq!(world.replica(ANA).backlog().parked, limits::PARKED_TOTAL, "the pool is full");
    world.handle(ANA, Input::Frame { link: links[0], bytes: frame(workspace.0, &[first]) });
    assert_eq!(world.replica(ANA).backlog().parked, 0);
    world.quiet();
    let taken_in = world.keys(ANA, Table::Envelopes).len();
    assert_eq!(taken_in, limits::PARKED_TOTAL + 1, "all of it is taken in");
}

#[test]
fn a_full_pool_that_is_released_as_one_chain_needs_no_deep_stack() {
    let thread = std::thread::Builder::new().stack_size(512 * 1024);
    thread.spawn(a_chain_comes_backwards).unwrap().join().unwrap();
}

/// An envelope by somebody of whom no log knows.
fn by_an_invented_author(number: usize, incarnation: u8) -> Vec<u8> {
    let mut seed = [9; 32];
    seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
    let key = SecretKey::from_seed(seed);
    let (document, incarnation) = (DocumentId([1; 32]), Incarnation([incarnation; 16]));
    let change = number.to_le_bytes().to_vec();
    let envelope = Envelope { document, author: key.public(), incarnation, change };
    Verified::sign(&key, envelope).bytes().to_vec()
}

#[test]
fn one_link_fills_its_own_room_and_leaves_it_when_it_goes() {
    let (mut world, workspace, _, _) = team(107, &["host", "ana", "ben"]);
    let (ana, ben) = (world.key(ANA), world.key(BEN));
    let flooding = reach(&mut world, HOST, &ben, 1, vec![]);
    for author in 0..=limits::PARKED_TOTAL / limits::PARKED {
        let all: Vec<_> = (0..=255).map(|number| by_an_invented_author(author, number)).collect();
        world.handle(HOST, Input::Frame { link: flooding, bytes: frame(workspace.0, &all) });
    }
    let flooded = world.replica(HOST).backlog().parked;
    // Another link has room still, for something new and for one that the flooding one brought.
    let other = reach(&mut world, HOST, &ana, 2, vec![]);
    let two = [by_an_invented_author(10_000, 0), by_an_invented_author(0, 0)];
    world.handle(HOST, Input::Frame { link: other, bytes: frame(workspace.0, &two) });
    assert_eq!(world.replica(HOST).backlog().parked, flooded + 1, "of {flooded}");
    world.handle(HOST, Input::LinkDown { link: flooding });
    assert_eq!(world.replica(HOST).backlog().parked, 2, "what the other link brought");
    world.handle(HOST, Input::LinkDown { link: other });
    assert_eq!(world.replica(HOST).backlog().parked, 0);
}
