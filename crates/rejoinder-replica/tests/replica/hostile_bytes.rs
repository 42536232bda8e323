//! Bytes that are nearly right, by the thousand: what a peer or a host sends, whoever signed it,
//! ends nobody's process, and who keeps the protocol is served as before.

use ahp_types::state::ChatInputResponseKind::Accept;
use rejoinder_finalizer::{Proposal, Record};
use rejoinder_identity::{
    Incarnation, OpeningId, SecretKey, Signable, Timestamp, TurnId, Verified, WorkspaceId,
    from_bytes, to_bytes,
};
use rejoinder_replica::{AskId, Command, Hello, HostAct, Input, LinkId};
use rejoinder_sync::{AddressCard, Envelope, ItemKind};

use crate::{
    story::{ANA, BEN, HOST, draft, form, selected, submit, team, text},
    world::{Peer, World},
};

/// A world in which everything was sent once, and the frames.
struct Heard {
    world: World,
    workspace: WorkspaceId,
    opening: OpeningId,
    frames: Vec<Vec<u8>>,
    hello: Vec<u8>,
    join: Vec<u8>,
}

fn heard(seed: u64) -> Heard {
    let (mut world, workspace, opening, ticket) = team(seed, &["host", "ana", "ben"]);
    world.kept = Some(Vec::new());
    let address = ([127, 0, 0, 1], 7).into();
    world.run(BEN, Command::Addresses(vec![address])).unwrap();
    world.edit(BEN, workspace, opening, submit("env", selected("prod"))).unwrap();
    world.edit(ANA, workspace, opening, draft("notes", text("some notes"))).unwrap();
    world.quiet();
    world.complete(BEN, workspace, opening, Accept).unwrap();
    world.quiet();
    world.act(HOST, workspace, HostAct::Say { text: "thanks".into() }).unwrap();
    let chat = world.replica(HOST).chat(&workspace).unwrap().chat;
    let turn = TurnId(chat.active_turn.unwrap().id);
    world.act(HOST, workspace, HostAct::CompleteTurn(turn)).unwrap();
    world.start_turn(HOST, workspace);
    let mut request = form();
    request.id = "r2".into();
    let opening = world.raise(HOST, workspace, request);
    world.pass(1_000);
    // Whoever links anew compares.
    world.cut(HOST, BEN);
    world.edit(BEN, workspace, opening, draft("notes", text("apart"))).unwrap();
    world.link(HOST, BEN);
    world.pass(60_000);
    let cat = world.newcomer("cat");
    world.run(cat, Command::Join(Box::new(ticket))).unwrap();
    let (join, _) = world.replica(cat).join_ask(&workspace).unwrap();
    let hello = world.replica(BEN).hello(&world.id(HOST)).to_bytes();
    let frames = world.kept.take().unwrap();
    world.closed = Some(Vec::new());
    Heard { world, workspace, opening, frames, hello, join }
}

/// Something that is nearly those bytes.
fn nearly(world: &mut World, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=world.below(3) {
        let at = world.below(bytes.len().max(1));
        let [odd] = world.draw();
        match world.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), odd),
            2 if at < bytes.len() => _ = bytes.remove(at),
            3 if at < bytes.len() => bytes[at] ^= 1 << (odd % 8),
            // A number that says that it goes on, and the largest there is.
            4 => drop(bytes.splice(at.min(bytes.len()).., [0xff; 9].into_iter().chain([1]))),
            _ if at < bytes.len() => bytes[at] = odd,
            _ => {}
        }
    }
    bytes
}

/// A program with that key is linked with a peer; over its link it sends what it likes.
struct Hostile {
    at: Peer,
    key: SecretKey,
    link: LinkId,
    links: u64,
}

impl Hostile {
    fn new(world: &mut World, at: Peer, key: SecretKey) -> Self {
        let mut hostile = Self { at, key, link: LinkId(0), links: 0 };
        let hello =
            Hello { version: Hello::VERSION, incarnation: Incarnation([9; 16]), cards: vec![] };
        hostile.link_anew(world, hello.to_bytes());
        hostile
    }

    fn link_anew(&mut self, world: &mut World, hello: Vec<u8>) {
        world.handle(self.at, Input::LinkDown { link: self.link });
        self.links += 1;
        self.link = LinkId(1_000_000 + self.links);
        let peer = self.key.public();
        world.handle(self.at, Input::LinkUp { link: self.link, peer, hello });
    }

    /// Sends a frame; one that had the link closed is followed by another link.
    fn send(&mut self, world: &mut World, bytes: Vec<u8>, hello: &[u8]) {
        world.handle(self.at, Input::Frame { link: self.link, bytes });
        let closed = std::mem::take(world.closed.as_mut().unwrap());
        if closed.iter().any(|(link, _)| *link == self.link) {
            self.link_anew(world, hello.to_vec());
        }
    }
}

fn items(workspace: WorkspaceId, kind: ItemKind, bytes: &[u8]) -> Vec<u8> {
    [&workspace.0[..], &[1, 3], &to_bytes(&vec![(kind as u8, bytes.to_vec())])].concat()
}

/// What was sent of one kind.
fn sent<T: Signable + Clone>(frames: &[Vec<u8>]) -> Vec<T> {
    let items = frames.iter().filter(|frame| frame[32..34] == [1, 3]).flat_map(|frame| {
        from_bytes::<Vec<(u8, Vec<u8>)>>("items", &frame[34..]).unwrap_or_default()
    });
    let read = items.filter_map(|(_, bytes)| Verified::<T>::from_bytes(&bytes).ok());
    let read: Vec<_> = read.map(|one| one.value().clone()).collect();
    assert!(!read.is_empty(), "the story lacks some");
    read
}

/// Something that is nearly one of these, and signed: it has the form of one, if not its sense.
fn signed<T: Signable>(world: &mut World, key: &SecretKey, of: &[T]) -> Option<Vec<u8>> {
    let body = to_bytes(&of[world.below(of.len())]);
    let body = nearly(world, &body);
    let value: T = from_bytes("nearly", &body).ok()?;
    Some(Verified::sign(key, value).bytes().to_vec())
}

/// The others still have each other's words.
fn is_served(heard: &mut Heard) {
    let Heard { world, workspace, opening, .. } = heard;
    world.edit(ANA, *workspace, *opening, submit("env", selected("dev"))).unwrap();
    world.pass(60_000);
    assert!(world.answers(HOST, *workspace, *opening).contains("dev"));
}

#[test]
fn frames_hellos_and_asks_that_are_nearly_right_end_nothing() {
    let mut heard = heard(401);
    let Heard { world, frames, hello, join, workspace, .. } = &mut heard;
    let mut hostile = Hostile::new(world, HOST, world.key(BEN));
    let introduction = world.replica(BEN).introductions(&world.id(HOST)).remove(0);
    for round in 0..6_000 {
        let frame = frames[world.below(frames.len())].clone();
        let bytes = nearly(world, &frame);
        hostile.send(world, bytes, hello);
        if round % 8 == 0 {
            let odd = nearly(world, hello);
            hostile.link_anew(world, odd);
            let device = SecretKey::from_seed(world.draw()).public();
            for ask in [&*join, &introduction] {
                let bytes = nearly(world, ask);
                world.handle(HOST, Input::JoinAsked { ask: AskId(90_000 + round), device, bytes });
            }
            let answer = world.draw::<3>().to_vec();
            let (by, workspace) = (device, *workspace);
            world.handle(ANA, Input::JoinAnswered { by, bytes: answer, workspace });
        }
        if round % 100 == 0 {
            world.pass(1_000);
        }
    }
    is_served(&mut heard);
}

#[test]
fn what_a_member_signs_that_makes_no_sense_ends_nothing() {
    let mut heard = heard(402);
    let Heard { world, frames, hello, workspace, .. } = &mut heard;
    let key = world.key(BEN);
    let mut hostile = Hostile::new(world, HOST, key.clone());
    let (envelopes, proposals) = (sent::<Envelope>(frames), sent::<Proposal>(frames));
    let cards = sent::<AddressCard>(frames);
    let mut tried = [0; 3];
    for round in 0..6_000 {
        let (kind, item) = match round % 3 {
            0 => (ItemKind::Envelope, signed(world, &key, &envelopes)),
            1 => (ItemKind::Proposal, signed(world, &key, &proposals)),
            _ => (ItemKind::AddressCard, signed(world, &key, &cards)),
        };
        if let Some(item) = item {
            tried[round % 3] += 1;
            hostile.send(world, items(*workspace, kind, &item), hello);
        }
        if round % 100 == 0 {
            world.pass(1_000);
        }
    }
    assert!(tried.iter().all(|tried| *tried > 300), "{tried:?}");
    is_served(&mut heard);
}

#[test]
fn what_a_host_signs_that_makes_no_sense_ends_nothing() {
    for seed in 403..411 {
        let mut heard = heard(seed);
        let Heard { world, frames, hello, workspace, .. } = &mut heard;
        let (host, ben) = (world.key(HOST), world.key(BEN));
        let records = sent::<Record>(frames);
        // The host's key is in other hands, and its home is gone.
        world.crash(HOST);
        let mut hostile = Hostile::new(world, ANA, ben);
        let (mut taken, began) = (0, view_length(world, *workspace));
        for round in 0..600 {
            let body = to_bytes(&records[world.below(records.len())].body);
            let body = nearly(world, &body);
            let Ok(body) = from_bytes("nearly", &body) else { continue };
            let view = world.replica(ANA).workspace(workspace).unwrap();
            let [far] = world.draw();
            let at = if far < 16 { i64::MAX } else { world.now };
            let (seq, prev) = (view.log_length, view.log_head);
            let (workspace, at) = (*workspace, Timestamp::from_millis(at));
            let record = Record { workspace, epoch: 1, seq, prev, at, body };
            let record = Verified::sign(&host, record).bytes().to_vec();
            hostile.send(world, items(workspace, ItemKind::Record, &record), hello);
            taken = view_length(world, workspace) - began;
            if round % 50 == 0 {
                world.pass(1_000);
            }
        }
        assert!(taken > 100, "seed {seed}: {taken} were taken in");
        // All of it can be looked at, and read again from the disk.
        look(world, *workspace);
        world.pass(1_000);
        world.crash(ANA);
        world.start(ANA);
        look(world, *workspace);
    }
}

fn view_length(world: &World, workspace: WorkspaceId) -> u64 {
    world.replica(ANA).workspace(&workspace).unwrap().log_length
}

fn look(world: &World, workspace: WorkspaceId) {
    let ana = world.replica(ANA);
    let view = ana.workspace(&workspace).unwrap();
    assert!(ana.chat(&workspace).is_some() && !ana.members(&workspace).is_empty());
    for request in view.requests {
        assert!(ana.request(&workspace, &request.opening).is_some());
    }
}
