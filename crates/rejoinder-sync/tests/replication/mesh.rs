//! Lines, rings and random histories of several replicas.

use std::time::Duration;

use rejoinder_sync::limits;

use super::{
    net::{Counts, World},
    random::Random,
};

type Edges = &'static [(usize, usize)];

const LINE: Edges = &[(0, 1), (1, 2)];
const RING_OF_4: Edges = &[(0, 1), (1, 2), (2, 3), (3, 0)];
const RING_OF_5: Edges = &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)];
const ALL_OF_4: Edges = &[(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];

fn world(seed: u64, edges: Edges) -> World {
    let nodes = edges.iter().map(|(a, b)| a.max(b) + 1).max().unwrap();
    World::new(seed, nodes)
}

fn heal(world: &mut World, edges: Edges) {
    edges.iter().for_each(|(a, b)| world.link(*a, *b));
}

/// Returns a time long enough for every link to compare once, and for the missing items to arrive.
fn one_comparison() -> Duration {
    limits::COMPARE * 5 / 4 + limits::SETTLE + limits::COMPARE_SOONEST
}

#[test]
fn a_and_c_never_meet() {
    let mut world = world(1, LINE);
    let document = world.open();
    heal(&mut world, LINE);
    world.run(Duration::from_secs(1));
    for node in [0, 2, 1, 2, 0] {
        world.edit(node, document);
        world.propose(node);
        world.run_until_quiet();
    }
    world.answer();
    world.run(Duration::from_secs(1));
    world.check_converged();
    assert!(world.all_in_sync());
    assert_eq!(world.most_arrivals(), 1);
    // Each of B's links carried what the other end had made, and what B had: nothing came back.
    assert_eq!(world.arrivals(0, 1), 3 + 3, "edits and proposals of B and C");
    assert_eq!(world.arrivals(2, 1), 3 + 3 + 3, "those of A and B, and three records");
}

/// Edits in a world at rest go over each link direction at most once, whatever the way links
/// overtake each other.
#[test]
fn rings_do_not_loop() {
    for edges in [RING_OF_4, RING_OF_5, ALL_OF_4] {
        for seed in 0..50 {
            let mut world = world(seed, edges);
            let document = world.open();
            heal(&mut world, edges);
            world.run(Duration::from_secs(1));
            let before = world.counted("frames of items");
            let edits = 3 * world.nodes.len();
            for turn in 0..edits {
                world.edit(turn % world.nodes.len(), document);
                while world.random.one_in(2) && world.deliver_one() {}
            }
            world.run(Duration::from_secs(1));
            world.check_converged();
            assert!(world.all_in_sync(), "seed {seed}");
            assert_eq!(world.most_arrivals(), 1, "seed {seed}");
            assert_eq!(world.counted("parked"), 0, "seed {seed}: before what it depends on");
            let frames = world.counted("frames of items") - before;
            assert!(frames <= edits * 2 * edges.len(), "seed {seed}: {frames} frames");
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Deliver,
    Write,
    Fetch,
    Edit,
    BigEdit,
    Propose,
    Open,
    Answer,
    Cut,
    Link,
    Restart,
    Wait,
    TakeOver,
}

/// The weights with which operations are drawn.
const OPERATIONS: &[(usize, Operation)] = &[
    (90, Operation::Deliver),
    (25, Operation::Write),
    (12, Operation::Fetch),
    (20, Operation::Edit),
    (1, Operation::BigEdit),
    (3, Operation::Propose),
    (3, Operation::Open),
    (2, Operation::Answer),
    (4, Operation::Cut),
    (8, Operation::Link),
    (2, Operation::Restart),
    (8, Operation::Wait),
    (1, Operation::TakeOver),
];

fn draw(random: &mut Random) -> Operation {
    let mut at = random.below(OPERATIONS.iter().map(|(weight, _)| weight).sum());
    for (weight, operation) in OPERATIONS {
        if at < *weight {
            return *operation;
        }
        at -= weight;
    }
    unreachable!("the weights were added up")
}

fn do_one(world: &mut World, edges: Edges) {
    let node = world.random.below(world.nodes.len());
    let (a, b) = world.random.pick(edges).unwrap();
    match draw(&mut world.random) {
        Operation::Deliver => _ = world.deliver_one(),
        Operation::Write => _ = world.write_one(node),
        Operation::Fetch => _ = world.fetch_one(),
        Operation::Edit => edit(world, node, 60),
        // More than a window; seldom, for it takes as long as a hundred other histories.
        Operation::BigEdit if world.random.one_in(20) => {
            (0..25).for_each(|_| edit(world, node, 60_000));
            world.count("bursts");
        }
        Operation::BigEdit => {}
        Operation::Propose => world.propose(node),
        Operation::Open => _ = world.open(),
        Operation::Answer => world.answer(),
        Operation::Cut => {
            world.unlink(a, b);
            world.count("cuts");
        }
        Operation::Link => world.link(a, b),
        Operation::Restart => {
            world.restart(node);
            world.count("restarts");
        }
        Operation::Wait => {
            let time = [5, 60, 2_000, 9_000][world.random.below(4)];
            world.pass(Duration::from_millis(time));
        }
        Operation::TakeOver => {
            let lost = world.random.below(4);
            world.take_over(node, lost);
        }
    }
}

fn edit(world: &mut World, node: usize, size: usize) {
    let documents = world.nodes[node].document_ids();
    if let Some(document) = world.random.pick(&documents) {
        world.edit_of_size(node, document, size);
        world.count("edits");
    }
}

/// A random history with faults; then the faults end, and all must come together.
fn history(seed: u64, edges: Edges, drops: bool) -> World {
    let mut world = world(seed, edges);
    world.slow_disks = seed.is_multiple_of(2);
    world.open();
    heal(&mut world, edges);
    if drops {
        world.drops = 12;
    }
    for _ in 0..120 {
        do_one(&mut world, edges);
    }
    world.drops = 0;
    heal(&mut world, edges);
    let mut steps = world.run_until_quiet();
    world.run(Duration::from_secs(1));
    // What was dropped is found by one comparison; what that brings may have been parked too long
    // elsewhere, which the next finds.
    let mut rounds = 0;
    while !world.all_in_sync() {
        assert!(rounds < 3, "not together:\n{}", world.differences());
        world.run(one_comparison());
        steps += world.run_until_quiet();
        rounds += 1;
    }
    world.run(Duration::from_secs(1));
    world.check_converged();
    assert!(steps < 20_000, "{steps} steps");
    if rounds > 0 {
        world.count("healed by a comparison");
    } else {
        world.count("healed without");
    }
    world
}

fn histories(seeds: std::ops::Range<u64>, drops: bool) -> Counts {
    let mut counts = Counts::new();
    for seed in seeds {
        let edges = [LINE, RING_OF_4, RING_OF_5, ALL_OF_4][usize::try_from(seed % 4).unwrap()];
        let run = std::panic::catch_unwind(|| history(seed, edges, drops));
        let world = run.unwrap_or_else(|_| panic!("seed {seed}, drops {drops}"));
        for (what, count) in &world.counts {
            *counts.entry(*what).or_default() += count;
        }
        if !drops {
            assert_eq!(world.counted("dropped"), 0, "seed {seed}: parked without bounds");
        }
    }
    println!("{counts:#?}");
    counts
}

fn all_happened(counts: &Counts, kinds: &[&str]) {
    for kind in kinds {
        assert!(counts.get(kind).is_some_and(|count| *count > 0), "no case with: {kind}");
    }
}

const USUAL: &[&str] = &[
    "acknowledgements",
    "admitted",
    "answers",
    "bursts",
    "carried",
    "credits",
    "cuts",
    "edits",
    "everything carried",
    "healed without",
    "in sync",
    "not in sync",
    "positions",
    "restarts",
    "seen again",
    "slow fetches",
    "summary parts",
    "take-overs",
];

#[test]
fn random_histories_come_together() {
    let counts = histories(0..1000, false);
    all_happened(&counts, USUAL);
    // Pushing and the comparison when a link comes up are enough; the periodic one is for faults.
    assert!(counts.get("healed by a comparison").is_none_or(|count| *count <= 10));
}

#[test]
fn random_histories_with_receivers_that_drop_come_together() {
    let counts = histories(1000..2000, true);
    all_happened(&counts, USUAL);
    all_happened(&counts, &["dropped", "parked", "refused", "healed by a comparison"]);
}
