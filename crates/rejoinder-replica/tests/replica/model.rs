//! Random histories against a simple model: whatever happens, nothing that was acknowledged is
//! lost, nothing is decided twice, and after the heal all are equal.

use std::collections::BTreeMap;

use ahp_types::state::{ChatInputRequest, ChatInputResponseKind};
use rejoinder_identity::{OpeningId, WorkspaceId};
use rejoinder_replica::{Command, Edit, HostAct, Reply, RequestStatus};
use serde_json::json;

use crate::world::{Peer, World, q};

const NAMES: &[&str] = &["host", "ana", "ben", "cat"];

fn form(id: &str) -> ChatInputRequest {
    serde_json::from_value(json!({ "id": id, "questions": [
        { "kind": "text", "id": "notes", "message": "Notes" },
        { "kind": "boolean", "id": "sure", "message": "Sure?" },
    ]}))
    .unwrap()
}

#[derive(Default)]
struct Model {
    /// Edits whose `Saved` came: the token each typed, and in which request.
    saved: Vec<(OpeningId, String)>,
    waiting: BTreeMap<(Peer, u64), (OpeningId, String)>,
    openings: Vec<OpeningId>,
    /// What each request was seen to be decided as, anywhere.
    decided: BTreeMap<OpeningId, String>,
    happened: BTreeMap<&'static str, u32>,
}

impl Model {
    fn note(&mut self, what: &'static str) {
        *self.happened.entry(what).or_default() += 1;
    }

    fn collect(&mut self, world: &mut World) {
        for (peer, node) in world.peers.iter_mut().enumerate() {
            for (command, reply) in std::mem::take(&mut node.replies) {
                if let Some(saved) = self.waiting.remove(&(peer, command))
                    && matches!(reply, Ok(Reply::Saved))
                {
                    self.saved.push(saved);
                }
            }
        }
    }

    /// While things break: one decision a request, the same everywhere.
    fn check_safety(&mut self, world: &World, workspace: WorkspaceId) {
        for peer in world.running() {
            let Some(view) = world.replica(peer).workspace(&workspace) else { continue };
            for request in view.requests {
                if let RequestStatus::Decided { response, by, .. } = &request.status {
                    let shown = format!("{response:?} {by} {}", request.projection.to_json());
                    let known =
                        self.decided.entry(request.opening).or_insert_with(|| shown.clone());
                    assert_eq!(*known, shown, "seed {}: decided twice", world.seed);
                }
            }
        }
    }
}

fn history(seed: u64, model: &mut Model) {
    let mut world = World::new(seed, NAMES);
    let workspace = world.found(0);
    let ticket = world.invite(0, workspace);
    for peer in 1..NAMES.len() {
        world.join(peer, &ticket, 0);
    }
    for one in 0..NAMES.len() {
        for two in one + 1..NAMES.len() {
            world.link(one, two);
        }
    }
    world.quiet();
    let mut turn = None;
    let mut token = 0;
    for _ in 0..60 {
        for _ in 0..world.below(12) {
            world.step();
        }
        model.collect(&mut world);
        model.check_safety(&world, workspace);
        let peer = world.below(NAMES.len());
        let other = world.below(NAMES.len());
        match world.below(14) {
            0 if peer != other => {
                model.note("cut");
                world.cut(peer, other);
            }
            1 if peer != other => {
                model.note("link");
                world.link(peer, other);
            }
            2 if world.peers[peer].replica.is_some() => {
                model.note("crash");
                world.crash(peer);
                model.waiting.retain(|(who, _), _| *who != peer);
            }
            3 | 4 => {
                for peer in 0..NAMES.len() {
                    if world.peers[peer].replica.is_none() {
                        world.start(peer);
                        if peer == 0 {
                            world.ask_for(0, Command::Host(workspace));
                        }
                    }
                }
            }
            5 if world.peers[0].replica.is_some() => {
                let act = match world.below(4) {
                    0 => turn.take().map(HostAct::CancelTurn),
                    1 => turn.take().map(HostAct::CompleteTurn),
                    _ => None,
                };
                if let Some(act) = act {
                    model.note("turn end");
                    world.ask_for(0, Command::HostAct(workspace, act));
                } else {
                    world.ask_for(
                        0,
                        Command::HostAct(workspace, HostAct::StartTurn { text: "t".into() }),
                    );
                    turn = world
                        .replica(0)
                        .chat(&workspace)
                        .and_then(|chat| chat.chat.active_turn)
                        .map(|turn| rejoinder_identity::TurnId(turn.id));
                }
            }
            6 if world.peers[0].replica.is_some() => {
                model.note("ask");
                let request = Box::new(form(&format!("r{}", world.below(3))));
                let act = HostAct::Ask { request, rules: BTreeMap::new(), strict: false };
                world.ask_for(0, Command::HostAct(workspace, act));
            }
            7 if world.peers[peer].replica.is_some() => {
                let open = open(&world, peer, workspace);
                if !open.is_empty() {
                    model.note("completion");
                    let opening = open[world.below(open.len())];
                    let response = [
                        ChatInputResponseKind::Accept,
                        ChatInputResponseKind::Decline,
                        ChatInputResponseKind::Cancel,
                    ][world.below(3)];
                    let answers = BTreeMap::new();
                    let command = Command::Complete { workspace, opening, response, answers };
                    world.ask_for(peer, command);
                }
            }
            8 => world.peers[peer].stalled = true,
            9 => world.peers.iter_mut().for_each(|node| node.stalled = false),
            10 => {
                let millis = i64::try_from(world.below(40_000)).unwrap();
                world.pass(millis);
            }
            _ if world.peers[peer].replica.is_some() => {
                let open = open(&world, peer, workspace);
                if open.is_empty() {
                    continue;
                }
                let opening = open[world.below(open.len())];
                token += 1;
                let insert = format!("<{token}>");
                let edit =
                    Edit::Type { question: q("notes"), at: 0, delete: 0, insert: insert.clone() };
                let command = world.ask_for(peer, Command::Edit { workspace, opening, edit });
                model.note("edit");
                model.waiting.insert((peer, command), (opening, insert));
            }
            _ => {}
        }
    }
    heal(&mut world, workspace, model);
}

fn heal(world: &mut World, workspace: WorkspaceId, model: &mut Model) {
    for peer in 0..NAMES.len() {
        world.peers[peer].stalled = false;
        if world.peers[peer].replica.is_none() {
            world.start(peer);
        }
    }
    world.host(0, workspace);
    for peer in 1..NAMES.len() {
        // A line through the host is enough.
        world.link(0, peer);
    }
    world.quiet();
    world.pass(200_000);
    model.collect(world);
    model.check_safety(world, workspace);

    let seed = world.seed;
    let host = world.replica(0).workspace(&workspace).unwrap();
    for peer in world.running() {
        let view = world.replica(peer).workspace(&workspace).unwrap();
        assert!(world.replica(peer).synced(&workspace), "seed {seed}: {peer} is not in sync");
        assert!(view.waiting.is_empty(), "seed {seed}: {peer} waits for ever");
        assert_eq!(view.uncarried, 0, "seed {seed}");
        assert_eq!(view.log_length, host.log_length, "seed {seed}");
        for (mine, theirs) in view.requests.iter().zip(&host.requests) {
            assert_eq!(mine.status, theirs.status, "seed {seed}");
            assert_eq!(
                mine.projection.to_json().to_string(),
                theirs.projection.to_json().to_string(),
                "seed {seed}: {peer} shows something else"
            );
        }
    }
    for (opening, token) in std::mem::take(&mut model.saved) {
        world.run(0, Command::Read { workspace, opening }).unwrap();
        let Some(view) = world.replica(0).request(&workspace, &opening) else {
            panic!("seed {seed}: a request is gone")
        };
        // The document as it would be shown, whatever the record says.
        let in_part = view.projection.to_json().to_string().contains(&token);
        let late = view.not_included.iter().any(|late| {
            rejoinder_replica::answer_to_json(&late.answer).to_string().contains(&token)
        });
        assert!(
            in_part || late,
            "seed {seed}: {token} was saved and is lost: {:?} {} late {:?}",
            view.status,
            view.projection.to_json(),
            view.not_included
        );
    }
    model.openings.clear();
    model.decided.clear();
    model.waiting.clear();
}

fn open(world: &World, peer: Peer, workspace: WorkspaceId) -> Vec<OpeningId> {
    let Some(view) = world.replica(peer).workspace(&workspace) else { return Vec::new() };
    view.requests
        .iter()
        .filter(|request| request.status == RequestStatus::Open)
        .map(|request| request.opening)
        .collect()
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_decided_twice() {
    let mut model = Model::default();
    let extra: u64 = std::env::var("REJOINDER_HISTORIES").map_or(0, |n| n.parse().unwrap());
    for seed in 0..200 + extra {
        history(seed, &mut model);
    }
    println!("{:?}", model.happened);
    for what in ["cut", "link", "crash", "turn end", "ask", "completion", "edit"] {
        assert!(model.happened.contains_key(what), "{what} never happened");
    }
}
